//! A run that teaches a line network, with everything that it leaves behind in its folder: the games as they are played
//! (`games.jsonl`), a checkpoint and a line of metrics after each pass over the positions, plots, and `network.lines`.
//! Taken up again after whatever happened, it comes to the same network, bit by bit.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tesuji_games::RowRule;
use tesuji_games::random::{below, derived, seeded};
use tesuji_gomoku::BoardError;
use tesuji_queue::{QueueError, WorkQueue};

use super::batch::Batch;
use super::file::LineFileError;
use super::games::{GamesError, played_games, recorded_games};
use super::lesson::Lesson;
use super::pupil::{Pupil, PupilState};
use super::settings::LineSettings;
use super::slopes::Losses;
use super::weights::{LineWeights, UnfitWeights};
use crate::evolution::SettingsError;
use crate::evolution::plots::{Curve, chart};
use crate::evolution::run_folder::{FolderError, RunFolder};
use crate::gomoku::record::{GameRecord, RecordError};
use crate::network::Optimizer;

/// The checkpoint of a run, in its folder.
pub const CHECKPOINT: &str = "checkpoint.lines";
/// What was learned, in the run's folder.
pub const NETWORK: &str = "network.lines";

/// One line of `metrics.jsonl`: a pass.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PassMetrics {
    /// Passes since the beginning of the run.
    pub passes: u64,
    /// Positions that were learned from,
    pub positions: usize,
    /// and those of the games that were held out.
    pub held_out: usize,
    /// The losses while learning: of the value,
    pub value_learning: f64,
    /// and of the policy.
    pub policy_learning: f64,
    /// The same in games that were held out, afterwards: of the value,
    pub value: f64,
    /// of the policy,
    pub policy: f64,
    /// and how often the move to be played was the most promising.
    pub found: f64,
    /// Seconds that the pass took.
    pub seconds: f64,
}

impl PassMetrics {
    /// One line for the log.
    pub fn line(&self) -> String {
        format!(
            "pass {}: {} positions; in games held out: loss of the value {:.4}, of the policy {:.3}, best move first \
             {:.1} %; {:.1} s",
            self.passes,
            self.positions,
            self.value,
            self.policy,
            100.0 * self.found,
            self.seconds,
        )
    }
}

/// Why a network could not be taught.
#[derive(Debug, thiserror::Error)]
pub enum TeachError {
    /// The settings make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There is no such board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// Games cannot be read or written.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// There is nothing to learn from.
    #[error(
        "there are {0} positions to learn from; expected at least one, and one in games that are held out"
    )]
    NothingToLearn(usize),
    /// The checkpoint is damaged.
    #[error("{CHECKPOINT}: {0}")]
    Checkpoint(LineFileError),
    /// The checkpoint is not that of this run.
    #[error("{CHECKPOINT}: it belongs to a network of another form")]
    OtherForm,
    /// The numbers ran away.
    #[error(
        "learning went astray in pass {pass}: {what}; what was learned before is kept, expected a smaller `learning.rate`"
    )]
    Astray {
        /// In which pass.
        pass: u64,
        /// What is wrong.
        what: String,
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
    /// Games that were played,
    pub games: u64,
    /// and all of them.
    pub games_of: u64,
    /// Passes that are done,
    pub passes: u64,
    /// and all of them.
    pub passes_of: u64,
    /// The last one.
    pub last: Option<&'a PassMetrics>,
}

