//! `tesuji store games`: lists games.

use tesuji_games::{Notation, Outcome};
use tesuji_store::{GameRecord, RecordKind, Selection};

use super::info::shown;
use crate::prelude::*;

/// List the games of a store: players, result and ending
#[derive(clap::Args)]
pub(crate) struct GamesArgs {
    /// The store: a file, or postgres://USER@HOST/DATABASE
    store: String,
    /// List only this game, written as in tesuji store info
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// List only the games of this match or tournament
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// List at most this many games, in the order of their storage
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u64,
    /// Print complete records as JSON
    #[arg(long)]
    json: bool,
}

impl GamesArgs {
    pub(super) fn run(self, registry: &Registry) -> Result<(), Failure> {
        let store = super::open_existing(&self.store)?;
        // One more than is shown, to find out whether there are more.
        let limit = Some(self.limit.saturating_add(1));
        let selection =
            Selection { limit, ..super::selection(RecordKind::Game, &self.game, &self.event) };
        let mut games = store.games(&selection)?;
        let more = games.len() as u64 > self.limit;
        games.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        if self.json {
            return print_json(&games);
        }
        let titles = ["game", "first", "second", "result", "ending", "plies", "event"];
        print_titled(&titles, games.iter().map(|game| row(registry, game)))?;
        if more { say!("and more; use --limit N to see them") } else { Ok(()) }
    }
}

fn row(games: &Registry, game: &GameRecord) -> [String; 7] {
    let result = match game.outcome {
        Outcome::Win(side) => format!("{} won", shown(&game.players[side.index()].name)),
        Outcome::Draw => "draw".to_string(),
    };
    [
        shown(&game.game),
        shown(&game.players[0].name),
        shown(&game.players[1].name),
        result,
        game.ending.kind.word().to_string(),
        plies(games, game).map_or("?".to_string(), |plies| plies.to_string()),
        shown(&game.event),
    ]
}

/// The number of moves of a game; `None` if it cannot be parsed.
fn plies(games: &Registry, record: &GameRecord) -> Option<usize> {
    let game = games.open(&record.game).ok()?;
    let first = match &record.start {
        None => game.start().clone(),
        Some(text) => game.line(text).ok()?.end,
    };
    Some(first.parse_line(&record.moves).ok()?.moves.len())
}
