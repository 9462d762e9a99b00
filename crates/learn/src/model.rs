//! Models from files of either kind: a forest, or an n-tuple network.

use std::io;
use std::path::{Path, PathBuf};

use tesuji_games::RowGrid;
use tesuji_store::safe_file;

use crate::forest::{Forest, ForestEvaluation, LayoutError, xml};
use crate::ntuple::TupleNetwork;

/// A learned evaluation for k-in-a-row games.
#[derive(Clone, PartialEq, Debug)]
pub enum Model {
    /// A forest, whose trees vote.
    Forest(Forest),
    /// An n-tuple network, whose weights are added.
    Network(TupleNetwork),
}

/// Why a model cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The bytes are not a valid model. The text is one line.
    #[error("{0}")]
    Invalid(String),
    /// The file could not be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The file could not be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, #[source] io::Error),
}

impl ModelError {
    /// Prefixes the error with the name of the file.
    pub(crate) fn in_file(self, name: impl std::fmt::Display) -> ModelError {
        match self {
            ModelError::Invalid(why) => ModelError::Invalid(format!("{name}: {why}")),
            other => other,
        }
    }
}

impl Model {
    /// The maximum size of a file of either kind.
    pub const MAX_BYTES: u64 = {
        let (forest, network) = (xml::MAX_BYTES, TupleNetwork::MAX_BYTES);
        if forest > network { forest } else { network }
    };

    /// Reads a file; its first bytes determine its kind.
    pub fn load(path: &Path) -> Result<Model, ModelError> {
        let bytes = safe_file::read(path, Model::MAX_BYTES)
            .map_err(|error| ModelError::Read(path.to_path_buf(), error))?;
        Model::read(&bytes).map_err(|error| error.in_file(path.display()))
    }

    /// Reads a model from the bytes of a file of either kind.
    pub fn read(bytes: &[u8]) -> Result<Model, ModelError> {
        if !bytes.starts_with(TupleNetwork::MAGIC) {
            return Ok(Model::Forest(xml::read(bytes)?));
        }
        let network = TupleNetwork::from_bytes(bytes);
        network.map(Model::Network).map_err(|error| ModelError::Invalid(error.to_string()))
    }

    /// The game that it was trained for, as text; empty if the file does not contain it.
    pub fn game(&self) -> &str {
        match self {
            Model::Forest(forest) => &forest.game,
            Model::Network(network) => &network.game,
        }
    }

    /// Places the model on a board.
    pub fn evaluation(&self, grid: &RowGrid) -> Result<ForestEvaluation, LayoutError> {
        match self {
            Model::Forest(forest) => ForestEvaluation::of_forest(forest, grid),
            Model::Network(network) => ForestEvaluation::of_network(network, grid),
        }
    }
}
