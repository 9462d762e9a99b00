//! Errors of training runs.

use tesuji_queue::{JobError, QueueError};
use tesuji_store::StoreError;

use crate::folder::FolderError;
use crate::settings::SettingsError;

/// Errors of training runs.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The settings are invalid, or something that they name cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The run's folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The work queue failed.
    #[error(transparent)]
    Queue(QueueError),
    /// The checkpoint is damaged or belongs to another learner.
    #[error("checkpoint: {0}")]
    Checkpoint(String),
    /// Learning failed. The state after the last completed step is kept.
    #[error("{0}")]
    Failed(String),
}

impl TrainError {
    /// Creates an error for settings, or for something that they name.
    pub fn settings(what: impl std::fmt::Display) -> TrainError {
        TrainError::Settings(SettingsError::Value(what.to_string()))
    }

    /// Creates an error for a checkpoint.
    pub fn checkpoint(what: impl std::fmt::Display) -> TrainError {
        TrainError::Checkpoint(what.to_string())
    }

    /// Creates an error for a failure during learning.
    pub fn failed(what: impl std::fmt::Display) -> TrainError {
        TrainError::Failed(what.to_string())
    }
}

impl From<TrainError> for JobError {
    fn from(error: TrainError) -> JobError {
        JobError(error.to_string())
    }
}

impl From<QueueError> for TrainError {
    fn from(error: QueueError) -> TrainError {
        match error {
            QueueError::Store(error) => TrainError::Store(error),
            error => TrainError::Queue(error),
        }
    }
}
