//! `tesuji book`: builds, inspects and converts opening books.

mod convert;
mod exact;
mod info;

use std::path::PathBuf;

use tesuji_app::books::build_searched;
use tesuji_play::quantity::grouped;
use tesuji_play::{PlayerContext, PlayerSpec};
use tesuji_search::book::Book as SearchedBook;
use tesuji_search::exact::connect4_size;
use tesuji_search::{Game, Registry, TableSize};

use crate::examples::help;
use crate::prelude::*;
use crate::queue_args::QueueArgs;

/// The example in the help of `book`.
pub(crate) const EXAMPLE: &str = "tesuji book build tictactoe tictactoe.book --plies 4";

commands! {
    enum BookCommand {
        Build(Box<BuildArgs>): help(EXAMPLE),
        Info(info::InfoArgs): help("tesuji book info tictactoe.book"),
        Convert(convert::ConvertArgs): help("tesuji book convert connect4-7x6.book connect4bit.json"),
    }
}

/// Search all positions of the first plies and write them to a book
///
/// For connect4 without --player, the book has the exact score of every position; an interrupted
/// build resumes. Otherwise it has the results of the player's search, and an existing book is
/// extended. pvs:book=FILE and engine:book=FILE play from either.
#[derive(clap::Args)]
pub(crate) struct BuildArgs {
    /// The game
    game: String,
    /// The book to write [default: connect4-WIDTHxHEIGHT.book for exact scores]
    file: Option<PathBuf>,
    /// Include positions up to this many plies from the start
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=40))]
    plies: u32,
    /// Search with this player [default: exact scores for connect4, else pvs:depth=10]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Set the size of the board: connect4 --board 6x5 is connect4:6x5
    #[arg(long, value_name = "WxH")]
    board: Option<String>,
    /// Solve positions on this many threads [default: the number of processors]
    #[arg(long, value_name = "N", conflicts_with = "player", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Use transposition tables of this total size, divided among the threads
    #[arg(long, value_name = "SIZE", default_value = "64M", conflicts_with = "player")]
    tt: TableSize,
    /// Use this store, which the workers can write to; needs --queue
    #[arg(long, value_name = "STORE", requires = "queue")]
    store: Option<String>,
    #[command(flatten)]
    queue_args: QueueArgs,
}

impl BuildArgs {
    fn run(self, games: &Registry) -> Result<(), Failure> {
        let game = games.open(&self.game()?)?;
        match connect4_size(game.rows()) {
            Some(size) if self.player.is_none() => exact::build(&self, size),
            _ => self.build_searched(&game),
        }
    }

    /// The game with the size of --board.
    fn game(&self) -> Result<String, Failure> {
        match &self.board {
            None => Ok(self.game.clone()),
            Some(board) if !self.game.contains(':') => Ok(format!("{}:{board}", self.game)),
            Some(board) => Err(Failure::BadInput(format!(
                "--board {board}: '{}' already has a size; expected one of the two; example: {EXAMPLE}",
                self.game
            ))),
        }
    }

    /// Builds a book with a player's search.
    fn build_searched(&self, game: &Game) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            return Err(Failure::BadInput(format!(
                "FILE: missing; expected the book to write; example: {EXAMPLE}"
            )));
        };
        let player: PlayerSpec =
            tesuji_players::player(self.player.as_deref().unwrap_or("pvs:depth=10"))?;
        // A player that cannot search is an error before the file is read.
        player.build_search(&PlayerContext::new(game, 1))?;
        let mut book = match input::read_bytes_if_exists(file)? {
            Some(bytes) => SearchedBook::for_game(&bytes, game.name()).in_file(file)?,
            None => SearchedBook::new(game.name()),
        };
        let queue = self.queue_args.open_queue(1, self.store.as_deref())?;
        let progress = Progress::new(None, "positions");
        let mut show = |positions: usize| {
            progress.show(positions as u64, || format!("{positions} positions"));
        };
        build_searched(&mut book, game, self.plies, &player, &*queue, &mut show)?;
        drop(progress);
        book.save(file).map_err(Failure::failed)?;
        let positions = grouped(book.len() as u128);
        say!("{}: {positions} positions of {}", file.display(), game.name())
    }
}
