//! What a board notes while stones are played, so that they can be taken back. There is room for a whole game
//! from the start: playing does not allocate.

use tesuji_games::Side;

use crate::cell::{Cell, CellSet};
use crate::class::MoveClass;

/// What it takes to take a stone back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndoRecord {
    pub(crate) cell: Cell,
    pub(crate) side: Side,
    pub(crate) winner_before: Option<Side>,
    pub(crate) near_before: CellSet,
    /// How many changes were noted before it.
    pub(crate) changes_before: usize,
}

/// What a cell said before a stone was played that changed it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellChange {
    /// Which cell.
    pub cell: Cell,
    /// The code of each side before.
    pub codes: [u16; 2],
    /// The class of each side before.
    pub classes: [MoveClass; 2],
}

/// A stone changes its own cell and at most five on either side in four lines.
const MOST_CHANGES: usize = 1 + 4 * 10;

/// The stones played and what they changed.
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

/// Copies keep the room for a whole game.
impl Clone for UndoStack {
    fn clone(&self) -> Self {
        let mut copy = UndoStack::with_room_for(self.played.capacity());
        copy.played.extend_from_slice(&self.played);
        copy.changes.extend_from_slice(&self.changes);
        copy
    }
}
