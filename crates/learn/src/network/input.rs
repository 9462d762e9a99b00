//! What goes into a network: what its numbers stand for, and all of them, or only those that are not zero.

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

/// The input of a network. An index stands for a number's place in the network's [`Shape`]; one that is
/// named twice counts twice.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Every number.
    Dense(&'a [f32]),
    /// The places of the ones; all others are zero.
    OneHot(&'a [u32]),
    /// Places and numbers; all others are zero.
    Sparse(&'a [(u32, f32)]),
}

impl Input<'_> {
    /// Calls `each` with the places of numbers that are not zero, and the numbers.
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
            Input::OneHot(places) => places.iter().for_each(|&index| each(index as usize, 1.0)),
            Input::Sparse(pairs) => {
                pairs.iter().for_each(|&(index, number)| each(index as usize, number));
            }
        }
    }

    /// Whether it is an input of so many numbers.
    pub(super) fn fits(self, size: usize) -> bool {
        match self {
            Input::Dense(numbers) => numbers.len() == size,
            Input::OneHot(places) => places.iter().all(|&place| (place as usize) < size),
            Input::Sparse(pairs) => pairs.iter().all(|&(place, _)| (place as usize) < size),
        }
    }
}
