//! Import and export of records: JSON Lines for all records, SGF, PSQ and PGN for games, CSV and
//! Parquet as tables for other tools; and merging of stores. Readers accept any bytes; their errors
//! are one line that names the line of the file. `docs/formats.md` describes the files.

pub mod csv;
pub mod date;
mod error;
mod export;
mod import;
pub mod json_lines;
mod merge;
mod metadata;
pub mod parquet;
pub mod pgn;
mod plies;
pub mod psq;
mod read;
pub mod sgf;
pub mod table;

use std::path::Path;

pub use error::ExchangeError;
pub use export::{ExportSummary, export, export_folder};
pub use import::{Import, ImportSummary};
pub use merge::{MergeSummary, merge};
pub use read::{ReadOptions, ReadSummary};

/// Records in one write to a store.
const BATCH: usize = 1000;
/// Bytes of long texts after which a batch is written before it is full.
const BATCH_BYTES: usize = 16 << 20;

/// A file format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One record per line, of any kind, without loss.
    JsonLines,
    /// Smart Game Format: games, for board programs.
    Sgf,
    /// Piskvork's format: one game of Gomoku per file.
    Psq,
    /// Portable Game Notation: chess.
    Pgn,
    /// Comma-separated values: the table of one kind of record. Export only.
    Csv,
    /// The same table, column by column. Export only.
    Parquet,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] =
        [Format::JsonLines, Format::Sgf, Format::Psq, Format::Pgn, Format::Csv, Format::Parquet];

    /// Its name on the command line, and the usual extension of its files.
    pub const fn word(self) -> &'static str {
        match self {
            Format::JsonLines => "jsonl",
            Format::Sgf => "sgf",
            Format::Psq => "psq",
            Format::Pgn => "pgn",
            Format::Csv => "csv",
            Format::Parquet => "parquet",
        }
    }

    /// Whether a file contains the table of one kind of record, for other tools; it cannot be
    /// imported.
    pub const fn is_table(self) -> bool {
        matches!(self, Format::Csv | Format::Parquet)
    }

    /// The only game that the format supports, if it does not support all.
    pub const fn only(self) -> Option<&'static str> {
        match self {
            Format::JsonLines | Format::Sgf | Format::Csv | Format::Parquet => None,
            Format::Psq => Some("Gomoku"),
            Format::Pgn => Some("chess"),
        }
    }

    /// The format of a [`word`](Self::word).
    pub fn of_word(word: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.word() == word)
    }

    /// The format of a file's extension.
    pub fn of_path(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "json" | "ndjson" => Some(Format::JsonLines),
            word => Format::of_word(word),
        }
    }
}
