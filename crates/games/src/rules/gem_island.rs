//! Gem Island (Brereton, 2017): a match-three puzzle. Two neighbouring gems change places so that three or more of a
//! kind stand in a row; they vanish, gems fall and new ones come, ice under them breaks, and all medals beneath the ice
//! must be freed before the moves run out. One agent, chance, hidden medals: a [`Simulator`].
//!
//! [`GemIsland`] is the whole state, [`View`] what an agent may know of it.

mod board;
mod gem;
mod grid;
pub mod log;
mod mask;
pub mod reference;
mod settings;
pub mod text;
pub mod updates;

pub use board::{Board, bonus_code, bonus_of};
pub use gem::{Bonus, Cell, Gem, Swap, Swaps};
pub use grid::{Fidelity, Grid};
pub use mask::{Mask, Wide};
pub use settings::{BadSettings, LONGEST_SIDE, MOST_KINDS, MOST_LAYERS, Rules, Settings};
