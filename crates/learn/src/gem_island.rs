//! Networks for Gem Island.
//!
//! * [`planes`] and [`features`]: the inputs, as published and improved.
//! * [`outcome`] and [`utility`]: the two networks and their training examples.
//! * `evaluation`: both networks as evaluations of the ends of rollouts.
//! * `training`: the two learners, configured by [`GemLearnerSettings`].

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
pub use outcome::MovesLeft;
pub use planes::{Faults, check_board};
pub use settings::{
    GemDataSource, GemLearnerSettings, GemMeasureSettings, GemNetworkKind, GemSelfPlaySettings,
    GemTrainingSettings,
};
pub use training::{BlockMetrics, GemLearner, OUTCOME, UTILITY};

/// The job kinds of a training run.
pub(crate) fn job_kinds() -> [tesuji_queue::JobKind; 2] {
    [blocks::job_kind(), measure::job_kind()]
}
