//! Gem Island (Brereton, 2017): a match-three puzzle. Two neighbouring gems change places so that three or more of a
//! kind stand in a row; they vanish, gems fall and new ones come, ice under them breaks, and all medals beneath the ice
//! must be freed before the moves run out. One agent, chance, hidden medals: a [`Simulator`](crate::Simulator).
//!
//! [`GemIsland`] is the whole state, [`View`] what an agent may know of it.

mod board;
mod conversion;
mod gain;
mod gem;
mod generation;
mod grid;
pub mod log;
mod mask;
pub mod reference;
mod runs;
mod settings;
mod state;
mod step;
pub mod text;
mod turn;
pub mod updates;
mod view;

pub use board::{Board, bonus_code, bonus_of};
pub use gain::Pair;
pub use gem::{Bonus, Cell, Gem, Swap};
pub use grid::{Fidelity, Grid};
pub use mask::{Mask, OfMask, Wide};
pub use runs::Swaps;
pub use settings::{BadSettings, LONGEST_SIDE, MOST_KINDS, MOST_LAYERS, Rules, Settings};
pub use state::{GemIsland, Status};
pub use step::{Created, Step};
pub use turn::{MOST_PASSES, Pass, Refill, Tape, Turn, Witness};
pub use view::View;

/// What it is called.
pub const NAME: &str = "gem-island";

/// Code that works on a board of any size.
pub trait MaskVisitor {
    /// What comes back.
    type Output;
    /// Called once, with the narrowest mask that the board fits.
    fn visit<M: Mask>(self) -> Self::Output;
}

/// Calls the visitor with the mask for these settings, which must be possible.
pub fn with_mask<V: MaskVisitor>(settings: &Settings, visitor: V) -> V::Output {
    match Grid::<u128>::new(*settings) {
        Some(_) => visitor.visit::<u128>(),
        None => visitor.visit::<Wide>(),
    }
}
