//! What the numbers between two layers stand for.

use serde::{Deserialize, Serialize};

/// Rows × columns of cells with channels each; the channels of a cell lie together, the cells row by row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// From top to bottom.
    pub rows: usize,
    /// From left to right.
    pub columns: usize,
    /// Numbers for each cell.
    pub channels: usize,
}

impl Shape {
    /// A board of cells.
    pub const fn new(rows: usize, columns: usize, channels: usize) -> Shape {
        Shape { rows, columns, channels }
    }

    /// A plain list of numbers.
    pub const fn flat(numbers: usize) -> Shape {
        Shape::new(1, 1, numbers)
    }

    /// How many numbers there are.
    pub const fn size(&self) -> usize {
        self.rows * self.columns * self.channels
    }

    /// Where a number lies among the others.
    pub const fn index(&self, row: usize, column: usize, channel: usize) -> usize {
        (row * self.columns + column) * self.channels + channel
    }
}
