//! A run that tunes the engine, with everything that it leaves behind in its folder: the games of each round as they are
//! played (`games-1.jsonl`), the numbers of each (`round-1.weights`), a line of metrics, plots, and `gomoku.weights`, the
//! last ones. Taken up again after whatever happened, it comes to the same numbers, bit by bit.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use tesuji_games::RowRule;
use tesuji_games::random::derived;
use tesuji_gomoku::BoardError;
use tesuji_gomoku::engine::weight_file::WeightFileError;
use tesuji_gomoku::engine::weights::Numbers;
use tesuji_queue::{Batch, QueueError, WorkQueue};

use super::learning::Lesson;
use super::measure::Standing;
use super::metrics::{RoundMetrics, draw};
use super::record::{GameRecord, RecordError};
use super::rounds::{Compared, Round};
use super::settings::TuneSettings;
use crate::evolution::SettingsError;
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::sharing::{notes, perform};

/// What was learned, in the run's folder.
pub const WEIGHTS: &str = "gomoku.weights";

/// Why the engine could not be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There is no such board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// Games in the folder cannot be read.
    #[error("{file}: {error}")]
    Games {
        /// Which file.
        file: String,
        /// What is wrong.
        error: RecordError,
    },
    /// Numbers in the folder cannot be read.
    #[error("{file}: {error}")]
    Weights {
        /// Which file.
        file: String,
        /// What is wrong.
        error: WeightFileError,
    },
    /// The folder failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its games could not be played.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// How far a run is.
pub struct Progress<'a> {
    /// Rounds that are done.
    pub rounds: u64,
    /// Games of the round under way.
    pub games: u64,
    /// Games of a round.
    pub of: u64,
    /// The last round.
    pub last: Option<&'a RoundMetrics>,
}

/// Called after each game and each round.
pub type Observer<'a> = &'a mut dyn FnMut(&Progress<'_>);

/// Tunes the engine in a run's folder, from where the run left off; the queue has its games played. Raising `stop` ends it
/// soon. The numbers are those of the last round, also in [`WEIGHTS`].
pub fn tune(
    settings: &TuneSettings,
    folder: &RunFolder,
    queue: &dyn WorkQueue,
    stop: &Arc<AtomicBool>,
    observer: Observer<'_>,
) -> Result<Numbers, TuneError> {
    settings.check()?;
    let mut run = Run::begin(settings, folder, queue, stop)?;
    while run.rounds() < settings.rounds && run.round(observer)? {}
    run.numbers_after(run.rounds())
}

struct Run<'a> {
    settings: &'a TuneSettings,
    folder: &'a RunFolder,
    /// Its name in the queue.
    name: String,
    queue: &'a dyn WorkQueue,
    stop: &'a Arc<AtomicBool>,
    rule: RowRule,
    metrics: Vec<RoundMetrics>,
}

fn games_file(round: u64) -> String {
    format!("games-{round}.jsonl")
}

fn weights_file(round: u64) -> String {
    format!("round-{round}.weights")
}

