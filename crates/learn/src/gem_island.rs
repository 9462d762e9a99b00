//! Networks for Gem Island.
//!
//! * [`planes`] and [`features`]: the inputs, as published and improved.
//! * [`outcome`], [`utility`] and [`policy`]: the networks and their training examples.
//! * `evaluation`: the first two as evaluations of the ends of rollouts.
//! * `logged`: games of people and agents from logs.
//! * `training`: the learners, configured by [`GemLearnerSettings`].

mod blocks;
mod evaluation;
pub mod features;
mod logged;
mod measure;
pub mod outcome;
pub mod planes;
mod players;
pub mod policy;
mod settings;
mod training;
pub mod utility;

pub use evaluation::{NetworkValue, ValueKind};
pub use logged::{GemLogs, SkippedLog};
pub use outcome::MovesLeft;
pub use planes::{Faults, check_board};
pub use policy::{PlayedSwap, PolicyLabels, PolicyNetwork};
pub use settings::{
    GemDataSource, GemLearnerSettings, GemMeasureSettings, GemNetworkKind, GemSelfPlaySettings,
    GemTrainingSettings, TrainingForm,
};
pub use training::{
    BlockMetrics, GemLearner, OUTCOME, POLICY, TrainedOnLogs, UTILITY, train_on_logs,
};
pub use utility::UtilityLabels;

/// The job kinds of a training run.
pub(crate) fn job_kinds() -> [tesuji_queue::JobKind; 2] {
    [blocks::job_kind(), measure::job_kind()]
}
