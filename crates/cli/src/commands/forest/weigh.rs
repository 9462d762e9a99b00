//! `tesuji forest weigh`: weights the trees of a forest by games against itself.

use std::path::PathBuf;

use tesuji_games::RowBoard;
use tesuji_learn::forest::{TrackedForest, TrackingOptions, track_weights, xml};

use super::{load, model_failure};
use crate::output::existing;
use crate::prelude::*;

/// Weight the votes of each tree by how much it favored the moves of winners
///
/// The forest plays against itself. A tree whose votes preferred the moves that the winner's search
/// chose gets a higher weight, from 1 to 16.
#[derive(clap::Args)]
pub(crate) struct WeighArgs {
    /// The forest
    file: PathBuf,
    /// The file to write
    output: PathBuf,
    /// Play this many games
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Search to this depth in plies
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Begin each game with this many random moves
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(0..=400))]
    random_plies: u64,
    /// Seed the openings and ties
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl WeighArgs {
    pub(super) fn run(self, games: &Registry) -> Result<(), Failure> {
        let forest = load(&self.file)?;
        let in_file = |problem: String| Failure::in_file(&self.file, problem);
        if forest.game.is_empty() {
            let expected = "no game in the file; expected tesuji forest import with --game first";
            return Err(in_file(expected.to_string()));
        }
        // The games take a while, so an existing file is refused before them.
        if !self.force && self.output.exists() {
            let error = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(Failure::of_output(&self.output, &error));
        }
        let game = games.open(&forest.game)?;
        let start = game.rows().and_then(RowBoard::new);
        let start = start.ok_or_else(|| in_file("not for a game of rows".to_string()))?;
        let options = TrackingOptions {
            games: self.games,
            depth: self.depth,
            openings: self.random_plies as usize,
            seed: self.seed,
        };
        let progress = Progress::new(Some(self.games), "games");
        let tracked = track_weights(&forest, &start, &options, |done| {
            progress.show(done, String::new);
        });
        drop(progress);
        let tracked = tracked.map_err(|error| in_file(error.to_string()))?;
        xml::save(&tracked.forest, &self.output, existing(self.force)).map_err(model_failure)?;
        self.print(&tracked)
    }

    fn print(&self, tracked: &TrackedForest) -> Result<(), Failure> {
        let TrackedForest { forest, advantages, moves, decided } = tracked;
        let weights: Vec<u32> = forest.trees.iter().map(|tree| tree.weight).collect();
        if self.json {
            return print_json(&json!({
                "file": self.output.display().to_string(),
                "games": self.games,
                "decided": decided,
                "moves": moves,
                "advantages": advantages,
                "weights": weights,
            }));
        }
        let (games, file) = (self.games, self.output.display());
        say!(
            "{file}: {} trees weighted by {moves} moves of the winners of {decided} of {games} games",
            weights.len()
        )?;
        let rows = advantages.iter().zip(&weights).zip(1..).map(|((advantage, weight), tree)| {
            [tree.to_string(), format!("{advantage:+.3}"), weight.to_string()]
        });
        print_titled(&["tree", "advantage", "weight"], rows)
    }
}
