//! `tesuji train`: a learner from one file. A run that was interrupted can be resumed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use tesuji_app::training::{self, TrainingOptions, TrainingPlan};
use tesuji_games::SpecError;
use tesuji_learn::{LEARNERS, learner};
use tesuji_search::Registry;
use tesuji_train::{
    Ending, Event, Given, LearnerKind, RunFolder, RunSettings, Summary, TrainError,
};

use crate::crew::Crew;
use crate::examples;
use crate::failure::Failure;
use crate::input;
use crate::output::print_json;
use crate::progress::Progress;

/// Train a player as a file says; resumes if interrupted
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct Train {
    /// What to train, and how
    #[arg(value_name = "FILE.toml|FILE.properties", required_unless_present_any = ["resume", "learners", "settings"])]
    file_or_learner: Option<PathBuf>,
    /// The file, if the name of its learner comes before it: tesuji train gomoku-eval FILE.toml
    #[arg(value_name = "FILE.toml")]
    file_of_learner: Option<PathBuf>,
    /// Keep the run in this folder [default: runs/ and the name of the file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Resume the run in this folder, or in that of --out
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    resume: Option<Option<PathBuf>>,
    /// Stop after this many steps: iterations, blocks of games, rounds or passes, as the learner
    /// has them [default: as the file says]
    #[arg(long, visible_alias = "iterations", value_name = "N")]
    steps: Option<u64>,
    /// Games at once; 0 for as many as the machine runs threads [default: as the file says]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: Option<u16>,
    /// Keep samples here, a file or postgres://…; with --queue, the store that the workers write to as well [default:
    /// as the file says, else in the folder]
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Also write the metrics as TensorBoard event files, into the folder `tensorboard` of the run
    #[arg(long)]
    tensorboard: bool,
    /// List the learners and stop
    #[arg(long, exclusive = true)]
    learners: bool,
    /// Print all settings of a learner with their defaults, as the beginning of a file, and stop
    #[arg(long, value_name = "LEARNER", exclusive = true)]
    settings: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    crew: Crew,
}

fn help() -> String {
    let learners = learners_as_text();
    let example = examples::help(examples::TRAIN);
    format!(
        "Learners (learner = \"NAME\" in the file):\n{learners}\n{}\n\n{example}",
        examples::TRAIN_FILE
    )
}

/// A line for each learner.
fn learners_as_text() -> String {
    let width = LEARNERS.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    LEARNERS.iter().map(|kind| format!("  {:width$}  {}\n", kind.name, kind.summary)).collect()
}

/// The learner of this name.
fn learner_named(name: &str) -> Result<&'static LearnerKind, Failure> {
    learner(name).ok_or_else(|| {
        let learners: Vec<&str> = LEARNERS.iter().map(|kind| kind.name).collect();
        let (name, learners) = (name.escape_debug(), learners.join(", "));
        Failure::BadInput(format!("learner '{name}': unknown; expected {learners}"))
    })
}

