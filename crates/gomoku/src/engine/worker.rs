//! The search of one thread: principal variation search with extensions for Gomoku. Threads share
//! only the transposition table.

use tesuji_games::bits::mix;
use tesuji_search::transposition::{Bound, TableEntry, TranspositionTable};
use tesuji_search::{Limits, Meter};

use super::evaluation::{Sums, estimate, sums_after, sums_of};
use super::history::MoveHistory;
use super::moves::{OpponentThreat, RankedMove, has_fours, pick, push_moves};
use super::node::{MoveContext, Node, NodeContext, Window};
use super::selective::{Extension, Reductions, reductions};
use super::tunables::Tunables;
use super::value::{INFINITE, MAX_ESTIMATE, MAX_PLY, is_loss, loss_at, score_of, value_of, win_at};
use super::weights::WeightTables;
use crate::board::Board;
use crate::cell::Cell;
use crate::class::MoveClass;
use crate::vcf::{Vcf, VcfOutcome};

/// The data of one ply of the current line.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Frame {
    pub(crate) estimate: i32,
    /// The move excluded by the singular test.
    pub(crate) excluded: Option<Cell>,
}

/// One thread's search.
pub(crate) struct Worker<'a> {
    pub(crate) board: Board,
    pub(crate) weights: &'a WeightTables,
    pub(crate) tunables: &'a Tunables,
    table: &'a TranspositionTable,
    salt: u64,
    pub(crate) meter: Meter,
    pub(crate) vcf: Vcf,
    sums: Vec<Sums>,
    pub(crate) frames: Vec<Frame>,
    /// A stack of the moves not yet searched at each node of the current line.
    moves: Vec<RankedMove>,
    /// The principal variation from each ply on.
    pub(crate) lines: Vec<Vec<Cell>>,
    pub(crate) history: MoveHistory,
    pub(crate) reductions: Reductions,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        board: &Board,
        weights: &'a WeightTables,
        tunables: &'a Tunables,
        table: &'a TranspositionTable,
        limits: &Limits,
        state: ThreadState,
    ) -> Worker<'a> {
        Worker {
            sums: vec![sums_of(weights, board)],
            board: board.clone(),
            weights,
            tunables,
            table,
            salt: salt(board),
            meter: Meter::start(limits),
            vcf: state.vcf,
            frames: vec![Frame::default(); MAX_PLY + 4],
            moves: Vec::with_capacity(4096),
            lines: vec![Vec::new(); MAX_PLY + 4],
            history: state.history,
            reductions: reductions(tunables),
        }
    }

    /// Keeps the state that serves the next search.
    pub(crate) fn into_state(self) -> ThreadState {
        ThreadState { vcf: self.vcf, history: self.history }
    }

    /// The best move of the root's table entry.
    pub(crate) fn table_move(&self) -> Option<Cell> {
        self.table.get(self.key()).and_then(|entry| best_of(&entry))
    }

    #[inline]
    fn key(&self) -> u64 {
        self.board.key() ^ self.salt
    }

    #[inline]
    pub(crate) fn play(&mut self, cell: Cell) {
        let before = self.sums[self.sums.len() - 1];
        self.board.play(cell);
        self.sums.push(sums_after(self.weights, &self.board, before));
    }

    #[inline]
    pub(crate) fn undo(&mut self) {
        self.sums.pop();
        self.board.undo();
    }

    /// The estimate for the side to move.
    #[inline]
    fn estimate(&self) -> i32 {
        let sums = self.sums[self.sums.len() - 1];
        estimate(self.weights, &self.board, sums).clamp(-MAX_ESTIMATE, MAX_ESTIMATE)
    }

    /// The value of a position that is decided within a few moves.
    #[inline]
    fn decided(&self, ply: usize) -> Option<i32> {
        let (own, other) = (self.board.to_move(), !self.board.to_move());
        if self.board.count(own, MoveClass::Five) > 0 {
            return Some(win_at(ply + 1));
        }
        if self.board.is_full() {
            return Some(0);
        }
        if self.board.count(other, MoveClass::Five) > 0 {
            return None;
        }
        (self.board.count(own, MoveClass::OpenFour) > 0).then(|| win_at(ply + 3))
    }

    /// The value at the horizon: a win by fours, or the estimate.
    fn leaf_value(&mut self, ply: usize, estimate: i32) -> i32 {
        self.win_by_fours(ply, 0).unwrap_or(estimate)
    }

    pub(crate) fn win_by_fours(&mut self, ply: usize, depth: i32) -> Option<i32> {
        let side = self.board.to_move();
        if !has_fours(&self.board, side) {
            return None;
        }
        let fours = self.tunables.leaf_vcf_fours + depth * self.tunables.inner_vcf_fours;
        let nodes = self.tunables.vcf_nodes as u64;
        let outcome = self.vcf.solve_within(&mut self.board, side, fours as u32, nodes);
        self.meter.spend(self.vcf.nodes());
        match outcome {
            VcfOutcome::Win(line) => Some(win_at(ply + line.len())),
            VcfOutcome::None | VcfOutcome::Unknown => None,
        }
    }

    /// Searches the position; returns its value within the window, or a bound outside it.
    pub(crate) fn search(&mut self, window: Window, node: Node) -> i32 {
        let Node { depth, ply, pv, .. } = node;
        self.lines[ply].clear();
        if self.meter.tick() {
            return 0;
        }
        if let Some(value) = self.decided(ply) {
            return value;
        }
        let alpha = window.alpha.max(loss_at(ply + 2));
        let beta = window.beta.min(win_at(ply + 3));
        if alpha >= beta {
            return alpha;
        }
        let threat = OpponentThreat::facing(&self.board);
        let estimate = self.estimate();
        self.frames[ply].estimate = estimate;
        if (depth <= 0 && threat != OpponentThreat::Five) || ply >= MAX_PLY {
            return self.leaf_value(ply, estimate);
        }
        let excluded = self.frames[ply].excluded;
        let entry = if excluded.is_some() { None } else { self.table.get(self.key()) };
        if let Some(entry) = &entry
            && !pv
            && entry.depth as i32 >= depth
            && let Some(value) = table_cutoff(entry, ply, Window { alpha, beta })
        {
            return value;
        }
        let window = Window { alpha, beta };
        let estimate = entry.as_ref().map_or(estimate, |entry| refined_estimate(estimate, entry));
        if excluded.is_none()
            && let Some(value) = self.early_value(window, node, threat, estimate)
        {
            return value;
        }
        let improving = self.is_improving(ply);
        let mut context = NodeContext { window, node, threat, entry, improving };
        context.node.depth -= self.node_reduction(&context, estimate);
        self.search_moves(&context)
    }

    /// Searches the moves of a node.
    fn search_moves(&mut self, context: &NodeContext) -> i32 {
        let &NodeContext { window, node, threat, .. } = context;
        let first = self.moves.len();
        push_moves(&self.board, self.weights, threat, &mut self.moves);
        self.rank_moves(first, context);
        let found = self.try_moves(context, first);
        self.moves.truncate(first);
        if self.meter.is_stopped() {
            return 0;
        }
        let excluded = self.frames[node.ply].excluded;
        let value = match found.best {
            None if excluded.is_some() => return window.alpha,
            // No move stops the opponent.
            None if threat == OpponentThreat::Five => loss_at(node.ply + 2),
            None if threat == OpponentThreat::OpenFour => loss_at(node.ply + 4),
            // All candidate cells are forbidden.
            None => 0,
            Some(_) => found.value,
        };
        if excluded.is_none() {
            self.store(window, node, value, found.best);
        }
        value
    }

    fn store(&self, window: Window, node: Node, value: i32, best: Option<Cell>) {
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value > window.alpha && node.pv {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let best = best.filter(|_| bound != Bound::Upper).map(|cell| cell.number() as u16);
        let best = best.or_else(|| self.table.get(self.key()).and_then(|old| old.best));
        self.table.put(
            self.key(),
            TableEntry {
                score: score_of(value, node.ply),
                bound,
                depth: node.depth.clamp(0, 255) as u32,
                settled: false,
                best,
            },
        );
    }

    /// Adds the search statistics to the scores of moves.
    fn rank_moves(&mut self, first: usize, context: &NodeContext) {
        if context.threat == OpponentThreat::Five {
            return;
        }
        let (side, table_move) = (self.board.to_move(), context.table_move());
        let counter_move = self.history.counter_move(side, self.board.last_move());
        let weight = self.tunables.order_history;
        for ranked in &mut self.moves[first..] {
            ranked.rank += self.history.of(side, ranked.cell) * weight / 6400;
            if Some(ranked.cell) == counter_move {
                ranked.rank += self.tunables.order_answer;
            }
            if Some(ranked.cell) == table_move {
                ranked.rank = i32::MAX;
            }
        }
    }

    /// Searches the moves from `first` on in rank order, until one causes a cutoff.
    fn try_moves(&mut self, context: &NodeContext, first: usize) -> BestMove {
        let Node { depth, ply, pv, .. } = context.node;
        let (side, excluded) = (self.board.to_move(), self.frames[ply].excluded);
        let mut found = BestMove { value: -INFINITE, best: None };
        let (mut alpha, mut tried, mut raise_reduction, mut best_score) =
            (context.window.alpha, 0, 0, i32::MIN);
        for next in first..self.moves.len() {
            let RankedMove { cell, move_score, .. } = pick(&mut self.moves, next);
            if Some(cell) == excluded || self.board.is_forbidden(side, cell) {
                continue;
            }
            best_score = best_score.max(move_score);
            let m = MoveContext { cell, move_score, best_score, tried };
            let reduction = self.reduction(context, &m);
            // Moves are pruned only after a move that does not lose.
            if !is_loss(found.value) && self.is_pruned(context, &m, alpha, reduction) {
                continue;
            }
            let extension = match self.extension(context, cell) {
                Extension::By(plies) => plies,
                Extension::Cut(value) => return BestMove { value, best: Some(cell) },
            };
            let depth_below = depth - 1 + extension - raise_reduction;
            let below =
                Node { depth: depth_below, ply: ply + 1, pv, cut_node: !context.node.cut_node };
            let value = self.try_move(Window { alpha, ..context.window }, below, &m, reduction);
            if self.meter.is_stopped() {
                return found;
            }
            tried += 1;
            if value > found.value {
                found = BestMove { value, best: Some(cell) };
            }
            if value > alpha {
                alpha = value;
                if pv {
                    self.extend_line(ply, cell);
                }
                raise_reduction = self.reduction_after_raise(depth, value);
            }
            if alpha >= context.window.beta {
                if context.threat != OpponentThreat::Five {
                    self.reward(depth, first, next);
                }
                break;
            }
        }
        found
    }

    /// Searches a move: first with a null window, then, on the principal variation, with the full
    /// window if it exceeds alpha.
    fn try_move(&mut self, window: Window, below: Node, m: &MoveContext, reduction: i32) -> i32 {
        self.play(m.cell);
        let mut value = -INFINITE;
        if m.tried > 0 || !below.pv {
            value = self.search_null_window(window.alpha, below, reduction);
        }
        if below.pv && (m.tried == 0 || value > window.alpha && !self.meter.is_stopped()) {
            value = -self.search(window.negated(), Node { cut_node: false, ..below });
        }
        self.undo();
        value
    }

    /// Searches with a null window, first at reduced depth.
    pub(crate) fn search_null_window(&mut self, alpha: i32, below: Node, reduction: i32) -> i32 {
        let (window, full) = (Window::above(alpha).negated(), Node { pv: false, ..below });
        let depth = (full.depth - reduction).max(1).min(full.depth);
        if reduction > 0 && depth < full.depth {
            let value = -self.search(window, Node { depth, cut_node: true, ..full });
            if value <= alpha || self.meter.is_stopped() {
                return value;
            }
        }
        -self.search(window, full)
    }

    fn extend_line(&mut self, ply: usize, cell: Cell) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(cell);
        upper[ply].extend(&lower[0]);
    }

    /// Rewards the move at index `best`, which caused a cutoff, over those from `first` on.
    fn reward(&mut self, depth: i32, first: usize, best: usize) {
        let (side, last) = (self.board.to_move(), self.board.last_move());
        let Worker { moves, history, .. } = self;
        let before = moves[first..best].iter().map(|ranked| ranked.cell);
        history.reward(side, moves[best].cell, last, depth, before);
    }
}

