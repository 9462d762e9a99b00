//! A run that teaches a network, with everything that it leaves behind in its folder: a checkpoint and a line of
//! metrics after each block of games, plots, and `network.net`. Taken up again after whatever happened, it comes to the
//! same network, bit by bit.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, Settings, Status};
use tesuji_search::flat_ucb::RolloutValue;
use tesuji_search::{FlatUcb, FlatUcbOptions, Limits};

use super::blocks::Source;
use super::logged::LogsError;
use super::settings::{Data, MeasureSettings, NetworkSettings, Purpose};
use super::{NnOutcome, NnUtility, OutcomeForm};
use crate::evolution::SettingsError;
use crate::evolution::plots::{Curve, chart};
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::network::{Example, Examples, Loss, Network, NetworkError, Trainer, TrainerState};
use crate::workers;

/// The checkpoint of a run, in its folder.
pub const CHECKPOINT: &str = "checkpoint.network";
/// What was learned, in the run's folder.
pub const NETWORK: &str = "network.net";

const LOSS: Loss = Loss::BinaryCrossEntropy;

/// The share of a run after which steps become smaller, and the share of a step that is left in the end.
const FULL_STEPS: f32 = 0.5;
const LAST_STEP: f32 = 0.05;

/// One line of `metrics.jsonl`: a block of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockMetrics {
    /// Blocks since the beginning of the run.
    pub blocks: u64,
    /// Examples of this one.
    pub examples: usize,
    /// The mean of what the answers should have been.
    pub target: f64,
    /// The mean loss of the examples before any of the block was learned from.
    pub loss: f64,
    /// The share of answers that were on the right side of a half, before any of the block was learned from.
    pub right: f64,
    /// The share of games won with the network, where that was measured.
    pub won: Option<f64>,
    /// Seconds that the block took.
    pub seconds: f64,
}

impl BlockMetrics {
    /// One line for the log.
    pub fn line(&self) -> String {
        let won = self.won.map_or(String::new(), |won| format!(", {:.1} % won", 100.0 * won));
        format!(
            "{} blocks: {} examples, loss {:.4}, {:.1} % right{won}; {:.1} s",
            self.blocks,
            self.examples,
            self.loss,
            100.0 * self.right,
            self.seconds,
        )
    }
}

/// Why a network could not be taught.
#[derive(Debug, thiserror::Error)]
pub enum TrainNetworkError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The logs cannot be learned from.
    #[error(transparent)]
    Logs(#[from] LogsError),
    /// The checkpoint is damaged.
    #[error("{CHECKPOINT}: {0}")]
    Checkpoint(NetworkError),
    /// The checkpoint is not that of this run.
    #[error("{CHECKPOINT}: it belongs to a network with other layers")]
    OtherLayers,
    /// The folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// How far a run is.
pub struct Progress<'a> {
    /// Blocks that were learned from.
    pub blocks: u64,
    /// All of them.
    pub of: u64,
    /// The last one.
    pub last: &'a BlockMetrics,
}

/// Called after each block.
pub type Observer<'a> = &'a mut dyn FnMut(&Progress<'_>);

/// Teaches a network in a run's folder, from where its checkpoint left off. Raising `stop` ends it after the block
/// under way. The network is that of the last block, also in [`NETWORK`].
pub fn train_network(
    settings: &NetworkSettings,
    folder: &RunFolder,
    stop: &AtomicBool,
    observer: Observer<'_>,
) -> Result<Network, TrainNetworkError> {
    settings.check()?;
    let mut run = Run::begin(settings, folder)?;
    while run.blocks < settings.learning.blocks && !stop.load(Relaxed) {
        let last = run.block()?;
        observer(&Progress { blocks: last.blocks, of: settings.learning.blocks, last });
    }
    Ok(run.network())
}

struct Run<'a> {
    settings: &'a NetworkSettings,
    folder: &'a RunFolder,
    source: Source,
    trainer: Trainer,
    blocks: u64,
    metrics: Vec<BlockMetrics>,
}

