//! A run that teaches a critic, with everything that it leaves behind in its folder: a checkpoint and a line of metrics
//! after each block of games, plots, and `critic.net`. Taken up again after whatever happened, it comes to the same
//! weights, bit by bit, on any number of threads.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tesuji_games::registry::{self, Visitor};
use tesuji_games::{Playable, SpecError, Stones, StonesVisitor};

use super::checkpoint::{Checkpoint, CheckpointError};
use super::learning::{Learner, Tally};
use super::measure::{Measured, Rival};
use super::metrics::{BlockMetrics, draw};
use super::opponents::is_free_five;
use super::self_play::Table;
use super::settings::CriticSettings;
use super::{Critic, CriticError, Scheme, SchemeError};
use crate::evolution::SettingsError;
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::network::{Diverged, Network};
use crate::workers;

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

/// Teaches a critic in a run's folder, from where its checkpoint left off. Raising `stop` ends it after the batch
/// under way, back at the last checkpoint. The network is that of the last block, also in [`NETWORK`].
pub fn teach(
    settings: &CriticSettings,
    folder: &RunFolder,
    stop: &AtomicBool,
    observer: Observer<'_>,
) -> Result<Network, TeachError> {
    settings.check()?;
    registry::open(&settings.game, Open { settings, goal: Goal::Teach { folder, stop, observer } })?
}

/// Whether a critic can be taught as the settings say: told before a folder is made.
pub fn check_game(settings: &CriticSettings) -> Result<(), TeachError> {
    settings.check()?;
    registry::open(&settings.game, Open { settings, goal: Goal::Check })?.map(drop)
}

struct Open<'a> {
    settings: &'a CriticSettings,
    goal: Goal<'a>,
}

enum Goal<'a> {
    Check,
    Teach { folder: &'a RunFolder, stop: &'a AtomicBool, observer: Observer<'a> },
}

impl Visitor for Open<'_> {
    type Output = Result<Network, TeachError>;
    fn visit<P: Playable>(self, start: P) -> Self::Output {
        let game = self.settings.game.clone();
        P::with_stones(OpenStones { open: self, start })
            .unwrap_or(Err(TeachError::NoStones { game }))
    }
}

struct OpenStones<'a, P> {
    open: Open<'a>,
    start: P,
}

impl<P: Playable> StonesVisitor<P> for OpenStones<'_, P> {
    type Output = Result<Network, TeachError>;
    fn visit(self) -> Self::Output
    where
        P: Stones,
    {
        let Open { settings, goal } = self.open;
        let scheme = Arc::new(Scheme::new(&self.start.grid())?);
        check_agents(settings, &self.start)?;
        let Goal::Teach { folder, stop, observer } = goal else {
            return Ok(Critic::untaught(settings.seed));
        };
        let mut run = Run::begin(settings, folder, self.start, scheme)?;
        while run.learner.games() < settings.learning.games && run.block(stop, observer)? {}
        // A block that was stopped counts for nothing.
        run.learner = learner(settings, folder)?;
        run.network()
    }
}

fn check_agents<P: Playable + Stones>(
    settings: &CriticSettings,
    start: &P,
) -> Result<(), TeachError> {
    let asked = [
        ("opponents.alphabeta", settings.opponents.alphabeta > 0.0),
        ("measure.playouts", settings.measure.playouts > 0),
    ];
    match asked.into_iter().find(|(_, is_asked)| *is_asked && !is_free_five(start)) {
        Some((key, _)) => Err(TeachError::NoReport { key, game: settings.game.clone() }),
        None => Ok(()),
    }
}

struct Run<'a, P> {
    settings: &'a CriticSettings,
    folder: &'a RunFolder,
    start: P,
    scheme: Arc<Scheme>,
    learner: Learner,
    metrics: Vec<BlockMetrics>,
}

impl<'a, P: Playable + Stones> Run<'a, P> {
    /// From the checkpoint, or from nothing.
    fn begin(
        settings: &'a CriticSettings,
        folder: &'a RunFolder,
        start: P,
        scheme: Arc<Scheme>,
    ) -> Result<Self, TeachError> {
        let learner = learner(settings, folder)?;
        let games = learner.games();
        let metrics = folder.metrics(|line: &BlockMetrics| line.games <= games)?;
        Ok(Run { settings, folder, start, scheme, learner, metrics })
    }

    /// One block of games, with its line and its checkpoint; `false` when it was stopped before its end.
    fn block(&mut self, stop: &AtomicBool, observer: Observer<'_>) -> Result<bool, TeachError> {
        let (kept, block) = (self.learner.games(), self.settings.measure.block);
        let end = ((kept / block + 1) * block).min(self.settings.learning.games);
        let (started, mut learning) = (Instant::now(), Duration::ZERO);
        let mut tally = Tally::default();
        while self.learner.games() < end {
            if stop.load(Relaxed) {
                return Ok(false);
            }
            learning += self.batch(end, &mut tally).map_err(|it| it.told(self, kept))?;
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
        self.measure(&mut line)?;
        self.keep(line)?;
        let of = self.settings.learning.games;
        observer(&TeachProgress { games: end, of, last: self.metrics.last() });
        Ok(!stop.load(Relaxed))
    }

    /// Plays some games with the weights as they are, and learns from them; says how long the learning took.
    fn batch(&mut self, end: u64, tally: &mut Tally) -> Result<Duration, Stumble> {
        let first = self.learner.games();
        let numbers: Vec<u64> = (first..end.min(first + self.settings.learning.batch)).collect();
        let earlier = match self.settings.opponents.earlier > 0.0 {
            true => self.learner.earlier()?,
            false => Vec::new(),
        };
        let table = Table {
            settings: self.settings,
            start: &self.start,
            scheme: &self.scheme,
            critic: self.learner.critic()?,
            earlier: &earlier,
        };
        let threads = workers::threads(self.settings.threads);
        let games = workers::map(threads, &numbers, |&number| table.play(number));
        let started = Instant::now();
        self.learner.learn(&games, tally).map_err(Stumble::Diverged)?;
        Ok(started.elapsed())
    }

    fn measure(&self, line: &mut BlockMetrics) -> Result<(), TeachError> {
        let measure = &self.settings.measure;
        let blocks = line.games.div_ceil(measure.block);
        let is_last = line.games >= self.settings.learning.games;
        if measure.every == 0 || !(is_last || blocks.is_multiple_of(measure.every)) {
            return Ok(());
        }
        let critic = Arc::new(Critic::new(self.learner.learned()?)?);
        let (start, scheme) = (self.start.clone(), self.scheme.clone());
        let measured = Measured { start, scheme, critic, seed: self.settings.seed };
        let threads = workers::threads(self.settings.threads);
        let against = |rival| measured.against(rival, measure.games, threads);
        line.heuristic = against(Rival::Heuristic);
        line.alphabeta = against(Rival::AlphaBeta);
        if measure.playouts > 0 {
            line.playouts = against(Rival::Playouts(measure.playouts));
        }
        Ok(())
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
}

impl From<CriticError> for Stumble {
    fn from(error: CriticError) -> Self {
        Stumble::Critic(error)
    }
}

impl Stumble {
    fn told<P>(self, run: &Run<'_, P>, kept: u64) -> TeachError {
        match self {
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
    match fs::read(folder.path().join(CHECKPOINT)) {
        Ok(bytes) => Checkpoint::from_bytes(&bytes).map(Some).map_err(TeachError::Checkpoint),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TeachError::Unreadable(error)),
    }
}
