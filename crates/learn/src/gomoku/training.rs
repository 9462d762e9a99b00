//! A run that tunes the engine, with everything that it leaves behind in its folder: the games of each round as they are
//! played (`games-1.jsonl`), the numbers of each (`round-1.weights`), a line of metrics, plots, and `gomoku.weights`, the
//! last ones. Taken up again after whatever happened, it comes to the same numbers, bit by bit.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tesuji_games::random::derived;
use tesuji_gomoku::engine::weight_file::WeightFileError;
use tesuji_gomoku::engine::weights::{Numbers, Weights};
use tesuji_gomoku::{BoardError, Rule};

use super::learning::Lesson;
use super::measure::{Standing, compare};
use super::metrics::{RoundMetrics, draw};
use super::record::{GameRecord, RecordError};
use super::self_play::{NodeLimited, SelfPlay};
use super::settings::TuneSettings;
use crate::evolution::SettingsError;
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::workers;

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

/// Tunes the engine in a run's folder, from where the run left off. Raising `stop` ends it after the games under way.
/// The numbers are those of the last round, also in [`WEIGHTS`].
pub fn tune(
    settings: &TuneSettings,
    folder: &RunFolder,
    stop: &AtomicBool,
    observer: Observer<'_>,
) -> Result<Numbers, TuneError> {
    settings.check()?;
    let mut run = Run::begin(settings, folder)?;
    while run.rounds() < settings.rounds && run.round(stop, observer)? {}
    run.numbers_after(run.rounds())
}

struct Run<'a> {
    settings: &'a TuneSettings,
    folder: &'a RunFolder,
    rule: Rule,
    metrics: Vec<RoundMetrics>,
}

fn games_file(round: u64) -> String {
    format!("games-{round}.jsonl")
}

fn weights_file(round: u64) -> String {
    format!("round-{round}.weights")
}

impl<'a> Run<'a> {
    fn begin(settings: &'a TuneSettings, folder: &'a RunFolder) -> Result<Run<'a>, TuneError> {
        let rule = settings.rule()?;
        // The line of a round is written when its numbers are safe: it is what says that the round is done.
        let metrics = folder.metrics(|_: &RoundMetrics| true)?;
        Ok(Run { settings, folder, rule, metrics })
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
        let bytes = fs::read(self.place(&file)).map_err(|error| self.failed(&file, error))?;
        Numbers::from_bytes(&bytes).map_err(|error| TuneError::Weights { file, error })
    }

    /// One round; `false` when it was stopped before its end.
    fn round(&mut self, stop: &AtomicBool, observer: Observer<'_>) -> Result<bool, TuneError> {
        let (started, round) = (Instant::now(), self.rounds() + 1);
        let before = self.numbers_after(round - 1)?;
        let weights = Arc::new(Weights::new(&before));
        if !self.play(round, &weights, stop, observer)? {
            return Ok(false);
        }
        let (numbers, mut line) = self.learn(round, &before)?;
        line.standing = self.measure(round, &numbers)?;
        line.seconds = started.elapsed().as_secs_f64();
        self.keep(line, &numbers)?;
        let last = self.metrics.last();
        observer(&Progress { rounds: round, games: 0, of: self.settings.games.count, last });
        Ok(!stop.load(Relaxed))
    }

    /// Plays the games of a round that are not in its file yet; `false` when it was stopped before the last.
    fn play(
        &self,
        round: u64,
        weights: &Arc<Weights>,
        stop: &AtomicBool,
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
        let seed = derived(self.settings.seed, [round]);
        let self_play = SelfPlay { rule: self.rule, games, weights, seed };
        let engines = Engines { idle: Mutex::default(), weights, nodes: games.nodes };
        let work = |n: usize| {
            let go_on = !stop.load(Relaxed);
            go_on.then(|| engines.lent(|engine| self_play.play(engine, missing[n])))
        };
        let (mut done, mut failure) = (played.len() as u64, None);
        workers::share_out(
            workers::threads(self.settings.threads),
            missing.len(),
            work,
            |_, game| {
                let written = game.map_err(TuneError::from).and_then(|game| {
                    let line = format!("{}\n", game.line());
                    out.write_all(line.as_bytes()).map_err(|error| self.failed(&file, error))
                });
                match written {
                    Ok(()) => done += 1,
                    Err(error) => {
                        failure.get_or_insert(error);
                    }
                }
                let last = self.metrics.last();
                observer(&Progress { rounds: round - 1, games: done, of: games.count, last });
            },
        );
        match failure {
            Some(error) => Err(error),
            None => Ok(done == games.count),
        }
    }

    /// The games of a round that were played so far, by number. A line that was cut off is taken out of the file.
    fn games(&self, round: u64) -> Result<BTreeMap<u64, GameRecord>, TuneError> {
        let file = games_file(round);
        let text = match fs::read(self.place(&file)) {
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

    fn measure(&self, round: u64, numbers: &Numbers) -> Result<Option<Standing>, TuneError> {
        let pairs = self.settings.measure.pairs;
        if pairs == 0 {
            return Ok(None);
        }
        let by_hand = Weights::new(&Numbers::by_hand(self.rule));
        let seed = derived(self.settings.seed, [round, u64::MAX, 1]);
        let play =
            SelfPlay { rule: self.rule, games: &self.settings.games, weights: &by_hand, seed };
        let weights = [Arc::new(Weights::new(numbers)), Arc::new(by_hand.clone())];
        let threads = workers::threads(self.settings.threads);
        Ok(Some(compare(&play, &weights, pairs, threads)?))
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

/// Engines that are not at work: one for each thread, used again from game to game.
struct Engines<'a> {
    idle: Mutex<Vec<NodeLimited>>,
    weights: &'a Arc<Weights>,
    nodes: u64,
}

impl Engines<'_> {
    fn lent<R>(&self, work: impl FnOnce(&mut NodeLimited) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let lent = idle().pop();
        let mut engine = lent.unwrap_or_else(|| NodeLimited::new(self.weights.clone(), self.nodes));
        let result = work(&mut engine);
        idle().push(engine);
        result
    }
}
