//! What is typed, line by line, by a person or a pipe; and the files that arguments name.

use std::io::{self, BufRead, Read};
use std::path::Path;

use tesuji_games::State;
use tesuji_play::{OpeningOrder, Openings};
use tesuji_store::safe_file;

use crate::failure::{Failure, InFile};

/// Larger settings, lists, logs and saved games are refused.
const LARGEST_TEXT: u64 = 64 << 20;

/// Larger books and recorded cases are refused.
const LARGEST_FILE: u64 = 1 << 30;

/// A longer line of input is cut into several.
const LONGEST_LINE: u64 = 1 << 20;

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    safe_file::read_text(path, LARGEST_TEXT).in_file(path)
}

/// The bytes of a file of text, which may be damaged.
pub(crate) fn read_text_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    safe_file::read(path, LARGEST_TEXT).in_file(path)
}

/// The bytes of a file that may be large.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    safe_file::read(path, LARGEST_FILE).in_file(path)
}

/// The same; `None` if there is no such file.
pub(crate) fn read_bytes_if_exists(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match path.try_exists() {
        Ok(false) => Ok(None),
        _ => read_bytes(path).map(Some),
    }
}

/// A file of openings. The seed counts where the order is left to chance.
pub(crate) fn read_openings(
    path: &Path,
    start: &State,
    order: OpeningOrder,
    seed: u64,
) -> Result<Openings, Failure> {
    let openings = Openings::read(start, &read_text(path)?).in_file(path)?;
    Ok(openings.arranged(order, 0, seed))
}

/// A line of input without its end; `None` at the end of input. Bytes that are no text read as `�`.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.take(LONGEST_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
