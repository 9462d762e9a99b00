//! `tesuji store games`: a table of games.

use std::io::{self, Write};

use clap::Args;
use tesuji_games::{Notation, Outcome};
use tesuji_search::Registry;
use tesuji_store::{GameRecord, Kind, Selection};

use super::info::shown;
use crate::examples;
use crate::failure::Failure;
use crate::output::{print_json, print_table};

/// List the games of a store: who played whom, and how it ended
#[derive(Args)]
#[command(after_help = examples::help(examples::STORE_GAMES))]
pub(super) struct Games {
    /// The store: a file, or postgres://USER@HOST/DATABASE
    store: String,
    /// Only this game, written as tesuji store info shows it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Only the games of this match or tournament
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// No more than so many, in the order in which they were kept
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u64,
    /// Print JSON: the whole records
    #[arg(long)]
    json: bool,
}

impl Games {
    pub(super) fn run(self, registry: &Registry) -> Result<(), Failure> {
        let store = super::open_existing(&self.store)?;
        let selection = Selection {
            game: self.game,
            event: self.event,
            // One more, to know whether there are more.
            limit: Some(self.limit.saturating_add(1)),
            ..Selection::all(Kind::Game)
        };
        let mut games = store.games(&selection)?;
        let more = games.len() as u64 > self.limit;
        games.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        if self.json {
            return print_json(&games);
        }
        let titles = ["game", "first", "second", "result", "ending", "plies", "event"];
        let rows: Vec<[String; 7]> = std::iter::once(titles.map(str::to_string))
            .chain(games.iter().map(|game| row(registry, game)))
            .collect();
        print_table(&rows)?;
        if more {
            writeln!(io::stdout(), "and more; --limit N shows more of them")?;
        }
        Ok(())
    }
}

fn row(games: &Registry, game: &GameRecord) -> [String; 7] {
    let result = match game.outcome {
        Outcome::Win(side) => format!("{} won", shown(&game.players[side.index()].name)),
        Outcome::Draw => "draw".to_string(),
    };
    let plies = plies(games, game);
    [
        shown(&game.game),
        shown(&game.players[0].name),
        shown(&game.players[1].name),
        result,
        game.ending.kind.word().to_string(),
        plies.map_or("?".to_string(), |plies| plies.to_string()),
        shown(&game.event),
    ]
}

/// How many moves a game has; nothing where it cannot be read.
fn plies(games: &Registry, record: &GameRecord) -> Option<usize> {
    let game = games.open(&record.game).ok()?;
    let begin = match &record.start {
        None => game.start().clone(),
        Some(text) => game.line(text).ok()?.end,
    };
    Some(begin.parse_line(&record.moves).ok()?.moves.len())
}