/// Called after each game and each pass.
pub type Observer<'a> = &'a mut dyn FnMut(&Progress<'_>);

/// Teaches a network in a run's folder, from where its checkpoint left off; the queue has its games played. Raising `stop`
/// ends it soon, after the pass under way. The network is that of the last pass, also in [`NETWORK`].
pub fn teach(
    settings: &LineSettings,
    folder: &RunFolder,
    queue: &dyn WorkQueue,
    stop: &Arc<AtomicBool>,
    observer: Observer<'_>,
) -> Result<LineWeights, TeachError> {
    settings.check()?;
    let mut run = Run::begin(settings, folder)?;
    let passes = settings.learning.passes;
    if run.passes < passes {
        let of = settings.games.count;
        let played = played_games(settings, folder, queue, stop, &mut |games| {
            observer(&Progress { games, games_of: of, passes: 0, passes_of: passes, last: None });
        })?;
        if (played.len() as u64) < of {
            return run.network();
        }
        let lessons = run.lessons(played.into_values())?;
        while run.passes < passes && !stop.load(Relaxed) {
            let line = run.pass(&lessons)?;
            let (done, last) = (line.passes, Some(line));
            observer(&Progress { games: of, games_of: of, passes: done, passes_of: passes, last });
        }
    }
    run.network()
}

/// What is learned from, and what is held out.
struct Lessons {
    taught: Lesson,
    held_out: Lesson,
}

struct Run<'a> {
    settings: &'a LineSettings,
    folder: &'a RunFolder,
    rule: RowRule,
    pupil: Pupil,
    passes: u64,
    metrics: Vec<PassMetrics>,
}

impl<'a> Run<'a> {
    /// From the checkpoint, or from nothing.
    fn begin(settings: &'a LineSettings, folder: &'a RunFolder) -> Result<Run<'a>, TeachError> {
        let optimizer = Optimizer::Adam { rate: settings.learning.rate };
        let mut pupil =
            Pupil::untaught(settings.seed, optimizer).with_slopes_by(settings.learning.slopes);
        let mut passes = 0;
        if let Some((state, done)) = saved(folder)? {
            passes = done;
            if !pupil.restore(state) {
                return Err(TeachError::OtherForm);
            }
        }
        let metrics = folder.metrics(|line: &PassMetrics| line.passes <= passes)?;
        Ok(Run { settings, folder, rule: settings.rule()?, pupil, passes, metrics })
    }

    /// Positions of the games that were played and of those that were recorded earlier.
    fn lessons(&self, played: impl Iterator<Item = GameRecord>) -> Result<Lessons, TeachError> {
        let mut lessons = Lessons { taught: Lesson::default(), held_out: Lesson::default() };
        let mut number = 0;
        let mut add = |game: &GameRecord| -> Result<(), RecordError> {
            let held_out = number % self.settings.learning.held_out == 0;
            let lesson = if held_out { &mut lessons.held_out } else { &mut lessons.taught };
            number += 1;
            lesson.add(game, self.rule, self.settings.learning.result)
        };
        for game in played {
            add(&game).map_err(|error| GamesError::in_file("games.jsonl", error))?;
        }
        for file in &self.settings.records {
            recorded_games(file, &mut add)?;
        }
        match lessons.taught.is_empty() || lessons.held_out.is_empty() {
            true => Err(TeachError::NothingToLearn(lessons.taught.len())),
            false => Ok(lessons),
        }
    }

    /// One pass over all positions, with its line and its checkpoint.
    fn pass(&mut self, lessons: &Lessons) -> Result<&PassMetrics, TeachError> {
        let started = Instant::now();
        let learning = self.learn(&lessons.taught)?;
        let judged = self.judge(&lessons.held_out);
        self.passes += 1;
        let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
        let line = PassMetrics {
            passes: self.passes,
            positions: learning.positions,
            held_out: judged.positions,
            value_learning: mean(learning.value, learning.positions),
            policy_learning: mean(learning.policy, learning.moves),
            value: mean(judged.value, judged.positions),
            policy: mean(judged.policy, judged.moves),
            found: mean(judged.found as f64, judged.moves),
            seconds: started.elapsed().as_secs_f64(),
        };
        self.keep(line)
    }

    fn learn(&mut self, lesson: &Lesson) -> Result<Losses, TeachError> {
        let learning = &self.settings.learning;
        let order = shuffled(lesson.len(), derived(self.settings.seed, [u64::MAX, self.passes]));
        let steps = lesson.len().div_ceil(learning.batch) as f32;
        let (mut all, mut batch) = (Losses::default(), Batch::default());
        for (step, places) in order.chunks(learning.batch).enumerate() {
            batch.fill(places.iter().map(|&n| lesson.get(n as usize)));
            let done = (self.passes as f32 + step as f32 / steps) / learning.passes as f32;
            let losses = self.pupil.learn(&batch, 0.5 + 0.5 * (std::f32::consts::PI * done).cos());
            if !(losses.value + losses.policy).is_finite() {
                return Err(self.astray("the loss is no number".to_string()));
            }
            all.add(&losses);
        }
        // Before it is written down.
        self.pupil.network().map_err(|error| self.astray(error.to_string()))?;
        Ok(all)
    }

    fn astray(&self, what: String) -> TeachError {
        TeachError::Astray { pass: self.passes + 1, what }
    }

    fn judge(&mut self, lesson: &Lesson) -> Losses {
        let (mut all, mut batch) = (Losses::default(), Batch::default());
        let places: Vec<usize> = (0..lesson.len()).collect();
        for places in places.chunks(self.settings.learning.batch) {
            batch.fill(places.iter().map(|&n| lesson.get(n)));
            all.add(&self.pupil.judge(&batch));
        }
        all
    }

    /// The line comes before the checkpoint: one without the other is taken out when the run goes on.
    fn keep(&mut self, line: PassMetrics) -> Result<&PassMetrics, TeachError> {
        self.folder.add_metrics(&line)?;
        self.folder.log(&line.line())?;
        self.metrics.push(line);
        self.folder.replace(CHECKPOINT, &self.pupil.state().to_bytes(self.passes))?;
        self.folder.replace(NETWORK, &self.network()?.to_bytes())?;
        draw(self.folder, &self.metrics)?;
        Ok(&self.metrics[self.metrics.len() - 1])
    }

    fn network(&self) -> Result<LineWeights, TeachError> {
        let LineSettings { seed, games, records, .. } = self.settings;
        let made = format!(
            "{} passes over {} games with {} nodes a move and {} files of records, seed {seed}",
            self.passes,
            games.count,
            games.nodes,
            records.len(),
        );
        let astray = |error: UnfitWeights| self.astray(error.to_string());
        Ok(self.pupil.network().map_err(astray)?.with_origin(made))
    }
}