impl<'a> Run<'a> {
    fn begin(
        settings: &'a TuneSettings,
        folder: &'a RunFolder,
        queue: &'a dyn WorkQueue,
        stop: &'a Arc<AtomicBool>,
    ) -> Result<Run<'a>, TuneError> {
        let (rule, name) = (settings.rule()?, folder.name()?.id);
        // The line of a round is written when its numbers are safe: it is what says that the round is done.
        let metrics = folder.metrics(|_: &RoundMetrics| true)?;
        Ok(Run { settings, folder, name, queue, stop, rule, metrics })
    }

    fn rounds(&self) -> u64 {
        self.metrics.len() as u64
    }

    fn place(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn failed(&self, file: &str, error: io::Error) -> TuneError {
        FolderError::File { path: self.place(file), why: error.to_string() }.into()
    }

    /// The numbers that a round left; those by hand before the first.
    fn numbers_after(&self, round: u64) -> Result<Numbers, TuneError> {
        if round == 0 {
            return Ok(Numbers::by_hand(self.rule));
        }
        let file = weights_file(round);
        let bytes = self.folder.read(&file).map_err(|error| self.failed(&file, error))?;
        Numbers::from_bytes(&bytes).map_err(|error| TuneError::Weights { file, error })
    }

    /// One round; `false` when it was stopped before its end.
    fn round(&mut self, observer: Observer<'_>) -> Result<bool, TuneError> {
        let (started, round) = (Instant::now(), self.rounds() + 1);
        let before = self.numbers_after(round - 1)?;
        if !self.play(round, &before, observer)? {
            return Ok(false);
        }
        let (numbers, mut line) = self.learn(round, &before)?;
        if self.settings.measure.pairs > 0 {
            line.standing = self.measure(round, &numbers)?;
            if line.standing.is_none() {
                return Ok(false);
            }
        }
        line.seconds = started.elapsed().as_secs_f64();
        self.keep(line, &numbers)?;
        let last = self.metrics.last();
        observer(&Progress { rounds: round, games: 0, of: self.settings.games.count, last });
        Ok(!self.stop.load(Relaxed))
    }

    /// Plays the games of a round that are not in its file yet; `false` when it was stopped before the last.
    fn play(
        &self,
        round: u64,
        numbers: &Numbers,
        observer: Observer<'_>,
    ) -> Result<bool, TuneError> {
        let (games, file) = (&self.settings.games, games_file(round));
        let played = self.games(round)?;
        let missing: Vec<u64> = (0..games.count).filter(|n| !played.contains_key(n)).collect();
        let mut out = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.place(&file))
            .map_err(|error| self.failed(&file, error))?;
        let bench = Round::new(self.rule, games, derived(self.settings.seed, [round]), numbers);
        let stage = round.to_string();
        let batch = Batch::new(&self.name, &stage, &missing, &bench).stopped_by(self.stop.clone());
        let mut done = played.len() as u64;
        perform(self.queue, &batch, &mut |finished| {
            let game: GameRecord = finished.product.note().map_err(QueueError::Work)?;
            let line = format!("{}\n", game.line());
            out.write_all(line.as_bytes()).map_err(|error| self.failed(&file, error))?;
            done += 1;
            let last = self.metrics.last();
            observer(&Progress { rounds: round - 1, games: done, of: games.count, last });
            Ok::<(), TuneError>(())
        })?;
        Ok(done == games.count)
    }

    /// The games of a round that were played so far, by number. A line that was cut off is taken out of the file.
    fn games(&self, round: u64) -> Result<BTreeMap<u64, GameRecord>, TuneError> {
        let file = games_file(round);
        let text = match self.folder.read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(self.failed(&file, error)),
        };
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            self.folder.replace(&file, &text[..whole])?;
        }
        let mut games = BTreeMap::new();
        for line in String::from_utf8_lossy(&text[..whole]).lines() {
            let game = GameRecord::from_line(line)
                .map_err(|error| TuneError::Games { file: file.clone(), error })?;
            games.insert(game.game, game);
        }
        Ok(games)
    }

    /// New numbers from the games of the last rounds, and what there is to say about the round.
    fn learn(&self, round: u64, before: &Numbers) -> Result<(Numbers, RoundMetrics), TuneError> {
        let mut lesson = Lesson::new(self.settings, self.rule);
        let first = (round + 1).saturating_sub(self.settings.games.keep).max(1);
        let mut last = BTreeMap::new();
        for round in first..=round {
            last = self.games(round)?;
            for game in last.values() {
                lesson
                    .add(game)
                    .map_err(|error| TuneError::Games { file: games_file(round), error })?;
            }
        }
        let learned = lesson.learn(before, derived(self.settings.seed, [round, u64::MAX]));
        let line = RoundMetrics::new(round, &last, &learned);
        Ok((learned.numbers, line))
    }

    /// A match against the numbers by hand; `None` when it was stopped before its end.
    fn measure(&self, round: u64, numbers: &Numbers) -> Result<Option<Standing>, TuneError> {
        let pairs: Vec<u64> = (0..self.settings.measure.pairs).collect();
        let seed = derived(self.settings.seed, [round, u64::MAX, 1]);
        let bench = Compared::new(self.rule, &self.settings.games, seed, numbers);
        let stage = format!("{round}-measure");
        let batch = Batch::new(&self.name, &stage, &pairs, &bench).stopped_by(self.stop.clone());
        Ok(notes::<usize>(self.queue, &batch)?.map(|half_points| Standing::of(&half_points)))
    }

    /// The numbers come before the line: without the line the round is done again.
    fn keep(&mut self, line: RoundMetrics, numbers: &Numbers) -> Result<(), TuneError> {
        let TuneSettings { seed, games, .. } = self.settings;
        let made = format!(
            "round {} of {} games with {} nodes a move, seed {seed}",
            line.round, games.count, games.nodes
        );
        let bytes = numbers.to_bytes(&made);
        self.folder.replace(&weights_file(line.round), &bytes)?;
        self.folder.replace(WEIGHTS, &bytes)?;
        self.folder.add_metrics(&line)?;
        self.folder.log(&line.line())?;
        self.metrics.push(line);
        Ok(draw(self.folder, &self.metrics)?)
    }
}
