//! `tesuji train`: trains a model with the settings of a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use tesuji_app::training::{self, TrainingOptions, TrainingPlan};
use tesuji_games::SpecError;
use tesuji_learn::{LEARNERS, learner};
use tesuji_train::{
    LearnerKind, RunFolder, RunSettings, SettingsFile, StopReason, TrainError, TrainEvent,
    TrainingSummary,
};

use crate::examples::{TRAIN, help_below};
use crate::prelude::*;
use crate::queue_args::QueueArgs;

/// Train a model with the settings of a file; --resume continues an interrupted run
#[derive(clap::Args)]
pub(crate) struct TrainArgs {
    /// The settings, or the name of the learner before them
    #[arg(value_name = "FILE.toml|FILE.properties", required_unless_present_any = ["resume", "learners", "settings"])]
    file_or_learner: Option<PathBuf>,
    /// The settings after the name of a learner: tesuji train gomoku-eval FILE.toml
    #[arg(value_name = "FILE.toml")]
    file_of_learner: Option<PathBuf>,
    /// Keep the run in this folder [default: runs/ and the name of the file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Resume the run in this folder [default: the folder of --out or of the file]
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    resume: Option<Option<PathBuf>>,
    /// Stop after this many steps: iterations, blocks of games, rounds or passes, depending on the
    /// learner [default: as the file says]
    #[arg(long, visible_alias = "iterations", value_name = "N")]
    steps: Option<u64>,
    /// Play this many games at once; 0 for the number of processors [default: as the file says]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: Option<u16>,
    /// Store samples here, a file or postgres://…; with --queue, the workers must be able to write
    /// to it [default: as the file says, else in the folder of the run]
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Also write the metrics as TensorBoard event files, to the folder tensorboard of the run
    #[arg(long)]
    tensorboard: bool,
    /// List the learners and stop
    #[arg(long, exclusive = true)]
    learners: bool,
    /// Print all settings of a learner with their defaults, as a file to start from, and stop
    #[arg(long, value_name = "LEARNER", exclusive = true)]
    settings: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue_args: QueueArgs,
}

pub(super) fn help() -> String {
    let learners = learners_as_text();
    let more = format!("Learners (learner = \"NAME\" in the file):\n{learners}\n{TRAIN}");
    let example = "tesuji train examples/training/tictactoe.toml --iterations 2 --out runs/first";
    help_below(&more, example)
}

fn learners_as_text() -> String {
    let width = LEARNERS.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    LEARNERS.iter().map(|kind| format!("  {:width$}  {}\n", kind.name, kind.summary)).collect()
}

fn learner_named(name: &str) -> Result<&'static LearnerKind, Failure> {
    learner(name).ok_or_else(|| {
        let learners: Vec<&str> = LEARNERS.iter().map(|kind| kind.name).collect();
        let (name, learners) = (name.escape_debug(), learners.join(", "));
        Failure::BadInput(format!("learner '{name}': unknown; expected {learners}"))
    })
}