fn saved(folder: &RunFolder) -> Result<Option<(PupilState, u64)>, TeachError> {
    match folder.read(CHECKPOINT) {
        Ok(bytes) => PupilState::from_bytes(&bytes).map(Some).map_err(TeachError::Checkpoint),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(TeachError::Checkpoint(error.into())),
    }
}

/// All numbers below `count`, in an order by chance (Fisher and Yates, 1938).
fn shuffled(count: usize, seed: u64) -> Vec<u32> {
    let (mut order, mut rng): (Vec<u32>, _) = ((0..count as u32).collect(), seeded(seed));
    for n in (1..order.len()).rev() {
        order.swap(n, below(&mut rng, n as u32 + 1) as usize);
    }
    order
}

type Number = fn(&PassMetrics) -> f64;

/// File, title, unit, and the curves with their names.
type Picture = (&'static str, &'static str, &'static str, &'static [(&'static str, Number)]);

const PICTURES: &[Picture] = &[
    (
        "value",
        "Loss of the value",
        "cross entropy",
        &[("learned from", |m| m.value_learning), ("held out", |m| m.value)],
    ),
    (
        "policy",
        "Loss of the policy",
        "cross entropy",
        &[("learned from", |m| m.policy_learning), ("held out", |m| m.policy)],
    ),
    ("found", "Best moves that look most promising", "share", &[("held out", |m| m.found)]),
];

fn draw(folder: &RunFolder, all: &[PassMetrics]) -> Result<(), FolderError> {
    for (file, title, unit, curves) in PICTURES {
        let points =
            |number: &Number| all.iter().map(|m| (m.passes as f64, number(m))).collect::<Vec<_>>();
        let curves: Vec<Curve<'_>> =
            curves.iter().map(|(name, number)| Curve { name, points: points(number) }).collect();
        let svg = chart(title, "passes", unit, &curves);
        folder.redraw(&format!("plots/{file}.svg"), svg.as_bytes())?;
    }
    Ok(())
}
