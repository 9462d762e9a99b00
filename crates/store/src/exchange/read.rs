//! The options and results of readers, and lines of bounded length.

use std::io::{BufRead, Read, Write};

use super::ExchangeError;
use crate::Record;

/// The limit of a line of JSON and of a game.
pub(super) const MAX_BYTES: usize = 16 << 20;

/// How to read a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Skip invalid records instead of refusing the whole file.
    pub partial: bool,
    /// The game of files that do not name it.
    pub game: Option<String>,
    /// Accept games without a result, as [unfinished](crate::Ending::unfinished) ones. Stores do
    /// not accept them.
    pub unfinished: bool,
}

/// The result of reading a file.
#[derive(Debug, Default)]
pub struct ReadSummary {
    /// Records that were read.
    pub records: u64,
    /// Skipped lines or games; 0 unless `partial` is set.
    pub left_out: u64,
    /// Why the first of them was skipped.
    pub why: Option<ExchangeError>,
    /// Variations in the games, which are not read: a record has one sequence of moves.
    pub variations: u64,
}

impl ReadSummary {
    /// Counts a skipped record, or fails.
    pub(super) fn skip(
        &mut self,
        options: &ReadOptions,
        error: ExchangeError,
    ) -> Result<(), ExchangeError> {
        if !options.partial || matches!(error, ExchangeError::Io(_) | ExchangeError::Store(_)) {
            return Err(error);
        }
        self.left_out += 1;
        self.why.get_or_insert(error);
        Ok(())
    }

    /// Passes a record on and counts it, or skips it if it is invalid.
    pub(super) fn take(
        &mut self,
        options: &ReadOptions,
        record: Result<Record, ExchangeError>,
        each: &mut Each<'_>,
    ) -> Result<(), ExchangeError> {
        match record.and_then(each) {
            Ok(()) => self.records += 1,
            Err(error) => self.skip(options, error)?,
        }
        Ok(())
    }
}

/// The callback that receives records.
pub(super) type Each<'e> = dyn FnMut(Record) -> Result<(), ExchangeError> + 'e;

/// Writes a game, unless it is too long to be read again.
pub(super) fn write_bounded(
    out: &mut dyn Write,
    key: &str,
    format: &'static str,
    content: impl FnOnce(&mut dyn Write) -> Result<(), ExchangeError>,
) -> Result<(), ExchangeError> {
    let mut bytes = Vec::new();
    content(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        let why = format!("it has {} bytes; expected at most {MAX_BYTES}", bytes.len());
        return Err(ExchangeError::Unwritable { key: key.to_string(), format, why });
    }
    Ok(out.write_all(&bytes)?)
}

/// Decodes UTF-8 or else Latin-1, the default encoding of the standards.
pub(super) fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

/// One line of a file.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum RawLine {
    /// A complete line; the buffer contains it without the line break.
    Complete,
    /// The last line, without a line break.
    Unfinished,
    /// Longer than [`MAX_BYTES`]; the rest was skipped.
    TooLong,
    /// The end of the file.
    None,
}

/// Reads the next line into `buffer`.
pub(super) fn next_line(
    input: &mut dyn BufRead,
    buffer: &mut Vec<u8>,
) -> Result<RawLine, ExchangeError> {
    buffer.clear();
    let length = (&mut *input).take(MAX_BYTES as u64 + 1).read_until(b'\n', buffer)?;
    Ok(match buffer.last() {
        None => RawLine::None,
        Some(b'\n') => {
            buffer.pop();
            RawLine::Complete
        }
        Some(_) if length <= MAX_BYTES => RawLine::Unfinished,
        Some(_) => {
            input.skip_until(b'\n')?;
            RawLine::TooLong
        }
    })
}
