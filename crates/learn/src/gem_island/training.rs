//! The learners `gem-outcome` and `gem-utility`: networks for Gem Island. A step is a block of games.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::derived;
use tesuji_play::Roster;
use tesuji_queue::QueueError;
use tesuji_search::Registry;
use tesuji_train::measure::Score;
use tesuji_train::{Chart, Env, Learner, LearnerKind, Record, TrainError, Unit, pack, unpack};

use super::blocks::{Block, Source};
use super::measure::Measured;
use super::settings::{Data, NetworkSettings};
use crate::network::{Example, Examples, Loss, Network, Trainer, TrainerState};

/// The learner of the outcome by name.
pub const OUTCOME: LearnerKind =
    kind("gem-outcome", "a network that says how a game of Gem Island will end", EXAMPLES[0]);
/// The learner of the utility by name.
pub const UTILITY: LearnerKind =
    kind("gem-utility", "a network that says what a swap in Gem Island is worth", EXAMPLES[1]);

const EXAMPLES: [&str; 2] = ["learner = \"gem-outcome\"", "learner = \"gem-utility\""];

const fn kind(name: &'static str, summary: &'static str, example: &'static str) -> LearnerKind {
    LearnerKind {
        step: Unit { one: "block", many: "blocks" },
        noun: "network",
        extension: "net",
        charts: CHARTS,
        main: ("loss", "loss of games not yet learned from"),
        free: &["threads"],
        example,
        ..LearnerKind::new::<GemLearner>(name, summary)
    }
}

const CHARTS: &[Chart] = &[
    Chart {
        file: "loss",
        title: "Loss of games not yet learned from",
        unit: "mean loss",
        curves: &[("loss", "loss")],
    },
    Chart {
        file: "right",
        title: "Answers on the right side of a half",
        unit: "share",
        curves: &[("right", "right")],
    },
];

/// What the model is measured against: the flat bandit plays level 1 with it.
const MEASURED: &str = "level 1";

const LOSS: Loss = Loss::BinaryCrossEntropy;

/// The share of a run after which steps become smaller, and the share of a step that is left in the end.
const FULL_STEPS: f32 = 0.5;
const LAST_STEP: f32 = 0.05;

/// What is written down about a block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockMetrics {
    /// Examples of this block.
    pub examples: usize,
    /// The mean of what the answers should have been.
    pub target: f64,
    /// The mean loss of the examples before any of the block was learned from.
    pub loss: f64,
    /// The share of answers that were on the right side of a half, before any of the block was learned from.
    pub right: f64,
}

impl BlockMetrics {
    fn line(&self) -> String {
        let Self { examples, loss, right, .. } = self;
        format!("{examples} examples, loss {loss:.4}, {:.1} % right", 100.0 * right)
    }
}

/// See the top of this file.
pub struct GemLearner {
    settings: NetworkSettings,
    source: Arc<Source>,
    trainer: Trainer,
    blocks: u64,
}

impl Learner for GemLearner {
    type Settings = NetworkSettings;

    fn check(settings: &NetworkSettings, _: &Registry, _: Roster) -> Result<(), TrainError> {
        let source = Source::new(settings)?.with_logs(settings);
        source.map(drop).map_err(TrainError::settings)
    }

    fn begin(settings: &NetworkSettings, env: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let source = Source::new(settings)?.with_logs(settings).map_err(TrainError::settings)?;
        for damaged in &source.damaged {
            tracing::warn!(target: "train", "left out: {damaged}");
        }
        let untaught = settings.untaught().map_err(TrainError::settings)?;
        let (optimizer, seed) = (settings.learning.optimizer, settings.seed);
        let trainer = Trainer::new(untaught, LOSS, optimizer, seed).with_threads(env.threads());
        let (settings, source) = (settings.clone(), Arc::new(source));
        Ok(Some(GemLearner { settings, source, trainer, blocks: 0 }))
    }

