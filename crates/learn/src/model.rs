//! What was learned, from a file of either kind: a forest, or a network of weights.

use std::path::Path;

use tesuji_games::Grid;
use tesuji_store::safe_file;

use crate::forest::xml::{self, XmlError};
use crate::forest::{Evaluation, Forest, Misfit};
use crate::ntuple::{TupleNetwork, TuplesError};

/// A learned evaluation.
#[derive(Clone, PartialEq, Debug)]
pub enum Model {
    /// Trees that vote.
    Forest(Forest),
    /// Weights that add up.
    Network(TupleNetwork),
}

/// Why a file is neither.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It is no forest.
    #[error(transparent)]
    Forest(#[from] XmlError),
    /// It begins like a network and is none.
    #[error("{place}{error}", place = file.as_ref().map_or(String::new(), |file| format!("{file}: ")))]
    Network {
        /// The file, where there is one.
        file: Option<String>,
        /// What is wrong.
        error: TuplesError,
    },
}

impl ModelError {
    /// The same, with the name of the file in front.
    pub fn in_file(self, name: &str) -> ModelError {
        match self {
            ModelError::Forest(error) => ModelError::Forest(error.in_file(Path::new(name))),
            ModelError::Network { error, .. } => {
                ModelError::Network { file: Some(name.to_string()), error }
            }
        }
    }
}

impl Model {
    /// No file of either kind is longer.
    pub const LONGEST_FILE: u64 = {
        let (forest, network) = (xml::MOST_BYTES, TupleNetwork::LONGEST_FILE);
        if forest > network { forest } else { network }
    };

    /// Reads a file; its first bytes tell which kind it is.
    pub fn load(path: &Path) -> Result<Model, ModelError> {
        let name = path.display().to_string();
        let bytes = safe_file::read(path, Model::LONGEST_FILE)
            .map_err(|source| XmlError::Unread { path: name.clone(), source })?;
        Model::read(&bytes).map_err(|error| error.in_file(&name))
    }

    /// Reads the bytes of a file of either kind.
    pub fn read(bytes: &[u8]) -> Result<Model, ModelError> {
        if !bytes.starts_with(TupleNetwork::MARK) {
            return Ok(Model::Forest(xml::read(bytes)?));
        }
        let wrong = |error| ModelError::Network { file: None, error };
        TupleNetwork::from_bytes(bytes).map(Model::Network).map_err(wrong)
    }

    /// The game that it was made for, as text; empty where the file does not say.
    pub fn game(&self) -> &str {
        match self {
            Model::Forest(forest) => &forest.game,
            Model::Network(network) => &network.game,
        }
    }

    /// Laid on a board.
    pub fn evaluation(&self, grid: &Grid) -> Result<Evaluation, Misfit> {
        match self {
            Model::Forest(forest) => Evaluation::of_forest(forest, grid),
            Model::Network(network) => Evaluation::of_network(network, grid),
        }
    }
}
