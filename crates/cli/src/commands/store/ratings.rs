//! `tesuji store ratings`: rates the players of a store.

use std::ops::ControlFlow;

use tesuji_play::recorded_pool::RecordedPool;
use tesuji_play::report::RatingList;
use tesuji_play::statistics::{PoolOptions, rate};
use tesuji_store::{Record, RecordKind};

use crate::prelude::*;

/// Rate the players of a store from their games
#[derive(clap::Args)]
pub(crate) struct RatingsArgs {
    /// The store: a file, or postgres://USER@HOST/DATABASE
    store: String,
    /// Use only this game; required if the store has several
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Use only the games of this match or tournament
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Fix the rating of this player [default: the first]
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// Fix the rating of the anchor at this Elo
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_hyphen_values = true)]
    anchor_elo: f64,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl RatingsArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let pool = self.pool()?;
        let names = pool.names();
        let options = PoolOptions {
            anchor: self.anchor(&names)?,
            anchor_elo: self.anchor_elo,
            ..PoolOptions::default()
        };
        let table = rate(names.len(), pool.games(), &options).map_err(Failure::bad)?;
        let list = RatingList::new(&names, &table);
        match (self.json, self.csv) {
            (true, _) => print_json(&list),
            (false, true) => print(list.csv()),
            (false, false) => print(list.text()),
        }
    }

    fn pool(&self) -> Result<RecordedPool, Failure> {
        let store = super::open_existing(&self.store)?;
        let info = store.info()?;
        if self.game.is_none() && self.event.is_none() && info.games.len() > 1 {
            let games: Vec<&str> = info.games.keys().map(String::as_str).collect();
            return Err(Failure::BadInput(format!(
                "store: has several games ({}); expected --game",
                games.join(", ")
            )));
        }
        let selection = super::selection(RecordKind::Game, &self.game, &self.event);
        let mut pool = RecordedPool::default();
        store.for_each(&selection, &mut |record| {
            if let Record::Game(game) = record {
                pool.add(&game);
            }
            ControlFlow::Continue(())
        })?;
        if pool.games().is_empty() {
            return Err(Failure::bad(
                "store: no matching games; expected a game or event of tesuji store info",
            ));
        }
        Ok(pool)
    }

    fn anchor(&self, names: &[String]) -> Result<usize, Failure> {
        let Some(anchor) = &self.anchor else { return Ok(0) };
        names.iter().position(|name| name == anchor).ok_or_else(|| {
            let names = names.join(", ");
            Failure::BadInput(format!("--anchor '{anchor}': unknown player; expected {names}"))
        })
    }
}
