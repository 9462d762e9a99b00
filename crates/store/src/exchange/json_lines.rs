//! JSON Lines: a line that says what the file is, one record a line as serde writes it, and a last line
//! that counts them. Without the last line nobody could tell a whole file from the first half of one.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};

use super::error::excerpt;
use super::read::{Each, MAX_BYTES, RawLine, next_line};
use super::{ExchangeError, ReadOptions, ReadSummary};
use crate::{GameRecord, Record};

/// The version of the file that is written. Later ones are refused.
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

/// Writes a file record by record. One that is never [finished](Self::finish) will be refused by every
/// reader.
pub struct Writer<W: Write> {
    out: W,
    records: u64,
    line: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
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

    /// Writes the last line; returns how many records there are.
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

/// Reads a file and calls `each` with every record. A partial reading also takes lists without first and
/// last line, and lines that are a game without `{"game":…}` around it.
pub fn read(
    input: &mut dyn BufRead,
    options: &ReadOptions,
    each: &mut Each<'_>,
) -> Result<ReadSummary, ExchangeError> {
    let mut reader = Reader { options, tally: ReadSummary::default(), number: 0, end: None };
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
            reader.tally.leave_out(options, error)?;
        }
    }
    reader.finish()
}

struct Reader<'r> {
    options: &'r ReadOptions,
    tally: ReadSummary,
    number: u64,
    /// What the last line said, once it was read.
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
                    "expected {{\"tesuji\":\"{KIND}\",\"version\":{VERSION}}}; a plain list of records is taken with --partial only"
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
        self.tally.records += 1;
        Ok(())
    }

    fn check(&self, header: &Header) -> Result<(), ExchangeError> {
        if header.tesuji != KIND {
            let what = format!("a file of {}, expected one of {KIND}", excerpt(&header.tesuji));
            return Err(self.malformed(what));
        }
        if header.version > VERSION {
            let what = format!(
                "version {} of this format; this program reads up to {VERSION}",
                header.version
            );
            return Err(self.malformed(what));
        }
        Ok(())
    }

    /// A game as other programs list them.
    fn bare_game(&self, text: &[u8], error: &serde_json::Error) -> Result<Record, ExchangeError> {
        let game = self.options.partial.then(|| serde_json::from_slice::<GameRecord>(text));
        game.and_then(Result::ok).map(Record::Game).ok_or_else(|| {
            let shown = excerpt(&String::from_utf8_lossy(text));
            self.malformed(format!("{shown} is not a record: {error}"))
        })
    }

    /// The last line of a file that does not end with a line break: a whole file does, so something is
    /// missing, even where the line itself makes sense.
    fn unfinished(&mut self, text: &[u8], each: &mut Each<'_>) -> Result<(), ExchangeError> {
        if self.options.partial {
            return self.line(text, each);
        }
        Err(self.cut_off("the last line has no end"))
    }

    fn finish(self) -> Result<ReadSummary, ExchangeError> {
        let problem = match self.end {
            None => Some(self.cut_off("the last line {\"end\":{\"records\":N}} is missing")),
            Some(said) if said != self.tally.records => {
                let read = self.tally.records;
                Some(self.malformed(format!("{said} records announced, {read} found")))
            }
            Some(_) => None,
        };
        match problem {
            Some(problem) if !self.options.partial => Err(problem),
            _ => Ok(self.tally),
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
