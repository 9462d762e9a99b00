//! One thread's search: principal variation search with what Gomoku needs. Several workers share the table and
//! nothing else.

use tesuji_games::bits::mix;
use tesuji_search::transposition::{Bound, Entry, Table};
use tesuji_search::{Limits, Meter};

use super::evaluation::{Sums, estimate, sums_after, sums_of};
use super::history::MoveHistory;
use super::moves::{Pressure, Ranked, has_fours, is_four, pick, push_moves};
use super::tunables::Tunables;
use super::value::{
    DEEPEST_PLY, INFINITE, MOST_ESTIMATE, is_decided, is_loss, loss_at, score_of, value_of, win_at,
};
use super::weights::Weights;
use crate::board::Board;
use crate::cell::Cell;
use crate::class::Class;
use crate::vcf::{Vcf, VcfOutcome};

/// What a worker knows about one ply of the line it looks at.
#[derive(Clone, Copy, Default, Debug)]
struct Frame {
    estimate: i32,
    /// The move that is left out, to find out how good the others are.
    without: Option<Cell>,
}

/// Depths and move numbers up to this have an entry in the table of reductions.
const REDUCTIONS: usize = 64;

/// See the top of this file.
pub(crate) struct Worker<'a> {
    pub(crate) board: Board,
    weights: &'a Weights,
    tunables: &'a Tunables,
    table: &'a Table,
    salt: u64,
    pub(crate) meter: Meter,
    pub(crate) vcf: Vcf,
    sums: Vec<Sums>,
    frames: Vec<Frame>,
    /// The moves of every node on the way here that are not searched yet, one after the other.
    moves: Vec<Ranked>,
    /// Best play from each ply on.
    pub(crate) lines: Vec<Vec<Cell>>,
    history: MoveHistory,
    reductions: Box<[[i32; REDUCTIONS]; REDUCTIONS]>,
    /// The furthest ply that was looked at.
    pub(crate) furthest: usize,
}

/// Where a node stands in its tree.
#[derive(Clone, Copy)]
struct Node {
    depth: i32,
    ply: usize,
    /// On the line of best play, so that its value must be exact.
    open: bool,
    /// A cut is expected here.
    cut: bool,
}

