//! A run that teaches a critic, with everything that it leaves behind in its folder: a checkpoint and a line of metrics
//! after each block of games, plots, and `critic.net`. Taken up again after whatever happened, it comes to the same
//! weights, bit by bit, on any number of threads.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tesuji_games::{Outcome, SpecError};
use tesuji_queue::{Batch, Bench, QueueError, WorkQueue};

use super::checkpoint::{Checkpoint, CheckpointError};
use super::learning::{Learner, Tally};
use super::measure::{Rival, Standing};
use super::metrics::{BlockMetrics, draw};
use super::players::{Ground, Players};
use super::self_play::Played;
use super::settings::CriticSettings;
use super::{Critic, CriticError, SchemeError};
use crate::evolution::SettingsError;
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::network::{Diverged, Network};
use crate::sharing::{notes, perform};

/// The checkpoint of a run, in its folder.
pub const CHECKPOINT: &str = "checkpoint.critic";
/// What was learned, in the run's folder.
pub const NETWORK: &str = "critic.net";

/// Why a critic could not be taught.
#[derive(Debug, thiserror::Error)]
pub enum TeachError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] SpecError),
    /// The game is not one of stones that stay where they are put.
    #[error(
        "{game} cannot be learned by a critic: it needs a game of stones in a row, such as gomoku, mnk:10x10,k=5 or connect6"
    )]
    NoStones {
        /// The game.
        game: String,
    },
    /// The board has no patterns that a critic knows.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The report's agents do not know the game.
    #[error(
        "`{key}` is for five in a row with one stone a turn on boards up to 20x20, and {game} is another game; write {key} = 0"
    )]
    NoReport {
        /// Which setting asks for them.
        key: &'static str,
        /// The game.
        game: String,
    },
    /// Learning leads nowhere.
    #[error(
        "learning diverged after {games} games: {what}; the checkpoint of {kept} games is kept: lower `learning.rate` (now {rate:.4}) and carry on with --resume"
    )]
    Diverged {
        /// Games that were learned from.
        games: u64,
        /// What happened.
        what: Diverged,
        /// Games of the last good checkpoint.
        kept: u64,
        /// The size of the last step.
        rate: f64,
    },
    /// The checkpoint is damaged.
    #[error("{CHECKPOINT}: {0}")]
    Checkpoint(CheckpointError),
    /// The checkpoint cannot be read.
    #[error("{CHECKPOINT}: {0}")]
    Unreadable(io::Error),
    /// What was learned is no critic.
    #[error(transparent)]
    Critic(#[from] CriticError),
    /// The folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its games could not be played.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// How far a run is.
pub struct TeachProgress<'a> {
    /// Games that were learned from.
    pub games: u64,
    /// All of them.
    pub of: u64,
    /// The last block that is done.
    pub last: Option<&'a BlockMetrics>,
}

/// Called after each batch of games.
type Observer<'a> = &'a mut dyn FnMut(&TeachProgress<'_>);

/// Teaches a critic in a run's folder, from where its checkpoint left off; the queue has its games played. Raising `stop`
/// ends it soon, back at the last checkpoint. The network is that of the last block, also in [`NETWORK`].
pub fn teach(
    settings: &CriticSettings,
    folder: &RunFolder,
    queue: &dyn WorkQueue,
    stop: &Arc<AtomicBool>,
    observer: Observer<'_>,
) -> Result<Network, TeachError> {
    let ground = checked_ground(settings)?;
    let mut run = Run::begin(settings, folder, &ground, queue, stop)?;
    while run.learner.games() < settings.learning.games && run.block(observer)? {}
    // A block that was stopped counts for nothing.
    run.learner = learner(settings, folder)?;
    run.network()
}

/// Whether a critic can be taught as the settings say: told before a folder is made.
pub fn check_game(settings: &CriticSettings) -> Result<(), TeachError> {
    checked_ground(settings).map(drop)
}

fn checked_ground(settings: &CriticSettings) -> Result<Ground, TeachError> {
    settings.check()?;
    let ground = Ground::of(&settings.game)?;
    let asked = [
        ("opponents.alphabeta", settings.opponents.alphabeta > 0.0),
        ("measure.playouts", settings.measure.playouts > 0),
    ];
    match asked.into_iter().find(|(_, is_asked)| *is_asked && !ground.is_free_five()) {
        Some((key, _)) => Err(TeachError::NoReport { key, game: settings.game.clone() }),
        None => Ok(ground),
    }
}

struct Run<'a> {
    settings: &'a CriticSettings,
    folder: &'a RunFolder,
    /// Its name in the queue.
    name: String,
    ground: &'a Ground,
    queue: &'a dyn WorkQueue,
    stop: &'a Arc<AtomicBool>,
    learner: Learner,
    metrics: Vec<BlockMetrics>,
}

