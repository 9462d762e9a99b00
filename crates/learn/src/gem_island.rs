//! Networks for Gem Island.
//!
//! * [`planes`] and [`features`]: a board as numbers, the published way and a better one.
//! * [`outcome`] and [`utility`]: the two networks and what they learn from.
//! * `evaluation`: both as what a rollout is worth where it stops.
//! * `training`: the two learners, told by [`NetworkSettings`].

mod blocks;
mod evaluation;
pub mod features;
mod logged;
mod measure;
pub mod outcome;
pub mod planes;
mod players;
mod settings;
mod training;
pub mod utility;

pub use evaluation::{NetworkValue, ValueKind};
pub use outcome::Clock;
pub use planes::{Faults, check_board};
pub use settings::{
    Data, GameSettings, LearningSettings, MeasureSettings, NetworkKind, NetworkSettings,
};
pub use training::{BlockMetrics, GemLearner, OUTCOME, UTILITY};

/// What other machines can do for a run.
pub(crate) fn tasks() -> [tesuji_queue::Task; 2] {
    [blocks::task(), measure::task()]
}
