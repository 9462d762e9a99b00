//! The integration tests of the crate in one binary: linked once, and tests of different files run
//! in parallel.

mod any_bytes;
mod gem_cases;
mod levels;
mod loopback_queue;
mod players;
mod tournaments;
