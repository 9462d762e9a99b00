//! A small board with one word per side: up to 7 columns and 8 rows, eight bits per row. The eighth
//! bit of every row is always 0, so that no shift carries a run from the end of one row to the
//! start of the next.
//!
//! It exists in addition to the general [`LineBoard`](super::line_board::LineBoard) to make exact
//! solving fast: a position is a few words, and one shift processes all cells.

use super::runs::{
    LineStones, MOVE_SCORES, completing_cells, for_constant_k, open_windows, run_starts,
    winning_starts,
};
use super::{MnkBoard, MnkRules};
use crate::bits::{for_each_bit, nth_set_bit};
use crate::random::{Rng, below};
use crate::{RowRule, Side};

/// Rows, columns and both diagonals, as distances between neighboring bits.
const STEPS: [u32; 4] = [1, 8, 9, 7];

/// A board of one word per side; see the [module](self).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitBoard {
    stones: [u64; 2],
    cells: u64,
}

impl BitBoard {
    /// Whether a board with these rules fits.
    pub fn fits(rules: &MnkRules) -> bool {
        rules.width() <= 7 && rules.height() <= 8
    }

    #[inline]
    fn seen_by(&self, side: Side) -> LineStones {
        LineStones { own: self.stones[side.index()], other: self.stones[(!side).index()] }
    }

    #[inline]
    fn empty_cells(&self) -> u64 {
        self.cells & !(self.stones[0] | self.stones[1])
    }
}

impl MnkBoard for BitBoard {
    const ROW_SHIFT: u32 = 3;

    fn empty(rules: &MnkRules) -> Self {
        assert!(Self::fits(rules), "{}x{} is too big", rules.width(), rules.height());
        let row = (1_u64 << rules.width()) - 1;
        let cells = (0..rules.height()).map(|y| row << (8 * y)).sum();
        BitBoard { stones: [0; 2], cells }
    }

    #[inline]
    fn is_empty_cell(&self, cell: u16) -> bool {
        cell < 64 && self.empty_cells() >> cell & 1 != 0
    }

    #[inline]
    fn has_stone(&self, side: Side, cell: u16) -> bool {
        self.stones[side.index()] >> cell & 1 != 0
    }

    #[inline]
    fn place(&mut self, side: Side, cell: u16) {
        self.stones[side.index()] |= 1 << (cell & 63);
    }

    #[inline]
    fn remove(&mut self, side: Side, cell: u16) {
        self.stones[side.index()] &= !(1 << (cell & 63));
    }

    #[inline]
    fn has_run_through(&self, rules: &MnkRules, side: Side, _: u16) -> bool {
        let stones = self.seen_by(side);
        let runs = |step| winning_starts(stones, step, rules.k(), rules.row(side));
        STEPS.into_iter().map(runs).fold(0, |all, some| all | some) != 0
    }

    #[inline]
    fn for_each_empty_cell(&self, _: &MnkRules, mut each: impl FnMut(u16)) {
        for_each_bit(self.empty_cells(), |cell| each(cell as u16));
    }

    #[inline]
    fn random_empty_cell(&self, _: &MnkRules, empty: u32, rng: &mut Rng) -> u16 {
        nth_set_bit(self.empty_cells(), below(rng, empty)).trailing_zeros() as u16
    }

    #[inline]
    fn completing_cell(&self, rules: &MnkRules, side: Side) -> Option<u16> {
        let stones = self.seen_by(side);
        let completing = for_constant_k!(rules.k(), completing_anywhere(stones, rules.row(side)));
        match completing & self.empty_cells() {
            0 => None,
            cells => Some(cells.trailing_zeros() as u16),
        }
    }

    #[inline]
    fn window_balance(&self, rules: &MnkRules) -> i32 {
        for_constant_k!(rules.k(), balance(self))
    }

    #[inline]
    fn move_score(&self, rules: &MnkRules, side: Side, cell: u16) -> i32 {
        let (mine, theirs) = (self.stones[side.index()], self.stones[(!side).index()]);
        for_constant_k!(rules.k(), windows_through(cell, mine, theirs, self.cells))
    }
}

#[inline(always)]
fn completing_anywhere(stones: LineStones, row: RowRule, k: u32) -> u64 {
    let along = |step| completing_cells(stones, step, k, row);
    along(STEPS[0]) | along(STEPS[1]) | along(STEPS[2]) | along(STEPS[3])
}

#[inline(always)]
fn balance(board: &BitBoard, k: u32) -> i32 {
    let [first, second] = board.stones;
    let mut value = 0;
    for step in STEPS {
        let windows = run_starts(board.cells, step, k);
        value += open_windows(first, second, windows, step, k)
            - open_windows(second, first, windows, step, k);
    }
    value
}

/// The move score of an empty cell: the sum over all windows through it.
#[inline(always)]
fn windows_through(cell: u16, mine: u64, theirs: u64, cells: u64, k: u32) -> i32 {
    let table = &MOVE_SCORES[k as usize];
    let mut move_score = 0;
    for step in STEPS {
        let mut window_at_0 = 0_u64;
        for place in 0..k {
            window_at_0 |= 1 << (place * step);
        }
        for place in 0..k {
            let Some(start) = u32::from(cell).checked_sub(place * step) else { break };
            let window = window_at_0 << start;
            if (window & cells).count_ones() == k {
                let (m, t) = ((mine & window).count_ones(), (theirs & window).count_ones());
                move_score += table[m as usize][t as usize];
            }
        }
    }
    move_score
}
