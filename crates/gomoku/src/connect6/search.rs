//! The search: principal variation search over turns, with the other side's threats answered first, wins by
//! threats found along the way, and a table of known positions.

use tesuji_games::{Score, Side};
use tesuji_search::transposition::{Bound, TableEntry};
use tesuji_search::{DepthMatch, TranspositionTable};

use super::attack::{Attack, AttackOutcome, Replies};
use super::board::Board;
use super::candidates::{Breadth, Candidate, Finder, Turn};
use super::clock::Clock;
use super::threats::{Blocks, Gap, blocks, push_gaps};
use super::weights::evaluate;
use crate::cell::Cell;

/// The most turns below the horizon in which threats are answered.
const LONGEST_CHASE: i32 = 4;
/// A turn that must stop threats with both stones costs no depth, up to so many stones from the root.
const LAST_EXTENDED_PLY: u32 = 24;

/// See the top of this file. One call of [`Engine::search`](super::Engine::search).
pub(super) struct Search<'a> {
    pub(super) board: Board,
    pub(super) clock: Clock,
    table: &'a TranspositionTable,
    attack: &'a mut Attack,
    finder: Finder,
    candidates: Vec<Candidate>,
    gaps: Vec<Gap>,
    salt: u64,
}

/// A turn at the root and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootTurn {
    pub(super) turn: Turn,
    pub(super) score: Score,
}

