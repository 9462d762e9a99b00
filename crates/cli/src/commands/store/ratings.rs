//! `tesuji store ratings`: how strong everybody is, by all the games in a store.

use std::io::{self, Write};
use std::ops::ControlFlow;

use clap::Args;
use serde_json::json;
use tesuji_play::recorded::RecordedPool;
use tesuji_play::report::RatingList;
use tesuji_play::statistics::{PoolOptions, rate};
use tesuji_store::{Kind, Record, Selection};

use crate::examples;
use crate::failure::Failure;
use crate::output::print_json;

/// Rate the players of a store by the games between them
#[derive(Args)]
#[command(after_help = examples::help(examples::STORE_RATINGS))]
pub(super) struct Ratings {
    /// The store: a file, or postgres://USER@HOST/DATABASE
    store: String,
    /// Only this game; needed when the store has several
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Only the games of this match or tournament
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// The player whose rating is fixed [default: the first]
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// At this number
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_hyphen_values = true)]
    anchor_elo: f64,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Ratings {
    pub(super) fn run(self) -> Result<(), Failure> {
        let pool = self.pool()?;
        let names = pool.names();
        let options = PoolOptions {
            anchor: self.anchor(&names)?,
            anchor_elo: self.anchor_elo,
            ..PoolOptions::default()
        };
        let table = rate(names.len(), pool.games(), &options)
            .map_err(|error| Failure::BadInput(error.to_string()))?;
        let list = RatingList::new(&names, &table);
        if self.json {
            return print_json(&json!(list));
        }
        let text = if self.csv { list.csv() } else { list.text() };
        Ok(write!(io::stdout(), "{text}")?)
    }

    fn pool(&self) -> Result<RecordedPool, Failure> {
        let store = super::open_existing(&self.store)?;
        let info = store.info()?;
        if self.game.is_none() && self.event.is_none() && info.games.len() > 1 {
            let games: Vec<&str> = info.games.keys().map(String::as_str).collect();
            return Err(Failure::BadInput(format!(
                "the store has several games ({}); say which with --game",
                games.join(", ")
            )));
        }
        let selection = Selection {
            game: self.game.clone(),
            event: self.event.clone(),
            ..Selection::all(Kind::Game)
        };
        let mut pool = RecordedPool::default();
        store.for_each(&selection, &mut |record| {
            if let Record::Game(game) = record {
                pool.add(&game);
            }
            ControlFlow::Continue(())
        })?;
        if pool.games().is_empty() {
            return Err(Failure::BadInput("there are no such games in the store".to_string()));
        }
        Ok(pool)
    }

    fn anchor(&self, names: &[String]) -> Result<usize, Failure> {
        let Some(anchor) = &self.anchor else { return Ok(0) };
        names.iter().position(|name| name == anchor).ok_or_else(|| {
            let names = names.join(", ");
            Failure::BadInput(format!("no player is called '{anchor}'; there are {names}"))
        })
    }
}
