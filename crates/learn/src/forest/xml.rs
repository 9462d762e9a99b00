//! Forests as XML files by the document type definition of the thesis (its appendix 10.1).
//!
//! The definition has no place for the game, the spread, the formula, or the error and weight of a tree; they stand
//! in one processing instruction `<?tesuji …?>`, which other readers skip. `docs/formats.md` says how we read the
//! attributes of the definition.

mod definition;
mod fault;
mod particulars;
mod reader;
mod tokens;
mod writer;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use tesuji_store::safe_file::{self, Existing};

use super::Forest;
pub use fault::{Fault, XmlError};
pub use writer::write;

/// Files that are larger are refused.
pub const MOST_BYTES: u64 = 64 << 20;
/// Forests with more trees are refused.
pub const MOST_TREES: usize = 10_000;
/// Forests whose tables would have more entries together are refused: a small file could ask for gigabytes.
pub const MOST_ENTRIES: usize = 1 << 28;
/// Trees whose votes count more often are refused.
pub const MOST_WEIGHT: u32 = 1000;

/// The forest in a file's bytes. Any bytes may be given.
pub fn read(bytes: &[u8]) -> Result<Forest, XmlError> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(XmlError::at(1, Fault::TooLarge));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        XmlError::at(line_of(bytes, error.valid_up_to()), Fault::Encoding { found: None })
    })?;
    reader::forest_of(text)
}

/// The forest in a file.
pub fn load(path: &Path) -> Result<Forest, XmlError> {
    let bytes = bytes_of(path)
        .map_err(|source| XmlError::Unread { path: path.display().to_string(), source })?;
    read(&bytes).map_err(|error| error.in_file(path))
}

/// Writes a forest to a file, all of it or nothing.
pub fn save(forest: &Forest, path: &Path, existing: Existing) -> Result<(), XmlError> {
    let text = write(forest);
    safe_file::write(path, existing, |out| out.write_all(text.as_bytes())).map_err(
        |source: io::Error| XmlError::Unwritten { path: path.display().to_string(), source },
    )
}

/// One byte more than is allowed is read, so that nothing endless is.
fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The line of a place in a text, counted from 1.
fn line_of(bytes: &[u8], place: usize) -> usize {
    1 + bytes.iter().take(place).filter(|&&byte| byte == b'\n').count()
}
