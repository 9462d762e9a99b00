//! Networks for Gem Island.
pub mod evaluation;
pub mod planes;
pub mod sight;
pub mod utility;
