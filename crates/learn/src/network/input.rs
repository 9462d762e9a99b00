//! The input of a network: its shape, and its numbers, dense or sparse.

use serde::{Deserialize, Serialize};

/// Rows × columns of cells with channels; cells are ordered by row, and the channels of a cell are
/// contiguous.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The number of channels per cell.
    pub channels: usize,
}

impl Shape {
    /// A board of cells.
    pub const fn new(rows: usize, columns: usize, channels: usize) -> Shape {
        Shape { rows, columns, channels }
    }

    /// A flat list of numbers.
    pub const fn flat(numbers: usize) -> Shape {
        Shape::new(1, 1, numbers)
    }

    /// The number of elements.
    pub const fn size(&self) -> usize {
        self.rows * self.columns * self.channels
    }

    /// The index of a number.
    pub const fn index(&self, row: usize, column: usize, channel: usize) -> usize {
        (row * self.columns + column) * self.channels + channel
    }
}

/// The input of a network. Indices refer to its [`Shape`]; the numbers of an index that occurs
/// twice are added.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// All numbers.
    Dense(&'a [f32]),
    /// The indices of the ones; all others are zero.
    OneHot(&'a [u32]),
    /// Indices and numbers; all others are zero.
    Sparse(&'a [(u32, f32)]),
}

impl Input<'_> {
    /// Calls `each` with the indices of nonzero numbers, and the numbers.
    #[inline]
    pub(super) fn for_each(self, mut each: impl FnMut(usize, f32)) {
        match self {
            Input::Dense(numbers) => {
                for (index, &number) in numbers.iter().enumerate() {
                    if number != 0.0 {
                        each(index, number);
                    }
                }
            }
            Input::OneHot(indices) => indices.iter().for_each(|&index| each(index as usize, 1.0)),
            Input::Sparse(pairs) => {
                pairs.iter().for_each(|&(index, number)| each(index as usize, number));
            }
        }
    }

    /// Whether it is a valid input of this size.
    pub(super) fn fits(self, size: usize) -> bool {
        match self {
            Input::Dense(numbers) => numbers.len() == size,
            Input::OneHot(indices) => indices.iter().all(|&index| (index as usize) < size),
            Input::Sparse(pairs) => pairs.iter().all(|&(index, _)| (index as usize) < size),
        }
    }
}
