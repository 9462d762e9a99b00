//! Principal variation search over turns. It blocks the opponent's threats first, finds wins by
//! threats along the way, and uses the transposition table.

use tesuji_games::{Score, Side};
use tesuji_search::transposition::{Bound, TableEntry};
use tesuji_search::{DepthMatch, TranspositionTable};

use super::board::Connect6Board;
use super::candidates::{CandidateFinder, CandidateLimits, CandidateTurn, StonePair};
use super::evaluation::evaluate;
use super::limit_meter::LimitMeter;
use super::threats::{Threat, ThreatCount, push_threats, threat_count};
use super::vcdt::{ReplyMode, Vcdt, VcdtOutcome};
use crate::cell::Cell;

/// The most turns below the horizon in which threats are answered.
const MAX_QUIESCENCE_TURNS: i32 = 4;
/// Turns that must block with both stones are extended up to this number of stones from the root.
const LAST_EXTENDED_PLY: u32 = 24;

/// The search of one call of [`Connect6Engine::search`](super::Connect6Engine::search).
pub(super) struct Search<'a> {
    pub(super) board: Connect6Board,
    pub(super) meter: LimitMeter,
    table: &'a TranspositionTable,
    vcdt: &'a mut Vcdt,
    finder: CandidateFinder,
    candidates: Vec<CandidateTurn>,
    threats: Vec<Threat>,
    salt: u64,
}

/// A turn at the root and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootMove {
    pub(super) turn: StonePair,
    pub(super) score: Score,
}

