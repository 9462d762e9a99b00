//! `tesuji store games`: a table of games.

use tesuji_games::{Notation, Outcome};
use tesuji_store::{GameRecord, RecordKind, Selection};

use super::info::shown;
use crate::prelude::*;

/// List the games of a store: who played whom, and how it ended
#[derive(clap::Args)]
pub(crate) struct GamesArgs {
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

impl GamesArgs {
    pub(super) fn run(self, registry: &Registry) -> Result<(), Failure> {
        let store = super::open_existing(&self.store)?;
        // One more, to know whether there are more.
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
        if more { say!("and more; --limit N shows more of them") } else { Ok(()) }
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

/// How many moves a game has; nothing where it cannot be read.
fn plies(games: &Registry, record: &GameRecord) -> Option<usize> {
    let game = games.open(&record.game).ok()?;
    let begin = match &record.start {
        None => game.start().clone(),
        Some(text) => game.line(text).ok()?.end,
    };
    Some(begin.parse_line(&record.moves).ok()?.moves.len())
}
