//! Evolution of forests by a genetic algorithm (Loos, 2012): a population plays, the best survive,
//! are retrained on all games so far, and have children that take trees from both parents.
//!
//! * [`ForestLearnerSettings`]: the settings, from TOML or a `.properties` file.
//! * [`operators`]: the genetic operators on forests. [`training`]: the learner that applies them.
//! * [`schedule`]: mating and pairings. [`games`]: all games of an iteration, played on any number
//!   of threads and machines, and counted in schedule order.
//! * [`fitness`]: selection. [`scenarios`]: exercises in addition to games.
//!
//! No random generator is kept: every seed is derived from the seed of the run, a purpose, and
//! numbers ([`seeds`]). So a run can be resumed after any iteration, with any number of threads.

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

pub(crate) use games::job_kinds;
pub use settings::{ForestLearnerSettings, LearnerName};
pub use training::{EvolutionMetrics, ForestLearner, KIND};