impl<'a> Run<'a> {
    /// From the checkpoint, or from nothing.
    fn begin(
        settings: &'a CriticSettings,
        folder: &'a RunFolder,
        ground: &'a Ground,
        queue: &'a dyn WorkQueue,
        stop: &'a Arc<AtomicBool>,
    ) -> Result<Self, TeachError> {
        let (learner, name) = (learner(settings, folder)?, folder.name()?.id);
        let games = learner.games();
        let metrics = folder.metrics(|line: &BlockMetrics| line.games <= games)?;
        Ok(Run { settings, folder, name, ground, queue, stop, learner, metrics })
    }

    /// One block of games, with its line and its checkpoint; `false` when it was stopped before its end.
    fn block(&mut self, observer: Observer<'_>) -> Result<bool, TeachError> {
        let (kept, block) = (self.learner.games(), self.settings.measure.block);
        let end = ((kept / block + 1) * block).min(self.settings.learning.games);
        let (started, mut learning) = (Instant::now(), Duration::ZERO);
        let mut tally = Tally::default();
        while self.learner.games() < end {
            if self.stop.load(Relaxed) {
                return Ok(false);
            }
            let learned = self.batch(end, &mut tally).map_err(|it| it.told(self, kept))?;
            let Some(time) = learned else { return Ok(false) };
            learning += time;
            let (games, of) = (self.learner.games(), self.settings.learning.games);
            observer(&TeachProgress { games, of, last: self.metrics.last() });
        }
        let seconds = started.elapsed().as_secs_f64();
        let checked = self.learner.check_errors(&tally);
        checked.map_err(|what| Stumble::Diverged(what).told(self, kept))?;
        let rate = self.settings.learning.rate_at(end);
        let mut line = BlockMetrics::new(end, rate, &tally);
        line.samples_per_second = tally.samples as f64 / learning.as_secs_f64().max(1e-9);
        line.games_per_second = tally.games as f64 / seconds.max(1e-9);
        if !self.measure(&mut line)? {
            return Ok(false);
        }
        self.keep(line)?;
        let of = self.settings.learning.games;
        observer(&TeachProgress { games: end, of, last: self.metrics.last() });
        Ok(!self.stop.load(Relaxed))
    }

    /// Plays some games with the weights as they are, and learns from them; says how long the learning took. `None` when
    /// it was stopped before the last game.
    fn batch(&mut self, end: u64, tally: &mut Tally) -> Result<Option<Duration>, Stumble> {
        let first = self.learner.games();
        let numbers: Vec<u64> = (first..end.min(first + self.settings.learning.batch)).collect();
        let earlier = match self.settings.opponents.earlier > 0.0 {
            true => self.learner.earlier()?,
            false => Vec::new(),
        };
        let table = self.ground.games(self.players(self.learner.critic()?, earlier));
        let mut games: Vec<Option<Played>> = numbers.iter().map(|_| None).collect();
        let stage = first.to_string();
        perform(self.queue, &self.units(&stage, &numbers, &table), &mut |finished| {
            games[(finished.unit - first) as usize] = Some(Played::of(&finished.product)?);
            Ok::<(), QueueError>(())
        })?;
        let games: Option<Vec<Played>> = games.into_iter().collect();
        let Some(games) = games else { return Ok(None) };
        let started = Instant::now();
        self.learner.learn(&games, tally).map_err(Stumble::Diverged)?;
        Ok(Some(started.elapsed()))
    }

    fn players(&self, critic: Arc<Critic>, earlier: Vec<Arc<Critic>>) -> Players {
        Players { settings: self.settings.clone(), critic, earlier }
    }

