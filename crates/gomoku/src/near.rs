//! The cells near stones, where a search looks for moves.

use crate::cell::{Cell, CellSet};

/// The radius of the square around a stone whose cells are near it.
const NEAR_IN_SQUARE: i32 = 2;
/// The distance along the four lines up to which cells are near a stone.
const NEAR_IN_LINE: i32 = 4;
const NEAR_ROWS: usize = 2 * NEAR_IN_LINE as usize + 1;

/// Adds the cells near a stone to a set.
#[inline]
pub(crate) fn add_near(set: &mut CellSet, cell: Cell, (width, height): (usize, usize)) {
    let columns = (1u64 << width) - 1;
    for (n, mask) in NEAR.into_iter().enumerate() {
        let row = (cell.row() + n).wrapping_sub(NEAR_IN_LINE as usize);
        if row < height {
            let bits = u64::from(mask) << cell.column() >> NEAR_IN_LINE;
            set.rows[row] |= (bits & columns) as u32;
        }
    }
}

/// The cells near a stone in column [`NEAR_IN_LINE`], row by row from the lowest.
const NEAR: [u32; NEAR_ROWS] = {
    let mut rows = [0; NEAR_ROWS];
    let mut dy = -NEAR_IN_LINE;
    while dy <= NEAR_IN_LINE {
        let mut dx = -NEAR_IN_LINE;
        while dx <= NEAR_IN_LINE {
            let in_square = dx.abs() <= NEAR_IN_SQUARE && dy.abs() <= NEAR_IN_SQUARE;
            if in_square || dx == 0 || dy == 0 || dx.abs() == dy.abs() {
                rows[(dy + NEAR_IN_LINE) as usize] |= 1 << (dx + NEAR_IN_LINE);
            }
            dx += 1;
        }
        dy += 1;
    }
    rows
};