impl<'a> Run<'a> {
    /// From the checkpoint, or from nothing.
    fn begin(
        settings: &'a NetworkSettings,
        folder: &'a RunFolder,
    ) -> Result<Run<'a>, TrainNetworkError> {
        let source = Source::new(settings)?.with_logs(settings)?;
        let untaught =
            settings.untaught().map_err(|error| SettingsError::Sense(error.to_string()))?;
        let (optimizer, seed) = (settings.learning.optimizer, settings.seed);
        let mut trainer = Trainer::new(untaught, LOSS, optimizer, seed)
            .with_threads(workers::threads(settings.threads));
        let mut blocks = 0;
        if let Some(saved) = saved(folder)? {
            blocks = saved.progress;
            if !trainer.restore(saved) {
                return Err(TrainNetworkError::OtherLayers);
            }
        }
        let metrics = folder.metrics(|line: &BlockMetrics| line.blocks <= blocks)?;
        Ok(Run { settings, folder, source, trainer, blocks, metrics })
    }

    /// One block of games, with its line and its checkpoint.
    fn block(&mut self) -> Result<&BlockMetrics, TrainNetworkError> {
        let started = Instant::now();
        let examples = self.source.block(self.blocks);
        let (loss, right) = judge(self.trainer.network(), &examples);
        self.learn(&examples);
        self.blocks += 1;
        let line = BlockMetrics {
            blocks: self.blocks,
            examples: examples.len(),
            target: mean_target(&examples),
            loss,
            right,
            won: self.measure(),
            seconds: started.elapsed().as_secs_f64(),
        };
        self.keep(line)
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

    fn measure(&self) -> Option<f64> {
        let measure = &self.settings.measure;
        let last = self.blocks == self.settings.learning.blocks;
        let due = measure.every > 0 && (last || self.blocks.is_multiple_of(measure.every));
        let network = due.then(|| self.network())?;
        match self.settings.learner {
            Purpose::Outcome => NnOutcome::new(network, OutcomeForm::CORRECTED)
                .ok()
                .map(|value| win_rate(value, measure, self.settings.seed)),
            Purpose::Utility => NnUtility::new(network)
                .ok()
                .map(|value| win_rate(value, measure, self.settings.seed)),
        }
    }

    /// The line comes before the checkpoint: one without the other is taken out when the run goes on.
    fn keep(&mut self, line: BlockMetrics) -> Result<&BlockMetrics, TrainNetworkError> {
        self.folder.add_metrics(&line)?;
        self.folder.log(&line.line())?;
        self.metrics.push(line);
        self.folder.replace(CHECKPOINT, &self.trainer.state(self.blocks).to_bytes())?;
        self.folder.replace(NETWORK, &self.network().to_bytes())?;
        draw(self.folder, &self.metrics)?;
        Ok(&self.metrics[self.metrics.len() - 1])
    }

    fn network(&self) -> Network {
        let NetworkSettings { learner, seed, games, .. } = self.settings;
        let what = match self.settings.data {
            Data::Games => format!("games of levels {:?}", games.levels),
            Data::Logs => "logs".to_string(),
        };
        let made = format!(
            "{}: {} blocks of {} {what}, seed {seed}",
            learner.name(),
            self.blocks,
            games.block
        );
        self.trainer.network().clone().with_origin(made)
    }
}

fn saved(folder: &RunFolder) -> Result<Option<TrainerState>, TrainNetworkError> {
    match fs::read(folder.path().join(CHECKPOINT)) {
        Ok(bytes) => {
            TrainerState::from_bytes(&bytes).map(Some).map_err(TrainNetworkError::Checkpoint)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TrainNetworkError::Checkpoint(error.into())),
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

/// How often the flat bandit wins level 1.
fn win_rate<V: RolloutValue<GemIsland>>(value: V, measure: &MeasureSettings, seed: u64) -> f64 {
    let wins = (0..measure.games).filter(|&game| {
        let mut rng = seeded(derived(seed, [u64::MAX, game]));
        let options = FlatUcbOptions {
            simulations: measure.sims,
            depth: Some(measure.depth),
            seed: derived(seed, [u64::MAX, game, 1]),
            ..FlatUcbOptions::default()
        };
        let mut search = FlatUcb::with_value(options, value.clone());
        let start = Settings::level(1).and_then(|level| GemIsland::generate(level, &mut rng));
        let Some(mut state) = start else { return false };
        while state.status() == Status::Running {
            let arms = search.weigh::<GemIsland>(&state.view(), &Limits::default());
            let Some(best) = arms.first() else { break };
            state.play(best.action, &mut rng, &mut ());
        }
        state.status() == Status::Won
    });
    wins.count() as f64 / measure.games as f64
}

type Number = fn(&BlockMetrics) -> Option<f64>;

const PICTURES: &[(&str, &str, &str, Number)] = &[
    ("loss", "Loss of games not yet learned from", "mean loss", |m| Some(m.loss)),
    ("right", "Answers on the right side of a half", "share", |m| Some(m.right)),
    ("won", "Games won with the network", "share", |m| m.won),
];

fn draw(folder: &RunFolder, all: &[BlockMetrics]) -> Result<(), FolderError> {
    for (file, title, unit, number) in PICTURES {
        let points: Vec<(f64, f64)> =
            all.iter().filter_map(|m| Some((m.blocks as f64, number(m)?))).collect();
        if !points.is_empty() {
            let svg = chart(title, "blocks", unit, &[Curve { name: file, points }]);
            folder.redraw(&format!("plots/{file}.svg"), svg.as_bytes())?;
        }
    }
    Ok(())
}
