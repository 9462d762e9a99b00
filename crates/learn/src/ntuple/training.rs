//! A run that learns weights, with everything that it leaves behind in its folder: a checkpoint and a line of metrics
//! after each block of games, plots, and `weights.tuples` at the end of each block. Taken up again after whatever
//! happened, it comes to the same weights, bit by bit.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tesuji_games::{Playable, SpecError, Stones};

use super::checkpoint::Checkpoint;
use super::measure::Rival;
use super::pattern_search::search_patterns;
use super::patterns::Source;
use super::settings::{SettingsError, WeightSettings};
use super::{Learner, TupleNetwork, TuplesError};
use crate::evolution::plots::{Curve, chart};
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::forest::{Pattern, Spread};
use crate::stones::{self, NoStones};

/// The checkpoint of a run, in its folder.
pub const CHECKPOINT: &str = "checkpoint.weights";
/// What was learned, in the run's folder.
pub const WEIGHTS: &str = "weights.tuples";

/// One line of `metrics.jsonl`: a block of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockMetrics {
    /// Games since the beginning of the run.
    pub games: u64,
    /// The mean absolute error, on the scale of -1 to 1.
    pub error: f64,
    /// The mean length of the games.
    pub plies: f64,
    /// The share of games that the first side won.
    pub first: f64,
    /// The share of drawn games.
    pub drawn: f64,
    /// The share of points against random moves, where that was measured.
    pub random: Option<f64>,
    /// The share of points against the line heuristic, where that was measured.
    pub heuristic: Option<f64>,
    /// Games for each second of learning.
    pub games_per_second: f64,
}

impl BlockMetrics {
    /// One line for the log.
    pub fn line(&self) -> String {
        let share = |name: &str, share: Option<f64>| {
            share.map_or(String::new(), |share| format!(", {:.1} % against {name}", 100.0 * share))
        };
        format!(
            "{} games: error {:.3}, {:.1} plies, {:.1} % won by the first side, {:.1} % drawn{}{}; {:.0} games/s",
            self.games,
            self.error,
            self.plies,
            100.0 * self.first,
            100.0 * self.drawn,
            share("random", self.random),
            share("heuristic", self.heuristic),
            self.games_per_second,
        )
    }
}

/// Why weights could not be learned.
#[derive(Debug, thiserror::Error)]
pub enum TrainWeightsError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] SpecError),
    /// The game is not one of stones that stay where they are put.
    #[error(
        "{game} cannot be learned this way: it needs a game of stones on a flat board, such as mnk, connect4 or tictactoe"
    )]
    NoStones {
        /// The game.
        game: String,
    },
    /// None of the patterns has a place on the board.
    #[error("no pattern fits on the {columns}x{rows} board; take fewer cells or a smaller window")]
    NoPlace {
        /// Of the board.
        columns: usize,
        /// Of the board.
        rows: usize,
    },
    /// The checkpoint is not that of this run, or damaged.
    #[error("{CHECKPOINT}: {0}")]
    Checkpoint(TuplesError),
    /// The weights are no network.
    #[error(transparent)]
    Weights(#[from] TuplesError),
    /// The folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// How far a run is.
pub struct WeightsProgress<'a> {
    /// Games that were learned from.
    pub games: u64,
    /// All of them.
    pub of: u64,
    /// The last block.
    pub last: &'a BlockMetrics,
}

/// Called after each block.
pub type Observer<'a> = &'a mut dyn FnMut(&WeightsProgress<'_>);

/// Learns weights in a run's folder, from where its checkpoint left off. Raising `stop` ends it after the block under
/// way. The network is that of the last block, also in [`WEIGHTS`].
pub fn train_weights(
    settings: &WeightSettings,
    folder: &RunFolder,
    stop: &AtomicBool,
    observer: Observer<'_>,
) -> Result<TupleNetwork, TrainWeightsError> {
    settings.check()?;
    let start = match stones::board(&settings.game) {
        Ok(start) => start,
        Err(NoStones::Game(error)) => return Err(error.into()),
        Err(NoStones::Other(game)) => return Err(TrainWeightsError::NoStones { game }),
    };
    let mut run = Run::begin(settings, folder, start)?;
    while !run.is_done() && !stop.load(Relaxed) {
        run.block()?;
        let last = run.metrics.last().expect("a block leaves a line");
        observer(&WeightsProgress { games: last.games, of: settings.learning.games, last });
    }
    run.network()
}

struct Run<'a, P: Playable + Stones> {
    settings: &'a WeightSettings,
    folder: &'a RunFolder,
    learner: Learner<P>,
    metrics: Vec<BlockMetrics>,
}

impl<'a, P: Playable + Stones> Run<'a, P> {
    /// From the checkpoint, or from nothing.
    fn begin(
        settings: &'a WeightSettings,
        folder: &'a RunFolder,
        start: P,
    ) -> Result<Self, TrainWeightsError> {
        let saved = saved(folder)?;
        let (patterns, spread) = match &saved {
            Some(saved) => (saved.patterns.clone(), saved.spread),
            None => find_patterns(settings, folder, &start)?,
        };
        let (grid, learning) = (start.grid(), settings.learning.clone());
        let mut learner =
            Learner::new(start, &settings.game, settings.seed, learning, spread, patterns);
        if learner.layout().placements() == 0 {
            return Err(TrainWeightsError::NoPlace { columns: grid.columns, rows: grid.rows });
        }
        if let Some(saved) = saved {
            learner.restore(saved).map_err(TrainWeightsError::Checkpoint)?;
        }
        let games = learner.games();
        let metrics = folder.metrics(|line: &BlockMetrics| line.games <= games)?;
        Ok(Run { settings, folder, learner, metrics })
    }

