//! The file of a line network (`.lines`). It has the form of a network's ([`seal`]): the mark `tesuji-l`, in the header
//! reach, hidden, width, units and made, and then the numbers, part by part.

use serde::{Deserialize, Serialize};

use super::shape::REACH;
use super::weights::{HIDDEN, LineWeights, UNITS, WIDTH};
use crate::network::{NetworkError, seal, unseal};

/// Room for a header beside the numbers.
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
    /// What every file begins with.
    pub const MARK: &[u8; 8] = b"tesuji-l";

    /// No file has more bytes.
    pub const LONGEST_FILE: u64 = 4 * LineWeights::count() as u64 + LONGEST_HEADER;

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let made = self.origin().to_string();
        let header = Header { reach: REACH, hidden: HIDDEN, width: WIDTH, units: UNITS, made };
        seal(Self::MARK, &header, self.numbers())
    }

    /// Reads the bytes of a file.
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
                "the line network has another form: {key} is {found}; this program knows {expected}"
            )));
        }
        Ok(LineWeights::new(numbers)?.with_origin(header.made))
    }
}