impl Train {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        if self.learners {
            return Ok(write!(io::stdout(), "{}", learners_as_text())?);
        }
        if let Some(name) = &self.settings {
            let kind = learner_named(name)?;
            let settings = kind.read(kind.example).map_err(TrainError::from)?;
            return Ok(write!(io::stdout(), "{}", settings.toml)?);
        }
        let (plan, source) = self.plan()?;
        refuse_puzzle(games, &plan, &source)?;
        let kind = plan.settings.kind;
        if self.threads.is_some() && plan.settings.facts.threads.is_none() {
            let what = format!(
                "--threads: the learner {} uses one thread; expected no --threads",
                kind.name
            );
            return Err(Failure::in_file(&source, what));
        }
        let failed = |error| failure(&source, error);
        plan.check(games).map_err(failed)?;
        let threads = self.threads.map(usize::from);
        let place = self.store.as_deref().or(plan.settings.facts.store.as_deref());
        let queue = self.crew.queue(threads.or(plan.settings.facts.threads).unwrap_or(1), place)?;
        let stop = stop_sign()?;
        let options = TrainingOptions {
            games,
            queue: &*queue,
            threads,
            steps: self.steps,
            tensorboard: self.tensorboard,
            stop,
        };
        let open = |place: &str, access| self.crew.store(place, access);
        let progress = Progress::new(plan.settings.goal(self.steps), kind.step.many);
        let mut steps = 0;
        let summary = plan.run(&options, self.store.as_deref(), &open, &mut |event| match event {
            Event::Step { row, line } => {
                steps = row.step;
                progress.show(steps, || line.to_string());
            }
            Event::Progress { step, what, done, of } => {
                progress.show(*step, || format!("{what} {done} of {of}"));
            }
        });
        drop(progress);
        let summary = summary.map_err(failed)?;
        if self.json {
            print_json(&Outcome { folder: &plan.folder, summary: &summary })?;
        } else {
            print(&plan, &summary)?;
        }
        match summary.ending {
            Ending::Interrupted => Err(Failure::Undone(format!(
                "interrupted after {} {}; resume with: tesuji train --resume {}",
                kind.step.one,
                summary.step,
                plan.folder.display()
            ))),
            _ => Ok(()),
        }
    }

    /// What is to be done where, decided before anything is touched, and where the settings are from.
    fn plan(&self) -> Result<(TrainingPlan, PathBuf), Failure> {
        let folder = self.folder()?;
        let Some(file) = self.file() else {
            let plan = TrainingPlan::of_folder(folder.clone());
            return Ok((plan?, folder));
        };
        let (settings, given) = self.read_file(file)?;
        let plan = match self.resume.is_some() && RunFolder::holds_run(&folder) {
            true => {
                TrainingPlan::resumed(settings, folder).map_err(|error| failure(file, error))?
            }
            false => TrainingPlan::new(settings, given, folder)?,
        };
        Ok((plan, file.clone()))
    }

    fn file(&self) -> Option<&PathBuf> {
        self.file_of_learner.as_ref().or(self.file_or_learner.as_ref())
    }

    /// Reads a file. If a learner was named before it, it must be a file for that one.
    fn read_file(&self, file: &Path) -> Result<(RunSettings, Given), Failure> {
        let named = self.file_or_learner.as_ref().filter(|_| self.file_of_learner.is_some());
        let named = named.map(|word| learner_named(&word.to_string_lossy())).transpose()?;
        let text = input::text_of(file)?;
        let read =
            training::read_file(file, &text).map_err(|error| Failure::in_file(file, error))?;
        match named.filter(|named| *named != read.0.kind) {
            Some(named) => {
                let (found, named) = (read.0.kind.name, named.name);
                let what = format!("`learner` is \"{found}\"; expected learner = \"{named}\"");
                Err(Failure::in_file(file, what))
            }
            None => Ok(read),
        }
    }

    fn folder(&self) -> Result<PathBuf, Failure> {
        let named = self.resume.clone().flatten();
        if named.as_ref().is_some_and(|path| path.is_file()) && self.file().is_none() {
            let path = named.unwrap_or_default();
            let what =
                "it is a file, expected the folder of a run; example: tesuji train FILE --resume";
            return Err(Failure::in_file(&path, what));
        }
        match (named, &self.out, self.file()) {
            (Some(_), Some(_), _) => Err(Failure::BadInput(
                "--resume DIR and --out DIR both name a folder; give one of them".to_string(),
            )),
            (Some(folder), None, _) => Ok(folder),
            (None, Some(folder), _) => Ok(folder.clone()),
            (None, None, Some(file)) => {
                let stem = file.file_stem().unwrap_or(file.as_os_str());
                Ok(Path::new("runs").join(stem))
            }
            (None, None, None) => Err(Failure::BadInput(
                "--resume needs a folder or a file; example: tesuji train --resume runs/tictactoe"
                    .to_string(),
            )),
        }
    }
}

/// Refuses a game of one player where the learner is for games of two. What else may be wrong with
/// the game, the learner says.
fn refuse_puzzle(games: &Registry, plan: &TrainingPlan, source: &Path) -> Result<(), Failure> {
    match (plan.settings.kind.player, games.open(&plan.settings.facts.game)) {
        (Some(_), Err(error @ SpecError::OnePlayer { .. })) => {
            Err(Failure::from(error).within(source))
        }
        _ => Ok(()),
    }
}

/// Raised by Ctrl-C; a second one ends the program at once.
pub(crate) fn stop_sign() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Outcome<'a> {
    folder: &'a Path,
    #[serde(flatten)]
    summary: &'a Summary,
}

fn print(plan: &TrainingPlan, summary: &Summary) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let kind = plan.settings.kind;
    let Summary { step, seconds, .. } = summary;
    writeln!(out, "{} {step}, {seconds:.1} s", kind.step.one)?;
    if let Some(last) = &summary.last {
        let strength = last.strength.iter().map(|(opponent, score)| {
            format!("{opponent} {:.1} ± {:.1} %", 100.0 * score.score, 100.0 * score.error)
        });
        let strength: Vec<String> = strength.collect();
        if !strength.is_empty() {
            writeln!(out, "score against {}", strength.join(", "))?;
        }
    }
    let best = match summary.best.filter(|best| best < step) {
        Some(best) => format!(" (of {} {best})", kind.step.one),
        None => String::new(),
    };
    writeln!(out, "{}: {}{best}", kind.noun, summary.model.display())?;
    Ok(())
}

/// A failure of a run whose settings are in this file.
fn failure(source: &Path, error: TrainError) -> Failure {
    match error {
        TrainError::Settings(error) => Failure::in_file(source, error),
        error => error.into(),
    }
}
