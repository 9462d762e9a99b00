//! Model files of every kind: what they contain, and their numbers as tensors for other programs.

use std::io;
use std::path::Path;

use serde::Serialize;
use tesuji_store::safe_file::{self, IfExists};

use crate::critic::Critic;
use crate::gem_island::{NetworkValue, ValueKind};
use crate::line_network::{self, CENTERS, HALVES, HIDDEN, LineWeights, Part};
use crate::network::{Network, NetworkError};
use crate::safetensors::{self, Tensor};
use crate::{Model, ModelError, TupleNetwork, row_games};

/// The content of a model file.
#[derive(Clone, PartialEq, Debug)]
pub enum ModelFile {
    /// A forest or an n-tuple network.
    Model(Model),
    /// A network of layers (`.net`).
    Network(Network),
    /// A line network (`.lines`).
    Lines(LineWeights),
}

/// Why a model file cannot be read or exported.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// The bytes are not a model file.
    #[error(
        "unknown kind of model; expected a forest (.xml, .xml.gz), weights (.tuples), a network \
         (.net) or a line network (.lines)"
    )]
    Unknown,
    /// A forest has no tensors.
    #[error(
        "a forest has no tensors; expected a network (tesuji forest export FILE OUT writes a \
         forest for other programs)"
    )]
    Forest,
    /// The forest or n-tuple network is invalid.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The network is invalid.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The description of a model file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ModelInfo {
    /// The kind of model, for users.
    pub kind: &'static str,
    /// The learner that makes such files; `None` for a network of another structure.
    pub learner: Option<&'static str>,
    /// The game that it was trained for, as text; `None` if the file does not contain it.
    pub game: Option<String>,
    /// The number of parameters; for a forest, of trees.
    pub size: usize,
    /// How it was made; `None` if the file does not contain it.
    pub made: Option<String>,
    /// Its tensors; empty for a forest.
    pub tensors: Vec<TensorInfo>,
}

/// The description of a tensor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TensorInfo {
    /// Its name.
    pub name: String,
    /// `F32` or `I16`.
    pub dtype: &'static str,
    /// The length of each side.
    pub shape: Vec<usize>,
}

impl ModelFile {
    /// The maximum size of a file of any kind.
    pub const MAX_BYTES: u64 = {
        let (model, network) = (Model::MAX_BYTES, Network::MAX_BYTES);
        if model > network { model } else { network }
    };

    /// Reads a file; its first bytes determine its kind.
    pub fn load(path: &Path) -> Result<ModelFile, ModelFileError> {
        ModelFile::read(&safe_file::read(path, ModelFile::MAX_BYTES)?)
    }

    /// Reads the bytes of a file of any kind.
    pub fn read(bytes: &[u8]) -> Result<ModelFile, ModelFileError> {
        if bytes.starts_with(Network::MAGIC) {
            return Ok(ModelFile::Network(Network::from_bytes(bytes)?));
        }
        if bytes.starts_with(LineWeights::MAGIC) {
            return Ok(ModelFile::Lines(LineWeights::from_bytes(bytes)?));
        }
        match bytes.starts_with(TupleNetwork::MAGIC) || may_be_forest(bytes) {
            true => Ok(ModelFile::Model(Model::read(bytes)?)),
            false => Err(ModelFileError::Unknown),
        }
    }

    /// Describes the file.
    pub fn info(&self) -> ModelInfo {
        let tensors = self.tensors().unwrap_or_default();
        let (kind, learner) = self.kind();
        let size = match self {
            ModelFile::Model(Model::Forest(forest)) => forest.trees.len(),
            ModelFile::Model(Model::Network(network)) => {
                network.weights[0].iter().map(Vec::len).sum()
            }
            ModelFile::Network(_) | ModelFile::Lines(_) => tensors.iter().map(Tensor::count).sum(),
        };
        let said = |text: &str| (!text.is_empty()).then(|| text.to_string());
        let tensors = tensors.into_iter().map(|tensor| {
            let dtype = tensor.dtype();
            TensorInfo { name: tensor.name, dtype, shape: tensor.shape }
        });
        let tensors = tensors.collect();
        ModelInfo { kind, learner, game: self.game(), size, made: said(self.made()), tensors }
    }

    /// The kind of model, and the learner that makes such files.
    fn kind(&self) -> (&'static str, Option<&'static str>) {
        match self {
            ModelFile::Model(Model::Forest(_)) => ("forest", Some("forest")),
            ModelFile::Model(Model::Network(_)) => ("n-tuple network", Some("weights")),
            ModelFile::Lines(_) => ("line network", Some(line_network::KIND.name)),
            ModelFile::Network(network) if Critic::new(network.clone()).is_ok() => {
                ("critic", Some("critic"))
            }
            ModelFile::Network(network)
                if NetworkValue::new(network.clone(), ValueKind::Utility).is_ok() =>
            {
                ("utility network of Gem Island", Some("gem-utility"))
            }
            ModelFile::Network(network)
                if NetworkValue::new(network.clone(), ValueKind::Outcome).is_ok() =>
            {
                ("outcome network of Gem Island", Some("gem-outcome"))
            }
            ModelFile::Network(_) => ("network", None),
        }
    }