/// The best move of a node and its value.
struct BestMove {
    value: i32,
    best: Option<Cell>,
}

/// The state that a thread keeps between searches.
#[derive(Clone, Debug)]
pub(crate) struct ThreadState {
    vcf: Vcf,
    history: MoveHistory,
}

impl ThreadState {
    pub(crate) fn new() -> ThreadState {
        ThreadState { vcf: Vcf::new(), history: MoveHistory::new() }
    }

    pub(crate) fn age(&mut self) {
        self.history.age();
    }
}

/// The value of a table entry, if it causes a cutoff.
#[inline]
fn table_cutoff(entry: &TableEntry, ply: usize, window: Window) -> Option<i32> {
    let value = value_of(entry.score, ply);
    let settles = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => value >= window.beta,
        Bound::Upper => value <= window.alpha,
    };
    settles.then_some(value)
}

/// The estimate, refined by the bound of a table entry.
#[inline]
fn refined_estimate(estimate: i32, entry: &TableEntry) -> i32 {
    let value = entry.score.raw();
    match entry.bound {
        _ if entry.score.is_decided() => estimate,
        Bound::Exact => value,
        Bound::Lower => estimate.max(value),
        Bound::Upper => estimate.min(value),
    }
}

#[inline]
pub(crate) fn best_of(entry: &TableEntry) -> Option<Cell> {
    entry.best.map(|number| Cell::from_number(usize::from(number)))
}

/// Separates the keys of different board sizes and rules.
fn salt(board: &Board) -> u64 {
    mix(board.rule() as u64 * 10_000 + board.width() as u64 * 100 + board.height() as u64)
}