/// Where in the tree a node is.
#[derive(Clone, Copy)]
struct At {
    /// Turns to go.
    depth: i32,
    /// Stones put since the root.
    ply: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        board: &Board,
        clock: Clock,
        table: &'a TranspositionTable,
        attack: &'a mut Attack,
    ) -> Self {
        Search {
            board: board.clone(),
            clock,
            table,
            attack,
            finder: Finder::default(),
            candidates: Vec::with_capacity(4096),
            gaps: Vec::with_capacity(64),
            salt: (board.width() * 100 + board.height()) as u64,
        }
    }

    /// The turns to try at the root, the most promising first. None when the game cannot be saved.
    pub(super) fn root_turns(&mut self, breadth: Breadth) -> Vec<RootTurn> {
        let gaps = self.gaps_of(!self.board.to_move());
        let mut found = Vec::new();
        self.finder.push(&self.board, &gaps, breadth, &mut found);
        found.iter().map(|found| RootTurn { turn: found.turn, score: Score::MIN }).collect()
    }

    fn gaps_of(&self, side: Side) -> Vec<Gap> {
        let mut gaps = Vec::new();
        push_gaps(&self.board, side, &mut gaps);
        gaps
    }

    /// A win by threats of the side to move, which has a whole turn.
    pub(super) fn win_by_threats(&mut self, most_nodes: u64) -> Option<Vec<Cell>> {
        let us = self.board.to_move();
        for (replies, most_turns) in [(Replies::AllAtOnce, 12), (Replies::EachPair, 6)] {
            let limits = (most_turns, most_nodes);
            let outcome = self.attack.solve(&mut self.board, us, replies, limits);
            self.clock.tick(self.attack.nodes());
            if let AttackOutcome::Win(line) = outcome {
                return Some(line);
            }
        }
        None
    }

    /// Searches the turns to `depth`; the best comes first, then the others in the order they were in. False when
    /// the search was stopped; then the first is the best of those that were searched.
    pub(super) fn search_root(&mut self, turns: &mut [RootTurn], depth: i32) -> bool {
        let mut alpha = Score::MIN;
        for n in 0..turns.len() {
            let score = self.root_score(turns[n].turn, depth, alpha, n == 0);
            if self.clock.is_stopped() {
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

    fn root_score(&mut self, turn: Turn, depth: i32, alpha: Score, first: bool) -> Score {
        let at = At { depth, ply: 0 };
        if !first {
            let score = self.after(turn, at, 0, (alpha, alpha.next()));
            if score <= alpha || self.clock.is_stopped() {
                return score;
            }
        }
        self.after(turn, at, 0, (alpha, Score::MAX))
    }

    /// The value of a turn for the side that plays it, searched `less` turns less deep.
    fn after(&mut self, turn: Turn, at: At, less: i32, (alpha, beta): (Score, Score)) -> Score {
        let stones = turn.cells().count() as u32;
        turn.play(&mut self.board);
        let below = At { depth: at.depth - 1 - less, ply: at.ply + stones };
        let score = -self.node(below, -beta, -alpha);
        turn.undo(&mut self.board);
        score
    }

    fn node(&mut self, at: At, alpha: Score, beta: Score) -> Score {
        if self.clock.tick(1) {
            return Score::DRAW;
        }
        let (us, left) = (self.board.to_move(), self.board.left_in_turn());
        if self.board.can_win(us, left) {
            let stones = if self.board.count(us, 5) > 0 { 1 } else { 2 };
            return Score::win_in(at.ply + stones);
        }
        if self.board.is_full() {
            return Score::DRAW;
        }
        let gaps_before = self.gaps.len();
        push_gaps(&self.board, !us, &mut self.gaps);
        let needed = blocks(&self.gaps[gaps_before..]);
        let extended = needed == Blocks::Two && at.depth >= 1 && at.ply < LAST_EXTENDED_PLY;
        let at = At { depth: at.depth + i32::from(extended), ..at };
        let score = if needed == Blocks::Lost || (needed == Blocks::Two && left == 1) {
            Score::loss_in(at.ply + left as u32 + 2)
        } else if at.depth <= 0 && (needed == Blocks::None || at.depth <= -LONGEST_CHASE) {
            self.leaf(at, needed)
        } else {
            self.inner(at, gaps_before, alpha, beta)
        };
        self.gaps.truncate(gaps_before);
        score
    }

    /// The value where the search ends.
    fn leaf(&mut self, at: At, needed: Blocks) -> Score {
        let us = self.board.to_move();
        // Without a window of three stones no turn makes more threats than two stones can stop.
        if needed == Blocks::None && self.board.count(us, 3) > 0 {
            let limits = (1, 1_000);
            let outcome = self.attack.solve(&mut self.board, us, Replies::AllAtOnce, limits);
            if let AttackOutcome::Win(line) = outcome {
                return Score::win_in(at.ply + line.len() as u32);
            }
        }
        Score::estimate(evaluate(&self.board))
    }

    fn inner(&mut self, at: At, gaps_from: usize, alpha: Score, beta: Score) -> Score {
        let key = self.board.key() ^ self.salt;
        let depth = at.depth.max(0) as u32;
        let known = self.table.get(key);
        let answer = |known: TableEntry| {
            known.decisive_score(depth, at.ply, (alpha, beta), DepthMatch::SameOrDeeper)
        };
        if let Some(score) = known.and_then(answer) {
            return score;
        }
        if at.depth >= 1
            && known.is_none_or(|known| known.depth < depth)
            && let Some(score) = self.attack_score(at)
        {
            self.remember(key, at, score, Bound::Exact, None);
            return score;
        }
        let first = self.candidates.len();
        let gaps = &self.gaps[gaps_from..];
        self.finder.push(&self.board, gaps, breadth(at.depth), &mut self.candidates);
        if let Some(best) = known.and_then(|known| known.best) {
            self.bring_to_front(first, best);
        }
        let (score, turn) = self.best_of(first, at, alpha, beta);
        self.candidates.truncate(first);
        if self.clock.is_stopped() {
            return Score::DRAW;
        }
        let bound = match score {
            score if score >= beta => Bound::Lower,
            score if score > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.remember(key, at, score, bound, turn);
        score
    }

    /// Searches the candidates from the given one on, until one is too good to be allowed.
    fn best_of(
        &mut self,
        first: usize,
        at: At,
        mut alpha: Score,
        beta: Score,
    ) -> (Score, Option<Turn>) {
        let mut best = (Score::MIN, None);
        for n in first..self.candidates.len() {
            let turn = self.candidates[n].turn;
            let score = self.turn_score(turn, at, n - first, (alpha, beta));
            if self.clock.is_stopped() {
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

    /// The first turn with the whole window, the others with a null window, less deep the later they come.
    fn turn_score(&mut self, turn: Turn, at: At, n: usize, (alpha, beta): (Score, Score)) -> Score {
        if n == 0 {
            return self.after(turn, at, 0, (alpha, beta));
        }
        let null = (alpha, alpha.next());
        let less = i32::from(at.depth >= 3 && n >= 6);
        let mut score = self.after(turn, at, less, null);
        if score > alpha && less > 0 {
            score = self.after(turn, at, 0, null);
        }
        if score > alpha && score < beta {
            score = self.after(turn, at, 0, (alpha, beta));
        }
        score
    }

    fn attack_score(&mut self, at: At) -> Option<Score> {
        let us = self.board.to_move();
        if self.board.left_in_turn() < 2 {
            return None;
        }
        let limits = if at.depth >= 2 { (6, 300) } else { (3, 12) };
        let outcome = self.attack.solve(&mut self.board, us, Replies::AllAtOnce, limits);
        self.clock.tick(self.attack.nodes() / 4);
        match outcome {
            AttackOutcome::Win(line) => Some(Score::win_in(at.ply + line.len() as u32)),
            _ => None,
        }
    }

    fn bring_to_front(&mut self, first: usize, best: u16) {
        let width = self.board.width();
        let is_best = |known: &Candidate| turn_number(known.turn, width) == Some(best);
        let found = self.candidates[first..].iter().position(is_best);
        if let Some(place) = found {
            self.candidates[first..=first + place].rotate_right(1);
        }
    }

    fn remember(&self, key: u64, at: At, score: Score, bound: Bound, turn: Option<Turn>) {
        let best = turn.and_then(|turn| turn_number(turn, self.board.width()));
        let (score, depth) = (score.nearer(at.ply), at.depth.max(0) as u32);
        self.table.put(key, TableEntry { score, bound, depth, settled: false, best });
    }

    /// The best turns known from here on, for the report.
    pub(super) fn push_line(&mut self, line: &mut Vec<Cell>) {
        let mut played = 0;
        while line.len() < 24 && self.board.winner().is_none() && !self.board.is_full() {
            let us = self.board.to_move();
            let wins = self.board.winning_stones(us, self.board.left_in_turn());
            let wins = wins.map(|(one, another)| Turn(one, another));
            let Some(turn) = wins.or_else(|| self.known_turn()) else { break };
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

    /// The best turn of this position, if the table knows it and it is possible.
    fn known_turn(&self) -> Option<Turn> {
        let number = self.table.get(self.board.key() ^ self.salt)?.best?;
        let turn = numbered_turn(number, self.board.width());
        turn.cells().all(|cell| self.board.is_empty_cell(cell)).then_some(turn)
    }
}

/// How many candidates a node of this depth looks at.
fn breadth(depth: i32) -> Breadth {
    match depth {
        ..=0 => Breadth { cells: 8, turns: 6 },
        1 => Breadth { cells: 10, turns: 16 },
        2 => Breadth { cells: 12, turns: 24 },
        _ => Breadth { cells: 14, turns: 36 },
    }
}

/// Numbers turns, so that one fits into a table's entry; `None` for the few on boards of more than 361 cells that
/// do not.
fn turn_number(turn: Turn, width: usize) -> Option<u16> {
    let number = |cell: Cell| cell.row() * width + cell.column();
    let (low, high) = (number(turn.0.min(turn.1)), number(turn.0.max(turn.1)));
    u16::try_from(high * (high + 1) / 2 + low).ok()
}

/// The turn with this number.
fn numbered_turn(number: u16, width: usize) -> Turn {
    let number = usize::from(number);
    let high = ((8 * number + 1).isqrt() - 1) / 2;
    let low = number - high * (high + 1) / 2;
    let cell = |n: usize| Cell::new(n % width, n / width);
    Turn(cell(low), cell(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_have_numbers_of_their_own() {
        for (width, height) in [(19, 19), (22, 22), (6, 9)] {
            let cell = |n: usize| Cell::new(n % width, n / width);
            for high in 0..width * height {
                for low in 0..=high {
                    let turn = Turn(cell(low), cell(high));
                    let number = turn_number(turn, width);
                    assert!(number.is_some() || high >= 361, "{turn:?}");
                    assert!(number.is_none_or(|number| numbered_turn(number, width) == turn));
                }
            }
        }
    }
}
