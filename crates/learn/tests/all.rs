//! All integration tests of the crate in one program, which is linked once and runs the tests of
//! different files in parallel.

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
