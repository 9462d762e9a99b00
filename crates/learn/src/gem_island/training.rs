//! The learners `gem-outcome`, `gem-utility` and `gem-policy`: networks for Gem Island. A step is a
//! block of games.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::derived;
use tesuji_play::Roster;
use tesuji_queue::QueueError;
use tesuji_search::Registry;
use tesuji_train::measure::StrengthScore;
use tesuji_train::{
    Chart, Env, Learner, LearnerKind, LearnerSettings as _, StepMetrics, StepNoun, TrainError,
    pack, unpack,
};

use super::blocks::{ExampleSource, GameBlock};
use super::measure::{WinRateJob, WinRatePayload};
use super::policy::PolicyNetwork;
use super::settings::{GemDataSource, GemLearnerSettings, GemNetworkKind, TrainingForm};
use super::{GemLogs, PlayedSwap, ValueKind};
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

/// The learner of the policy network.
pub const POLICY: LearnerKind = kind(
    "gem-policy",
    "a network that predicts the swaps of recorded games of Gem Island",
    "learner = \"gem-policy\"",
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
        title: "Accuracy at a threshold of one half",
        unit: "share",
        series: &[("right", "accuracy")],
    },
];

/// The name of the measurement: the flat bandit plays level 1 with the model.
const LEVEL: &str = "level 1";
/// The name of the policy network's measurement: how often its first choice is the played swap.
const HELD_OUT: &str = "held-out swaps";

const LOSS: Loss = Loss::BinaryCrossEntropy;

/// The share of a run with the full learning rate.
const FULL_RATE_SHARE: f32 = 0.5;
/// The final learning rate relative to the first.
const FINAL_RATE: f32 = 0.05;

/// The metrics of a block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockMetrics {
    /// Examples of this block.
    pub examples: usize,
    /// The mean target.
    pub target: f64,
    /// The mean loss before training on the block.
    pub loss: f64,
    /// The accuracy at a threshold of one half, before training on the block.
    #[serde(rename = "right")]
    pub accuracy: f64,
}

impl BlockMetrics {
    /// Evaluates a network on examples.
    fn of(network: &Network, examples: &Examples) -> BlockMetrics {
        let mut scratch = network.scratch();
        let (mut loss, mut right, mut target, mut outputs) = (0.0, 0, 0.0, 0usize);
        for example in (0..examples.len()).map(|n| examples.get(n)) {
            let output = network.predict(example.input, &mut scratch);
            loss += f64::from(LOSS.of(output, example.target));
            for (output, &expected) in output.iter().zip(example.target) {
                right += usize::from((*output > 0.5) == (expected > 0.5));
                target += f64::from(expected);
                outputs += 1;
            }
        }
        let (count, outputs) = (examples.len(), outputs.max(1) as f64);
        let (target, loss) = (target / outputs, loss / count.max(1) as f64);
        BlockMetrics { examples: count, target, loss, accuracy: right as f64 / outputs }
    }

    fn line(&self) -> String {
        let Self { examples, loss, accuracy, .. } = self;
        format!("{examples} examples, loss {loss:.4}, accuracy {:.1} %", 100.0 * accuracy)
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
        let learner = GemLearner::new(settings, env.threads())?;
        if let Some(logs) = &learner.source.logs {
            logs.report_skipped();
        }
        Ok(Some(learner))
    }

    fn restore(
        settings: &GemLearnerSettings,
        env: &Env<'_>,
        blocks: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let state: TrainerState = unpack(checkpoint)?;
        let learner = GemLearner::begin(settings, env)?;
        let mut learner = learner.expect("`begin` is never interrupted");
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
        let Some(score) = self.measure(env)? else { return Ok(None) };
        let what = if self.is_policy() { HELD_OUT } else { LEVEL };
        Ok(Some(StepMetrics::new(&metrics, metrics.line()).measured(what, score)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        pack(&self.trainer.state())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.network().to_bytes())
    }
}

/// A network that was trained without a run folder, and its data.
pub struct TrainedOnLogs {
    /// The network.
    pub network: Network,
    /// The logs.
    pub logs: GemLogs,
    /// The turns of logs that the policy network was not trained on.
    pub held_out: Vec<PlayedSwap>,
}

/// Trains on logs in memory, for an experiment. `each` is called with the number of finished
/// blocks.
pub fn train_on_logs(
    settings: &GemLearnerSettings,
    threads: usize,
    each: &mut dyn FnMut(u64),
) -> Result<TrainedOnLogs, TrainError> {
    settings.check()?;
    let mut learner = GemLearner::new(settings, threads)?;
    while learner.blocks < settings.learning.blocks {
        let examples = learner.source.logged_block(learner.blocks, threads);
        learner.learn(&examples);
        learner.blocks += 1;
        each(learner.blocks);
    }
    let (network, held_out) = (learner.network(), learner.source.held_out(u64::MAX));
    let logs = learner.source.logs.clone();
    let logs = logs.ok_or_else(|| TrainError::settings("`data`: expected \"logs\""))?;
    Ok(TrainedOnLogs { network, logs, held_out })
}

impl GemLearner {
    fn new(settings: &GemLearnerSettings, threads: usize) -> Result<GemLearner, TrainError> {
        let source = Arc::new(ExampleSource::new(settings.clone())?);
        let random_init = settings.random_init().map_err(TrainError::settings)?;
        let (optimizer, seed) = (settings.learning.optimizer, settings.seed);
        let trainer = Trainer::new(random_init, LOSS, optimizer, seed).with_threads(threads);
        Ok(GemLearner { source, trainer, blocks: 0 })
    }

