//! `tesuji book info`: describes a book of any kind.

use std::path::{Path, PathBuf};

use tesuji_play::quantity::grouped;
use tesuji_search::book::Book as SearchedBook;
use tesuji_search::book_file::BookFile;
use tesuji_search::connect4::{LabeledPositions, ResultCounts};
use tesuji_search::{Connect4Book, Registry};

use crate::prelude::*;

/// Show the game and the size of a book
#[derive(clap::Args)]
pub(crate) struct InfoArgs {
    /// The book
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Reads a book of any format and returns it with the size of the file.
pub(super) fn read(path: &Path) -> Result<(BookFile, usize), Failure> {
    let bytes = input::read_bytes(path)?;
    Ok((BookFile::from_bytes(&bytes).in_file(path)?, bytes.len()))
}

impl InfoArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let (book, bytes) = read(&self.file)?;
        match &book {
            BookFile::Searched(book) => self.searched(book, bytes),
            BookFile::Exact(book) => self.exact(book, bytes),
            BookFile::Labeled(list, format) => self.labeled(list, format, bytes),
        }
    }

    fn searched(&self, book: &SearchedBook, bytes: usize) -> Result<(), Failure> {
        let (game, positions) = (book.game(), book.len());
        if self.json {
            return print_json(&json!({ "game": game, "positions": positions, "bytes": bytes }));
        }
        self.heading(&format!("{} positions of {game}", grouped(positions as u128)))
    }

    fn exact(&self, book: &Connect4Book, bytes: usize) -> Result<(), Failure> {
        let board = format!("{}x{}", book.size().width(), book.size().height());
        let (plies, positions, summary) = (book.plies(), book.len(), book.summary());
        if self.json {
            return print_json(&json!({
                "game": "connect4",
                "exact": true,
                "board": board,
                "plies": plies,
                "positions": positions,
                "bytes": bytes,
                "by_ply": summary.plies,
                "quiet": counts(summary.quiet),
            }));
        }
        let positions = grouped(positions as u128);
        self.heading(&format!("{positions} exact positions of connect4 {board}, {plies} plies"))?;
        let rows = summary.plies.iter().map(|ply| row(ply.ply.to_string(), ply.results));
        let rows = rows.chain([row(format!("{plies}, quiet"), summary.quiet)]);
        print_titled(&["ply", "positions", "won", "drawn", "lost (by the first player)"], rows)
    }

    fn labeled(&self, list: &LabeledPositions, format: &str, bytes: usize) -> Result<(), Failure> {
        let (entries, results) = (list.entries(), list.counts());
        if self.json {
            return print_json(&json!({
                "game": "connect4",
                "exact": false,
                "format": format,
                "board": "7x6",
                "entries": entries,
                "bytes": bytes,
                "known": counts(results),
            }));
        }
        let entries = grouped(entries as u128);
        self.heading(&format!("{entries} entries of connect4 7x6 ({format})"))?;
        let [positions, won, drawn, lost] = numbers(results);
        say!(
            "{positions} positions up to symmetry: {won} won, {drawn} drawn, {lost} lost by the first \
             player"
        )
    }

    fn heading(&self, text: &str) -> Result<(), Failure> {
        say!("{}: {text}", self.file.display())
    }
}

fn counts(results: ResultCounts) -> serde_json::Value {
    let ResultCounts { won, drawn, lost } = results;
    json!({ "positions": results.total(), "won": won, "drawn": drawn, "lost": lost })
}

/// The numbers of all, won, drawn and lost positions.
fn numbers(results: ResultCounts) -> [String; 4] {
    let numbers = [results.total(), results.won, results.drawn, results.lost];
    numbers.map(|number| grouped(number as u128))
}

fn row(name: String, results: ResultCounts) -> Vec<String> {
    [&[name], &numbers(results)[..]].concat()
}
