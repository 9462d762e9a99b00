//! Forests as XML files, following the document type definition of the thesis (its appendix 10.1).
//!
//! The definition has no place for the game, the spread, the formula, or the error and weight of a
//! tree. They are stored in one processing instruction `<?tesuji …?>`, which other readers skip.
//! `docs/formats.md` explains how we read the attributes of the definition. Every error is one line
//! with the line number, the problem and the expected content.

mod definition;
mod elements;
mod metadata;
mod reader;
mod writer;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tesuji_store::safe_file::{self, IfExists};

use super::Forest;
use crate::model::ModelError;
pub use writer::write;

/// The maximum size of an unpacked file.
pub const MAX_BYTES: u64 = 64 << 20;
/// The maximum number of trees.
const MAX_TREES: usize = 10_000;
/// The maximum total number of table entries: a small file could require gigabytes.
const MAX_ENTRIES: usize = 1 << 28;
/// The maximum weight of a tree.
const MAX_WEIGHT: u32 = 1000;

/// The category of a leaf without a vote. The thesis has no such leaves.
const NO_VOTE: &str = "none";

/// The first bytes of a gzip file.
const GZIP_MARK: [u8; 2] = [0x1f, 0x8b];

const NOT_UTF8: &str = "not UTF-8; expected a forest in UTF-8";

/// An error at a line.
fn error_at(line: usize, what: impl std::fmt::Display) -> ModelError {
    ModelError::Invalid(format!("line {line}: {what}"))
}

/// Reads a forest from the bytes of a file, which may be gzip-compressed. Accepts arbitrary bytes
/// without panicking.
pub fn read(bytes: &[u8]) -> Result<Forest, ModelError> {
    let bytes = unpacked(bytes)?;
    let bytes = &bytes[..];
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(error_at(1, format!("the file is larger than {most} MiB; expected a forest")));
    }
    let text = str::from_utf8(bytes)
        .map_err(|error| error_at(line_of(bytes, error.valid_up_to()), NOT_UTF8))?;
    reader::forest_of(text)
}

/// Reads a forest from a file.
pub fn load(path: &Path) -> Result<Forest, ModelError> {
    let bytes = safe_file::read(path, MAX_BYTES)
        .map_err(|error| ModelError::Read(path.to_path_buf(), error))?;
    read(&bytes).map_err(|error| error.in_file(path.display()))
}

/// Writes a forest to a file atomically; gzip-compressed if the name ends in `.gz`.
pub fn save(forest: &Forest, path: &Path, existing: IfExists) -> Result<(), ModelError> {
    let text = write(forest);
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let content = |out: &mut dyn Write| match is_packed {
        true => pack(text.as_bytes(), out),
        false => out.write_all(text.as_bytes()),
    };
    safe_file::write(path, existing, content)
        .map_err(|error: io::Error| ModelError::Write(path.to_path_buf(), error))
}

fn pack(bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut packer = GzEncoder::new(out, Compression::best());
    packer.write_all(bytes)?;
    packer.finish().map(drop)
}

/// Decompresses at most the maximum file size, whatever size the file claims.
fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ModelError> {
    if !bytes.starts_with(&GZIP_MARK) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut text = Vec::new();
    let read = GzDecoder::new(bytes).take(MAX_BYTES + 1).read_to_end(&mut text);
    read.map_err(|why| {
        error_at(1, format!("damaged gzip data ({why}); expected a complete file"))
    })?;
    Ok(Cow::Owned(text))
}

/// The line number of a byte offset, counted from 1.
fn line_of(bytes: &[u8], place: usize) -> usize {
    1 + bytes.iter().take(place).filter(|&&byte| byte == b'\n').count()
}