    /// The game that it was trained for. A critic's file contains it in the text about its origin.
    fn game(&self) -> Option<String> {
        let said = match (self, self.kind().1) {
            (ModelFile::Model(model), _) => model.game(),
            (ModelFile::Lines(_), _) => "gomoku",
            (ModelFile::Network(_), Some("gem-outcome" | "gem-utility")) => "gem-island",
            (ModelFile::Network(network), Some("critic")) => {
                let rest = network.origin().strip_prefix("critic of ");
                let game = rest.and_then(|rest| rest.split_once(": ")).map_or("", |(game, _)| game);
                if row_games::board(game).is_ok() { game } else { "" }
            }
            (ModelFile::Network(_), _) => "",
        };
        (!said.is_empty()).then(|| said.to_string())
    }

    /// How it was made; empty if the file does not contain it.
    fn made(&self) -> &str {
        match self {
            ModelFile::Model(Model::Forest(_)) => "",
            ModelFile::Model(Model::Network(network)) => &network.origin,
            ModelFile::Network(network) => network.origin(),
            ModelFile::Lines(weights) => weights.origin(),
        }
    }

    /// Its numbers as tensors. `docs/formats.md` lists their names.
    pub fn tensors(&self) -> Result<Vec<Tensor<'_>>, ModelFileError> {
        match self {
            ModelFile::Model(Model::Forest(_)) => Err(ModelFileError::Forest),
            ModelFile::Model(Model::Network(network)) => Ok(of_tuples(network)),
            ModelFile::Network(network) => Ok(network.tensors()),
            ModelFile::Lines(weights) => Ok(Part::ALL.map(|part| of_part(weights, part)).to_vec()),
        }
    }

    /// Writes the tensors as a safetensors file atomically; returns their number.
    pub fn export(&self, path: &Path, existing: IfExists) -> Result<usize, ModelFileError> {
        let (tensors, metadata) = (self.tensors()?, self.metadata());
        safe_file::write(path, existing, |out| safetensors::write(out, &metadata, &tensors))?;
        Ok(tensors.len())
    }

    /// The metadata of the exported file; values other than text are JSON.
    fn metadata(&self) -> Vec<(&'static str, String)> {
        let info = self.info();
        let mut texts = vec![
            ("format", "tesuji".to_string()),
            ("kind", info.kind.to_string()),
            ("learner", info.learner.unwrap_or_default().to_string()),
            ("game", info.game.unwrap_or_default()),
            ("made", info.made.unwrap_or_default()),
        ];
        match self {
            ModelFile::Network(network) => {
                texts.push(("input", json(&network.input())));
                texts.push(("layers", json(&network.layers())));
            }
            ModelFile::Model(Model::Network(network)) => {
                texts.push(("scale", json(&network.scale)));
                texts.push(("window", json(&network.window)));
                texts.push(("spread", json(&network.spread)));
            }
            ModelFile::Model(Model::Forest(_)) | ModelFile::Lines(_) => {}
        }
        texts.retain(|(_, text)| !text.is_empty());
        texts
    }
}

/// Whether the bytes begin like XML or gzip.
fn may_be_forest(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.starts_with(b"\x1f\x8b") || text.trim_ascii_start().starts_with(b"<")
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Each pattern has its cells and a flat table: cell j is digit j of an index in base 3, lowest
/// first.
fn of_tuples(network: &TupleNetwork) -> Vec<Tensor<'_>> {
    let tables = network.patterns.iter().zip(&network.weights[0]).enumerate();
    tables
        .flat_map(|(n, (pattern, table))| {
            // A window has at most 64 × 64 cells.
            let cells: Vec<i16> = pattern.cells().iter().map(|&cell| cell as i16).collect();
            [
                Tensor::i16(format!("patterns.{n}.cells"), &[cells.len()], cells),
                Tensor::i16(format!("patterns.{n}.weights"), &[table.len()], table),
            ]
        })
        .collect()
}

/// Matrices as `[outputs, inputs]`, which PyTorch multiplies by.
fn of_part(weights: &LineWeights, part: Part) -> Tensor<'_> {
    let numbers = weights.part(part);
    let (name, is_matrix) = match part {
        Part::Halves => {
            return Tensor::f32("halves", &[CENTERS, HALVES, HIDDEN], numbers);
        }
        Part::Neighbors => return Tensor::f32("neighbors.weight", &part.shape(), numbers),
        Part::LineOutput => ("mix.weight", true),
        Part::LineOutputBias => ("mix.bias", false),
        Part::NeighborsBias => ("neighbors.bias", false),
        Part::Value1 => ("value.0.weight", true),
        Part::Value1Bias => ("value.0.bias", false),
        Part::Value2 => ("value.1.weight", true),
        Part::Value2Bias => ("value.1.bias", false),
        Part::Value3 => ("value.2.weight", true),
        Part::Value3Bias => ("value.2.bias", false),
        Part::Policy => ("policy.bias", false),
        Part::PolicyByUnit => ("policy.weight", true),
    };
    match is_matrix {
        true => Tensor::transposed(name, part.shape(), numbers),
        false => Tensor::f32(name, &[numbers.len()], numbers),
    }
}

#[cfg(test)]
mod tests;
