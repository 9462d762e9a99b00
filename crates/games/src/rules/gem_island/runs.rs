//! Which neighbours are of one kind: runs of three and more, and the swaps that would make one. All cells are compared
//! at once, and no kind is looked at by itself.

use super::board::Board;
use super::{Grid, Mask};

/// The distance to the right neighbour. For the usual board it is known when the program is compiled, which saves
/// a third of all instructions; 0 stands for any other board.
#[inline(always)]
pub(super) fn stride<M: Mask, const S: u32>(grid: &Grid<M>) -> u32 {
    if S == 0 { grid.stride } else { S }
}

/// Cells of a set of planes that equal the cell `distance` further, of those in `valid`.
#[inline(always)]
fn alike<M: Mask>(kinds: &[M; 3], distance: u32, valid: M) -> M {
    let differs = |plane: M| plane ^ (plane >> distance);
    !(differs(kinds[0]) | differs(kinds[1]) | differs(kinds[2])) & valid
}

/// The runs on a board.
#[derive(Clone, Copy)]
pub(super) struct Runs<M> {
    /// Cells from which a run of three goes to the right.
    right: M,
    /// Cells from which a run of three goes down.
    down: M,
}

/// A whole run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Its first cell.
    pub start: u32,
    /// From one cell to the next.
    pub pace: u32,
    /// Its cells.
    pub length: u32,
}

impl Run {
    /// Whether this cell is one of its own.
    #[inline(always)]
    pub(super) fn holds(&self, index: u32) -> bool {
        (0..self.length).any(|n| self.start + n * self.pace == index)
    }
}

impl<M: Mask> Runs<M> {
    /// Finds them.
    #[inline(always)]
    pub(super) fn of<const S: u32>(kinds: &[M; 3], grid: &Grid<M>) -> Runs<M> {
        let s = stride::<M, S>(grid);
        let right = alike(kinds, s, grid.has_right);
        let down = alike(kinds, 1, grid.has_lower);
        Runs { right: right & (right >> s), down: down & (down >> 1) }
    }

    /// Whether there is none.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        (self.right | self.down).is_empty()
    }

    /// Cells of the runs in rows.
    #[inline(always)]
    pub(super) fn horizontal<const S: u32>(&self, grid: &Grid<M>) -> M {
        let s = stride::<M, S>(grid);
        self.right | self.right << s | self.right << (2 * s)
    }

    /// Cells of the runs in columns.
    #[inline(always)]
    pub(super) fn vertical(&self) -> M {
        self.down | self.down << 1 | self.down << 2
    }

    /// Whether some run is longer than three.
    #[inline(always)]
    pub(super) fn any_long<const S: u32>(&self, grid: &Grid<M>) -> bool {
        let s = stride::<M, S>(grid);
        !(self.right & (self.right >> s) | self.down & (self.down >> 1)).is_empty()
    }

    /// Calls `each` with every run longer than three, those in rows first.
    #[inline(always)]
    pub(super) fn for_each_long<const S: u32>(&self, grid: &Grid<M>, mut each: impl FnMut(Run)) {
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
                each(Run { start, pace, length });
            }
        }
    }
}

/// Legal swaps as sets: nothing is listed until it is asked for. A pair stands under its left or upper cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Swaps<M> {
    /// Pairs side by side whose left cell completes a run.
    pub left: M,
    /// Pairs side by side whose right cell completes one.
    pub right: M,
    /// Pairs one above the other whose upper cell completes one.
    pub upper: M,
    /// Pairs one above the other whose lower cell completes one.
    pub lower: M,
}

impl<M: Mask> Swaps<M> {
    /// Every pair of neighbours that may change places: a pattern of three cells of one kind, one of them beside the
    /// line of the other two. Two comparisons for each of eight patterns in two directions.
    #[inline(always)]
    pub(super) fn of<const S: u32>(board: &Board<M>, grid: &Grid<M>) -> Swaps<M> {
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
        Swaps {
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

    /// Cells that may change places with their right neighbour.
    #[inline]
    pub fn across(&self) -> M {
        self.left | self.right
    }

    /// Cells that may change places with their lower neighbour.
    #[inline]
    pub fn down(&self) -> M {
        self.upper | self.lower
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> u32 {
        self.across().count() + self.down().count()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (self.across() | self.down()).is_empty()
    }
}
