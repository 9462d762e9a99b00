//! `tesuji perft`: counts move paths, the standard test of move generators.

use std::time::Instant;

use serde_json::{Map, json};
use tesuji_games::{Notation, Position};
use tesuji_play::quantity::duration_text;
use tesuji_search::perft::{EarlyEnd, PerftOptions};

use crate::prelude::*;

/// Count the move paths of a given length
#[derive(clap::Args)]
pub(crate) struct PerftArgs {
    /// The game
    game: String,
    /// Length of the paths in plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=255))]
    depth: u32,
    /// Moves from the start, or a position in the notation of the game [default: the start]
    position: Vec<String>,
    /// Print the count of each first move
    #[arg(long)]
    divide: bool,
    /// Count a game that ends earlier as a path, as is usual for Othello
    #[arg(long)]
    finished: bool,
    /// Count with this many threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl PerftArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let opened = games.open(&self.game)?;
        let (game, searches) = (&self.game, opened.searches());
        let line = arguments::position(opened.start(), &self.position)?;
        let early_end = if self.finished { EarlyEnd::Counted } else { EarlyEnd::Dropped };
        let options = PerftOptions { early_end, threads: usize::from(self.threads) };
        let started = Instant::now();
        let mut parts = Vec::new();
        let paths = if self.divide && self.depth > 0 && line.end.outcome().is_none() {
            let counts = searches.divide(&line.end, self.depth, options);
            parts.extend(counts.iter().map(|&(m, n)| (line.end.move_text(m), n)));
            parts.iter().map(|(_, paths)| paths).sum()
        } else {
            searches.perft(&line.end, self.depth, options)
        };
        let (time, depth) = (started.elapsed(), self.depth);
        if self.json {
            let mut result = json!({
                "game": game,
                "position": arguments::position_text(opened.start(), &line),
                "depth": depth,
                "finished": self.finished,
                "paths": paths,
                "seconds": time.as_secs_f64(),
            });
            if self.divide {
                let parts: Map<_, _> = parts.into_iter().map(|(m, n)| (m, json!(n))).collect();
                result["divide"] = parts.into();
            }
            return print_json(&result);
        }
        let rows: Vec<[String; 2]> = parts.into_iter().map(|(m, n)| [m, n.to_string()]).collect();
        print_table(&rows)?;
        let speed = paths as f64 / time.as_secs_f64().max(1e-9) / 1e6;
        let time = duration_text(time);
        say!("{paths} paths of {depth} moves ({time}, {speed:.1} M/s)")
    }
}
