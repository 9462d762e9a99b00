//! The learners `gem-outcome` and `gem-utility`: networks for Gem Island. A step is a block of
//! games.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::derived;
use tesuji_play::Roster;
use tesuji_queue::QueueError;
use tesuji_search::Registry;
use tesuji_train::measure::StrengthScore;
use tesuji_train::{
    Chart, Env, Learner, LearnerKind, StepMetrics, StepNoun, TrainError, pack, unpack,
};

use super::blocks::{ExampleSource, GameBlock};
use super::measure::{WinRateJob, WinRatePayload};
use super::settings::{GemDataSource, GemLearnerSettings, GemNetworkKind};
use crate::network::{Example, Examples, Loss, Network, Trainer, TrainerState};

/// The learner of the outcome network.
pub const OUTCOME: LearnerKind = kind(
    "gem-outcome",
    "a network that predicts whether a game of Gem Island will be won",
    "learner = \"gem-outcome\"",
);
/// The learner of the utility network.
pub const UTILITY: LearnerKind = kind(
    "gem-utility",
    "a network that predicts how soon a game of Gem Island will be won",
    "learner = \"gem-utility\"",
);

const fn kind(name: &'static str, summary: &'static str, example: &'static str) -> LearnerKind {
    LearnerKind {
        step: StepNoun { singular: "block", plural: "blocks" },
        noun: "network",
        extension: "net",
        charts: CHARTS,
        main_metric: ("loss", "loss of new games"),
        resumable: &["threads"],
        example,
        ..LearnerKind::new::<GemLearner>(name, summary)
    }
}

const CHARTS: &[Chart] = &[
    Chart {
        file: "loss",
        title: "Loss of games before training on them",
        unit: "mean loss",
        series: &[("loss", "loss")],
    },
    Chart {
        file: "right",
        title: "Outputs on the right side of one half",
        unit: "share",
        series: &[("right", "right")],
    },
];

/// The opponent of the measurement: the flat bandit plays level 1 with the model.
const MEASURED: &str = "level 1";

const LOSS: Loss = Loss::BinaryCrossEntropy;

/// The share of a run after which the learning rate falls, and its last value relative to the
/// first.
const FULL_STEPS: f32 = 0.5;
const LAST_STEP: f32 = 0.05;

/// The metrics of a block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockMetrics {
    /// Examples of this block.
    pub examples: usize,
    /// The mean target.
    pub target: f64,
    /// The mean loss before training on the block.
    pub loss: f64,
    /// The share of outputs on the right side of one half, before training on the block.
    pub right: f64,
}

impl BlockMetrics {
    /// Evaluates a network on examples.
    fn of(network: &Network, examples: &Examples) -> BlockMetrics {
        let mut scratch = network.scratch();
        let (mut loss, mut right, mut target, mut answers) = (0.0, 0, 0.0, 0usize);
        for example in (0..examples.len()).map(|n| examples.get(n)) {
            let answer = network.predict(example.input, &mut scratch);
            loss += f64::from(LOSS.of(answer, example.target));
            for (answer, &wanted) in answer.iter().zip(example.target) {
                right += usize::from((*answer > 0.5) == (wanted > 0.5));
                target += f64::from(wanted);
                answers += 1;
            }
        }
        let (count, answers) = (examples.len(), answers.max(1) as f64);
        let (target, loss) = (target / answers, loss / count.max(1) as f64);
        BlockMetrics { examples: count, target, loss, right: right as f64 / answers }
    }

    fn line(&self) -> String {
        let Self { examples, loss, right, .. } = self;
        format!("{examples} examples, loss {loss:.4}, {:.1} % right", 100.0 * right)
    }
}

/// See the top of this file.
pub struct GemLearner {
    source: Arc<ExampleSource>,
    trainer: Trainer,
    blocks: u64,
}

impl Learner for GemLearner {
    type Settings = GemLearnerSettings;

    fn check(settings: &GemLearnerSettings, _: &Registry, _: Roster) -> Result<(), TrainError> {
        ExampleSource::new(settings.clone()).map(drop)
    }

    fn begin(settings: &GemLearnerSettings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let source = Arc::new(ExampleSource::new(settings.clone())?);
        for damaged in &source.damaged {
            tracing::warn!(target: "train", "skipped a log: {damaged}");
        }
        let random_init = settings.random_init().map_err(TrainError::settings)?;
        let (optimizer, seed) = (settings.learning.optimizer, settings.seed);
        let trainer = Trainer::new(random_init, LOSS, optimizer, seed).with_threads(env.threads());
        Ok(Some(GemLearner { source, trainer, blocks: 0 }))
    }

