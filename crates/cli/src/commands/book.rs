//! `tesuji book`: opening books, made once and played from ever after.

mod convert;
mod exact;
mod info;

use std::path::PathBuf;

use tesuji_app::books::build_searched;
use tesuji_play::quantity::grouped;
use tesuji_play::{PlayerContext, PlayerSpec};
use tesuji_search::book::Book as Entries;
use tesuji_search::exact::connect4_size;
use tesuji_search::{Game, Registry, TableSize};

use crate::examples::help;
use crate::prelude::*;
use crate::queue_args::QueueArgs;

/// For the help of `book`.
pub(crate) const EXAMPLE: &str = "tesuji book build tictactoe tictactoe.book --plies 4";

commands! {
    enum BookCommand {
        Build(Box<BuildArgs>): help(EXAMPLE),
        Info(info::InfoArgs): help("tesuji book info tictactoe.book"),
        Convert(convert::ConvertArgs): help("tesuji book convert connect4-7x6.book connect4bit.json"),
    }
}

/// Search every position of the first moves and write what was found
///
/// For connect4 without --player: the exact score of every position; a build that was killed goes on where
/// it was. Otherwise what the player's search finds, to play from with pvs:book=FILE; a book that is
/// already there is carried on with.
#[derive(clap::Args)]
pub(crate) struct BuildArgs {
    /// The game
    game: String,
    /// The file; connect4-WIDTHxHEIGHT.book when it is missing for exact scores
    file: Option<PathBuf>,
    /// Up to so many moves from the start
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=40))]
    plies: u32,
    /// Whose search to use; without it exact scores for connect4, pvs:depth=10 for other games
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// The size of the board: connect4 --board 6x5 is connect4:6x5
    #[arg(long, value_name = "WxH")]
    board: Option<String>,
    /// Threads that solve positions [default: as many as the machine runs at once]
    #[arg(long, value_name = "N", conflicts_with = "player", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Memory for known positions, shared out among the threads
    #[arg(long, value_name = "SIZE", default_value = "64M", conflicts_with = "player")]
    tt: TableSize,
    /// With --queue: the store that the workers write to as well
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
            _ => self.searched(&game),
        }
    }

    /// The game with its board.
    fn game(&self) -> Result<String, Failure> {
        match &self.board {
            None => Ok(self.game.clone()),
            Some(board) if !self.game.contains(':') => Ok(format!("{}:{board}", self.game)),
            Some(board) => Err(Failure::BadInput(format!(
                "'{}' and --board {board} both name a size; example: {EXAMPLE}",
                self.game
            ))),
        }
    }

    /// What a player's search finds.
    fn searched(&self, game: &Game) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            return Err(Failure::BadInput(format!("the file is missing; example: {EXAMPLE}")));
        };
        let player: PlayerSpec =
            tesuji_players::player(self.player.as_deref().unwrap_or("pvs:depth=10"))?;
        // A player that cannot search is told before the file is looked at.
        player.build_search(&PlayerContext::new(game, 1))?;
        let mut book = match input::read_bytes_if_exists(file)? {
            Some(bytes) => Entries::for_game(&bytes, game.name()).in_file(file)?,
            None => Entries::new(game.name()),
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
