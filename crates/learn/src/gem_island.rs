//! Networks for Gem Island.
//!
//! * [`planes`] and [`sight`]: a board as numbers, the published way and a better one.
//! * [`outcome`] and [`utility`]: the two networks and what they learn from.
//! * `evaluation`: both as what a rollout is worth where it stops.
//! * `training`: the two learners, told by [`NetworkSettings`].

mod blocks;
mod evaluation;
mod logged;
mod measure;
pub mod outcome;
pub mod planes;
mod players;
mod settings;
pub mod sight;
mod training;
pub mod utility;

pub use evaluation::{NetworkValue, Question};
pub use outcome::Clock;
pub use planes::{Faults, check_board};
pub use settings::{
    Data, GameSettings, LearningSettings, MeasureSettings, NetworkSettings, Purpose,
};
pub use training::{BlockMetrics, GemLearner, OUTCOME, UTILITY};

/// What other machines can do for a run.
pub(crate) fn tasks() -> [tesuji_queue::Task; 2] {
    [blocks::task(), measure::task()]
}
