//! Runs of three and more gems of one kind, and the swaps that would make one. All cells and all
//! kinds are compared at once.

use super::board::GemBoard;
use super::{GemGrid, Mask};

/// The distance in bits to the right neighbor. For the published board it is a compile-time
/// constant, which saves a third of all instructions; `S` = 0 stands for any other board.
#[inline(always)]
pub(super) fn stride<M: Mask, const S: u32>(grid: &GemGrid<M>) -> u32 {
    if S == 0 { grid.stride } else { S }
}

/// The cells among `valid` whose kind equals that of the cell `distance` bits further.
#[inline(always)]
fn alike<M: Mask>(kinds: &[M; 3], distance: u32, valid: M) -> M {
    let differs = |plane: M| plane ^ (plane >> distance);
    !(differs(kinds[0]) | differs(kinds[1]) | differs(kinds[2])) & valid
}

/// The runs on a board.
#[derive(Clone, Copy)]
pub(super) struct Runs<M> {
    /// Cells where a run of three to the right starts.
    right: M,
    /// Cells where a run of three downward starts.
    down: M,
}

/// A complete run of more than three gems.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LongRun {
    /// Its first cell.
    pub start: u32,
    /// The distance in bits from one cell to the next.
    pub pace: u32,
    /// The number of cells.
    pub length: u32,
}

impl LongRun {
    /// Whether this cell is part of the run.
    #[inline(always)]
    pub(super) fn holds(&self, index: u32) -> bool {
        (0..self.length).any(|n| self.start + n * self.pace == index)
    }
}

impl<M: Mask> Runs<M> {
    /// Finds the runs on a board.
    #[inline(always)]
    pub(super) fn of<const S: u32>(kinds: &[M; 3], grid: &GemGrid<M>) -> Runs<M> {
        let s = stride::<M, S>(grid);
        let right = alike(kinds, s, grid.has_right);
        let down = alike(kinds, 1, grid.has_lower);
        Runs { right: right & (right >> s), down: down & (down >> 1) }
    }

    /// Whether there are none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        (self.right | self.down).is_empty()
    }

    /// The cells of the runs in rows.
    #[inline(always)]
    pub(super) fn horizontal<const S: u32>(&self, grid: &GemGrid<M>) -> M {
        let s = stride::<M, S>(grid);
        self.right | self.right << s | self.right << (2 * s)
    }

    /// The cells of the runs in columns.
    #[inline(always)]
    pub(super) fn vertical(&self) -> M {
        self.down | self.down << 1 | self.down << 2
    }

    /// Whether a run is longer than three.
    #[inline(always)]
    pub(super) fn any_long<const S: u32>(&self, grid: &GemGrid<M>) -> bool {
        let s = stride::<M, S>(grid);
        !(self.right & (self.right >> s) | self.down & (self.down >> 1)).is_empty()
    }

    /// Calls `each` with every run longer than three, those in rows first.
    #[inline(always)]
    pub(super) fn for_each_long<const S: u32>(
        &self,
        grid: &GemGrid<M>,
        mut each: impl FnMut(LongRun),
    ) {
        for (starts, pace) in [(self.right, stride::<M, S>(grid)), (self.down, 1)] {
            let long = starts & (starts >> pace);
            if long.is_empty() {
                continue;
            }
            let (mut first_ones, longer) =
                (long & !(starts << pace), long & (starts >> (2 * pace)));
            while !first_ones.is_empty() {
                let start = first_ones.lowest();
                first_ones ^= M::bit(start);
                let mut length = 4;
                while longer.has_within(start + (length - 4) * pace) {
                    length += 1;
                }
                each(LongRun { start, pace, length });
            }
        }
    }
}

/// The legal swaps as sets of pairs; a pair is represented by its left or upper cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LegalSwaps<M> {
    /// Horizontal pairs whose left cell completes a run.
    pub left: M,
    /// Horizontal pairs whose right cell completes a run.
    pub right: M,
    /// Vertical pairs whose upper cell completes a run.
    pub upper: M,
    /// Vertical pairs whose lower cell completes a run.
    pub lower: M,
}

impl<M: Mask> LegalSwaps<M> {
    /// Finds all legal swaps: patterns of three cells of one kind, one of them off the line of the
    /// other two. Each of eight patterns in two directions needs two comparisons.
    #[inline(always)]
    pub(super) fn of<const S: u32>(board: &GemBoard<M>, grid: &GemGrid<M>) -> LegalSwaps<M> {
        let s = stride::<M, S>(grid);
        let kinds = &board.kinds;
        let lower = alike(kinds, 1, grid.has_lower);
        let right = alike(kinds, s, grid.has_right);
        let third_lower = alike(kinds, 3, grid.has_three_below);
        let third_right = alike(kinds, 3 * s, grid.cells & (grid.cells >> (3 * s)));
        let lower_right = alike(kinds, s + 1, grid.cells & (grid.cells >> (s + 1)));
        let upper_right = alike(kinds, s - 1, grid.cells & (grid.cells >> (s - 1)));
        let two_left = right << (2 * s);
        let two_up = lower << 2;
        LegalSwaps {
            left: ((third_right << (2 * s) & two_left)
                | (lower_right << 1 & two_up)
                | (upper_right >> 1 & lower >> 1)
                | (lower_right << 1 & upper_right >> 1))
                & grid.has_right,
            right: ((third_right & right >> (2 * s))
                | (upper_right & lower >> (s - 2))
                | (lower_right & lower >> (s + 1))
                | (upper_right & lower_right))
                & grid.has_right,
            upper: ((third_lower << 2 & two_up)
                | (lower_right << s & two_left)
                | (upper_right >> 1 & right >> s)
                | (lower_right << s & upper_right >> 1))
                & grid.has_lower,
            lower: ((third_lower & lower >> 2)
                | (upper_right << (s - 1) & right << (2 * s - 1))
                | (lower_right & right >> (s + 1))
                | (upper_right << (s - 1) & lower_right))
                & grid.has_lower,
        }
    }

    /// Cells that may be swapped with their right neighbor.
    #[inline]
    pub fn across(&self) -> M {
        self.left | self.right
    }

    /// Cells that may be swapped with their lower neighbor.
    #[inline]
    pub fn down(&self) -> M {
        self.upper | self.lower
    }

    /// The number of legal swaps.
    #[inline]
    pub fn count(&self) -> u32 {
        self.across().count() + self.down().count()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (self.across() | self.down()).is_empty()
    }
}
