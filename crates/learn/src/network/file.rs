//! The file of a network (`.net`). Numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the mark `tesuji-n` |
//! | 1 | the version, 1 |
//! | 4 | the length of the header |
//! | … | the header, a JSON object: input, layers, made |
//! | … | the parameters, 4 bytes each, layer by layer, weights before biases |
//! | 8 | the checksum of everything before it: FNV-1a, 64 bits |
//!
//! A learner's memory ([`TrainerState`]) has the mark `tesuji-o`, the number of its steps and its progress in the header, and what the
//! optimizer remembers behind the parameters.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_store::safe_file::{self, Existing};

use super::{BadNetwork, Layer, Network, OptimizerState, Shape, TrainerState};
use tesuji_search::envelope::{Unsealed, VERSION, opened, sealed};

const STATE_MARK: &[u8; 8] = b"tesuji-o";

/// Why there is no network, or no file of one.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The bytes are something else.
    #[error("not the file of a network: it does not begin with '{mark}'")]
    Mark {
        /// What it should begin with.
        mark: &'static str,
    },
    /// They are from another time.
    #[error("the file of the network has version {found}, this program reads version {VERSION}")]
    Version {
        /// The version in the file.
        found: u8,
    },
    /// They were cut off or altered.
    #[error("the file of the network is damaged: {what}")]
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
    /// They are sound but say something impossible.
    #[error("this is no network: {0}")]
    Network(#[from] BadNetwork),
    /// The header cannot be read.
    #[error("the header of the network: {what}")]
    Header {
        /// What is wrong with it.
        what: String,
    },
    /// It is a network, but not for this.
    #[error("this network does something else: {what}")]
    Purpose {
        /// What does not fit.
        what: String,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    input: Shape,
    layers: Vec<Layer>,
    made: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learner: Option<Learner>,
}

/// What only the memory of a learner has.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Learner {
    steps: u64,
    progress: u64,
}

impl Network {
    /// What every file begins with.
    pub const MARK: &[u8; 8] = b"tesuji-n";

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = self.header(None);
        sealed(Self::MARK, &header, |bytes| put(bytes, self.parameters()))
    }

    fn header(&self, learner: Option<Learner>) -> Vec<u8> {
        let header = Header {
            input: self.input(),
            layers: self.layers(),
            made: self.origin().to_string(),
            learner,
        };
        serde_json::to_vec(&header).expect("text and finite numbers are always JSON")
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let (header, body) =
            opened(bytes, Self::MARK).map_err(|error| unsealed(error, "tesuji-n"))?;
        let header = read_header(header)?;
        network(header, numbers(body)?)
    }

    /// No file is longer: the most parameters, and room for a header.
    pub const LONGEST_FILE: u64 = 4 * Network::MOST_PARAMETERS as u64 + (1 << 20);

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Network, NetworkError> {
        Network::from_bytes(&safe_file::read(path, Network::LONGEST_FILE)?)
    }

    /// Writes a file, as a whole or not at all.
    pub fn save(&self, path: &Path, existing: Existing) -> Result<(), NetworkError> {
        let bytes = self.to_bytes();
        Ok(safe_file::write(path, existing, |out| out.write_all(&bytes))?)
    }
}

impl TrainerState {
    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (steps, progress) = (self.optimizer.steps, self.progress);
        let header = self.network.header(Some(Learner { steps, progress }));
        sealed(STATE_MARK, &header, |bytes| {
            put(bytes, self.network.parameters());
            put(bytes, &self.optimizer.first);
            put(bytes, &self.optimizer.second);
        })
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<TrainerState, NetworkError> {
        let (header, body) =
            opened(bytes, STATE_MARK).map_err(|error| unsealed(error, "tesuji-o"))?;
        let header = read_header(header)?;
        let Some(Learner { steps, progress }) = header.learner else {
            return Err(NetworkError::Damaged { what: "it does not say how far its learner is" });
        };
        // How many parameters there are, only the layers say.
        let count = Network::new(header.input, &header.layers, 0)?.parameters().len();
        let mut numbers = numbers(body)?;
        if numbers.len() != 2 * count && numbers.len() != 3 * count {
            return Err(NetworkError::Damaged { what: "its memory is too short or too long" });
        }
        let second = numbers.split_off(2 * count);
        let first = numbers.split_off(count);
        let network = network(header, numbers)?;
        Ok(TrainerState { network, optimizer: OptimizerState { steps, first, second }, progress })
    }
}

fn unsealed(error: Unsealed, mark: &'static str) -> NetworkError {
    match error {
        Unsealed::Mark => NetworkError::Mark { mark },
        Unsealed::Version { found } => NetworkError::Version { found },
        Unsealed::Damaged { what } => NetworkError::Damaged { what },
    }
}

fn read_header(header: &[u8]) -> Result<Header, NetworkError> {
    serde_json::from_slice(header).map_err(|error| NetworkError::Header { what: error.to_string() })
}

fn network(header: Header, parameters: Vec<f32>) -> Result<Network, NetworkError> {
    let network = Network::with_parameters(header.input, &header.layers, parameters)?;
    Ok(network.with_origin(header.made))
}

fn put(bytes: &mut Vec<u8>, numbers: &[f32]) {
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
}

fn numbers(body: &[u8]) -> Result<Vec<f32>, NetworkError> {
    let (chunks, rest) = body.as_chunks();
    match rest {
        [] => Ok(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()),
        _ => Err(NetworkError::Damaged { what: "a part of a number is missing" }),
    }
}
