//! Selectivity: pruning, reductions and extensions, controlled by [`Tunables`].
//!
//! Pruning never creates a forced result: where a loss threatens, all moves are searched.

use tesuji_search::transposition::{Bound, TableEntry};

use super::moves::{OpponentThreat, is_four};
use super::node::{MoveContext, Node, NodeContext, Window};
use super::tunables::Tunables;
use super::value::{MAX_PLY, is_decided, value_of};
use super::worker::Worker;
use crate::cell::Cell;
use crate::class::MoveClass;

/// Reductions in hundredths of plies, by depth and move number.
pub(crate) type Reductions = Box<[[i32; REDUCTIONS]; REDUCTIONS]>;

/// The size of the reduction table in depths and in move numbers.
const REDUCTIONS: usize = 64;

/// The depths at which moves after one that raised alpha are reduced.
const RAISED_DEPTHS: std::ops::Range<i32> = 3..12;

/// The extension of a move.
pub(crate) enum Extension {
    By(i32),
    Cut(i32),
}

impl Worker<'_> {
    /// The reduction of a whole node: where the estimate is far above beta, and where the table has
    /// no move (internal iterative reduction).
    pub(crate) fn node_reduction(&self, context: &NodeContext, estimate: i32) -> i32 {
        let &NodeContext { window, node, threat, .. } = context;
        let bar = self.tunables.high_base + self.tunables.high_step * node.depth;
        let high = !node.pv
            && node.depth > 2
            && threat == OpponentThreat::None
            && !is_decided(window.beta)
            && estimate >= window.beta + bar;
        let unknown = context.table_move().is_none()
            && node.depth >= self.tunables.unknown_depth
            && (node.pv || node.cut_node);
        i32::from(high) + i32::from(unknown)
    }

    /// A value without searching moves: a win by fours, or an estimate far outside the window
    /// (razoring and reverse futility pruning).
    pub(crate) fn early_value(
        &mut self,
        window: Window,
        node: Node,
        threat: OpponentThreat,
        estimate: i32,
    ) -> Option<i32> {
        let Node { depth, ply, pv, .. } = node;
        if threat == OpponentThreat::Five {
            return None;
        }
        let tunables = self.tunables;
        if let Some(value) = self.win_by_fours(ply, depth) {
            return Some(value);
        }
        if pv || is_decided(window.beta) || is_decided(window.alpha) {
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
    pub(crate) fn is_improving(&self, ply: usize) -> bool {
        ply >= 2 && self.frames[ply].estimate > self.frames[ply - 2].estimate
    }

    /// Whether a move is pruned: late move pruning, or futility pruning of a quiet move.
    pub(crate) fn is_pruned(
        &self,
        context: &NodeContext,
        m: &MoveContext,
        alpha: i32,
        reduction: i32,
    ) -> bool {
        let (tunables, side, node) = (self.tunables, self.board.to_move(), context.node);
        if m.tried == 0
            || context.threat != OpponentThreat::None
            || is_four(&self.board, side, m.cell)
        {
            return false;
        }
        let many = m.tried >= self.max_moves(node.depth, context.improving);
        if many && node.depth <= tunables.count_depth {
            return true;
        }
        let left = (node.depth - reduction).max(0);
        let optimistic =
            self.frames[node.ply].estimate + tunables.quiet_base + tunables.quiet_step * left;
        !node.pv
            && left <= tunables.quiet_depth
            && optimistic <= alpha
            && !is_decided(alpha)
            && self.board.class(side, m.cell) < MoveClass::OpenThree
    }

    /// The number of moves searched at a depth.
    fn max_moves(&self, depth: i32, improving: bool) -> i32 {
        let tunables = self.tunables;
        let most = tunables.count_base
            + (tunables.count_step * depth + tunables.count_square * depth * depth) / 10;
        if improving { most } else { most * 2 / 3 }
    }

    /// The reduction of a late move, in plies.
    pub(crate) fn reduction(&self, context: &NodeContext, m: &MoveContext) -> i32 {
        let (tunables, node, side) = (self.tunables, context.node, self.board.to_move());
        if m.tried == 0 || node.depth <= 1 {
            return 0;
        }
        let mut hundredths =
            self.reductions[reduction_index(node.depth)][reduction_index(m.tried + 1)];
        hundredths += (m.best_score - m.move_score).min(2000) / tunables.late_promise;
        hundredths -= self.history.of(side, m.cell) / tunables.late_history;
        let is_threat = self.board.class(side, m.cell) >= MoveClass::OpenThree;
        for (applies, more) in [
            (node.cut_node, tunables.late_cut),
            (!context.improving, tunables.late_worse),
            (node.pv, -tunables.late_open),
            (is_threat, -tunables.late_threat),
            (context.threat == OpponentThreat::OpenFour, -tunables.late_pressure),
        ] {
            hundredths += if applies { more } else { 0 };
        }
        hundredths / 100
    }

    /// The reduction of moves after one that raised alpha to this value.
    pub(crate) fn reduction_after_raise(&self, depth: i32, value: i32) -> i32 {
        let applies = RAISED_DEPTHS.contains(&depth) && !is_decided(value);
        if applies { self.tunables.raised_less } else { 0 }
    }

    /// The extension of a move (singular extension); or a value if the other moves cause a cutoff
    /// without it (multi-cut).
    pub(crate) fn extension(&mut self, context: &NodeContext, cell: Cell) -> Extension {
        let (node, window) = (context.node, context.window);
        if context.threat == OpponentThreat::Five {
            return Extension::By(1);
        }
        let Some(value) = self.singular_value(context, cell) else { return Extension::By(0) };
        let bar = value - self.tunables.alone_step * node.depth;
        let others = self.value_without_move(cell, bar, node);
        if others < bar {
            let twice = !node.pv && others < bar - self.tunables.alone_twice;
            Extension::By(if twice { 2 } else { 1 })
        } else if bar >= window.beta && !self.meter.is_stopped() {
            Extension::Cut(bar)
        } else if value >= window.beta {
            Extension::By(-1)
        } else {
            Extension::By(0)
        }
    }

    /// The table value of the best move, if the node qualifies for the singular test.
    fn singular_value(&self, context: &NodeContext, cell: Cell) -> Option<i32> {
        let Node { depth, ply, .. } = context.node;
        let is_candidate = |entry: &TableEntry| {
            context.table_move() == Some(cell)
                && self.frames[ply].excluded.is_none()
                && depth >= self.tunables.alone_depth
                && entry.bound != Bound::Upper
                && entry.depth as i32 >= depth - 3
                && !entry.score.is_decided()
                && ply < MAX_PLY / 2
        };
        context.entry.filter(is_candidate).map(|entry| value_of(entry.score, ply))
    }

    /// Searches the node without a move, at half the depth, to test whether another move reaches
    /// `bar`.
    fn value_without_move(&mut self, cell: Cell, bar: i32, node: Node) -> i32 {
        let frame = self.frames[node.ply];
        self.frames[node.ply].excluded = Some(cell);
        let half = Node { depth: (node.depth - 1) / 2, pv: false, ..node };
        let value = self.search(Window { alpha: bar - 1, beta: bar }, half);
        self.frames[node.ply] = frame;
        value
    }
}

#[inline]
pub(crate) fn reduction_index(n: i32) -> usize {
    n.clamp(0, REDUCTIONS as i32 - 1) as usize
}

/// Computes the reduction table.
pub(crate) fn reductions(tunables: &Tunables) -> Reductions {
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
