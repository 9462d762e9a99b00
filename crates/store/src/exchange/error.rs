//! Why a file could not be read or written.

use std::io;

use crate::StoreError;

/// Why an exchange of records failed. Each message is one line; where a file is at fault, it names the
/// line. The name of the file is added by whoever knows it.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// A line is not what it should be.
    #[error("line {line}: {what}")]
    Malformed {
        /// Counted from 1.
        line: u64,
        /// What was found and what would be right.
        what: String,
    },
    /// The end of the file is missing.
    #[error("line {line}: the file is cut off: {what}")]
    CutOff {
        /// The last line there is.
        line: u64,
        /// What should have followed.
        what: String,
    },
    /// A line or a game is longer than any honest one.
    #[error("line {line}: longer than {limit} bytes, which no record is")]
    TooLong {
        /// Where it begins.
        line: u64,
        /// The most that is read.
        limit: usize,
    },
    /// There is nothing in the file that could be read.
    #[error("it holds {what}")]
    Empty {
        /// What was looked for.
        what: &'static str,
    },
    /// A record cannot be written in this format.
    #[error("the game '{key}' cannot be written as {format}: {why}")]
    Unwritable {
        /// The record's key.
        key: String,
        /// The format.
        format: &'static str,
        /// The reason.
        why: String,
    },
    /// A file of a format that is only written.
    #[error("{format} files are only written, not read; expected a jsonl, sgf, psq or pgn file")]
    OnlyWritten {
        /// The format.
        format: &'static str,
    },
    /// Several kinds of records for a file that holds one table.
    #[error("{format} holds one kind of record; expected one kind, found {kinds}")]
    SeveralKinds {
        /// The format.
        format: &'static str,
        /// How many there are.
        kinds: usize,
    },
    /// The file was another one when it was read for the second time.
    #[error("it was changed while it was read; {added} of its records were added, import it again")]
    Changed {
        /// Records that are in the store now.
        added: u64,
    },
    /// Merging a store into itself.
    #[error("{place} cannot be merged into itself; name two stores")]
    SameStore {
        /// The store.
        place: String,
    },
    /// The file system says no.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The database says no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ExchangeError {
    pub(crate) fn malformed(line: u64, what: impl Into<String>) -> ExchangeError {
        ExchangeError::Malformed { line, what: what.into() }
    }

    /// The same error, with the line of the record that caused it where the record is to blame.
    pub(crate) fn at(self, line: u64) -> ExchangeError {
        match self {
            ExchangeError::Store(StoreError::InvalidRecord { record, why }) => {
                ExchangeError::malformed(line, format!("cannot keep {record}: {why}"))
            }
            other => other,
        }
    }

    /// Whether only one record of the file is at fault, so that the others may still be taken.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self, ExchangeError::Malformed { .. } | ExchangeError::TooLong { .. })
    }
}

/// The beginning of a text that is quoted in a message: short and on one line.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_BYTES: usize = 40;
    let start: String = text.chars().take(MAX_BYTES).collect();
    let dots = if start.len() < text.len() { "…" } else { "" };
    format!("'{}{dots}'", start.escape_debug())
}
