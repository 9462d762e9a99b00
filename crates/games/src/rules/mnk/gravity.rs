//! The moves of games in which stones fall: only the lowest empty cell of a column can be taken.

use super::{Mnk, MnkBoard};
use crate::Side;
use crate::random::{Rng, below};

impl<B: MnkBoard> Mnk<B> {
    /// The lowest empty cell of every column that is not full, from left to right.
    pub(super) fn lowest_empty_cells(&self) -> impl Iterator<Item = u16> + '_ {
        let (width, height) = (self.rules.width(), self.rules.height());
        (0..width).filter_map(move |column| {
            let cells = (0..height).map(|row| Self::cell_at(column, row));
            cells.into_iter().find(|&cell| self.board.is_empty_cell(cell))
        })
    }

    /// Whether a stone stays on an empty cell: always without gravity, otherwise on the ground or
    /// on another stone.
    #[inline]
    pub(super) fn is_supported(&self, cell: u16) -> bool {
        const { assert!(B::ROW_SHIFT < 16) };
        let below = cell.checked_sub(1 << B::ROW_SHIFT);
        !self.rules.gravity || below.is_none_or(|below| !self.board.is_empty_cell(below))
    }

    pub(super) fn random_lowest_empty_cell(&self, rng: &mut Rng) -> u16 {
        let n = below(rng, self.lowest_empty_cells().count() as u32);
        let cell = self.lowest_empty_cells().nth(n as usize);
        cell.expect("the number is less than the count")
    }

    /// A legal move with which a stone of `side` wins. The game must not be over.
    #[inline]
    pub(super) fn completing_cell(&self, side: Side) -> Option<u16> {
        let found = self.board.completing_cell(&self.rules, side)?;
        match self.rules.gravity {
            false => Some(found),
            true => self.completing_lowest_cell(side),
        }
    }

    fn completing_lowest_cell(&self, side: Side) -> Option<u16> {
        let mut board = self.board.clone();
        self.lowest_empty_cells().find(|&cell| {
            board.place(side, cell);
            let wins = board.has_run_through(&self.rules, side, cell);
            board.remove(side, cell);
            wins
        })
    }
}
