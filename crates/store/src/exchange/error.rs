//! Errors of imports and exports.

use std::io;

use crate::StoreError;

/// Why an import, export or merge failed, in one line. Errors in a file name the line; callers add
/// the name of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// A line is malformed.
    #[error("line {line}: {what}")]
    Malformed {
        /// Counted from 1.
        line: u64,
        /// What was found and what is expected.
        what: String,
    },
    /// The end of the file is missing.
    #[error("line {line}: the file is cut off: {what}")]
    CutOff {
        /// The last line.
        line: u64,
        /// What is missing.
        what: String,
    },
    /// A line or a game exceeds the limit.
    #[error("line {line}: longer than {limit} bytes; expected a shorter record")]
    TooLong {
        /// Its first line.
        line: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// The file is empty.
    #[error("the file contains {what}")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// A record cannot be written in this format.
    #[error("game '{key}': cannot be written as {format}: {why}")]
    Unwritable {
        /// The key of the record.
        key: String,
        /// The format.
        format: &'static str,
        /// The reason.
        why: String,
    },
    /// The format is export only.
    #[error("{format} files cannot be imported; expected a jsonl, sgf, psq or pgn file")]
    OnlyWritten {
        /// The format.
        format: &'static str,
    },
    /// Several kinds of records for a file with one table.
    #[error("{format}: found {kinds} kinds of records; expected one kind")]
    SeveralKinds {
        /// The format.
        format: &'static str,
        /// The number of kinds.
        kinds: usize,
    },
    /// The file changed between its first and second reading.
    #[error(
        "the file changed while it was read; {added} of its records were added, import it again"
    )]
    Changed {
        /// Records that were added.
        added: u64,
    },
    /// Merging a store into itself.
    #[error("store {place}: cannot be merged into itself; expected two stores")]
    SameStore {
        /// The store.
        place: String,
    },
    /// An error of the file system.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ExchangeError {
    pub(crate) fn malformed(line: u64, what: impl Into<String>) -> ExchangeError {
        ExchangeError::Malformed { line, what: what.into() }
    }

    /// Adds the line of the record if the record caused the error.
    pub(crate) fn at(self, line: u64) -> ExchangeError {
        match self {
            ExchangeError::Store(StoreError::InvalidRecord { record, why }) => {
                ExchangeError::malformed(line, format!("{record}: {why}"))
            }
            other => other,
        }
    }

    /// Whether the error concerns one record only, so that the others may be imported.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self, ExchangeError::Malformed { .. } | ExchangeError::TooLong { .. })
    }
}

/// Quotes the beginning of a text in a message, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let start: String = text.chars().take(MAX_CHARS).collect();
    let dots = if start.len() < text.len() { "…" } else { "" };
    format!("'{}{dots}'", start.escape_debug())
}
