//! What a cell can hold and what a tree can say.

use serde::{Deserialize, Serialize};
use tesuji_games::{Outcome, Side};

/// What lies on a cell, seen by one side. The number is the digit of the cell in a table's index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum CellContent {
    /// No stone.
    Empty = 0,
    /// A stone of the side that looks.
    Mine = 1,
    /// A stone of the other side.
    Theirs = 2,
}

impl CellContent {
    /// All, by their digits.
    pub const ALL: [CellContent; 3] = [CellContent::Empty, CellContent::Mine, CellContent::Theirs];

    /// As a letter: `.`, `X` or `O`.
    pub(crate) const fn letter(self) -> char {
        ['.', 'X', 'O'][self as usize]
    }

    /// What `viewer` sees where this stone lies.
    #[inline]
    pub fn seen_by(viewer: Side, stone: Option<Side>) -> CellContent {
        match stone {
            None => CellContent::Empty,
            Some(side) if side == viewer => CellContent::Mine,
            Some(_) => CellContent::Theirs,
        }
    }

    /// The same cell in the eyes of the other side.
    #[inline]
    pub const fn swapped(self) -> CellContent {
        [CellContent::Empty, CellContent::Theirs, CellContent::Mine][self as usize]
    }
}

/// What a tree says of the side that looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Class {
    /// It wins.
    Win = 0,
    /// Nobody does.
    Draw = 1,
    /// The other side wins.
    Loss = 2,
}

impl Class {
    /// All, by their numbers.
    pub const ALL: [Class; 3] = [Class::Win, Class::Draw, Class::Loss];

    /// The same in the eyes of the other side.
    #[inline]
    pub const fn swapped(self) -> Class {
        [Class::Loss, Class::Draw, Class::Win][self as usize]
    }

    /// As a word: `win`, `draw` or `loss`.
    pub(crate) const fn word(self) -> &'static str {
        ["win", "draw", "loss"][self as usize]
    }

    /// The class of a finished game for `viewer`.
    pub fn of(outcome: Outcome, viewer: Side) -> Class {
        match outcome.winner() {
            None => Class::Draw,
            Some(side) if side == viewer => Class::Win,
            Some(_) => Class::Loss,
        }
    }
}