    fn restore(
        settings: &GemLearnerSettings,
        env: &Env<'_>,
        blocks: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let state: TrainerState = unpack(checkpoint)?;
        let begun = GemLearner::begin(settings, env)?;
        let mut learner = begun.expect("beginning cannot be interrupted");
        learner.blocks = blocks;
        match learner.trainer.restore(state) {
            true => Ok(learner),
            false => Err(TrainError::checkpoint("it belongs to a network with other layers")),
        }
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError> {
        let Some(examples) = self.examples(env)? else { return Ok(None) };
        let metrics = BlockMetrics::of(self.trainer.network(), &examples);
        self.learn(&examples);
        self.blocks += 1;
        let Some(won) = self.won(env)? else { return Ok(None) };
        Ok(Some(StepMetrics::new(&metrics, metrics.line()).measured(MEASURED, won)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        pack(&self.trainer.state())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.network().to_bytes())
    }
}

impl GemLearner {
    /// The examples of the next block; `None` when stopped before the last chunk.
    fn examples(&self, env: &Env<'_>) -> Result<Option<Examples>, TrainError> {
        if self.source.has_logs() {
            return Ok(Some(self.source.logged_block(self.blocks, env.threads())));
        }
        let block = GameBlock { source: self.source.clone(), number: self.blocks };
        let chunks = self.source.chunks();
        let mut examples: Vec<Option<Examples>> = chunks.iter().map(|_| None).collect();
        let (mut done, of) = (0, chunks.len() as u64);
        env.run_batch(&self.blocks.to_string(), &chunks, &block, &mut |finished| {
            let note: String = finished.output.note()?;
            examples[finished.item as usize] = Some(Examples::unpacked(&note)?);
            done += 1;
            env.progress("chunk", done, of);
            Ok::<(), QueueError>(())
        })?;
        let examples: Option<Vec<Examples>> = examples.into_iter().collect();
        Ok(examples.map(|examples| self.source.concatenated(examples)))
    }

    fn learn(&mut self, examples: &Examples) {
        let GemLearnerSettings { seed, learning, .. } = &self.source.settings;
        let progress = self.blocks as f32 / learning.blocks as f32;
        let scale = ((1.0 - progress) / (1.0 - FULL_STEPS)).clamp(LAST_STEP, 1.0);
        let order = examples.shuffled(derived(*seed, [self.blocks]));
        let mut batch: Vec<Example<'_>> = Vec::with_capacity(learning.batch);
        for places in order.chunks(learning.batch) {
            batch.clear();
            batch.extend(places.iter().map(|&n| examples.get(n as usize)));
            self.trainer.step(&batch, scale);
        }
    }

    /// Measures the share of won games if that is due; the outer `None` when stopped.
    fn won(&self, env: &Env<'_>) -> Result<Option<Option<StrengthScore>>, TrainError> {
        let GemLearnerSettings { learner, seed, measure, learning, .. } = &self.source.settings;
        let is_last = self.blocks == learning.blocks;
        if measure.every == 0 || !(is_last || self.blocks.is_multiple_of(measure.every)) {
            return Ok(Some(None));
        }
        let payload = WinRatePayload { kind: *learner, seed: *seed, measure: measure.clone() };
        // A network with other inputs or outputs cannot be measured.
        let Ok(measured) = WinRateJob::new(payload, self.network()) else { return Ok(Some(None)) };
        let (games, stage) = ((0..measure.games).collect::<Vec<u64>>(), self.blocks);
        let won = env.notes::<bool>(&format!("{stage}-measure"), &games, &measured)?;
        let count = |won: Vec<bool>| won.into_iter().filter(|won| *won).count() as u64;
        Ok(won.map(|won| Some(StrengthScore::from_wins(count(won), measure.games))))
    }

    fn network(&self) -> Network {
        let GemLearnerSettings { learner, seed, games, data, .. } = &self.source.settings;
        let what = match data {
            GemDataSource::Games => format!("games of levels {:?}", games.levels),
            GemDataSource::Logs => "logs".to_string(),
        };
        let kind = if *learner == GemNetworkKind::Outcome { OUTCOME } else { UTILITY };
        let (name, blocks, block) = (kind.name, self.blocks, games.block);
        let made = format!("{name}: {blocks} blocks of {block} {what}, seed {seed}");
        self.trainer.network().clone().with_origin(made)
    }
}
