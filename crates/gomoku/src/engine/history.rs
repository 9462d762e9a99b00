//! What the search has learnt about moves while it went on: which ones made cuts, and which answered which.

use tesuji_games::Side;

use crate::cell::{CELL_NUMBERS, Cell};

/// No history is greater.
const MOST: i32 = 8192;

/// See the top of this file.
#[derive(Clone, Debug)]
pub(crate) struct MoveHistory {
    cuts: Box<[[i16; CELL_NUMBERS]; 2]>,
    answers: Box<[[Option<Cell>; CELL_NUMBERS]; 2]>,
}

impl MoveHistory {
    pub(crate) fn new() -> MoveHistory {
        MoveHistory {
            cuts: Box::new([[0; CELL_NUMBERS]; 2]),
            answers: Box::new([[None; CELL_NUMBERS]; 2]),
        }
    }

    /// Earlier searches of a game count half.
    pub(crate) fn age(&mut self) {
        self.cuts.iter_mut().flatten().for_each(|cut| *cut /= 2);
    }

    /// How well a move of `side` has done, within ± 8192.
    #[inline]
    pub(crate) fn of(&self, side: Side, cell: Cell) -> i32 {
        i32::from(self.cuts[side.index()][cell.number()])
    }

    /// The move of `side` that answered the other side's last one well.
    #[inline]
    pub(crate) fn answer(&self, side: Side, last: Option<Cell>) -> Option<Cell> {
        self.answers[side.index()][last?.number()]
    }

    /// A move cut off at this depth, after the moves before it had not.
    pub(crate) fn reward(
        &mut self,
        side: Side,
        cell: Cell,
        last: Option<Cell>,
        depth: i32,
        before: impl Iterator<Item = Cell>,
    ) {
        let bonus = (24 * depth * depth + 48 * depth).min(1600);
        self.change(side, cell, bonus);
        for earlier in before {
            self.change(side, earlier, -bonus);
        }
        if let Some(last) = last {
            self.answers[side.index()][last.number()] = Some(cell);
        }
    }

    /// Moves towards the bounds without reaching them.
    #[inline]
    fn change(&mut self, side: Side, cell: Cell, by: i32) {
        let known = &mut self.cuts[side.index()][cell.number()];
        let old = i32::from(*known);
        *known = (old + by - old * by.abs() / MOST) as i16;
    }
}
