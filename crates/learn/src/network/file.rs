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

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tesuji_search::envelope::{Unsealed, VERSION, opened, sealed};

use super::{InvalidNetwork, Layer, Network, Shape};

/// Why there is no network, or no file of one.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The bytes are no file of a network, or one of another form.
    #[error("{0}")]
    File(String),
    /// They are sound but say something impossible.
    #[error("this is no network: {0}")]
    Network(#[from] InvalidNetwork),
    /// It is a network, but not for this.
    #[error("this network does something else: {0}")]
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
    /// What every file begins with.
    pub const MARK: &[u8; 8] = b"tesuji-n";

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (input, layers, made) = (self.input(), self.layers(), self.origin().to_string());
        seal(Self::MARK, &Header { input, layers, made }, self.parameters())
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let (header, parameters): (Header, _) = unseal(bytes, Self::MARK, "network")?;
        let network = Network::with_parameters(header.input, &header.layers, parameters)?;
        Ok(network.with_origin(header.made))
    }

    /// No file is longer: the most parameters, and room for a header.
    pub const LONGEST_FILE: u64 = 4 * Network::MOST_PARAMETERS as u64 + (1 << 20);
}

/// The bytes of a file of numbers.
pub(crate) fn seal(mark: &[u8; 8], header: &impl Serialize, numbers: &[f32]) -> Vec<u8> {
    let header = serde_json::to_vec(header).expect("text and finite numbers are always JSON");
    sealed(mark, &header, |bytes| {
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    })
}

/// Header and numbers of such a file, which is one of a `kind`.
pub(crate) fn unseal<H: DeserializeOwned>(
    bytes: &[u8],
    mark: &[u8; 8],
    kind: &str,
) -> Result<(H, Vec<f32>), NetworkError> {
    let damaged = |what| format!("the file of the {kind} is damaged: {what}");
    let (header, body) = opened(bytes, mark).map_err(|error| {
        NetworkError::File(match error {
            Unsealed::Mark => {
                let mark = mark.escape_ascii();
                format!("not the file of a {kind}: it does not begin with '{mark}'")
            }
            Unsealed::Version { found } => format!(
                "the file of the {kind} has version {found}, this program reads version {VERSION}"
            ),
            Unsealed::Damaged { what } => damaged(what),
        })
    })?;
    let header = serde_json::from_slice(header)
        .map_err(|error| NetworkError::File(format!("the header of the {kind}: {error}")))?;
    match body.as_chunks() {
        (numbers, []) => Ok((header, numbers.iter().map(|it| f32::from_le_bytes(*it)).collect())),
        _ => Err(NetworkError::File(damaged("a part of a number is missing"))),
    }
}
