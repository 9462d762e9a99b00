//! Evolution of forests (Loos, 2012): a population plays, the best survive, are trained again on all games so
//! far, and have children that take trees from both parents.
//!
//! * What is to be done: [`ForestLearnerSettings`], from TOML or from a `.properties` file.
//! * [`operators`]: the operators on forests. [`training`]: the learner that applies them again and again.
//! * [`schedule`]: who has children with whom, and who plays whom. [`games`]: all games of an iteration, played on
//!   any number of threads and machines, counted in the order of the schedule.
//! * [`fitness`]: who survives. [`scenarios`]: exercises beside games.
//!
//! Nothing here carries a random generator along: all seeds is made from the seed of the run, a purpose, and
//! numbers ([`seeds`]). So a run can be taken up after any iteration, by any number of threads.

pub mod checkpoint;
pub mod fitness;
pub mod games;
mod job;
pub mod operators;
mod population;
pub mod properties;
pub mod sample_store;
pub mod scenarios;
pub mod schedule;
pub mod seeds;
pub mod settings;
pub mod training;

pub(crate) use games::tasks;
pub use settings::{ForestLearnerSettings, LearnerName};
pub use training::{EvolutionMetrics, ForestLearner, KIND};
