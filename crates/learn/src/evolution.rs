//! Evolution of forests (Loos, 2012): a population plays, the best survive, are trained again on all games so
//! far, and have children that take trees from both parents.
//!
//! * What is to be done: [`Settings`], from TOML or from a `.properties` file.
//! * [`knowledge`]: the operators on forests. [`brain`]: the process that applies them again and again.
//! * [`schedule`]: who has children with whom, and who plays whom. [`games`]: all games of an iteration, played on
//!   any number of threads and machines, counted in the order of the schedule.
//! * [`fitness`]: who survives. [`scenarios`]: exercises beside games. [`run_folder`]: what a run leaves behind, and how it is resumed.
//!
//! Nothing here carries a random generator along: all chance is made from the seed of the run, a purpose, and
//! numbers ([`chance`]). So a run can be taken up after any iteration, by any number of threads.

pub mod bank;
pub mod brain;
pub mod chance;
pub mod checkpoint;
mod errand;
pub mod fitness;
pub mod games;
pub mod knowledge;
pub mod metrics;
pub mod plots;
mod population;
pub mod properties;
mod recorded;
pub mod run_folder;
pub mod scenarios;
pub mod schedule;
pub mod settings;

pub use brain::{Ending, Progress, Summary, TrainError, Training};
pub(crate) use games::tasks;
pub use games::window;
pub use run_folder::{FolderError, Given, RunFolder, RunName};
pub use settings::{Learner, Settings, SettingsError};