impl TrainArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        if self.learners {
            return print(learners_as_text());
        }
        if let Some(name) = &self.settings {
            let kind = learner_named(name)?;
            let settings = kind.read(kind.example).map_err(TrainError::from)?;
            return print(settings.toml);
        }
        let (plan, source) = self.plan()?;
        // Only for learners of two-player games; the learner itself reports other problems with the
        // game.
        if let Err(error @ SpecError::OnePlayer { .. }) = games.open(&plan.settings.common.game)
            && plan.settings.kind.player.is_some()
        {
            return Err(Failure::from(error).within(&source));
        }
        let kind = plan.settings.kind;
        if self.threads.is_some() && plan.settings.common.threads.is_none() {
            let problem = format!(
                "--threads: learner '{}' uses one thread; expected no --threads",
                kind.name
            );
            return Err(Failure::in_file(&source, problem));
        }
        let failed = |error| failure(&source, error);
        plan.check(games).map_err(failed)?;
        let threads = self.threads.map(usize::from);
        let place = self.store.as_deref().or(plan.settings.common.store.as_deref());
        let queue = self
            .queue_args
            .open_queue(threads.or(plan.settings.common.threads).unwrap_or(1), place)?;
        let options = TrainingOptions {
            games,
            queue: &*queue,
            threads,
            steps: self.steps,
            tensorboard: self.tensorboard,
            stop: stop_flag()?,
        };
        let open = |place: &str, access| self.queue_args.open_store(place, access);
        let progress = Progress::new(plan.settings.goal(self.steps), kind.step.plural);
        let summary = plan.run(&options, self.store.as_deref(), &open, &mut |event| match event {
            TrainEvent::Step { row, line } => progress.show(row.step, || line.to_string()),
            TrainEvent::Progress { step, what, done, of } => {
                progress.show(*step, || format!("{what} {done} of {of}"));
            }
        });
        drop(progress);
        let summary = summary.map_err(failed)?;
        if self.json {
            print_json(&RunOutput { folder: &plan.folder, result: &summary })?;
        } else {
            print_summary(&plan, &summary)?;
        }
        match summary.ending {
            StopReason::Interrupted => Err(Failure::Failed(format!(
                "interrupted after {} {}; to resume: tesuji train --resume {}",
                kind.step.singular,
                summary.step,
                plan.folder.display()
            ))),
            _ => Ok(()),
        }
    }

    /// The plan of the run, made before any file is written, and the source of its settings.
    fn plan(&self) -> Result<(TrainingPlan, PathBuf), Failure> {
        let folder = self.folder()?;
        let Some(file) = self.file() else {
            let plan = TrainingPlan::from_folder(folder.clone());
            return Ok((plan?, folder));
        };
        let (settings, given) = self.read_file(file)?;
        let plan = match self.resume.is_some() && RunFolder::holds_run(&folder) {
            true => TrainingPlan::resumed(settings, folder),
            false => TrainingPlan::new(settings, given, folder).map_err(TrainError::from),
        };
        Ok((plan.map_err(|error| failure(file, error))?, file.clone()))
    }

    fn file(&self) -> Option<&PathBuf> {
        self.file_of_learner.as_ref().or(self.file_or_learner.as_ref())
    }

    /// Reads a file. If a learner is named, the file must be for it.
    fn read_file(&self, file: &Path) -> Result<(RunSettings, SettingsFile), Failure> {
        let named = self.file_or_learner.as_ref().filter(|_| self.file_of_learner.is_some());
        let named = named.map(|word| learner_named(&word.to_string_lossy())).transpose()?;
        let text = input::read_text(file)?;
        let read = training::read_file(file, &text).in_file(file)?;
        match named.filter(|named| *named != read.0.kind) {
            Some(named) => {
                let (found, named) = (read.0.kind.name, named.name);
                let problem = format!("`learner` is \"{found}\"; expected learner = \"{named}\"");
                Err(Failure::in_file(file, problem))
            }
            None => Ok(read),
        }
    }

    fn folder(&self) -> Result<PathBuf, Failure> {
        let named = self.resume.clone().flatten();
        if named.as_ref().is_some_and(|path| path.is_file()) && self.file().is_none() {
            let path = named.unwrap_or_default();
            let problem =
                "is a file; expected the folder of a run; example: tesuji train FILE --resume";
            return Err(Failure::in_file(&path, problem));
        }
        match (named, &self.out, self.file()) {
            (Some(_), Some(_), _) => Err(Failure::bad(
                "--resume DIR: cannot be used with --out DIR; expected one of the two",
            )),
            (Some(folder), None, _) => Ok(folder),
            (None, Some(folder), _) => Ok(folder.clone()),
            (None, None, Some(file)) => Ok(run_folder(file)),
            (None, None, None) => Err(Failure::bad(
                "--resume: folder missing; expected a folder or FILE; example: tesuji train --resume \
                 runs/tictactoe",
            )),
        }
    }
}

/// The default folder of the run of a file.
pub(crate) fn run_folder(file: &Path) -> PathBuf {
    Path::new("runs").join(file.file_stem().unwrap_or(file.as_os_str()))
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

/// The output of `--json`.
#[derive(Serialize)]
pub(crate) struct RunOutput<'a, T> {
    pub(crate) folder: &'a Path,
    #[serde(flatten)]
    pub(crate) result: &'a T,
}

fn print_summary(plan: &TrainingPlan, summary: &TrainingSummary) -> Result<(), Failure> {
    let kind = plan.settings.kind;
    let TrainingSummary { step, seconds, .. } = summary;
    say!("{} {step}, {seconds:.1} s", kind.step.singular)?;
    if let Some(last) = &summary.last {
        let strength = last.strength.iter().map(|(opponent, score)| {
            format!("{opponent} {:.1} ± {:.1} %", 100.0 * score.score, 100.0 * score.error)
        });
        let strength: Vec<String> = strength.collect();
        if !strength.is_empty() {
            say!("score against {}", strength.join(", "))?;
        }
    }
    let best = match summary.best.filter(|best| best < step) {
        Some(best) => format!(" (of {} {best})", kind.step.singular),
        None => String::new(),
    };
    say!("{}: {}{best}", kind.noun, summary.model.display())
}

/// The failure of a run whose settings are in this file.
fn failure(source: &Path, error: TrainError) -> Failure {
    match error {
        TrainError::Settings(error) => Failure::in_file(source, error),
        error => error.into(),
    }
}
