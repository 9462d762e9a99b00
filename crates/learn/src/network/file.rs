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

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_store::safe_file::{self, Existing};

use super::{BadNetwork, Layer, Network, Shape};
use tesuji_search::envelope::{Unsealed, VERSION, opened, sealed};

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
}

impl Network {
    /// What every file begins with.
    pub const MARK: &[u8; 8] = b"tesuji-n";

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (input, layers, made) = (self.input(), self.layers(), self.origin().to_string());
        let header = serde_json::to_vec(&Header { input, layers, made });
        let header = header.expect("text and finite numbers are always JSON");
        sealed(Self::MARK, &header, |bytes| put(bytes, self.parameters()))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let (header, body) = opened(bytes, Self::MARK).map_err(|error| match error {
            Unsealed::Mark => NetworkError::Mark { mark: "tesuji-n" },
            Unsealed::Version { found } => NetworkError::Version { found },
            Unsealed::Damaged { what } => NetworkError::Damaged { what },
        })?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| NetworkError::Header { what: error.to_string() })?;
        let network = Network::with_parameters(header.input, &header.layers, numbers(body)?)?;
        Ok(network.with_origin(header.made))
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
