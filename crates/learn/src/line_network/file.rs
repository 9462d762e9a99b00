//! The file of a line network (`.lines`). It has the format of a network's ([`seal`]): the magic
//! bytes `tesuji-l`, a header with reach, hidden, width, units and made, and then the parameters,
//! part by part.

use serde::{Deserialize, Serialize};

use super::shape::REACH;
use super::weights::{HIDDEN, LineWeights, UNITS, WIDTH};
use crate::network::{NetworkError, seal, unseal};

/// Room for the header.
const LONGEST_HEADER: u64 = 1 << 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    reach: usize,
    hidden: usize,
    width: usize,
    units: usize,
    made: String,
}

impl LineWeights {
    /// The magic bytes at the start of a file.
    pub const MARK: &[u8; 8] = b"tesuji-l";

    /// The maximum size of a file.
    pub const LONGEST_FILE: u64 = 4 * LineWeights::count() as u64 + LONGEST_HEADER;

    /// Encodes a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let made = self.origin().to_string();
        let header = Header { reach: REACH, hidden: HIDDEN, width: WIDTH, units: UNITS, made };
        seal(Self::MARK, &header, self.numbers())
    }

    /// Decodes a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<LineWeights, NetworkError> {
        let (header, numbers): (Header, _) = unseal(bytes, Self::MARK, "line network")?;
        let sizes = [
            ("reach", header.reach, REACH),
            ("hidden", header.hidden, HIDDEN),
            ("width", header.width, WIDTH),
            ("units", header.units, UNITS),
        ];
        if let Some((key, found, expected)) = sizes.into_iter().find(|it| it.1 != it.2) {
            return Err(NetworkError::File(format!(
                "line network with {key} {found}: not supported; expected {key} {expected}"
            )));
        }
        Ok(LineWeights::new(numbers)?.with_origin(header.made))
    }
}
