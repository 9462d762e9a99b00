//! The integration tests of the crate in one program: it is linked once, and tests of different
//! files run side by side.

mod all_learners;
mod critic;
mod evaluators;
mod evolution;
mod forests;
mod gem_island;
mod gomoku;
mod line_network;
mod positions;
mod run;
mod search;
