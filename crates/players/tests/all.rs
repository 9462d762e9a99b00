//! The integration tests of the crate in one program: it is linked once, and tests of different
//! files run side by side.

mod any_bytes;
mod gem_cases;
mod levels;
mod loopback_queue;
mod players;
mod tournaments;