/// A node's place in the tree.
#[derive(Clone, Copy)]
struct Node {
    /// Remaining depth in turns.
    depth: i32,
    /// Stones played since the root.
    ply: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        board: &Connect6Board,
        meter: LimitMeter,
        table: &'a TranspositionTable,
        vcdt: &'a mut Vcdt,
    ) -> Self {
        Search {
            board: board.clone(),
            meter,
            table,
            vcdt,
            finder: CandidateFinder::default(),
            candidates: Vec::with_capacity(4096),
            threats: Vec::with_capacity(64),
            salt: (board.width() * 100 + board.height()) as u64,
        }
    }

    /// The candidate turns at the root, best first; none if the game is lost.
    pub(super) fn root_turns(&mut self, candidate_limits: CandidateLimits) -> Vec<RootMove> {
        let threats = self.threats_of_side(!self.board.to_move());
        let mut found = Vec::new();
        self.finder.push(&self.board, &threats, candidate_limits, &mut found);
        found.iter().map(|found| RootMove { turn: found.turn, score: Score::MIN }).collect()
    }

    fn threats_of_side(&self, side: Side) -> Vec<Threat> {
        let mut threats = Vec::new();
        push_threats(&self.board, side, &mut threats);
        threats
    }

    /// Searches for a win by threats of the side to move, which must have a whole turn.
    pub(super) fn win_by_threats(&mut self, max_nodes: u64) -> Option<Vec<Cell>> {
        let us = self.board.to_move();
        for (replies, max_turns) in [(ReplyMode::AllAtOnce, 12), (ReplyMode::EachPair, 6)] {
            let limits = (max_turns, max_nodes);
            let outcome = self.vcdt.solve(&mut self.board, us, replies, limits);
            self.meter.tick(self.vcdt.nodes());
            if let VcdtOutcome::Win(line) = outcome {
                return Some(line);
            }
        }
        None
    }

    /// Searches the turns to `depth`, moves the best to the front and keeps the order of the
    /// others. Returns false if the search was stopped; then the first is the best of those
    /// searched.
    pub(super) fn search_root(&mut self, turns: &mut [RootMove], depth: i32) -> bool {
        let mut alpha = Score::MIN;
        for n in 0..turns.len() {
            let score = self.root_score(turns[n].turn, depth, alpha, n == 0);
            if self.meter.is_stopped() {
                return false;
            }
            turns[n].score = score;
            if score > alpha {
                alpha = score;
                turns[..=n].rotate_right(1);
            }
        }
        true
    }

    fn root_score(&mut self, turn: StonePair, depth: i32, alpha: Score, first: bool) -> Score {
        let node = Node { depth, ply: 0 };
        if !first {
            let score = self.value_after(turn, node, 0, (alpha, alpha.next()));
            if score <= alpha || self.meter.is_stopped() {
                return score;
            }
        }
        self.value_after(turn, node, 0, (alpha, Score::MAX))
    }

    /// The value of a turn for the side that plays it, at a depth reduced by `reduction` turns.
    fn value_after(
        &mut self,
        turn: StonePair,
        node: Node,
        reduction: i32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        let stones = turn.cells().count() as u32;
        turn.play(&mut self.board);
        let below = Node { depth: node.depth - 1 - reduction, ply: node.ply + stones };
        let score = -self.search(below, -beta, -alpha);
        turn.undo(&mut self.board);
        score
    }

    fn search(&mut self, node: Node, alpha: Score, beta: Score) -> Score {
        if self.meter.tick(1) {
            return Score::DRAW;
        }
        let (us, left) = (self.board.to_move(), self.board.left_in_turn());
        if self.board.can_win(us, left) {
            let stones = if self.board.count(us, 5) > 0 { 1 } else { 2 };
            return Score::win_in(node.ply + stones);
        }
        if self.board.is_full() {
            return Score::DRAW;
        }
        let threats_before = self.threats.len();
        push_threats(&self.board, !us, &mut self.threats);
        let needed = threat_count(&self.threats[threats_before..]);
        let extended =
            needed == ThreatCount::Two && node.depth >= 1 && node.ply < LAST_EXTENDED_PLY;
        let node = Node { depth: node.depth + i32::from(extended), ..node };
        let score =
            if needed == ThreatCount::ThreeOrMore || (needed == ThreatCount::Two && left == 1) {
                Score::loss_in(node.ply + left as u32 + 2)
            } else if node.depth <= 0
                && (needed == ThreatCount::None || node.depth <= -MAX_QUIESCENCE_TURNS)
            {
                self.leaf_value(node, needed)
            } else {
                self.search_inner(node, threats_before, alpha, beta)
            };
        self.threats.truncate(threats_before);
        score
    }

    /// The value at the horizon.
    fn leaf_value(&mut self, node: Node, needed: ThreatCount) -> Score {
        let us = self.board.to_move();
        // Without a window of three stones no turn makes more threats than two stones can block.
        if needed == ThreatCount::None && self.board.count(us, 3) > 0 {
            let limits = (1, 1_000);
            let outcome = self.vcdt.solve(&mut self.board, us, ReplyMode::AllAtOnce, limits);
            if let VcdtOutcome::Win(line) = outcome {
                return Score::win_in(node.ply + line.len() as u32);
            }
        }
        Score::estimate(evaluate(&self.board))
    }

    fn search_inner(
        &mut self,
        node: Node,
        threats_from: usize,
        alpha: Score,
        beta: Score,
    ) -> Score {
        let key = self.board.key() ^ self.salt;
        let depth = node.depth.max(0) as u32;
        let known = self.table.get(key);
        let cutoff = |known: TableEntry| {
            known.decisive_score(depth, node.ply, (alpha, beta), DepthMatch::SameOrDeeper)
        };
        if let Some(score) = known.and_then(cutoff) {
            return score;
        }
        if node.depth >= 1
            && known.is_none_or(|known| known.depth < depth)
            && let Some(score) = self.vcdt_score(node)
        {
            self.store(key, node, score, Bound::Exact, None);
            return score;
        }
        let first = self.candidates.len();
        let threats = &self.threats[threats_from..];
        self.finder.push(&self.board, threats, candidate_limits(node.depth), &mut self.candidates);
        if let Some(best) = known.and_then(|known| known.best) {
            self.bring_to_front(first, best);
        }
        let (score, turn) = self.best_of(first, node, alpha, beta);
        self.candidates.truncate(first);
        if self.meter.is_stopped() {
            return Score::DRAW;
        }
        let bound = match score {
            score if score >= beta => Bound::Lower,
            score if score > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.store(key, node, score, bound, turn);
        score
    }

    /// Searches the candidates from `first` on, until one causes a cutoff.
    fn best_of(
        &mut self,
        first: usize,
        node: Node,
        mut alpha: Score,
        beta: Score,
    ) -> (Score, Option<StonePair>) {
        let mut best = (Score::MIN, None);
        for n in first..self.candidates.len() {
            let turn = self.candidates[n].turn;
            let score = self.search_turn(turn, node, n - first, (alpha, beta));
            if self.meter.is_stopped() {
                break;
            }
            if score > best.0 {
                best = (score, Some(turn));
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Searches the first turn with the full window, others with a null window, late ones at
    /// reduced depth.
    fn search_turn(
        &mut self,
        turn: StonePair,
        node: Node,
        n: usize,
        (alpha, beta): (Score, Score),
    ) -> Score {
        if n == 0 {
            return self.value_after(turn, node, 0, (alpha, beta));
        }
        let null = (alpha, alpha.next());
        let reduction = i32::from(node.depth >= 3 && n >= 6);
        let mut score = self.value_after(turn, node, reduction, null);
        if score > alpha && reduction > 0 {
            score = self.value_after(turn, node, 0, null);
        }
        if score > alpha && score < beta {
            score = self.value_after(turn, node, 0, (alpha, beta));
        }
        score
    }

    fn vcdt_score(&mut self, node: Node) -> Option<Score> {
        let us = self.board.to_move();
        if self.board.left_in_turn() < 2 {
            return None;
        }
        let limits = if node.depth >= 2 { (6, 300) } else { (3, 12) };
        let outcome = self.vcdt.solve(&mut self.board, us, ReplyMode::AllAtOnce, limits);
        self.meter.tick(self.vcdt.nodes() / 4);
        match outcome {
            VcdtOutcome::Win(line) => Some(Score::win_in(node.ply + line.len() as u32)),
            _ => None,
        }
    }

    fn bring_to_front(&mut self, first: usize, best: u16) {
        let width = self.board.width();
        let is_best = |known: &CandidateTurn| turn_number(known.turn, width) == Some(best);
        let found = self.candidates[first..].iter().position(is_best);
        if let Some(index) = found {
            self.candidates[first..=first + index].rotate_right(1);
        }
    }

    fn store(&self, key: u64, node: Node, score: Score, bound: Bound, turn: Option<StonePair>) {
        let best = turn.and_then(|turn| turn_number(turn, self.board.width()));
        let (score, depth) = (score.nearer(node.ply), node.depth.max(0) as u32);
        self.table.put(key, TableEntry { score, bound, depth, settled: false, best });
    }

    /// Appends the best turns stored in the table to a line.
    pub(super) fn push_line(&mut self, line: &mut Vec<Cell>) {
        let mut played = 0;
        while line.len() < 24 && self.board.winner().is_none() && !self.board.is_full() {
            let us = self.board.to_move();
            let wins = self.board.winning_stones(us, self.board.left_in_turn());
            let wins = wins.map(|(one, another)| StonePair(one, another));
            let Some(turn) = wins.or_else(|| self.table_turn()) else { break };
            for cell in turn.cells() {
                if self.board.try_play(cell).is_ok() {
                    line.push(cell);
                    played += 1;
                }
            }
        }
        for _ in 0..played {
            self.board.undo();
        }
    }

    /// The table's best turn of this position, if it is legal.
    fn table_turn(&self) -> Option<StonePair> {
        let number = self.table.get(self.board.key() ^ self.salt)?.best?;
        let turn = turn_from_number(number, self.board.width());
        turn.cells().all(|cell| self.board.is_empty_cell(cell)).then_some(turn)
    }
}

/// The candidate limits of a node at this depth.
fn candidate_limits(depth: i32) -> CandidateLimits {
    match depth {
        ..=0 => CandidateLimits { cells: 8, turns: 6 },
        1 => CandidateLimits { cells: 10, turns: 16 },
        2 => CandidateLimits { cells: 12, turns: 24 },
        _ => CandidateLimits { cells: 14, turns: 36 },
    }
}

/// Encodes a turn as a number that fits into a table entry; `None` for the few turns that do not
/// fit on boards of more than 361 cells.
fn turn_number(turn: StonePair, width: usize) -> Option<u16> {
    let number = |cell: Cell| cell.row() * width + cell.column();
    let (low, high) = (number(turn.0.min(turn.1)), number(turn.0.max(turn.1)));
    u16::try_from(high * (high + 1) / 2 + low).ok()
}

/// Decodes a turn.
fn turn_from_number(number: u16, width: usize) -> StonePair {
    let number = usize::from(number);
    let high = ((8 * number + 1).isqrt() - 1) / 2;
    let low = number - high * (high + 1) / 2;
    let cell = |n: usize| Cell::new(n % width, n / width);
    StonePair(cell(low), cell(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turn_numbers_are_unique() {
        for (width, height) in [(19, 19), (22, 22), (6, 9)] {
            let cell = |n: usize| Cell::new(n % width, n / width);
            for high in 0..width * height {
                for low in 0..=high {
                    let turn = StonePair(cell(low), cell(high));
                    let number = turn_number(turn, width);
                    assert!(number.is_some() || high >= 361, "{turn:?}");
                    assert!(number.is_none_or(|number| turn_from_number(number, width) == turn));
                }
            }
        }
    }
}
