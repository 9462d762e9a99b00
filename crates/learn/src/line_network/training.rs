//! The learner `line-network`: self-play games of the Gomoku engine (`games.jsonl`), then passes
//! over their positions. A step is a pass.

use serde_json::json;
use tesuji_games::RowRule;
use tesuji_games::random::derived;
use tesuji_train::{
    Chart, Env, Learner, LearnerKind, StepMetrics, StepNoun, TrainError, pack, unpack,
};

use super::backprop::Losses;
use super::batch::Batch;
use super::dataset::{PositionExample, examples};
use super::games::{GAMES, read_recorded_games};
use super::settings::LineLearnerSettings;
use super::trainer::LineTrainer;
use crate::gomoku::SelfPlayRound;
use crate::gomoku::game_file::play_missing_games;
use crate::gomoku::record::{SelfPlayRecord, SelfPlayRecordError};
use crate::network::{Optimizer, TrainerState, shuffled};

/// The learner by name.
pub const KIND: LearnerKind = LearnerKind {
    step: StepNoun { singular: "pass", plural: "passes" },
    noun: "network",
    extension: "lines",
    player: Some("line-mcts:file="),
    players: &["line-mcts", "line-alphabeta"],
    charts: CHARTS,
    main_metric: ("value", "loss of the value"),
    resumable: &["threads"],
    example: "learner = \"line-network\"",
    ..LearnerKind::new::<LineLearner>(
        "line-network",
        "a policy and value network over the lines of a Gomoku board, from the engine's games",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "value",
        title: "Loss of the value",
        unit: "cross entropy",
        series: &[("value", "in held-out games"), ("value_learning", "in training")],
    },
    Chart {
        file: "policy",
        title: "Loss of the policy",
        unit: "cross entropy",
        series: &[("policy", "in held-out games"), ("policy_learning", "in training")],
    },
    Chart {
        file: "found",
        title: "Best moves with the highest policy",
        unit: "share",
        series: &[("found", "in held-out games")],
    },
];

/// Training and held-out examples.
#[derive(Default)]
struct LineDataset {
    training: Vec<PositionExample>,
    held_out: Vec<PositionExample>,
}

/// See the top of this file.
pub struct LineLearner {
    settings: LineLearnerSettings,
    rule: RowRule,
    trainer: LineTrainer,
    passes: u64,
    /// Created before the first pass.
    dataset: Option<LineDataset>,
}

impl Learner for LineLearner {
    type Settings = LineLearnerSettings;

    fn begin(settings: &LineLearnerSettings, _: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let optimizer = Optimizer::Adam { rate: settings.learning.rate };
        let trainer =
            LineTrainer::random_init(settings.seed, optimizer, settings.learning.gradients);
        let (settings, rule) = (settings.clone(), settings.rule()?);
        Ok(Some(LineLearner { settings, rule, trainer, passes: 0, dataset: None }))
    }

