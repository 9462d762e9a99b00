//! The file of a line network (`.lines`). Its format is that of other networks ([`encode_file`]):
//! the magic bytes `tesuji-l`, a header with reach, hidden, width, units and made, then the
//! parameters, part by part.

use serde::{Deserialize, Serialize};

use super::shape::REACH;
use super::weights::{HIDDEN, LineWeights, UNITS, WIDTH};
use crate::network::{NetworkError, decode_file, encode_file};

/// Room for the header.
const MAX_HEADER_BYTES: u64 = 1 << 16;

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
    pub const MAGIC: &[u8; 8] = b"tesuji-l";

    /// The maximum size of a file.
    pub const MAX_BYTES: u64 = 4 * LineWeights::count() as u64 + MAX_HEADER_BYTES;

    /// Encodes a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let made = self.origin().to_string();
        let header = Header { reach: REACH, hidden: HIDDEN, width: WIDTH, units: UNITS, made };
        encode_file(Self::MAGIC, &header, self.parameters())
    }

    /// Decodes a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<LineWeights, NetworkError> {
        let (header, numbers): (Header, _) = decode_file(bytes, Self::MAGIC, "line network")?;
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
