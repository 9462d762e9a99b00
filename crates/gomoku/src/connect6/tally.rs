//! How many stones of each side lie in every window, and what follows from that: which windows are nearly full,
//! and what a cell promises. A stone changes at most 24 windows.

use tesuji_games::Side;

use super::weights::PROMISE;
use super::windows::{SIX, WindowSet, Windows};
use crate::cell::{CELL_NUMBERS, Cell};

/// See the top of this file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tally {
    /// For each window, the stones of the first side, and in the higher four bits those of the second.
    contents: Box<[u8]>,
    /// Windows of one side alone, by the number of its stones; only 2 to 5 are kept.
    alone: [[WindowSet; SIX]; 2],
    counts: [[u16; SIX + 1]; 2],
    /// For each cell and side, the sum of [`PROMISE`] over the windows without stones of the other side.
    promises: Box<[[i32; 2]]>,
}

impl Tally {
    /// No stones.
    pub(super) fn empty(windows: &Windows) -> Tally {
        let mut promises = vec![[0; 2]; CELL_NUMBERS];
        for window in 0..windows.len() as u16 {
            for cell in windows.cells(window) {
                promises[cell.number()] = promises[cell.number()].map(|sum| sum + PROMISE[0]);
            }
        }
        Tally {
            contents: vec![0; windows.len()].into(),
            alone: [[WindowSet::NONE; SIX]; 2],
            counts: [[windows.len() as u16, 0, 0, 0, 0, 0, 0]; 2],
            promises: promises.into(),
        }
    }

    #[inline]
    pub(super) fn count(&self, side: Side, stones: usize) -> u16 {
        self.counts[side.index()][stones]
    }

    #[inline]
    pub(super) fn alone(&self, side: Side, stones: usize) -> &WindowSet {
        &self.alone[side.index()][stones]
    }

    #[inline]
    pub(super) fn stones_in(&self, side: Side, window: u16) -> usize {
        usize::from(self.contents[usize::from(window)] >> (4 * side.index()) & 15)
    }

    #[inline]
    pub(super) fn promise(&self, side: Side, cell: Cell) -> i32 {
        self.promises[cell.number()][side.index()]
    }

    /// Counts a stone on an empty cell.
    #[inline]
    pub(super) fn put(&mut self, windows: &Windows, side: Side, cell: Cell) {
        for &window in windows.through(cell) {
            let (own, other) = (self.stones_in(side, window), self.stones_in(!side, window));
            self.contents[usize::from(window)] += 1 << (4 * side.index());
            let cells = windows.cells(window);
            if other == 0 {
                self.recount(window, cells, side, Some(own), Some(own + 1));
            }
            if own == 0 {
                self.recount(window, cells, !side, Some(other), None);
            }
        }
    }

    /// Counts such a stone no more.
    #[inline]
    pub(super) fn take(&mut self, windows: &Windows, side: Side, cell: Cell) {
        for &window in windows.through(cell) {
            self.contents[usize::from(window)] -= 1 << (4 * side.index());
            let (own, other) = (self.stones_in(side, window), self.stones_in(!side, window));
            let cells = windows.cells(window);
            if other == 0 {
                self.recount(window, cells, side, Some(own + 1), Some(own));
            }
            if own == 0 {
                self.recount(window, cells, !side, None, Some(other));
            }
        }
    }

    /// A window goes from one number of stones of `side` alone to another; `None`: the other side has stones.
    #[inline]
    fn recount(
        &mut self,
        window: u16,
        cells: &[Cell; SIX],
        side: Side,
        from: Option<usize>,
        to: Option<usize>,
    ) {
        let mut gain = 0;
        for (stones, sign) in [(from, -1), (to, 1)] {
            let Some(stones) = stones else { continue };
            let count = &mut self.counts[side.index()][stones];
            *count = count.wrapping_add_signed(sign);
            if (2..SIX).contains(&stones) {
                self.alone[side.index()][stones].toggle(window);
            }
            gain += i32::from(sign) * PROMISE[stones];
        }
        for cell in cells {
            self.promises[cell.number()][side.index()] += gain;
        }
    }
}