/// A window of values that matter.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    pub(crate) const WHOLE: Window = Window { alpha: -INFINITE, beta: INFINITE };

    /// Whether a value is more than `alpha`.
    fn above(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    fn for_other(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        board: &Board,
        weights: &'a Weights,
        tunables: &'a Tunables,
        table: &'a Table,
        limits: &Limits,
        memory: Memory,
    ) -> Worker<'a> {
        Worker {
            sums: vec![sums_of(weights, board)],
            board: board.clone(),
            weights,
            tunables,
            table,
            salt: salt(board),
            meter: Meter::start(limits),
            vcf: memory.vcf,
            frames: vec![Frame::default(); DEEPEST_PLY + 4],
            moves: Vec::with_capacity(4096),
            lines: vec![Vec::new(); DEEPEST_PLY + 4],
            history: memory.history,
            reductions: reductions(tunables),
            furthest: 0,
        }
    }

    pub(crate) fn tunables(&self) -> &'a Tunables {
        self.tunables
    }

    /// What may serve the next search.
    pub(crate) fn into_memory(self) -> Memory {
        Memory { vcf: self.vcf, history: self.history }
    }

    /// What the table says about the root.
    pub(crate) fn known_best(&self) -> Option<Cell> {
        self.table.get(self.key()).and_then(|entry| best_of(&entry))
    }

    /// The legal moves at the root, the most promising first: those that pressure leaves, or near ones, or any.
    pub(crate) fn root_moves(&mut self) -> Vec<Cell> {
        let mut moves = Vec::new();
        let pressure = Pressure::on(&self.board);
        push_moves(&self.board, self.weights, pressure, &mut moves);
        let side = self.board.to_move();
        moves.retain(|ranked| !self.board.is_forbidden(side, ranked.cell));
        if moves.is_empty() && pressure != Pressure::None {
            push_moves(&self.board, self.weights, Pressure::None, &mut moves);
            moves.retain(|ranked| !self.board.is_forbidden(side, ranked.cell));
        }
        moves.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        moves.into_iter().map(|ranked| ranked.cell).collect()
    }

    /// Searches root moves in their order, and puts the best one first. The value is that of the best, or a bound
    /// outside the window.
    pub(crate) fn search_root(
        &mut self,
        moves: &mut [RootMove],
        window: Window,
        depth: i32,
    ) -> i32 {
        let mut alpha = window.alpha;
        let mut best = -INFINITE;
        for n in 0..moves.len() {
            let cell = moves[n].cell;
            let node = Node { depth: depth - 1, ply: 1, open: true, cut: false };
            self.play(cell);
            let mut value = -INFINITE;
            if n > 0 {
                let reduced = if n > 2 && depth > 2 {
                    self.reductions[row(depth)][row(n as i32)] / 200
                } else {
                    0
                };
                let closed =
                    Node { depth: (depth - 1 - reduced).max(1), open: false, cut: true, ..node };
                value = -self.search(Window::above(alpha).for_other(), closed);
                if value > alpha && reduced > 0 && !self.meter.is_stopped() {
                    value = -self.search(
                        Window::above(alpha).for_other(),
                        Node { depth: depth - 1, ..closed },
                    );
                }
            }
            if n == 0 || (value > alpha && !self.meter.is_stopped()) {
                value = -self.search(Window { alpha, beta: window.beta }.for_other(), node);
            }
            self.undo();
            if self.meter.is_stopped() {
                break;
            }
            if n == 0 || value > alpha {
                moves[n].value = value;
                moves[n].line.clear();
                moves[n].line.push(cell);
                let (line, below) = (&mut moves[n].line, &self.lines[1]);
                line.extend(below);
                moves[..=n].rotate_right(1);
            }
            if value > best {
                best = value;
                alpha = alpha.max(value);
            }
            if alpha >= window.beta {
                break;
            }
        }
        best
    }

    #[inline]
    fn key(&self) -> u64 {
        self.board.key() ^ self.salt
    }

    #[inline]
    fn play(&mut self, cell: Cell) {
        let before = self.sums[self.sums.len() - 1];
        self.board.play(cell);
        self.sums.push(sums_after(self.weights, &self.board, before));
    }

    #[inline]
    fn undo(&mut self) {
        self.sums.pop();
        self.board.undo();
    }

    /// The estimate for the side to move.
    #[inline]
    fn estimate(&self) -> i32 {
        let sums = self.sums[self.sums.len() - 1];
        estimate(self.weights, &self.board, sums).clamp(-MOST_ESTIMATE, MOST_ESTIMATE)
    }

    /// The value of a position that is decided within a few moves whatever is searched.
    #[inline]
    fn decided(&self, ply: usize) -> Option<i32> {
        let (own, other) = (self.board.to_move(), !self.board.to_move());
        if self.board.count(own, Class::Five) > 0 {
            return Some(win_at(ply + 1));
        }
        if self.board.is_full() {
            return Some(0);
        }
        if self.board.count(other, Class::Five) > 0 {
            return None;
        }
        (self.board.count(own, Class::OpenFour) > 0).then(|| win_at(ply + 3))
    }

    /// The value of the position for the side to move, by fours alone if there is a win, or else estimated.
    fn settle(&mut self, ply: usize, estimate: i32) -> i32 {
        self.win_by_fours(ply, 0).unwrap_or(estimate)
    }

    fn win_by_fours(&mut self, ply: usize, depth: i32) -> Option<i32> {
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

    /// The value of the position for the side to move within the window, or a bound outside it.
    fn search(&mut self, window: Window, node: Node) -> i32 {
        let Node { depth, ply, open, .. } = node;
        self.lines[ply].clear();
        if self.meter.tick() {
            return 0;
        }
        self.furthest = self.furthest.max(ply);
        if let Some(value) = self.decided(ply) {
            return value;
        }
        let alpha = window.alpha.max(loss_at(ply + 2));
        let beta = window.beta.min(win_at(ply + 3));
        if alpha >= beta {
            return alpha;
        }
        let pressure = Pressure::on(&self.board);
        let estimate = self.estimate();
        self.frames[ply].estimate = estimate;
        if (depth <= 0 && pressure != Pressure::Five) || ply >= DEEPEST_PLY {
            return self.settle(ply, estimate);
        }
        let without = self.frames[ply].without;
        let known = if without.is_some() { None } else { self.table.get(self.key()) };
        if let Some(entry) = &known
            && !open
            && entry.depth as i32 >= depth
            && let Some(value) = cut_by(entry, ply, Window { alpha, beta })
        {
            return value;
        }
        let window = Window { alpha, beta };
        if without.is_none()
            && let Some(value) = self.cut_short(window, node, pressure, estimate)
        {
            return value;
        }
        self.search_moves(window, node, pressure, known)
    }

    /// A value without looking at moves, where the estimate is far outside the window or fours win.
    fn cut_short(
        &mut self,
        window: Window,
        node: Node,
        pressure: Pressure,
        estimate: i32,
    ) -> Option<i32> {
        let Node { depth, ply, open, .. } = node;
        if pressure == Pressure::Five {
            return None;
        }
        let tunables = self.tunables;
        if let Some(value) = self.win_by_fours(ply, depth) {
            return Some(value);
        }
        if open || is_decided(window.beta) || is_decided(window.alpha) {
            return None;
        }
        let razor = tunables.razor_base + tunables.razor_step * depth;
        if depth <= tunables.razor_depth && estimate + razor < window.alpha {
            return Some(estimate);
        }
        let improving = self.is_improving(ply);
        let futile = tunables.futility_step * depth
            - if improving { tunables.futility_improving } else { 0 };
        (depth <= tunables.futility_depth && estimate - futile >= window.beta).then_some(estimate)
    }

    #[inline]
    fn is_improving(&self, ply: usize) -> bool {
        ply >= 2 && self.frames[ply].estimate > self.frames[ply - 2].estimate
    }

    /// Searches the moves one after the other.
    fn search_moves(
        &mut self,
        window: Window,
        mut node: Node,
        pressure: Pressure,
        known: Option<Entry>,
    ) -> i32 {
        let known_best = known.as_ref().and_then(best_of);
        if known_best.is_none()
            && node.depth >= self.tunables.unknown_depth
            && (node.open || node.cut)
        {
            node.depth -= 1;
        }
        let first = self.moves.len();
        push_moves(&self.board, self.weights, pressure, &mut self.moves);
        self.rank_moves(first, known_best, pressure);
        let found = self.try_moves(window, node, pressure, known, first);
        self.moves.truncate(first);
        if self.meter.is_stopped() {
            return 0;
        }
        let without = self.frames[node.ply].without;
        let value = match found.best {
            None if without.is_some() => return window.alpha,
            // Nothing stops the other side.
            None if pressure == Pressure::Five => loss_at(node.ply + 2),
            None if pressure == Pressure::OpenFour => loss_at(node.ply + 4),
            // Only forbidden cells are left.
            None => 0,
            Some(_) => found.value,
        };
        if without.is_none() {
            self.remember(window, node, value, found.best);
        }
        value
    }

    fn remember(&self, window: Window, node: Node, value: i32, best: Option<Cell>) {
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value > window.alpha && node.open {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let best = best.filter(|_| bound != Bound::Upper).map(|cell| cell.number() as u16);
        let best = best.or_else(|| self.table.get(self.key()).and_then(|old| old.best));
        self.table.put(
            self.key(),
            Entry {
                score: score_of(value, node.ply),
                bound,
                depth: node.depth.clamp(0, 255) as u32,
                settled: false,
                best,
            },
        );
    }

    /// Adds what was learnt to the promise of moves.
    fn rank_moves(&mut self, first: usize, known_best: Option<Cell>, pressure: Pressure) {
        if pressure == Pressure::Five {
            return;
        }
        let side = self.board.to_move();
        let answer = self.history.answer(side, self.board.last_move());
        let weight = self.tunables.order_history;
        for ranked in &mut self.moves[first..] {
            ranked.rank += self.history.of(side, ranked.cell) * weight / 6400;
            if Some(ranked.cell) == answer {
                ranked.rank += self.tunables.order_answer;
            }
            if Some(ranked.cell) == known_best {
                ranked.rank = i32::MAX;
            }
        }
    }

    fn try_moves(
        &mut self,
        window: Window,
        node: Node,
        pressure: Pressure,
        known: Option<Entry>,
        first: usize,
    ) -> Found {
        let Node { depth, ply, .. } = node;
        let (side, last_cell) = (self.board.to_move(), self.board.last_move());
        let known_best = known.as_ref().and_then(best_of);
        let without = self.frames[ply].without;
        let improving = self.is_improving(ply);
        let most = self.most_moves(depth, improving);
        let (mut alpha, mut found) = (window.alpha, Found { value: -INFINITE, best: None });
        let mut tried = 0;
        let mut best_promise = i32::MIN;
        let last = self.moves.len();
        for next in first..last {
            let ranked = pick(&mut self.moves[..last], next);
            let cell = ranked.cell;
            if Some(cell) == without || self.board.is_forbidden(side, cell) {
                continue;
            }
            best_promise = best_promise.max(ranked.promise);
            let is_four = is_four(&self.board, side, cell);
            let class = self.board.class(side, cell);
            let mut reduction = 0;
            if tried > 0 && depth > 1 {
                reduction = self.reduction(node, tried, improving, &ranked, best_promise, class);
            }
            // Moves are left out only where another is known to hold.
            if !is_loss(found.value) && tried > 0 && !is_four && pressure == Pressure::None {
                if depth <= self.tunables.count_depth && tried >= most {
                    continue;
                }
                let left = (depth - reduction).max(0);
                let hope = self.frames[ply].estimate
                    + self.tunables.quiet_base
                    + self.tunables.quiet_step * left;
                if !node.open
                    && left <= self.tunables.quiet_depth
                    && hope <= alpha
                    && !is_decided(alpha)
                    && class < Class::OpenThree
                {
                    continue;
                }
            }
            let extension = match self.extension(window, node, pressure, &known, cell, known_best) {
                Extension::By(plies) => plies,
                Extension::Cut(value) => return Found { value, best: Some(cell) },
            };
            let below =
                Node { depth: depth - 1 + extension, ply: ply + 1, open: node.open, cut: false };
            self.play(cell);
            let mut value = -INFINITE;
            if tried > 0 || !node.open {
                value = self.search_closed(alpha, below, reduction, node.cut);
            }
            if node.open && (tried == 0 || value > alpha && !self.meter.is_stopped()) {
                value = -self.search(Window { alpha, beta: window.beta }.for_other(), below);
            }
            self.undo();
            if self.meter.is_stopped() {
                return found;
            }
            tried += 1;
            if value > found.value {
                found = Found { value, best: Some(cell) };
                if value > alpha {
                    alpha = value;
                    if node.open {
                        self.extend_line(ply, cell);
                    }
                }
                if alpha >= window.beta {
                    if pressure != Pressure::Five {
                        self.reward(side, last_cell, depth, first, next);
                    }
                    break;
                }
            }
        }
        found
    }

    /// A search that only asks whether the value is more than `alpha`: shallow at first.
    fn search_closed(&mut self, alpha: i32, below: Node, reduction: i32, was_cut: bool) -> i32 {
        let full = Node { open: false, cut: !was_cut, ..below };
        if reduction <= 0 {
            return -self.search(Window::above(alpha).for_other(), full);
        }
        let depth = (full.depth - reduction).max(1).min(full.depth);
        let value =
            -self.search(Window::above(alpha).for_other(), Node { depth, cut: true, ..full });
        if value > alpha && depth < full.depth && !self.meter.is_stopped() {
            return -self.search(Window::above(alpha).for_other(), full);
        }
        value
    }

    /// How many moves a position of this depth is worth.
    fn most_moves(&self, depth: i32, improving: bool) -> i32 {
        let tunables = self.tunables;
        let most = tunables.count_base
            + (tunables.count_step * depth + tunables.count_square * depth * depth) / 10;
        if improving { most } else { most * 2 / 3 }
    }

    /// How many plies less a late move is searched.
    fn reduction(
        &self,
        node: Node,
        tried: i32,
        improving: bool,
        ranked: &Ranked,
        best_promise: i32,
        class: Class,
    ) -> i32 {
        let tunables = self.tunables;
        let side = self.board.to_move();
        let mut hundredths = self.reductions[row(node.depth)][row(tried + 1)];
        hundredths += (best_promise - ranked.promise).min(2000) / tunables.late_promise;
        hundredths -= self.history.of(side, ranked.cell) / tunables.late_history;
        if node.cut {
            hundredths += tunables.late_cut;
        }
        if !improving {
            hundredths += tunables.late_worse;
        }
        if node.open {
            hundredths -= tunables.late_open;
        }
        if class >= Class::OpenThree {
            hundredths -= tunables.late_threat;
        }
        hundredths / 100
    }

    /// How much further a move is searched; or a value, if without it there is a cut all the same.
    fn extension(
        &mut self,
        window: Window,
        node: Node,
        pressure: Pressure,
        known: &Option<Entry>,
        cell: Cell,
        known_best: Option<Cell>,
    ) -> Extension {
        let Node { depth, ply, .. } = node;
        if pressure == Pressure::Five {
            return Extension::By(1);
        }
        let Some(entry) = known else { return Extension::By(0) };
        let asks = Some(cell) == known_best
            && self.frames[ply].without.is_none()
            && depth >= self.tunables.alone_depth
            && entry.bound != Bound::Upper
            && entry.depth as i32 >= depth - 3
            && !entry.score.is_decided()
            && ply < DEEPEST_PLY / 2;
        if !asks {
            return Extension::By(0);
        }
        let value = value_of(entry.score, ply);
        let bar = value - self.tunables.alone_step * depth;
        self.frames[ply].without = Some(cell);
        let estimate = self.frames[ply].estimate;
        let others = self.search(
            Window { alpha: bar - 1, beta: bar },
            Node { depth: (depth - 1) / 2, open: false, ..node },
        );
        self.frames[ply] = Frame { estimate, without: None };
        if others < bar {
            let twice = !node.open && others < bar - self.tunables.alone_twice;
            Extension::By(if twice { 2 } else { 1 })
        } else if bar >= window.beta && !self.meter.is_stopped() {
            Extension::Cut(bar)
        } else if value >= window.beta {
            Extension::By(-1)
        } else {
            Extension::By(0)
        }
    }

    fn extend_line(&mut self, ply: usize, cell: Cell) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(cell);
        upper[ply].extend(&lower[0]);
    }

    fn reward(
        &mut self,
        side: tesuji_games::Side,
        last: Option<Cell>,
        depth: i32,
        first: usize,
        best: usize,
    ) {
        let Worker { moves, history, .. } = self;
        let before = moves[first..best].iter().map(|ranked| ranked.cell);
        history.reward(side, moves[best].cell, last, depth, before);
    }
}

