//! Learners: they turn finished games into training samples, and samples into models that evaluate
//! positions.
//!
//! * [`forest`]: patterns, trees and forests for k-in-a-row games, after "Machine Learning for
//!   k-in-a-row Type Games Using Random Forest and Genetic Algorithm" (Loos, 2012).
//! * [`critic`]: a small network over pattern counts, trained by temporal differences.
//! * [`evolution`]: the genetic algorithm that trains forests.
//! * [`line_network`]: a network over lines with policy and value, for five in a row.
//! * [`model`]: models from files; [`shipped`]: models that come with the program.
//! * [`model_file`]: model files of every kind, and their tensors for other programs
//!   ([`safetensors`]).
//! * [`samples`]: training samples of forests in a store.
//! * [`learners`]: the table of learners.
//! * [`gomoku`]: the tuner of the Gomoku engine.
//! * [`gem_island`]: networks that predict the result of a game of Gem Island.
//! * [`network`]: small networks of dense and convolution layers, trained by gradient descent.
//! * [`row_games`]: k-in-a-row games by name.
//! * [`ntuple`]: n-tuple networks: a learned weight for each content of a pattern.

mod blocks;
pub mod critic;
pub mod evolution;
mod excerpt;
pub mod forest;
pub mod gem_island;
pub mod gomoku;
pub mod learners;
pub mod line_network;
pub mod model;
pub mod model_file;
pub mod network;
pub mod ntuple;
mod packing;
pub mod row_games;
pub mod safetensors;
pub mod samples;
mod settings;
pub mod shipped;

pub use forest::Forest;
pub use learners::{LEARNERS, learner, read_settings};
pub use model::{Model, ModelError};
pub use ntuple::TupleNetwork;
pub use shipped::{SHIPPED_CRITICS, ShippedModel};

use tesuji_play::{ProgramPolicy, Roster};
use tesuji_queue::JobKind;
use tesuji_search::Registry;

/// The job kinds of this crate, which other machines can run.
pub fn job_kinds(games: &Registry, players: Roster, programs: ProgramPolicy) -> Vec<JobKind> {
    let exercises = evolution::scenarios::task(games, players, programs);
    let mut tasks = vec![exercises];
    tasks.extend(evolution::job_kinds());
    tasks.extend(critic::job_kinds());
    tasks.extend(gem_island::job_kinds());
    tasks.extend(gomoku::job_kinds());
    tasks
}
