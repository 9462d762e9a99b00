//! The learner `weights`: games against itself, learned one after the other. A step is a block of games.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tesuji_games::{RowBoard, Stones};
use tesuji_play::Roster;
use tesuji_search::Registry;
use tesuji_train::{Chart, Env, Learner, LearnerKind, Record, TrainError, Unit, pack, unpack};

use super::learning::{Checkpoint, TupleLearning};
use super::network::check_patterns;
use super::pattern_search::search_patterns;
use super::patterns::Source;
use super::settings::WeightSettings;
use crate::forest::{Pattern, Spread};
use crate::stones::{self, NoStones};

/// The learner by name.
pub const KIND: LearnerKind = LearnerKind {
    step: Unit { one: "block", many: "blocks" },
    noun: "weights",
    extension: "tuples",
    player: Some("forest:file="),
    players: &["forest"],
    charts: CHARTS,
    main: ("error", "error of the positions learned from"),
    free: &["learning.games"],
    renamed: &[("measure.block", "learning.block")],
    example: "learner = \"weights\"\ngame = \"tictactoe\"",
    ..LearnerKind::new::<WeightLearner>(
        "weights",
        "a weight for every content of every pattern (an n-tuple network), by temporal differences",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "error",
        title: "Error of the positions learned from",
        unit: "mean error",
        curves: &[("error", "error")],
    },
    Chart {
        file: "results",
        title: "Results of the games",
        unit: "share",
        curves: &[("first", "won by the first side"), ("drawn", "drawn")],
    },
    Chart {
        file: "length",
        title: "Length of the games",
        unit: "plies",
        curves: &[("plies", "plies")],
    },
    Chart {
        file: "speed",
        title: "Games per second",
        unit: "games per second",
        curves: &[("games_per_second", "games per second")],
    },
];

/// What is written down about a block.
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
    /// Games for each second of learning.
    pub games_per_second: f64,
}

impl BlockMetrics {
    fn line(&self) -> String {
        format!(
            "{} games, error {:.3}, {:.1} plies, {:.1} % won by the first side, {:.1} % drawn; {:.0} games/s",
            self.games,
            self.error,
            self.plies,
            100.0 * self.first,
            100.0 * self.drawn,
            self.games_per_second,
        )
    }
}

/// See the top of this file.
pub struct WeightLearner {
    settings: WeightSettings,
    learning: TupleLearning<RowBoard>,
}

impl Learner for WeightLearner {
    type Settings = WeightSettings;

    fn check(settings: &WeightSettings, _: &Registry, _: Roster) -> Result<(), TrainError> {
        board(settings).map(drop)
    }

    fn begin(settings: &WeightSettings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let (patterns, spread) = find_patterns(settings, env, &board(settings)?)?;
        WeightLearner::new(settings, patterns, spread).map(Some)
    }

    fn restore(
        settings: &WeightSettings,
        _: &Env<'_>,
        _: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let saved: Checkpoint = unpack(checkpoint)?;
        check_patterns(&saved.patterns).map_err(TrainError::checkpoint)?;
        let mut learner = WeightLearner::new(settings, saved.patterns.clone(), saved.spread)?;
        learner.learning.restore(saved).map_err(TrainError::checkpoint)?;
        Ok(learner)
    }

    fn step(&mut self, _: &Env<'_>) -> Result<Option<Record>, TrainError> {
        let left = self.settings.learning.games - self.learning.games();
        let started = Instant::now();
        let tally = self.learning.learn(self.settings.learning.block.min(left));
        let played = tally.games as f64;
        let metrics = BlockMetrics {
            games: self.learning.games(),
            error: tally.error / (tally.positions as f64).max(1.0),
            plies: tally.moves as f64 / played,
            first: tally.first as f64 / played,
            drawn: tally.draws as f64 / played,
            games_per_second: played / started.elapsed().as_secs_f64().max(1e-9),
        };
        Ok(Some(Record::new(&metrics, metrics.line())))
    }

    fn checkpoint(&self) -> Vec<u8> {
        pack(&self.learning.checkpoint())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let WeightSettings { seed, patterns, learning, .. } = &self.settings;
        let made = format!(
            "{} games against itself, seed {seed}, patterns from {}, alpha {} to {}, lambda {}",
            self.learning.games(),
            patterns.from,
            learning.alpha,
            learning.alpha_end,
            learning.lambda,
        );
        let network = self.learning.network().map_err(TrainError::failed)?;
        Ok(network.with_origin(made).to_bytes())
    }
}

impl WeightLearner {
    fn new(
        settings: &WeightSettings,
        patterns: Vec<Pattern>,
        spread: Spread,
    ) -> Result<Self, TrainError> {
        let start = board(settings)?;
        let (grid, learning) = (start.grid(), settings.learning.clone());
        let learning =
            TupleLearning::new(start, &settings.game, settings.seed, learning, spread, patterns);
        if learning.layout().placements() == 0 {
            return Err(TrainError::settings(format!(
                "no pattern fits on the {}x{} board; take fewer cells or a smaller window",
                grid.columns, grid.rows
            )));
        }
        Ok(WeightLearner { settings: settings.clone(), learning })
    }
}

fn board(settings: &WeightSettings) -> Result<RowBoard, TrainError> {
    stones::board(&settings.game).map_err(|error| match error {
        NoStones::Game(error) => TrainError::settings(error),
        NoStones::Other(game) => TrainError::settings(format!(
            "{game} cannot be learned this way: it needs a game of stones on a flat board, such as mnk, connect4 \
             or tictactoe"
        )),
    })
}

fn find_patterns(
    settings: &WeightSettings,
    env: &Env<'_>,
    start: &RowBoard,
) -> Result<(Vec<Pattern>, Spread), TrainError> {
    let (patterns, grid) = (&settings.patterns, start.grid());
    let spread = patterns.spread_on(&grid);
    match patterns.source()? {
        Source::Drawn(shape) => Ok((patterns.drawn(shape, &grid, settings.seed), spread)),
        Source::Forest(file) => Ok(patterns.of_forest(file)?),
        Source::Search => {
            let learning = &settings.learning;
            let found = search_patterns(start, &settings.game, patterns, learning, settings.seed);
            env.folder.replace_json("patterns.json", &found)?;
            Ok((found.patterns, spread))
        }
    }
}
