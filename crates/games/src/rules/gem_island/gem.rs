//! Cells, gems and swaps: the words in which the game is described outside its bitboards.

use std::fmt;

/// A cell; row 0 is the top, column 0 the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Cell {
    /// From the top.
    pub row: u8,
    /// From the left.
    pub column: u8,
}

impl Cell {
    /// The cell in this row and column.
    pub const fn new(row: u8, column: u8) -> Cell {
        Cell { row, column }
    }

    /// Whether the two share an edge.
    pub fn touches(self, other: Cell) -> bool {
        self.row.abs_diff(other.row) + self.column.abs_diff(other.column) == 1
    }
}

/// What a gem can be besides its kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Bonus {
    /// Takes a whole row or column with it.
    Cross,
    /// Takes all gems of its kind with it.
    Star,
    /// Takes the gems around it with it.
    Diamond,
}

/// A gem: its kind (its colour), counted from 0, and its bonus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Gem {
    /// The colour.
    pub kind: u8,
    /// What it does when it is taken.
    pub bonus: Option<Bonus>,
}

/// Two neighbours that change places. The first one decides where a bonus appears when both could.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Swap {
    /// The cell that completes a run.
    pub first: Cell,
    /// The other one.
    pub second: Cell,
}

/// `r1-c1-r2-c2`, as in logs.
impl fmt::Display for Swap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b) = (self.first, self.second);
        write!(f, "{}-{}-{}-{}", a.row, a.column, b.row, b.column)
    }
}
