//! A run that teaches a network, with everything that it leaves behind in its folder: a checkpoint and a line of
//! metrics after each block of games, plots, and `network.net`. Taken up again after whatever happened, it comes to the
//! same network, bit by bit.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tesuji_games::random::derived;
use tesuji_queue::{Batch, Bench, QueueError, WorkQueue};

use super::blocks::{Block, Source};
use super::logged::{DamagedLog, LogsError};
use super::measure::Measured;
use super::settings::{Data, NetworkSettings};
use crate::evolution::SettingsError;
use crate::evolution::plots::{Curve, chart};
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::network::{Example, Examples, Loss, Network, NetworkError, Trainer, TrainerState};
use crate::sharing::{notes, perform};
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
    /// Its games could not be played.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// What a run tells on its way.
pub enum Progress<'a> {
    /// Logs that could not be read are left out. Told once, before the first block.
    Damaged(&'a [DamagedLog]),
    /// A block was learned from.
    Block {
        /// All blocks of the run.
        of: u64,
        /// What is known of this one.
        last: &'a BlockMetrics,
    },
}

/// Called when there is something to tell, and after each block.
pub type Observer<'a> = &'a mut dyn FnMut(&Progress<'_>);

/// Teaches a network in a run's folder, from where its checkpoint left off; the queue has its games played. Raising
/// `stop` ends it soon, back at the last checkpoint. The network is that of the last block, also in [`NETWORK`].
pub fn train_network(
    settings: &NetworkSettings,
    folder: &RunFolder,
    queue: &dyn WorkQueue,
    stop: &Arc<AtomicBool>,
    observer: Observer<'_>,
) -> Result<Network, TrainNetworkError> {
    settings.check()?;
    let mut run = Run::begin(settings, folder, queue, stop)?;
    if !run.source.damaged.is_empty() {
        for damaged in &run.source.damaged {
            folder.log(&format!("left out: {damaged}"))?;
        }
        observer(&Progress::Damaged(&run.source.damaged));
    }
    while run.blocks < settings.learning.blocks && !stop.load(Relaxed) {
        let Some(last) = run.block()? else {
            // A block that was stopped counts for nothing.
            run = Run::begin(settings, folder, queue, stop)?;
            break;
        };
        observer(&Progress::Block { of: settings.learning.blocks, last });
    }
    Ok(run.network())
}

struct Run<'a> {
    settings: &'a NetworkSettings,
    folder: &'a RunFolder,
    /// Its name in the queue.
    name: String,
    queue: &'a dyn WorkQueue,
    stop: &'a Arc<AtomicBool>,
    source: Arc<Source>,
    trainer: Trainer,
    blocks: u64,
    metrics: Vec<BlockMetrics>,
}

impl<'a> Run<'a> {
    /// From the checkpoint, or from nothing.
    fn begin(
        settings: &'a NetworkSettings,
        folder: &'a RunFolder,
        queue: &'a dyn WorkQueue,
        stop: &'a Arc<AtomicBool>,
    ) -> Result<Run<'a>, TrainNetworkError> {
        let source = Arc::new(Source::new(settings)?.with_logs(settings)?);
        let name = folder.name()?.id;
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
        Ok(Run { settings, folder, name, queue, stop, source, trainer, blocks, metrics })
    }

    /// One block of games, with its line and its checkpoint; `None` when it was stopped before its end.
    fn block(&mut self) -> Result<Option<&BlockMetrics>, TrainNetworkError> {
        let started = Instant::now();
        let Some(examples) = self.examples()? else { return Ok(None) };
        let (loss, right) = judge(self.trainer.network(), &examples);
        self.learn(&examples);
        self.blocks += 1;
        let Measuring::Done(won) = self.measure()? else { return Ok(None) };
        let line = BlockMetrics {
            blocks: self.blocks,
            examples: examples.len(),
            target: mean_target(&examples),
            loss,
            right,
            won,
            seconds: started.elapsed().as_secs_f64(),
        };
        self.keep(line).map(Some)
    }

    /// The examples of the next block; `None` when it was stopped before the last.
    fn examples(&self) -> Result<Option<Examples>, TrainNetworkError> {
        if self.source.has_logs() {
            let threads = workers::threads(self.settings.threads);
            return Ok(Some(self.source.logged_block(self.blocks, threads)));
        }
        let (source, settings) = (self.source.clone(), self.settings.clone());
        let block = Block { source, settings, number: self.blocks };
        let (pieces, stage) = (self.source.pieces(), self.blocks.to_string());
        let mut examples: Vec<Option<Examples>> = pieces.iter().map(|_| None).collect();
        perform(self.queue, &self.units(&stage, &pieces, &block), &mut |finished| {
            let note: String = finished.product.note()?;
            examples[finished.unit as usize] = Some(Examples::unpacked(&note)?);
            Ok::<(), QueueError>(())
        })?;
        let examples: Option<Vec<Examples>> = examples.into_iter().collect();
        Ok(examples.map(|examples| self.source.joined(examples)))
    }

    fn units<'b>(&'b self, stage: &'b str, units: &'b [u64], bench: &'b dyn Bench) -> Batch<'b> {
        Batch::new(&self.name, stage, units, bench).stopped_by(self.stop.clone())
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

    /// The share of games won, where it is due.
    fn measure(&self) -> Result<Measuring, TrainNetworkError> {
        let NetworkSettings { learner, seed, measure, learning, .. } = self.settings;
        let last = self.blocks == learning.blocks;
        if measure.every == 0 || !(last || self.blocks.is_multiple_of(measure.every)) {
            return Ok(Measuring::Done(None));
        }
        // Nothing can be said about a network that does something else.
        let Ok(measured) = Measured::new(*learner, *seed, measure, self.network()) else {
            return Ok(Measuring::Done(None));
        };
        let games: Vec<u64> = (0..measure.games).collect();
        let stage = format!("{}-measure", self.blocks);
        let won = notes::<bool>(self.queue, &self.units(&stage, &games, &measured))?;
        let share =
            |won: Vec<bool>| won.iter().filter(|won| **won).count() as f64 / measure.games as f64;
        Ok(won.map_or(Measuring::Stopped, |won| Measuring::Done(Some(share(won)))))
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

/// What came of measuring.
enum Measuring {
    /// The share of games won, where it was due.
    Done(Option<f64>),
    Stopped,
}

fn saved(folder: &RunFolder) -> Result<Option<TrainerState>, TrainNetworkError> {
    match folder.read(CHECKPOINT) {
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
