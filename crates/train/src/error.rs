//! Why a run could not go on.

use tesuji_queue::{QueueError, Trouble};
use tesuji_store::StoreError;

use crate::folder::FolderError;
use crate::settings::SettingsError;

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The settings make no sense, or what they name cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The games could not be played.
    #[error(transparent)]
    Queue(QueueError),
    /// The checkpoint is damaged, or belongs to something else.
    #[error("checkpoint: {0}")]
    Checkpoint(String),
    /// Learning failed. What was learned before is kept.
    #[error("{0}")]
    Failed(String),
}

impl TrainError {
    /// The settings, or what they name, cannot be used.
    pub fn settings(what: impl std::fmt::Display) -> TrainError {
        TrainError::Settings(SettingsError::Value(what.to_string()))
    }

    /// The checkpoint cannot be used.
    pub fn checkpoint(what: impl std::fmt::Display) -> TrainError {
        TrainError::Checkpoint(what.to_string())
    }

    /// Learning failed.
    pub fn failed(what: impl std::fmt::Display) -> TrainError {
        TrainError::Failed(what.to_string())
    }
}

impl From<TrainError> for Trouble {
    fn from(error: TrainError) -> Trouble {
        Trouble(error.to_string())
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
