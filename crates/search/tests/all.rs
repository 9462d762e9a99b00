//! All integration tests of the crate in one program: it is linked once, and tests of different
//! files run in parallel.

mod anigmo;
mod connect4;
mod counter_heap;
mod counting;
mod gem_island;
mod gem_island_belief;
mod laws;
mod limits;
mod montecarlo;
mod plain_connect4;
mod puct;
mod quiescence;
mod solvers;
mod uneven_turns;
