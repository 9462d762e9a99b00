//! The undo stack of a board. It has room for a whole game from the start, so playing does not
//! allocate.

use tesuji_games::Side;

use crate::cell::{Cell, CellSet};
use crate::class::MoveClass;

/// The data that undo needs for one move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndoRecord {
    pub(crate) cell: Cell,
    pub(crate) side: Side,
    pub(crate) winner_before: Option<Side>,
    pub(crate) near_before: CellSet,
    /// The number of cell changes recorded before the move.
    pub(crate) changes_before: usize,
}

/// The values of a cell before a move changed it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellChange {
    /// The cell.
    pub cell: Cell,
    /// The old code of each side.
    pub codes: [u16; 2],
    /// The old class of each side.
    pub classes: [MoveClass; 2],
}

/// A move changes its own cell and at most five cells on either side in four lines.
const MOST_CHANGES: usize = 1 + 4 * 10;

/// The moves played and the cells that they changed.
#[derive(Debug)]
pub(crate) struct UndoStack {
    pub(crate) played: Vec<UndoRecord>,
    pub(crate) changes: Vec<CellChange>,
}

impl UndoStack {
    pub(crate) fn with_room_for(stones: usize) -> UndoStack {
        UndoStack {
            played: Vec::with_capacity(stones),
            changes: Vec::with_capacity(stones * MOST_CHANGES),
        }
    }
}

/// Clones keep the capacity for a whole game.
impl Clone for UndoStack {
    fn clone(&self) -> Self {
        let mut copy = UndoStack::with_room_for(self.played.capacity());
        copy.played.extend_from_slice(&self.played);
        copy.changes.extend_from_slice(&self.changes);
        copy
    }
}
