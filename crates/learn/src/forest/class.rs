//! The content of a cell and the classes of a tree.

use serde::{Deserialize, Serialize};
use tesuji_games::{Outcome, Side};

/// The content of a cell from one side's view. The discriminant is the cell's digit in a table
/// index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum CellContent {
    /// No stone.
    Empty = 0,
    /// A stone of the viewer.
    Mine = 1,
    /// A stone of the opponent.
    Theirs = 2,
}

impl CellContent {
    /// All contents, by digit.
    pub const ALL: [CellContent; 3] = [CellContent::Empty, CellContent::Mine, CellContent::Theirs];

    /// The content as a letter: `.`, `X` or `O`.
    pub(crate) const fn letter(self) -> char {
        ['.', 'X', 'O'][self as usize]
    }

    /// The content of a cell with this stone, as `viewer` sees it.
    #[inline]
    pub fn seen_by(viewer: Side, stone: Option<Side>) -> CellContent {
        match stone {
            None => CellContent::Empty,
            Some(side) if side == viewer => CellContent::Mine,
            Some(_) => CellContent::Theirs,
        }
    }

    /// The same cell from the other side's view.
    #[inline]
    pub const fn swapped(self) -> CellContent {
        [CellContent::Empty, CellContent::Theirs, CellContent::Mine][self as usize]
    }
}

/// The predicted result for the viewer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Class {
    /// The viewer wins.
    Win = 0,
    /// The game is drawn.
    Draw = 1,
    /// The opponent wins.
    Loss = 2,
}

impl Class {
    /// All classes, by number.
    pub const ALL: [Class; 3] = [Class::Win, Class::Draw, Class::Loss];

    /// The same result from the other side's view.
    #[inline]
    pub const fn swapped(self) -> Class {
        [Class::Loss, Class::Draw, Class::Win][self as usize]
    }

    /// The name of the class: `win`, `draw` or `loss`.
    pub(crate) const fn name(self) -> &'static str {
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