    fn restore(
        settings: &NetworkSettings,
        env: &Env<'_>,
        blocks: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let state: TrainerState = unpack(checkpoint)?;
        let begun = GemLearner::begin(settings, env)?;
        let mut learner = begun.expect("nothing here can be stopped");
        learner.blocks = blocks;
        match learner.trainer.restore(state) {
            true => Ok(learner),
            false => Err(TrainError::checkpoint("it belongs to a network with other layers")),
        }
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<Record>, TrainError> {
        let Some(examples) = self.examples(env)? else { return Ok(None) };
        let (loss, right) = judge(self.trainer.network(), &examples);
        self.learn(&examples);
        self.blocks += 1;
        let won = match self.measurement() {
            None => None,
            Some(measured) => match self.won(env, &measured)? {
                Some(won) => Some(won),
                None => return Ok(None),
            },
        };
        let target = mean_target(&examples);
        let metrics = BlockMetrics { examples: examples.len(), target, loss, right };
        Ok(Some(Record::new(&metrics, metrics.line()).measured(MEASURED, won)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        pack(&self.trainer.state())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.network().to_bytes())
    }
}

impl GemLearner {
    /// The examples of the next block; `None` when it was stopped before the last.
    fn examples(&self, env: &Env<'_>) -> Result<Option<Examples>, TrainError> {
        if self.source.has_logs() {
            return Ok(Some(self.source.logged_block(self.blocks, env.threads())));
        }
        let (source, settings) = (self.source.clone(), self.settings.clone());
        let block = Block { source, settings, number: self.blocks };
        let pieces = self.source.pieces();
        let mut examples: Vec<Option<Examples>> = pieces.iter().map(|_| None).collect();
        let (mut done, of) = (0, pieces.len() as u64);
        env.perform(&self.blocks.to_string(), &pieces, &block, &mut |finished| {
            let note: String = finished.product.note()?;
            examples[finished.unit as usize] = Some(Examples::unpacked(&note)?);
            done += 1;
            env.progress("piece", done, of);
            Ok::<(), QueueError>(())
        })?;
        let examples: Option<Vec<Examples>> = examples.into_iter().collect();
        Ok(examples.map(|examples| self.source.joined(examples)))
    }

    fn learn(&mut self, examples: &Examples) {
        let progress = self.blocks as f32 / self.settings.learning.blocks as f32;
        let scale = ((1.0 - progress) / (1.0 - FULL_STEPS)).clamp(LAST_STEP, 1.0);
        let order = examples.shuffled(derived(self.settings.seed, [self.blocks]));
        let mut batch: Vec<Example<'_>> = Vec::with_capacity(self.settings.learning.batch);
        for places in order.chunks(self.settings.learning.batch) {
            batch.clear();
            batch.extend(places.iter().map(|&n| examples.get(n as usize)));
            self.trainer.step(&batch, scale);
        }
    }

    /// Games with the network, where they are due.
    fn measurement(&self) -> Option<Measured> {
        let NetworkSettings { learner, seed, measure, learning, .. } = &self.settings;
        let is_last = self.blocks == learning.blocks;
        if measure.every == 0 || !(is_last || self.blocks.is_multiple_of(measure.every)) {
            return None;
        }
        // Nothing can be said about a network that does something else.
        Measured::new(*learner, *seed, measure, self.network()).ok()
    }

    /// Games won with the network; `None` when they were stopped.
    fn won(&self, env: &Env<'_>, measured: &Measured) -> Result<Option<Score>, TrainError> {
        let count = self.settings.measure.games;
        let games: Vec<u64> = (0..count).collect();
        let stage = format!("{}-measure", self.blocks);
        let won = env.notes::<bool>(&stage, &games, measured)?;
        Ok(won.map(|won| Score::of_wins(won.iter().filter(|won| **won).count() as u64, count)))
    }

    fn network(&self) -> Network {
        let NetworkSettings { learner, seed, games, data, .. } = &self.settings;
        let what = match data {
            Data::Games => format!("games of levels {:?}", games.levels),
            Data::Logs => "logs".to_string(),
        };
        let (learner, blocks, block) = (learner.name(), self.blocks, games.block);
        let made = format!("{learner}: {blocks} blocks of {block} {what}, seed {seed}");
        self.trainer.network().clone().with_origin(made)
    }
}

/// The mean loss, and the share of answers on the right side of a half.
fn judge(network: &Network, examples: &Examples) -> (f64, f64) {
    let mut scratch = network.scratch();
    let (mut loss, mut right, mut answers) = (0.0, 0, 0);
    for example in (0..examples.len()).map(|n| examples.get(n)) {
        let answer = network.predict(example.input, &mut scratch);
        loss += f64::from(LOSS.of(answer, example.target));
        right +=
            answer.iter().zip(example.target).filter(|(a, t)| (**a > 0.5) == (**t > 0.5)).count();
        answers += answer.len();
    }
    (loss / examples.len().max(1) as f64, right as f64 / answers.max(1) as f64)
}

fn mean_target(examples: &Examples) -> f64 {
    let targets = (0..examples.len()).flat_map(|n| examples.get(n).target);
    let (sum, count) = targets.fold((0.0, 0usize), |(sum, n), &t| (sum + f64::from(t), n + 1));
    sum / count.max(1) as f64
}
