//! Records in and out of a store: JSON Lines for everything, SGF, PSQ and PGN for games, CSV and Parquet as tables for
//! other tools, and the merging of stores. Readers take any bytes; what they refuse, they refuse in one line that names the line of the
//! file. `docs/formats.md` describes the files.

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

/// Records that are written to a store at once.
const BATCH: usize = 1000;
/// Bytes of long texts after which a batch is written before it is full.
const BATCH_BYTES: usize = 16 << 20;

/// How records are written in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One record a line, of every kind; nothing is lost.
    JsonLines,
    /// Smart Game Format: games, for board programs.
    Sgf,
    /// Piskvork's format: one game of Gomoku a file.
    Psq,
    /// Portable Game Notation: chess.
    Pgn,
    /// Comma-separated values: the table of one kind of record. Only written.
    Csv,
    /// The same table in columns. Only written.
    Parquet,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 6] =
        [Format::JsonLines, Format::Sgf, Format::Psq, Format::Pgn, Format::Csv, Format::Parquet];

    /// Its word on the command line, and the usual ending of its files.
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

    /// Whether a file holds the table of one kind of record, for other tools; such a file is not read again.
    pub const fn is_table(self) -> bool {
        matches!(self, Format::Csv | Format::Parquet)
    }

    /// What a format holds that cannot hold every game.
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

    /// The format that the ending of a file's name stands for.
    pub fn of_path(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "json" | "ndjson" => Some(Format::JsonLines),
            word => Format::of_word(word),
        }
    }
}
