//! The learner `line-network`: games of the Gomoku engine (`games.jsonl`), then passes over their positions. A step is a
//! pass.

use serde_json::json;
use tesuji_games::RowRule;
use tesuji_games::random::derived;
use tesuji_train::{Chart, Env, Learner, LearnerKind, Record, TrainError, Unit, pack, unpack};

use super::batch::Batch;
use super::games::{GAMES, recorded_games};
use super::lesson::{Example, examples};
use super::pupil::Pupil;
use super::settings::LineSettings;
use super::slopes::Losses;
use crate::gomoku::Round;
use crate::gomoku::game_file::played_games;
use crate::gomoku::record::{GameRecord, RecordError};
use crate::network::{Optimizer, TrainerState, shuffled};

/// The learner by name.
pub const KIND: LearnerKind = LearnerKind {
    step: Unit { one: "pass", many: "passes" },
    noun: "network",
    extension: "lines",
    player: Some("line-mcts:file="),
    players: &["line-mcts", "line-alphabeta"],
    charts: CHARTS,
    main: ("value", "loss of the value"),
    free: &["threads"],
    example: "learner = \"line-network\"",
    ..LearnerKind::new::<LineLearner>(
        "line-network",
        "a network over the lines of a Gomoku board with policy and value, from the engine's games",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "value",
        title: "Loss of the value",
        unit: "cross entropy",
        curves: &[("value", "in games held out"), ("value_learning", "while learning")],
    },
    Chart {
        file: "policy",
        title: "Loss of the policy",
        unit: "cross entropy",
        curves: &[("policy", "in games held out"), ("policy_learning", "while learning")],
    },
    Chart {
        file: "found",
        title: "Best moves that look most promising",
        unit: "share",
        curves: &[("found", "in games held out")],
    },
];

/// What is learned from, and what is held out.
#[derive(Default)]
struct Lessons {
    taught: Vec<Example>,
    held_out: Vec<Example>,
}

/// See the top of this file.
pub struct LineLearner {
    settings: LineSettings,
    rule: RowRule,
    pupil: Pupil,
    passes: u64,
    /// Made when the first pass begins.
    lessons: Option<Lessons>,
}

impl Learner for LineLearner {
    type Settings = LineSettings;

    fn begin(settings: &LineSettings, _: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let optimizer = Optimizer::Adam { rate: settings.learning.rate };
        let pupil = Pupil::untaught(settings.seed, optimizer, settings.learning.slopes);
        let (settings, rule) = (settings.clone(), settings.rule()?);
        Ok(Some(LineLearner { settings, rule, pupil, passes: 0, lessons: None }))
    }

    fn restore(
        settings: &LineSettings,
        env: &Env<'_>,
        passes: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let state: TrainerState = unpack(checkpoint)?;
        let begun = LineLearner::begin(settings, env)?;
        let mut learner = begun.expect("nothing here can be stopped");
        learner.passes = passes;
        match learner.pupil.restore(state) {
            true => Ok(learner),
            false => Err(TrainError::checkpoint("it belongs to a network of another form")),
        }
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<Record>, TrainError> {
        if self.lessons.is_none() {
            self.lessons = self.make_lessons(env)?;
        }
        let Some(lessons) = self.lessons.take() else { return Ok(None) };
        let learning = self.learn(&lessons.taught)?;
        let judged = self.judge(&lessons.held_out);
        self.lessons = Some(lessons);
        self.passes += 1;
        let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
        let (value, policy) =
            (mean(judged.value, judged.positions), mean(judged.policy, judged.moves));
        let found = mean(judged.found as f64, judged.moves);
        let metrics = json!({
            "positions": learning.positions,
            "held_out": judged.positions,
            "value_learning": mean(learning.value, learning.positions),
            "policy_learning": mean(learning.policy, learning.moves),
            // Of the games that were held out, after the pass; `found`: how often the best move was the most promising.
            "value": value,
            "policy": policy,
            "found": found,
        });
        let line = format!(
            "{} positions; in games held out: loss of the value {value:.4}, of the policy {policy:.3}, best move first {:.1} %",
            learning.positions,
            100.0 * found,
        );
        Ok(Some(Record::new(&metrics, line)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        pack(self.pupil.state())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let LineSettings { seed, games, records, .. } = &self.settings;
        let made = format!(
            "{} passes over {} games with {} nodes a move and {} files of records, seed {seed}",
            self.passes,
            games.count,
            games.nodes,
            records.len(),
        );
        let network = self.pupil.network().map_err(|error| self.astray(error))?;
        Ok(network.with_origin(made).to_bytes())
    }
}

impl LineLearner {
    /// Positions of the games that are played for the run and of those that were recorded earlier; `None` when it was
    /// stopped before the last game.
    fn make_lessons(&self, env: &Env<'_>) -> Result<Option<Lessons>, TrainError> {
        let LineSettings { games, seed, records, learning, .. } = &self.settings;
        let bench = Round::to_the_end(self.rule, games, derived(*seed, [0]));
        let Some(played) = played_games(env, GAMES, "games", games.count, &bench)? else {
            return Ok(None);
        };
        let (mut lessons, mut number) = (Lessons::default(), 0);
        let mut add = |game: &GameRecord| -> Result<(), RecordError> {
            let held_out = number % learning.held_out == 0;
            let lesson = if held_out { &mut lessons.held_out } else { &mut lessons.taught };
            number += 1;
            lesson.extend(examples(game, self.rule, learning.result)?);
            Ok(())
        };
        for game in played.values() {
            add(game).map_err(|error| TrainError::failed(format!("{GAMES}: {error}")))?;
        }
        for file in records {
            recorded_games(file, &mut add)?;
        }
        if lessons.taught.is_empty() || lessons.held_out.is_empty() {
            return Err(TrainError::settings(format!(
                "there are {} positions to learn from; expected at least one, and one in games that are held out",
                lessons.taught.len()
            )));
        }
        Ok(Some(lessons))
    }

    fn learn(&mut self, lesson: &[Example]) -> Result<Losses, TrainError> {
        let learning = &self.settings.learning;
        let order = shuffled(lesson.len(), derived(self.settings.seed, [u64::MAX, self.passes]));
        let steps = lesson.len().div_ceil(learning.batch) as f32;
        let (mut all, mut batch) = (Losses::default(), Batch::default());
        for (step, places) in order.chunks(learning.batch).enumerate() {
            batch.fill(places.iter().map(|&n| &lesson[n as usize]));
            let done = (self.passes as f32 + step as f32 / steps) / learning.passes as f32;
            let losses = self.pupil.learn(&batch, 0.5 + 0.5 * (std::f32::consts::PI * done).cos());
            if !(losses.value + losses.policy).is_finite() {
                return Err(self.astray("the loss is not a number"));
            }
            all.add(&losses);
        }
        // Before it is written down.
        self.pupil.network().map_err(|error| self.astray(error))?;
        Ok(all)
    }

    fn astray(&self, what: impl std::fmt::Display) -> TrainError {
        TrainError::failed(format!(
            "learning diverged in pass {}: {what}; what was learned before is kept, expected a smaller `learning.rate`",
            self.passes + 1
        ))
    }

    fn judge(&mut self, lesson: &[Example]) -> Losses {
        let (mut all, mut batch) = (Losses::default(), Batch::default());
        for examples in lesson.chunks(self.settings.learning.batch) {
            batch.fill(examples);
            all.add(&self.pupil.judge(&batch));
        }
        all
    }
}
