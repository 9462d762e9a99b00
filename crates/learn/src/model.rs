//! What was learned, from a file of either kind: a forest, or a network of weights.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tesuji_games::Grid;

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
    #[error("{path}: {error}")]
    Network {
        /// The file.
        path: String,
        /// What is wrong.
        error: TuplesError,
    },
}

impl Model {
    /// Reads a file; its first bytes tell which kind it is.
    pub fn load(path: &Path) -> Result<Model, ModelError> {
        if !begins_like_a_network(path) {
            return Ok(Model::Forest(xml::load(path)?));
        }
        let wrong = |error| ModelError::Network { path: path.display().to_string(), error };
        TupleNetwork::load(path).map(Model::Network).map_err(wrong)
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

fn begins_like_a_network(path: &Path) -> bool {
    let mut mark = [0; TupleNetwork::MARK.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut mark));
    read.is_ok() && mark == *TupleNetwork::MARK
}
