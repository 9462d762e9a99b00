//! JSON Lines: a header, one record per line as serde writes it, and a footer with the number of
//! records. Without the footer a truncated file could not be detected.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};

use super::error::excerpt;
use super::read::{Each, MAX_BYTES, RawLine, next_line};
use super::{ExchangeError, ReadOptions, ReadSummary};
use crate::{GameRecord, Record};

/// The version of the format. Later versions are refused.
pub const VERSION: u32 = 1;

const KIND: &str = "records";

#[derive(Serialize, Deserialize)]
struct Header {
    tesuji: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
struct Footer {
    end: End,
}

#[derive(Serialize, Deserialize)]
struct End {
    records: u64,
}

/// Writes a file record by record. Readers refuse a file that is not [finished](Self::finish).
pub struct Writer<W: Write> {
    out: W,
    records: u64,
    line: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    pub fn new(out: W) -> Result<Self, ExchangeError> {
        let mut writer = Writer { out, records: 0, line: Vec::new() };
        writer.line(&Header { tesuji: KIND.to_string(), version: VERSION })?;
        Ok(writer)
    }

    /// Adds a record.
    pub fn write(&mut self, record: &Record) -> Result<(), ExchangeError> {
        self.line(record)?;
        self.records += 1;
        Ok(())
    }

    /// Writes the footer; returns the number of records.
    pub fn finish(mut self) -> Result<u64, ExchangeError> {
        let records = self.records;
        self.line(&Footer { end: End { records } })?;
        self.out.flush()?;
        Ok(records)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), ExchangeError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value).map_err(std::io::Error::from)?;
        if self.line.len() >= MAX_BYTES {
            return Err(ExchangeError::TooLong { line: self.records + 2, limit: MAX_BYTES });
        }
        self.line.push(b'\n');
        Ok(self.out.write_all(&self.line)?)
    }
}

/// Reads a file and calls `each` with every record. With `partial`, header and footer are optional,
/// and lines may be games without `{"game":…}` around them.
pub fn read(
    input: &mut dyn BufRead,
    options: &ReadOptions,
    each: &mut Each<'_>,
) -> Result<ReadSummary, ExchangeError> {
    let mut reader = Reader { options, summary: ReadSummary::default(), number: 0, end: None };
    let mut buffer = Vec::new();
    loop {
        let line = next_line(input, &mut buffer)?;
        if line == RawLine::None {
            break;
        }
        reader.number += 1;
        let text = buffer.trim_ascii();
        let result = match line {
            RawLine::TooLong => {
                Err(ExchangeError::TooLong { line: reader.number, limit: MAX_BYTES })
            }
            RawLine::Unfinished => reader.unfinished(text, each),
            _ => reader.line(text, each),
        };
        if let Err(error) = result {
            reader.summary.skip(options, error)?;
        }
    }
    reader.finish()
}

struct Reader<'r> {
    options: &'r ReadOptions,
    summary: ReadSummary,
    number: u64,
    /// The number of records in the footer, once it is read.
    end: Option<u64>,
}

impl Reader<'_> {
    fn line(&mut self, text: &[u8], each: &mut Each<'_>) -> Result<(), ExchangeError> {
        if self.number == 1 {
            if let Some(header) = header(text) {
                return self.check(&header);
            }
            if !self.options.partial {
                let what = format!(
                    "expected {{\"tesuji\":\"{KIND}\",\"version\":{VERSION}}}; a list of records without it requires --partial"
                );
                return Err(ExchangeError::malformed(1, what));
            }
        }
        if text.is_empty() {
            return Ok(());
        }
        if self.end.is_some() {
            return Err(self.malformed("expected nothing after the line {\"end\":…}"));
        }
        let record = match serde_json::from_slice::<Record>(text) {
            Ok(record) => record,
            Err(error) => match serde_json::from_slice::<Footer>(text) {
                Ok(footer) => {
                    self.end = Some(footer.end.records);
                    return Ok(());
                }
                Err(_) => self.bare_game(text, &error)?,
            },
        };
        each(record).map_err(|error| error.at(self.number))?;
        self.summary.records += 1;
        Ok(())
    }

    fn check(&self, header: &Header) -> Result<(), ExchangeError> {
        if header.tesuji != KIND {
            let what = format!("a file of {}; expected one of {KIND}", excerpt(&header.tesuji));
            return Err(self.malformed(what));
        }
        if header.version > VERSION {
            let what =
                format!("version {} of the format; expected at most {VERSION}", header.version);
            return Err(self.malformed(what));
        }
        Ok(())
    }

    /// Parses a game without `{"game":…}` around it.
    fn bare_game(&self, text: &[u8], error: &serde_json::Error) -> Result<Record, ExchangeError> {
        let game = self.options.partial.then(|| serde_json::from_slice::<GameRecord>(text));
        game.and_then(Result::ok).map(Record::Game).ok_or_else(|| {
            let shown = excerpt(&String::from_utf8_lossy(text));
            self.malformed(format!("{shown} is not a record: {error}"))
        })
    }

    /// Handles a last line without a line break: complete files end with one, so something is
    /// missing, even if the line itself is valid.
    fn unfinished(&mut self, text: &[u8], each: &mut Each<'_>) -> Result<(), ExchangeError> {
        if self.options.partial {
            return self.line(text, each);
        }
        Err(self.cut_off("the last line has no line break"))
    }

    fn finish(self) -> Result<ReadSummary, ExchangeError> {
        let problem = match self.end {
            None => Some(self.cut_off("the last line {\"end\":{\"records\":N}} is missing")),
            Some(announced) if announced != self.summary.records => {
                let read = self.summary.records;
                Some(self.malformed(format!("{announced} records announced, {read} found")))
            }
            Some(_) => None,
        };
        match problem {
            Some(problem) if !self.options.partial => Err(problem),
            _ => Ok(self.summary),
        }
    }

    fn malformed(&self, what: impl Into<String>) -> ExchangeError {
        ExchangeError::malformed(self.number, what)
    }

    fn cut_off(&self, what: &str) -> ExchangeError {
        ExchangeError::CutOff { line: self.number, what: what.to_string() }
    }
}

fn header(text: &[u8]) -> Option<Header> {
    serde_json::from_slice(text).ok()
}
