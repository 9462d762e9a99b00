//! The learner `weights`: self-play with learning after each game. A step is a block of games.

use std::time::Instant;

use tesuji_games::{RowBoard, RowPosition};
use tesuji_play::Roster;
use tesuji_search::Registry;
use tesuji_train::{
    Chart, Env, Learner, LearnerKind, StepMetrics, StepNoun, TrainError, pack, unpack,
};

use super::TupleNetwork;
use super::learning::TupleTrainer;
use super::network::check_patterns;
use super::pattern_search::search_patterns;
use super::patterns::PatternSource;
use super::settings::WeightLearnerSettings;
use crate::blocks::{RESULTS_CHART, SPEED_CHART};
use crate::forest::{Pattern, Spread};
use crate::row_games::{self, NotARowGame};

/// The learner by name.
pub const KIND: LearnerKind = LearnerKind {
    step: StepNoun { singular: "block", plural: "blocks" },
    noun: "weights",
    extension: "tuples",
    player: Some("weights:file="),
    players: &["weights"],
    charts: CHARTS,
    main_metric: ("error", "error of the trained positions"),
    resumable: &["learning.games"],
    renamed_keys: &[("measure.block", "learning.block")],
    example: "learner = \"weights\"\ngame = \"tictactoe\"",
    ..LearnerKind::new::<WeightLearner>(
        "weights",
        "a weight for every content of every pattern (an n-tuple network), by temporal differences",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "error",
        title: "Error of the trained positions",
        unit: "mean error",
        series: &[("error", "error")],
    },
    RESULTS_CHART,
    Chart {
        file: "length",
        title: "Length of games",
        unit: "plies",
        series: &[("plies", "plies")],
    },
    SPEED_CHART,
];

/// The contents of a checkpoint: games, patterns, their spread, and by entry the weights and their
/// coherence.
type CheckpointData = (u64, Vec<Pattern>, Spread, Vec<f32>, Vec<[f32; 2]>);

/// See the top of this file.
pub struct WeightLearner {
    settings: WeightLearnerSettings,
    learning: TupleTrainer<RowBoard>,
}

impl Learner for WeightLearner {
    type Settings = WeightLearnerSettings;

    fn check(settings: &WeightLearnerSettings, _: &Registry, _: Roster) -> Result<(), TrainError> {
        start_board(settings).map(drop)
    }

    fn begin(settings: &WeightLearnerSettings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let (patterns, spread) = find_patterns(settings, env, &start_board(settings)?)?;
        WeightLearner::new(settings, patterns, spread).map(Some)
    }

    fn restore(
        settings: &WeightLearnerSettings,
        _: &Env<'_>,
        _: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let (games, patterns, spread, weights, coherence): CheckpointData = unpack(checkpoint)?;
        check_patterns(&patterns).map_err(TrainError::checkpoint)?;
        let mut learner = WeightLearner::new(settings, patterns, spread)?;
        learner.learning.resume(games, weights, coherence).map_err(TrainError::checkpoint)?;
        Ok(learner)
    }

    fn step(&mut self, _: &Env<'_>) -> Result<Option<StepMetrics>, TrainError> {
        let left = self.settings.learning.games - self.learning.games;
        let started = Instant::now();
        let stats = self.learning.learn(self.settings.learning.block.min(left));
        Ok(Some(stats.record(self.learning.games, "plies", &[], started)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        let TupleTrainer { games, patterns, spread, weights, coherence, .. } = &self.learning;
        pack(&(games, patterns, spread, weights, coherence))
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let WeightLearnerSettings { game, seed, patterns, learning, .. } = &self.settings;
        let origin = format!(
            "{} games against itself, seed {seed}, patterns from {}, alpha {} to {}, lambda {}",
            self.learning.games, patterns.from, learning.alpha, learning.alpha_end, learning.lambda,
        );
        let network = self.learning.network(game).map_err(TrainError::failed)?;
        Ok(TupleNetwork { origin, ..network }.to_bytes())
    }
}

impl WeightLearner {
    fn new(
        settings: &WeightLearnerSettings,
        patterns: Vec<Pattern>,
        spread: Spread,
    ) -> Result<Self, TrainError> {
        let start = start_board(settings)?;
        let (grid, seed, learning) = (start.grid(), settings.seed, settings.learning.clone());
        let learning = TupleTrainer::new(start, seed, learning, spread, patterns);
        if learning.layout.placements() == 0 {
            return Err(TrainError::settings(format!(
                "`patterns`: no pattern fits on the {}x{} board; expected fewer cells or a smaller window",
                grid.columns, grid.rows
            )));
        }
        Ok(WeightLearner { settings: settings.clone(), learning })
    }
}

fn start_board(settings: &WeightLearnerSettings) -> Result<RowBoard, TrainError> {
    row_games::board(&settings.game).map_err(|error| match error {
        NotARowGame::Game(error) => TrainError::settings(error),
        NotARowGame::Other(game) => TrainError::settings(format!(
            "game '{game}': not supported by learner 'weights'; expected a k-in-a-row game, such as \
             mnk:10x10,k=5, connect4 or tictactoe"
        )),
    })
}

fn find_patterns(
    settings: &WeightLearnerSettings,
    env: &Env<'_>,
    start: &RowBoard,
) -> Result<(Vec<Pattern>, Spread), TrainError> {
    let (patterns, grid) = (&settings.patterns, start.grid());
    let spread = patterns.spread_on(&grid);
    match patterns.source()? {
        PatternSource::Drawn(shape) => Ok((patterns.drawn(shape, &grid, settings.seed), spread)),
        PatternSource::Forest(file) => Ok(patterns.of_forest(file)?),
        PatternSource::Search => {
            let found = search_patterns(start, patterns, &settings.learning, settings.seed);
            env.folder.replace_json("patterns.json", &found)?;
            Ok((found.patterns, spread))
        }
    }
}
