//! Networks for Gem Island.
pub mod evaluation;
pub mod outcome;
pub mod planes;
pub mod players;
pub mod sight;
pub mod utility;
