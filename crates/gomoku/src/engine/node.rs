//! The state of the search at a node: its place in the tree, its window and its context.

use tesuji_search::transposition::TableEntry;

use super::moves::OpponentThreat;
use super::value::INFINITE;
use super::worker::best_of;
use crate::cell::Cell;

/// A node's place in the tree.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) depth: i32,
    pub(crate) ply: usize,
    /// A node of the principal variation, whose value must be exact.
    pub(crate) pv: bool,
    /// A cutoff is expected at this node.
    pub(crate) cut_node: bool,
}

/// A search window.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    pub(crate) const FULL: Window = Window { alpha: -INFINITE, beta: INFINITE };

    /// The null window that tests whether a value exceeds `alpha`.
    pub(crate) fn above(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    pub(crate) fn negated(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The context of a node whose moves are searched.
#[derive(Clone, Copy)]
pub(crate) struct NodeContext {
    pub(crate) window: Window,
    pub(crate) node: Node,
    pub(crate) threat: OpponentThreat,
    /// The entry of the transposition table.
    pub(crate) entry: Option<TableEntry>,
    /// The estimate has risen since the side's last move.
    pub(crate) improving: bool,
}

impl NodeContext {
    /// The best move of the table entry.
    #[inline]
    pub(crate) fn table_move(&self) -> Option<Cell> {
        self.entry.as_ref().and_then(best_of)
    }
}

/// The context of a move at a node.
#[derive(Clone, Copy)]
pub(crate) struct MoveContext {
    pub(crate) cell: Cell,
    /// The score by the weights.
    pub(crate) move_score: i32,
    /// The highest score so far at the node.
    pub(crate) best_score: i32,
    /// The number of moves searched before it.
    pub(crate) tried: i32,
}
