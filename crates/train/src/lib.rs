//! Training runs. A run is a folder; [`Training::run`] is the only training loop.
//!
//! * [`Learner`]: a model that learns step by step. [`LearnerKind`]: the declaration of a learner:
//!   name, files, charts and settings.
//! * [`RunSettings`]: the settings of any learner, read from TOML, checked, and written back with
//!   all defaults.
//! * [`RunFolder`]: the files of a run, consistent even if the run is killed at any moment.
//! * [`MetricsRow`]: the metrics of a step. [`chart`]: which metrics share a chart.
//! * [`measure`]: the strength of the model in games against fixed opponents.
//!
//! This crate contains no particular learner.

pub mod chart;
pub mod checkpoint;
pub mod error;
pub mod folder;
pub mod learner;
pub mod measure;
pub mod metrics;
pub mod plot;
pub mod run;
pub mod settings;
mod tensorboard;
pub mod threads;

pub use chart::Chart;
pub use checkpoint::{pack, unpack};
pub use error::TrainError;
pub use folder::{FolderError, RunFolder, RunInfo, RunState, SettingsFile};
pub use learner::{Env, Learner, LearnerKind, StepNoun, TrainEvent};
pub use measure::MeasureSettings;
pub use metrics::{MetricsRow, StepMetrics};
pub use run::{StopReason, Training, TrainingSummary};
pub use settings::{CommonSettings, LearnerSettings, RunSettings, SettingsError};
