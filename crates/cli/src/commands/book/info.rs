//! `tesuji book info`: what a file holds, whichever kind of book it is.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tesuji_play::quantity::grouped;
use tesuji_search::Connect4Book;
use tesuji_search::book::Book as Entries;
use tesuji_search::connect4::{Labelled, Tally};

use crate::failure::Failure;
use crate::input;
use crate::output::{print_json, print_table};

/// Say what a book is for and how much it knows
#[derive(Args)]
#[command(after_help = "Example:\n  tesuji book info tictactoe.book")]
pub(super) struct Info {
    /// The file
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A book of any kind.
pub(super) enum AnyBook {
    /// What a player's search found.
    Searched(Entries),
    /// Exact scores of Connect Four.
    Exact(Connect4Book),
    /// Who wins, in the format of another program.
    Labelled(Labelled, &'static str),
}

impl AnyBook {
    /// Reads a file; its first bytes tell its kind.
    pub(super) fn read(path: &Path) -> Result<(AnyBook, usize), Failure> {
        let bytes = input::bytes_of(path)?;
        let book = AnyBook::from_bytes(&bytes).map_err(|error| Failure::in_file(path, error))?;
        Ok((book, bytes.len()))
    }

    fn from_bytes(bytes: &[u8]) -> Result<AnyBook, String> {
        /// The first byte of a zlib stream with the usual window.
        const ZLIB: u8 = 0x78;
        let text = str::from_utf8(bytes).ok();
        let is_cells = |text: &&str| matches!(text.get(..2), Some("b," | "x," | "o,"));
        if Connect4Book::is_marked(bytes) {
            let book = Connect4Book::from_bytes(bytes).map_err(|error| error.to_string())?;
            Ok(AnyBook::Exact(book))
        } else if let Some(text) = text.filter(is_cells) {
            let list = Labelled::from_uci(text).map_err(|error| error.to_string())?;
            Ok(AnyBook::Labelled(list, "uci"))
        } else if matches!(bytes.first(), Some(&(ZLIB | b'{'))) {
            let list = Labelled::from_anigmo(bytes).map_err(|error| error.to_string())?;
            Ok(AnyBook::Labelled(list, "anigmo"))
        } else {
            Entries::from_bytes(bytes).map(AnyBook::Searched).map_err(|error| error.to_string())
        }
    }
}

impl Info {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (book, bytes) = AnyBook::read(&self.file)?;
        match &book {
            AnyBook::Searched(book) => self.searched(book, bytes),
            AnyBook::Exact(book) => self.exact(book, bytes),
            AnyBook::Labelled(list, format) => self.labelled(list, format, bytes),
        }
    }

    fn searched(&self, book: &Entries, bytes: usize) -> Result<(), Failure> {
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
            let quiet = counts(summary.quiet);
            return print_json(&json!({
                "game": "connect4",
                "exact": true,
                "board": board,
                "plies": plies,
                "positions": positions,
                "bytes": bytes,
                "by_ply": summary.plies,
                "quiet": quiet,
            }));
        }
        let positions = grouped(positions as u128);
        self.heading(&format!("{positions} exact positions of connect4 {board}, {plies} plies"))?;
        let mut rows = vec![
            ["ply", "positions", "won", "drawn", "lost (by the first player)"].map(str::to_string),
        ];
        rows.extend(summary.plies.iter().map(|ply| row(ply.ply.to_string(), ply.results)));
        rows.push(row(format!("{plies}, quiet"), summary.quiet));
        print_table(&rows)
    }

    fn labelled(&self, list: &Labelled, format: &str, bytes: usize) -> Result<(), Failure> {
        let (entries, results) = (list.entries(), list.tally());
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
        let of = |n: usize| grouped(n as u128);
        let Tally { won, drawn, lost } = results;
        self.heading(&format!("{} entries of connect4 7x6 ({format})", of(entries)))?;
        Ok(writeln!(
            io::stdout(),
            "{} positions up to mirror: {} won, {} drawn, {} lost by the first player",
            of(results.total()),
            of(won),
            of(drawn),
            of(lost)
        )?)
    }

    fn heading(&self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(io::stdout(), "{}: {text}", self.file.display())?)
    }
}

fn counts(tally: Tally) -> serde_json::Value {
    let Tally { won, drawn, lost } = tally;
    json!({ "positions": tally.total(), "won": won, "drawn": drawn, "lost": lost })
}

fn row(name: String, tally: Tally) -> [String; 5] {
    let numbers = [tally.total(), tally.won, tally.drawn, tally.lost];
    let [positions, won, drawn, lost] = numbers.map(|number| grouped(number as u128));
    [name, positions, won, drawn, lost]
}
