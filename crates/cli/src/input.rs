//! What is typed, line by line, by a person or a pipe.

use std::io::{self, BufRead};

/// A line of input without its end; `None` at the end of input. Bytes that are no text read as `�`.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
