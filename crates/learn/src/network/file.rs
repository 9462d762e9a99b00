//! The file of a network (`.net`). Numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | the magic bytes `tesuji-n` |
//! | 1 | the version, 1 |
//! | 4 | the length of the header |
//! | … | the header, a JSON object: input, layers, made |
//! | … | the parameters, 4 bytes each, layer by layer, weights before biases |
//! | 8 | the checksum of everything before it: FNV-1a, 64 bits |

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tesuji_search::envelope::{EnvelopeError, VERSION, decode, encode};

use super::{InvalidNetwork, Layer, Network, Shape};

/// Why a network or its file is invalid.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The bytes are not a file of this kind, or have another format.
    #[error("{0}")]
    File(String),
    /// The layers or parameters are invalid.
    #[error("invalid network: {0}")]
    Network(#[from] InvalidNetwork),
    /// The network does not fit its use.
    #[error("unsuitable network: {0}")]
    Incompatible(String),
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
    /// The magic bytes at the start of a file.
    pub const MAGIC: &[u8; 8] = b"tesuji-n";

    /// Encodes a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (input, layers, made) = (self.input(), self.layers(), self.origin().to_string());
        encode_file(Self::MAGIC, &Header { input, layers, made }, self.parameters())
    }

    /// Decodes a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let (header, parameters): (Header, _) = decode_file(bytes, Self::MAGIC, "network")?;
        let network = Network::with_parameters(header.input, &header.layers, parameters)?;
        Ok(network.with_origin(header.made))
    }

    /// The maximum size of a file: the maximum number of parameters, and room for a header.
    pub const MAX_BYTES: u64 = 4 * Network::MAX_PARAMETERS as u64 + (1 << 20);
}

/// Encodes a file of parameters.
pub(crate) fn encode_file(magic: &[u8; 8], header: &impl Serialize, numbers: &[f32]) -> Vec<u8> {
    let header = serde_json::to_vec(header).expect("text and finite numbers are always JSON");
    encode(magic, &header, |bytes| {
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    })
}

/// Decodes the header and the parameters of a file; `kind` names the file in errors.
pub(crate) fn decode_file<H: DeserializeOwned>(
    bytes: &[u8],
    magic: &[u8; 8],
    kind: &str,
) -> Result<(H, Vec<f32>), NetworkError> {
    let damaged = |what| format!("damaged {kind} file: {what}");
    let (header, body) = decode(bytes, magic).map_err(|error| {
        NetworkError::File(match error {
            EnvelopeError::Magic => {
                let magic = magic.escape_ascii();
                format!("not a {kind} file; expected a file that begins with '{magic}'")
            }
            EnvelopeError::Version { found } => format!(
                "version {found} of the {kind} file: not supported; expected version {VERSION}"
            ),
            EnvelopeError::Damaged { what } => damaged(what),
        })
    })?;
    let header = serde_json::from_slice(header)
        .map_err(|error| NetworkError::File(format!("header of the {kind} file: {error}")))?;
    match body.as_chunks() {
        (numbers, []) => Ok((header, numbers.iter().map(|it| f32::from_le_bytes(*it)).collect())),
        _ => Err(NetworkError::File(damaged("the last parameter is incomplete"))),
    }
}
