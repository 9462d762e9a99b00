//! What learns: from finished games to samples, from samples to trees, from trees to a forest that says
//! how good a position is.
//!
//! * [`forest`]: patterns, trees and forests for k-in-a-row games, after "Machine Learning for
//!   k-in-a-row Type Games Using Random Forest and Genetic Algorithm" (Loos, 2012).
//! * [`critic`]: a small network over counts of patterns, taught by temporal differences.
//! * [`evolution`]: the genetic algorithm that breeds them.
//! * [`line_network`]: a network for five in a row that looks at lines, with policy and value.
//! * [`model`]: what was learned, from a file; [`shipped`]: what comes with the program.
//! * [`model_file`]: any file of something learned, and its tensors for other programs ([`safetensors`]).
//! * [`samples`]: what forests learn from, in a store.
//! * [`learners`]: all of them by name.
//! * [`gomoku`]: the tuner of the Gomoku engine.
//! * [`gem_island`]: networks that say how a game of Gem Island will end.
//! * [`network`]: small networks of dense and convolution layers, learned by gradient descent.
//! * [`row_games`]: games of stones by their text.
//! * [`ntuple`]: the same patterns with a learned weight for everything that they can see.

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

use tesuji_play::{Programs, Roster};
use tesuji_queue::Task;
use tesuji_search::Registry;

/// Everything of this crate that other machines can do for a run.
pub fn tasks(games: &Registry, players: Roster, programs: Programs) -> Vec<Task> {
    let exercises = evolution::scenarios::task(games, players, programs);
    let mut tasks = vec![exercises];
    tasks.extend(evolution::tasks());
    tasks.extend(critic::tasks());
    tasks.extend(gem_island::tasks());
    tasks.extend(gomoku::tasks());
    tasks
}
