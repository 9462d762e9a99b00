//! What a turn does, in the order in which an eye can follow it: for each pass of the cascade what vanishes, what
//! becomes a bonus, which ice breaks, which medals come free, what falls and what is new. Simulations never make such
//! a list; whoever wants one plays the turn with a recorder as its witness.

use serde::Serialize;

use super::{Cell, Gem, Swap};

/// A whole turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Updates {
    /// What was asked for.
    pub swap: Swap,
    /// The passes in which something happened.
    pub passes: Vec<PassUpdate>,
    /// What all of them were worth.
    pub score: u64,
    /// The gems after a shuffle of a dead board, row by row; nothing when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reshuffled: Option<Vec<Vec<Gem>>>,
}

/// One pass of the cascade. The lists stand in the order in which things happen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PassUpdate {
    /// Counted from 1; a later pass is worth more.
    pub number: u32,
    /// What was taken off the board, row by row.
    pub removals: Vec<Placed>,
    /// Which ice broke: once for each cell, row by row.
    pub ice: Vec<Broken>,
    /// The upper left cells of medals that came free, row by row.
    pub medals: Vec<Cell>,
    /// Bonuses that came to be: first those of rows, then of columns, then of crossings. When one cell is named twice,
    /// the later bonus is the one that stays.
    pub created: Vec<Placed>,
    /// Gems that fell, column by column, from the lowest upwards.
    pub falls: Vec<Fall>,
    /// New gems where they came to rest, in the order in which they were drawn.
    pub refills: Vec<Placed>,
    /// What this pass was worth.
    pub score: u64,
}

impl PassUpdate {
    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.removals.is_empty() && self.created.is_empty() && self.medals.is_empty()
    }
}

/// A gem and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Placed {
    /// Where.
    pub cell: Cell,
    /// What.
    pub gem: Gem,
}

/// Ice that lost a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Broken {
    /// Where.
    pub cell: Cell,
    /// How many layers are left.
    pub layers: u8,
}

/// A gem that fell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Fall {
    /// From here.
    pub from: Cell,
    /// To here, in the same column.
    pub to: Cell,
}