    fn restore(
        settings: &LineLearnerSettings,
        env: &Env<'_>,
        passes: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let state: TrainerState = unpack(checkpoint)?;
        let learner = LineLearner::begin(settings, env)?;
        let mut learner = learner.expect("`begin` is never interrupted");
        learner.passes = passes;
        match learner.trainer.restore(state) {
            true => Ok(learner),
            false => Err(TrainError::checkpoint("it belongs to a network with other layers")),
        }
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError> {
        if self.dataset.is_none() {
            self.dataset = self.make_dataset(env)?;
        }
        let Some(dataset) = self.dataset.take() else { return Ok(None) };
        let learning = self.train_pass(&dataset.training)?;
        let held_out = self.evaluate(&dataset.held_out);
        self.dataset = Some(dataset);
        self.passes += 1;
        let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
        let (value, policy) =
            (mean(held_out.value, held_out.positions), mean(held_out.policy, held_out.moves));
        let found = mean(held_out.found as f64, held_out.moves);
        let metrics = json!({
            "positions": learning.positions,
            "held_out": held_out.positions,
            "value_learning": mean(learning.value, learning.positions),
            "policy_learning": mean(learning.policy, learning.moves),
            // On held-out games after the pass; `found` is the share of positions whose best move
            // has the highest policy.
            "value": value,
            "policy": policy,
            "found": found,
        });
        let line = format!(
            "{} positions; held-out games: value loss {value:.4}, policy loss {policy:.3}, best move first {:.1} %",
            learning.positions,
            100.0 * found,
        );
        Ok(Some(StepMetrics::new(&metrics, line)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        pack(self.trainer.state())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let LineLearnerSettings { seed, games, records, .. } = &self.settings;
        let origin = format!(
            "{} passes over {} games with {} nodes a move and {} files of records, seed {seed}",
            self.passes,
            games.count,
            games.nodes,
            records.len(),
        );
        let network = self.trainer.network().map_err(|error| self.diverged(error))?;
        Ok(network.with_origin(origin).to_bytes())
    }
}

impl LineLearner {
    /// Positions of the run's own games and of recorded ones; `None` when stopped before the last
    /// game.
    fn make_dataset(&self, env: &Env<'_>) -> Result<Option<LineDataset>, TrainError> {
        let LineLearnerSettings { games, seed, records, learning, .. } = &self.settings;
        let job = SelfPlayRound::to_the_end(self.rule, games, derived(*seed, [0]));
        let Some(played) = play_missing_games(env, GAMES, "games", games.count, &job)? else {
            return Ok(None);
        };
        let (mut dataset, mut number) = (LineDataset::default(), 0);
        let mut add = |game: &SelfPlayRecord| -> Result<(), SelfPlayRecordError> {
            let held_out = number % learning.held_out == 0;
            let split = if held_out { &mut dataset.held_out } else { &mut dataset.training };
            number += 1;
            split.extend(examples(game, self.rule, learning.result)?);
            Ok(())
        };
        for game in played.values() {
            add(game).map_err(|error| TrainError::failed(format!("{GAMES}: {error}")))?;
        }
        for file in records {
            read_recorded_games(file, &mut add)?;
        }
        if dataset.training.is_empty() || dataset.held_out.is_empty() {
            return Err(TrainError::settings(format!(
                "games: {} training and {} held-out positions; expected at least one of each",
                dataset.training.len(),
                dataset.held_out.len()
            )));
        }
        Ok(Some(dataset))
    }

    fn train_pass(&mut self, examples: &[PositionExample]) -> Result<Losses, TrainError> {
        let learning = &self.settings.learning;
        let order = shuffled(examples.len(), derived(self.settings.seed, [u64::MAX, self.passes]));
        let steps = examples.len().div_ceil(learning.batch) as f32;
        let (mut total, mut batch) = (Losses::default(), Batch::default());
        for (step, indices) in order.chunks(learning.batch).enumerate() {
            batch.fill(indices.iter().map(|&n| &examples[n as usize]));
            let done = (self.passes as f32 + step as f32 / steps) / learning.passes as f32;
            let losses = self.trainer.step(&batch, 0.5 + 0.5 * (std::f32::consts::PI * done).cos());
            if !(losses.value + losses.policy).is_finite() {
                return Err(self.diverged("the loss is not finite"));
            }
            total.add(&losses);
        }
        // Checked before the model is saved.
        self.trainer.network().map_err(|error| self.diverged(error))?;
        Ok(total)
    }

    fn diverged(&self, what: impl std::fmt::Display) -> TrainError {
        TrainError::failed(format!(
            "training: diverged in pass {}: {what}; expected a lower `learning.rate`; the models of earlier passes are saved",
            self.passes + 1
        ))
    }

    fn evaluate(&mut self, examples: &[PositionExample]) -> Losses {
        let (mut total, mut batch) = (Losses::default(), Batch::default());
        for chunk in examples.chunks(self.settings.learning.batch) {
            batch.fill(chunk);
            total.add(&self.trainer.evaluate(&batch));
        }
        total
    }
}