    /// The examples of the next block; `None` when stopped before the last chunk.
    fn examples(&self, env: &Env<'_>) -> Result<Option<Examples>, TrainError> {
        if self.source.logs.is_some() {
            return Ok(Some(self.source.logged_block(self.blocks, env.threads())));
        }
        let block = GameBlock { source: self.source.clone(), number: self.blocks };
        let chunks = self.source.chunks();
        let mut examples: Vec<Option<Examples>> = chunks.iter().map(|_| None).collect();
        let (mut done, total) = (0, chunks.len() as u64);
        env.run_batch(&self.blocks.to_string(), &chunks, &block, &mut |finished| {
            let note: String = finished.output.note()?;
            examples[finished.item as usize] = Some(Examples::unpacked(&note)?);
            done += 1;
            env.progress("chunk", done, total);
            Ok::<(), QueueError>(())
        })?;
        let examples: Option<Vec<Examples>> = examples.into_iter().collect();
        Ok(examples.map(|examples| self.source.concatenated(examples)))
    }

    fn learn(&mut self, examples: &Examples) {
        let GemLearnerSettings { seed, learning, .. } = &self.source.settings;
        let progress = self.blocks as f32 / learning.blocks as f32;
        let (order, scale) = match learning.form {
            TrainingForm::Corrected => {
                let scale = ((1.0 - progress) / (1.0 - FULL_RATE_SHARE)).clamp(FINAL_RATE, 1.0);
                (examples.shuffled(derived(*seed, [self.blocks])), scale)
            }
            TrainingForm::Published => ((0..examples.len() as u32).collect(), 1.0),
        };
        let mut batch: Vec<Example<'_>> = Vec::with_capacity(learning.batch);
        for indices in order.chunks(learning.batch) {
            batch.clear();
            batch.extend(indices.iter().map(|&n| examples.get(n as usize)));
            self.trainer.step(&batch, scale);
        }
    }

    fn is_policy(&self) -> bool {
        self.source.settings.learner == GemNetworkKind::Policy
    }

    /// Measures the share of won games, or of predicted swaps, if that is due; the outer `None`
    /// when stopped.
    fn measure(&self, env: &Env<'_>) -> Result<Option<Option<StrengthScore>>, TrainError> {
        let GemLearnerSettings { learner, seed, measure, learning, .. } = &self.source.settings;
        let is_last = self.blocks == learning.blocks;
        if measure.every == 0 || !(is_last || self.blocks.is_multiple_of(measure.every)) {
            return Ok(Some(None));
        }
        let kind = match learner {
            GemNetworkKind::Policy => return Ok(Some(self.predicted_swaps())),
            GemNetworkKind::Outcome => ValueKind::Outcome,
            GemNetworkKind::Utility if self.source.settings.is_utility_of_moves() => {
                ValueKind::Utility
            }
            GemNetworkKind::Utility => ValueKind::SearchUtility,
        };
        let payload = WinRatePayload { kind, seed: *seed, measure: measure.clone() };
        // Networks with other inputs or outputs cannot be measured.
        let Ok(job) = WinRateJob::new(payload, self.network()) else { return Ok(Some(None)) };
        let (games, stage) = ((0..measure.games).collect::<Vec<u64>>(), self.blocks);
        let won = env.notes::<bool>(&format!("{stage}-measure"), &games, &job)?;
        let count = |won: Vec<bool>| won.into_iter().filter(|won| *won).count() as u64;
        Ok(won.map(|won| Some(StrengthScore::from_wins(count(won), measure.games))))
    }

    /// How often the first choice is the swap that was played in held-out games.
    fn predicted_swaps(&self) -> Option<StrengthScore> {
        let mut network = PolicyNetwork::new(self.network()).ok()?;
        let turns = self.source.held_out(self.source.settings.measure.games);
        let matches = turns.iter().filter(|turn| network.matches(turn)).count();
        Some(StrengthScore::from_wins(matches as u64, turns.len() as u64))
    }

    fn network(&self) -> Network {
        let GemLearnerSettings { learner, seed, games, data, .. } = &self.source.settings;
        let what = match data {
            GemDataSource::Games => format!("games of levels {:?}", games.levels),
            GemDataSource::Logs => "logs".to_string(),
        };
        let kind = match learner {
            GemNetworkKind::Outcome => OUTCOME,
            GemNetworkKind::Utility => UTILITY,
            GemNetworkKind::Policy => POLICY,
        };
        let (name, blocks, block) = (kind.name, self.blocks, games.block);
        let origin = format!("{name}: {blocks} blocks of {block} {what}, seed {seed}");
        self.trainer.network().clone().with_origin(origin)
    }
}