/// What the moves of a node came to.
struct Found {
    value: i32,
    best: Option<Cell>,
}

enum Extension {
    By(i32),
    Cut(i32),
}

/// What a worker keeps from one search to the next.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    vcf: Vcf,
    history: MoveHistory,
}

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory { vcf: Vcf::new(), history: MoveHistory::new() }
    }

    pub(crate) fn fade(&mut self) {
        self.history.fade();
    }
}

/// A move at the root.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) cell: Cell,
    pub(crate) value: i32,
    /// Best play from it on.
    pub(crate) line: Vec<Cell>,
}

/// The value that a table's entry gives, if it settles the window.
#[inline]
fn cut_by(entry: &Entry, ply: usize, window: Window) -> Option<i32> {
    let value = value_of(entry.score, ply);
    let settles = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => value >= window.beta,
        Bound::Upper => value <= window.alpha,
    };
    settles.then_some(value)
}

#[inline]
fn best_of(entry: &Entry) -> Option<Cell> {
    entry.best.map(|number| Cell::from_number(usize::from(number)))
}

#[inline]
fn row(n: i32) -> usize {
    n.clamp(0, REDUCTIONS as i32 - 1) as usize
}

/// Hundredths of plies by depth and move number.
fn reductions(tunables: &Tunables) -> Box<[[i32; REDUCTIONS]; REDUCTIONS]> {
    let mut table = Box::new([[0; REDUCTIONS]; REDUCTIONS]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (number as f64).ln();
            let plies = f64::from(tunables.late_base) / 100.0
                + product / (f64::from(tunables.late_divisor) / 100.0);
            *reduction = (plies * 100.0) as i32;
        }
    }
    table
}

/// Boards of other sizes and rules have other values.
fn salt(board: &Board) -> u64 {
    mix(board.rule() as u64 * 10_000 + board.width() as u64 * 100 + board.height() as u64)
}
