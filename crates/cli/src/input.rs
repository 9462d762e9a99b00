//! Input: lines of stdin, and the files that arguments name.

use std::io::{self, BufRead, Read};
use std::path::Path;

use tesuji_games::State;
use tesuji_play::{OpeningOrder, Openings};
use tesuji_store::safe_file;

use crate::failure::{Failure, InFile, file_problem};

/// The size limit of settings, lists, logs and saved games.
const LARGEST_TEXT: u64 = 64 << 20;

/// The size limit of books and recorded cases.
const LARGEST_FILE: u64 = 1 << 30;

/// A longer line of input is split.
const LONGEST_LINE: u64 = 1 << 20;

/// Reads a text file.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    named(path, safe_file::read_text(path, LARGEST_TEXT))
}

/// Reads the bytes of a text file, which may be damaged.
pub(crate) fn read_text_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    named(path, safe_file::read(path, LARGEST_TEXT))
}

/// Reads the bytes of a file that may be large.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    named(path, safe_file::read(path, LARGEST_FILE))
}

/// Reads the bytes of a file that may be large; `None` if it does not exist.
pub(crate) fn read_bytes_if_exists(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match path.try_exists() {
        Ok(false) => Ok(None),
        _ => read_bytes(path).map(Some),
    }
}

/// Adds the name of the file to an error.
fn named<T>(path: &Path, result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(|error| Failure::in_file(path, file_problem(path, &error)))
}

/// Reads a file of openings. The seed is used only for a random order.
pub(crate) fn read_openings(
    path: &Path,
    start: &State,
    order: OpeningOrder,
    seed: u64,
) -> Result<Openings, Failure> {
    let openings = Openings::read(start, &read_text(path)?).in_file(path)?;
    Ok(openings.arranged(order, 0, seed))
}

/// Reads a line of input; `None` at its end. Bytes that are not UTF-8 read as `�`.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.take(LONGEST_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
