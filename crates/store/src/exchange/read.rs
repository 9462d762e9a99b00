//! What all readers share: what they are told, what they tell, and lines with an upper bound.

use std::io::{BufRead, Read, Write};

use super::ExchangeError;
use crate::Record;

/// The longest line of JSON and the longest game that is read.
pub(super) const MAX_BYTES: usize = 16 << 20;

/// How to read a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Take what is good and leave out the rest, instead of refusing the whole file.
    pub partial: bool,
    /// The game of files that do not say which one they hold.
    pub game: Option<String>,
    /// Take games whose result nobody knows, as [unfinished](crate::Ending::unfinished) ones. A store keeps none.
    pub unfinished: bool,
}

/// What came out of a file.
#[derive(Debug, Default)]
pub struct ReadSummary {
    /// Records that were read.
    pub records: u64,
    /// Lines or games that were left out; never any unless the reading is partial.
    pub left_out: u64,
    /// Why the first of those was left out.
    pub why: Option<ExchangeError>,
    /// Variations that were left out of the games that were read: a record has one line of moves.
    pub variations: u64,
}

impl ReadSummary {
    /// Leaves something out, or fails.
    pub(super) fn leave_out(
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

    /// Counts a record and hands it on, or leaves it out when it is nothing.
    pub(super) fn take(
        &mut self,
        options: &ReadOptions,
        record: Result<Record, ExchangeError>,
        each: &mut Each<'_>,
    ) -> Result<(), ExchangeError> {
        match record.and_then(each) {
            Ok(()) => self.records += 1,
            Err(error) => self.leave_out(options, error)?,
        }
        Ok(())
    }
}

/// Who gets the records.
pub(super) type Each<'e> = dyn FnMut(Record) -> Result<(), ExchangeError> + 'e;

/// Writes a game through `content`, unless it is too long to be read again.
pub(super) fn write_bounded(
    out: &mut dyn Write,
    key: &str,
    format: &'static str,
    content: impl FnOnce(&mut dyn Write) -> Result<(), ExchangeError>,
) -> Result<(), ExchangeError> {
    let mut bytes = Vec::new();
    content(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        let why = format!("it takes {} bytes, and at most {MAX_BYTES} are read", bytes.len());
        return Err(ExchangeError::Unwritable { key: key.to_string(), format, why });
    }
    Ok(out.write_all(&bytes)?)
}

/// UTF-8, or what the standards say that files without a named encoding are in: Latin-1.
pub(super) fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

/// One line of a file.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum RawLine {
    /// A whole one; its bytes are in the buffer, the line break is not.
    Whole,
    /// The last one, without a line break.
    Unfinished,
    /// Longer than [`MAX_BYTES`]; the rest of it was passed over.
    TooLong,
    /// There is none.
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
            RawLine::Whole
        }
        Some(_) if length <= MAX_BYTES => RawLine::Unfinished,
        Some(_) => {
            input.skip_until(b'\n')?;
            RawLine::TooLong
        }
    })
}
