//! Evolution of forests (Loos, 2012): a population plays, the best survive, are trained again on all games so
//! far, and have children that take trees from both parents.
//!
//! * What is to be done: [`Settings`], from TOML or from a `.properties` file.
//! * [`knowledge`]: the operators on forests. [`training`]: the learner that applies them again and again.
//! * [`schedule`]: who has children with whom, and who plays whom. [`games`]: all games of an iteration, played on
//!   any number of threads and machines, counted in the order of the schedule.
//! * [`fitness`]: who survives. [`scenarios`]: exercises beside games.
//!
//! Nothing here carries a random generator along: all chance is made from the seed of the run, a purpose, and
//! numbers ([`chance`]). So a run can be taken up after any iteration, by any number of threads.

pub mod bank;
pub mod chance;
pub mod checkpoint;
mod errand;
pub mod fitness;
pub mod games;
pub mod knowledge;
mod population;
pub mod properties;
pub mod scenarios;
pub mod schedule;
pub mod settings;
pub mod training;

pub(crate) use games::tasks;
pub use settings::{Learner, Settings};
pub use training::{ForestLearner, KIND, Metrics};
