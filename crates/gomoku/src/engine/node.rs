//! Where a search stands in its tree: the node it is at, the values that matter there, and what it knows of it.

use tesuji_search::transposition::TableEntry;

use super::moves::OpponentThreat;
use super::value::INFINITE;
use super::worker::best_of;
use crate::cell::Cell;

/// Where a node stands in its tree.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) depth: i32,
    pub(crate) ply: usize,
    /// On the line of best play, so that its value must be exact.
    pub(crate) pv: bool,
    /// A cut is expected here.
    pub(crate) cut_node: bool,
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
    pub(crate) fn above(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    pub(crate) fn for_other(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// A node whose moves are searched.
#[derive(Clone, Copy)]
pub(crate) struct NodeContext {
    pub(crate) window: Window,
    pub(crate) node: Node,
    pub(crate) threat: OpponentThreat,
    /// What the table says about it.
    pub(crate) known: Option<TableEntry>,
    /// It got better since the last own move.
    pub(crate) improving: bool,
}

impl NodeContext {
    /// The best move that the table knows.
    #[inline]
    pub(crate) fn table_move(&self) -> Option<Cell> {
        self.known.as_ref().and_then(best_of)
    }
}

/// A move among those of a node.
#[derive(Clone, Copy)]
pub(crate) struct MoveContext {
    pub(crate) cell: Cell,
    /// How promising the tables find it,
    pub(crate) move_score: i32,
    /// and the most promising of the node.
    pub(crate) best_score: i32,
    /// How many moves were searched before it.
    pub(crate) tried: i32,
}
