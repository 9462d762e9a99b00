//! Training runs. A run is a folder; [`Training::run`] is the only loop that trains anything.
//!
//! * [`Learner`]: what learns, step by step. [`LearnerKind`]: a learner by name, its files, charts and
//!   settings, as data.
//! * [`RunSettings`]: a TOML file for any learner, read, checked and written back with all defaults.
//! * [`RunFolder`]: what a run leaves behind, in a form that survives being killed at any moment.
//! * [`MetricsRow`]: what is measured after each step. [`chart`]: which numbers belong into one chart.
//! * [`measure`]: how strong the model is, in games against fixed opponents.
//!
//! This crate knows no particular learner.

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
pub use folder::{FolderError, SettingsFile, RunFolder, RunInfo, RunState};
pub use learner::{Env, TrainEvent, Learner, LearnerKind, StepNoun};
pub use measure::MeasureSettings;
pub use metrics::{StepMetrics, MetricsRow};
pub use run::{StopReason, TrainingSummary, Training};
pub use settings::{CommonSettings, RunSettings, LearnerSettings, SettingsError};
