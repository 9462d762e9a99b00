//! Cells, gems and swaps, independent of the bitboards.

use std::fmt;

/// A cell; row 0 is the top, column 0 the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GemCell {
    /// From the top.
    pub row: u8,
    /// From the left.
    pub column: u8,
}

impl GemCell {
    /// The cell in this row and column.
    pub const fn new(row: u8, column: u8) -> GemCell {
        GemCell { row, column }
    }

    /// Whether the two cells share an edge.
    pub fn touches(self, other: GemCell) -> bool {
        self.row.abs_diff(other.row) + self.column.abs_diff(other.column) == 1
    }
}

/// The bonus of a gem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Bonus {
    /// Removes a whole row or column with it.
    Cross,
    /// Removes all gems of its kind with it.
    Star,
    /// Removes the gems around it with it.
    Diamond,
}

/// A gem: its kind (its color), counted from 0, and its bonus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Gem {
    /// The color.
    pub kind: u8,
    /// Its effect when it is removed.
    pub bonus: Option<Bonus>,
}

/// A swap of two neighboring gems. If a bonus could appear on either cell, it appears on the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Swap {
    /// The cell that completes a run.
    pub first: GemCell,
    /// The other cell.
    pub second: GemCell,
}

/// `r1-c1-r2-c2`, as in logs.
impl fmt::Display for Swap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b) = (self.first, self.second);
        write!(f, "{}-{}-{}-{}", a.row, a.column, b.row, b.column)
    }
}