    fn is_done(&self) -> bool {
        self.learner.games() >= self.settings.learning.games
    }

    /// One block of games, with its line and its checkpoint.
    fn block(&mut self) -> Result<(), TrainWeightsError> {
        let measure = &self.settings.measure;
        let left = self.settings.learning.games - self.learner.games();
        let started = Instant::now();
        let tally = self.learner.learn(measure.block.min(left));
        let seconds = started.elapsed().as_secs_f64();
        let games = self.learner.games();
        let due = measure.every > 0 && games.div_ceil(measure.block).is_multiple_of(measure.every);
        let against = |rival| {
            (due || self.is_done()).then(|| self.learner.measure(rival, measure.games).share())
        };
        let played = tally.games as f64;
        let line = BlockMetrics {
            games,
            error: tally.error / (tally.positions as f64).max(1.0),
            plies: tally.moves as f64 / played,
            first: tally.first as f64 / played,
            drawn: tally.draws as f64 / played,
            random: against(Rival::Random),
            heuristic: against(Rival::Heuristic),
            games_per_second: played / seconds.max(1e-9),
        };
        self.keep(line)
    }

    /// The line comes before the checkpoint: one without the other is taken out when the run goes on.
    fn keep(&mut self, line: BlockMetrics) -> Result<(), TrainWeightsError> {
        self.folder.add_metrics(&line)?;
        self.folder.log(&line.line())?;
        self.metrics.push(line);
        self.folder.replace(CHECKPOINT, &self.learner.checkpoint().to_bytes())?;
        self.folder.replace(WEIGHTS, &self.network()?.to_bytes())?;
        draw(self.folder, &self.metrics)?;
        Ok(())
    }

    fn network(&self) -> Result<TupleNetwork, TrainWeightsError> {
        let made = format!(
            "{} games against itself, seed {}, patterns from {}, alpha {} to {}, lambda {}",
            self.learner.games(),
            self.settings.seed,
            self.settings.patterns.from,
            self.settings.learning.alpha,
            self.settings.learning.alpha_end,
            self.settings.learning.lambda,
        );
        Ok(self.learner.network()?.with_origin(made))
    }
}

fn saved(folder: &RunFolder) -> Result<Option<Checkpoint>, TrainWeightsError> {
    match folder.read(CHECKPOINT) {
        Ok(bytes) => {
            Checkpoint::from_bytes(&bytes).map(Some).map_err(TrainWeightsError::Checkpoint)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TrainWeightsError::Checkpoint(error.into())),
    }
}

fn find_patterns<P: Playable + Stones>(
    settings: &WeightSettings,
    folder: &RunFolder,
    start: &P,
) -> Result<(Vec<Pattern>, Spread), TrainWeightsError> {
    let (patterns, grid) = (&settings.patterns, start.grid());
    let spread = patterns.spread_on(&grid);
    match patterns.source()? {
        Source::Drawn(shape) => Ok((patterns.drawn(shape, &grid, settings.seed), spread)),
        Source::Forest(file) => Ok(patterns.of_forest(file)?),
        Source::Search => {
            let learning = &settings.learning;
            let found = search_patterns(start, &settings.game, patterns, learning, settings.seed);
            let report = serde_json::to_string_pretty(&found).unwrap_or_default();
            folder.replace("patterns.json", format!("{report}\n").as_bytes())?;
            Ok((found.patterns, spread))
        }
    }
}

type Number = fn(&BlockMetrics) -> Option<f64>;

/// File, title, unit, and the curves with their names.
type Picture = (&'static str, &'static str, &'static str, &'static [(&'static str, Number)]);

const PICTURES: &[Picture] = &[
    ("error", "Error of the positions learned from", "mean error", &[("error", |m| Some(m.error))]),
    (
        "strength",
        "Points at one ply",
        "share",
        &[("against random", |m| m.random), ("against heuristic", |m| m.heuristic)],
    ),
    ("length", "Length of the games", "plies", &[("plies", |m| Some(m.plies))]),
    (
        "results",
        "How the games ended",
        "share",
        &[("won by the first side", |m| Some(m.first)), ("drawn", |m| Some(m.drawn))],
    ),
    (
        "speed",
        "Games per second",
        "games per second",
        &[("games per second", |m| Some(m.games_per_second))],
    ),
];

fn draw(folder: &RunFolder, all: &[BlockMetrics]) -> Result<(), FolderError> {
    for (file, title, unit, curves) in PICTURES {
        let points = |number: &Number| {
            all.iter().filter_map(|m| Some((m.games as f64, number(m)?))).collect::<Vec<_>>()
        };
        let curves: Vec<Curve<'_>> =
            curves.iter().map(|(name, number)| Curve { name, points: points(number) }).collect();
        if curves.iter().any(|curve| !curve.points.is_empty()) {
            let svg = chart(title, "games", unit, &curves);
            folder.redraw(&format!("plots/{file}.svg"), svg.as_bytes())?;
        }
    }
    Ok(())
}
