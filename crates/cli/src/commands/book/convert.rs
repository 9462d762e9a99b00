//! `tesuji book convert`: writes books of Connect Four in the formats of other programs.

use std::path::PathBuf;

use tesuji_play::quantity::grouped;
use tesuji_search::book_file::BookFile;
use tesuji_search::connect4::LabeledPositions;
use tesuji_store::safe_file::IfExists;

use super::info;
use crate::output::write_file;
use crate::prelude::*;

/// Write a book of Connect Four for another program
///
/// The ending of OUTPUT selects the format: .json is Anigmo's book (compressed), .data the list of
/// the UCI repository. Both hold the quiet positions of the deepest ply, in which neither side can
/// win with the next stone, and their results.
#[derive(clap::Args)]
pub(crate) struct ConvertArgs {
    /// The book to read: exact scores, Anigmo's book or a list of the UCI repository
    input: PathBuf,
    /// The file to write, which must not exist
    output: PathBuf,
}

impl ConvertArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let write = self.writer()?;
        if self.output.exists() {
            return Err(Failure::in_file(&self.output, "already exists; expected another path"));
        }
        let list = match info::read(&self.input)?.0 {
            BookFile::Exact(book) => LabeledPositions::of_book(&book).in_file(&self.input)?,
            BookFile::Labeled(list, _) => list,
            BookFile::Searched(book) => {
                let problem =
                    format!("a book of a search of '{}'; expected exact scores", book.game());
                return Err(Failure::in_file(&self.input, problem));
            }
        };
        write_file(&self.output, IfExists::Keep, &write(&list)).in_file(&self.output)?;
        let positions = grouped(list.counts().total() as u128);
        say!("{}: {positions} positions", self.output.display())
    }

    fn writer(&self) -> Result<fn(&LabeledPositions) -> Vec<u8>, Failure> {
        match self.output.extension().and_then(|ending| ending.to_str()) {
            Some("json" | "zlib") => Ok(LabeledPositions::to_anigmo),
            Some("data") => Ok(|list| list.to_uci().into_bytes()),
            _ => Err(Failure::in_file(
                &self.output,
                "unknown format; expected a name that ends in .json (Anigmo) or .data (UCI)",
            )),
        }
    }
}
