//! The file of a line network (`.lines`). Numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the mark `tesuji-l` |
//! | 1 | the version, 1 |
//! | 4 | the length of the header |
//! | … | the header, a JSON object: reach, hidden, width, units, made |
//! | … | the numbers, 4 bytes each, part by part |
//! | 8 | the checksum of everything before it: FNV-1a, 64 bits |

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_search::envelope::{Unsealed, VERSION, opened, sealed};
use tesuji_store::safe_file::{self, Existing};

use super::shape::REACH;
use super::weights::{HIDDEN, LineWeights, UNITS, UnfitWeights, WIDTH};

/// Room for a header beside the numbers.
const LONGEST_HEADER: u64 = 1 << 16;

/// Why there is no line network, or no file of one.
#[derive(Debug, thiserror::Error)]
pub enum LineFileError {
    /// The bytes are something else.
    #[error("not the file of a line network: it does not begin with 'tesuji-l'")]
    Mark,
    /// They are from another time.
    #[error(
        "the file of the line network has version {found}, this program reads version {VERSION}"
    )]
    Version {
        /// The version in the file.
        found: u8,
    },
    /// They were cut off or altered.
    #[error("the file of the line network is damaged: {what}")]
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
    /// The header cannot be read.
    #[error("the header of the line network: {what}")]
    Header {
        /// What is wrong with it.
        what: String,
    },
    /// The network has another form.
    #[error("the line network has another form: {key} is {found}; this program knows {expected}")]
    Form {
        /// Which of its sizes.
        key: &'static str,
        /// What it is.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// The numbers are no network.
    #[error(transparent)]
    Weights(#[from] UnfitWeights),
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

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

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let made = self.origin().to_string();
        let header = Header { reach: REACH, hidden: HIDDEN, width: WIDTH, units: UNITS, made };
        let header = serde_json::to_vec(&header).expect("text and numbers are always JSON");
        sealed(Self::MARK, &header, |bytes| put(bytes, self.numbers()))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<LineWeights, LineFileError> {
        let (header, body) = opened(bytes, Self::MARK)?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| LineFileError::Header { what: error.to_string() })?;
        let sizes = [
            ("reach", header.reach, REACH),
            ("hidden", header.hidden, HIDDEN),
            ("width", header.width, WIDTH),
            ("units", header.units, UNITS),
        ];
        if let Some((key, found, expected)) = sizes.into_iter().find(|it| it.1 != it.2) {
            return Err(LineFileError::Form { key, found, expected });
        }
        Ok(LineWeights::new(numbers(body)?)?.with_origin(header.made))
    }

    /// No file has more bytes.
    pub const LONGEST_FILE: u64 = 4 * LineWeights::count() as u64 + LONGEST_HEADER;

    /// Reads a file.
    pub fn load(path: &Path) -> Result<LineWeights, LineFileError> {
        LineWeights::from_bytes(&safe_file::read(path, LineWeights::LONGEST_FILE)?)
    }

    /// Writes a file, as a whole or not at all.
    pub fn save(&self, path: &Path, existing: Existing) -> Result<(), LineFileError> {
        let bytes = self.to_bytes();
        Ok(safe_file::write(path, existing, |out| out.write_all(&bytes))?)
    }
}

impl From<Unsealed> for LineFileError {
    fn from(error: Unsealed) -> LineFileError {
        match error {
            Unsealed::Mark => LineFileError::Mark,
            Unsealed::Version { found } => LineFileError::Version { found },
            Unsealed::Damaged { what } => LineFileError::Damaged { what },
        }
    }
}

pub(super) fn put(bytes: &mut Vec<u8>, numbers: &[f32]) {
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
}

pub(super) fn numbers(body: &[u8]) -> Result<Vec<f32>, LineFileError> {
    match body.as_chunks() {
        (chunks, []) => Ok(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()),
        _ => Err(LineFileError::Damaged { what: "a part of a number is missing" }),
    }
}
