//! `tesuji book info`: describes a book of any kind.

use std::error::Error;
use std::path::{Path, PathBuf};

use tesuji_play::quantity::grouped;
use tesuji_search::book::Book as SearchedBook;
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

/// A book of any kind.
pub(super) enum AnyBook {
    /// Results of a player's search.
    Searched(SearchedBook),
    /// Exact scores of Connect Four.
    Exact(Connect4Book),
    /// Wins, draws and losses, in the format of another program.
    LabeledPositions(LabeledPositions, &'static str),
}

impl AnyBook {
    /// Reads a book and returns it with the size of the file. The first bytes determine its kind.
    pub(super) fn read(path: &Path) -> Result<(AnyBook, usize), Failure> {
        let bytes = input::read_bytes(path)?;
        let book = AnyBook::from_bytes(&bytes).in_file(path)?;
        Ok((book, bytes.len()))
    }

    fn from_bytes(bytes: &[u8]) -> Result<AnyBook, Box<dyn Error>> {
        /// The first byte of a zlib stream with the usual window.
        const ZLIB: u8 = 0x78;
        let text = str::from_utf8(bytes).ok();
        let is_cells = |text: &&str| matches!(text.get(..2), Some("b," | "x," | "o,"));
        Ok(if Connect4Book::has_magic(bytes) {
            AnyBook::Exact(Connect4Book::from_bytes(bytes)?)
        } else if let Some(text) = text.filter(is_cells) {
            AnyBook::LabeledPositions(LabeledPositions::from_uci(text)?, "uci")
        } else if matches!(bytes.first(), Some(&(ZLIB | b'{'))) {
            AnyBook::LabeledPositions(LabeledPositions::from_anigmo(bytes)?, "anigmo")
        } else {
            AnyBook::Searched(SearchedBook::from_bytes(bytes)?)
        })
    }
}

impl InfoArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let (book, bytes) = AnyBook::read(&self.file)?;
        match &book {
            AnyBook::Searched(book) => self.searched(book, bytes),
            AnyBook::Exact(book) => self.exact(book, bytes),
            AnyBook::LabeledPositions(list, format) => self.labeled(list, format, bytes),
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