    fn units<'b>(&'b self, stage: &'b str, units: &'b [u64], bench: &'b dyn Bench) -> Batch<'b> {
        Batch::new(&self.name, stage, units, bench).stopped_by(self.stop.clone())
    }

    /// Measures where it is due; `false` when it was stopped before its end.
    fn measure(&self, line: &mut BlockMetrics) -> Result<bool, TeachError> {
        let measure = &self.settings.measure;
        let blocks = line.games.div_ceil(measure.block);
        let is_last = line.games >= self.settings.learning.games;
        if measure.every == 0 || !(is_last || blocks.is_multiple_of(measure.every)) {
            return Ok(true);
        }
        let critic = Arc::new(Critic::new(self.learner.learned()?)?);
        let mut rivals = vec![Rival::Heuristic];
        if self.ground.is_free_five() {
            rivals.push(Rival::AlphaBeta);
            rivals.extend((measure.playouts > 0).then_some(Rival::Playouts(measure.playouts)));
        }
        let players = self.players(critic, Vec::new());
        let bench = self.ground.measure(players, rivals.clone(), measure.games);
        let units: Vec<u64> = (0..rivals.len() as u64 * measure.games).collect();
        let stage = format!("{}-measure", line.games);
        let ended = notes::<Outcome>(self.queue, &self.units(&stage, &units, &bench))?;
        let Some(ended) = ended else { return Ok(false) };
        let mut ended = ended.chunks(measure.games.max(1) as usize);
        for rival in rivals {
            let standing = Some(Standing::of(ended.next().unwrap_or_default()));
            match rival {
                Rival::Heuristic => line.heuristic = standing,
                Rival::AlphaBeta => line.alphabeta = standing,
                Rival::Playouts(_) => line.playouts = standing,
            }
        }
        Ok(true)
    }

    /// The line comes before the checkpoint: one without the other is taken out when the run goes on.
    fn keep(&mut self, line: BlockMetrics) -> Result<(), TeachError> {
        self.folder.add_metrics(&line)?;
        self.folder.log(&line.line())?;
        self.metrics.push(line);
        self.folder.replace(CHECKPOINT, &self.learner.checkpoint().to_bytes())?;
        self.folder.replace(NETWORK, &self.network()?.to_bytes())?;
        Ok(draw(self.folder, &self.metrics)?)
    }

    fn network(&self) -> Result<Network, TeachError> {
        let CriticSettings { game, seed, learning, .. } = self.settings;
        let made = format!(
            "critic of {game}: {} games, seed {seed}, rate {} to {}, lambda {}",
            self.learner.games(),
            learning.rate,
            learning.rate_end,
            learning.lambda,
        );
        Ok(self.learner.learned()?.with_origin(made))
    }
}

/// What may happen in a batch.
enum Stumble {
    Diverged(Diverged),
    Critic(CriticError),
    Queue(QueueError),
}

impl From<QueueError> for Stumble {
    fn from(error: QueueError) -> Self {
        Stumble::Queue(error)
    }
}

impl From<CriticError> for Stumble {
    fn from(error: CriticError) -> Self {
        Stumble::Critic(error)
    }
}

impl Stumble {
    fn told(self, run: &Run<'_>, kept: u64) -> TeachError {
        match self {
            Stumble::Queue(error) => error.into(),
            Stumble::Critic(error) => error.into(),
            Stumble::Diverged(what) => {
                let games = run.learner.games();
                let rate = run.settings.learning.rate_at(games);
                TeachError::Diverged { games, what, kept, rate }
            }
        }
    }
}

/// Where the checkpoint left off.
fn learner(settings: &CriticSettings, folder: &RunFolder) -> Result<Learner, TeachError> {
    Ok(match saved(folder)? {
        Some(saved) => Learner::restored(settings, saved)?,
        None => Learner::new(settings)?,
    })
}

fn saved(folder: &RunFolder) -> Result<Option<Checkpoint>, TeachError> {
    match folder.read(CHECKPOINT) {
        Ok(bytes) => Checkpoint::from_bytes(&bytes).map(Some).map_err(TeachError::Checkpoint),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TeachError::Unreadable(error)),
    }
}
