//! `tesuji train`: a learner from one file; whatever happens, it can be carried on with.

mod critic;
mod gomoku;
mod lines;
mod network;
mod reached;
mod weights;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use tesuji_arena::{Programs, rivals};
use tesuji_games::SpecError;
use tesuji_learn::LearnerSettings;
use tesuji_learn::evolution::bank::importable;
use tesuji_learn::evolution::run_folder::now;
use tesuji_learn::evolution::{
    self, Ending, FolderError, Given, RunFolder, RunName, Settings, Summary, TrainError, Training,
    properties,
};
use tesuji_learn::learner::LEARNERS;
use tesuji_queue::WorkQueue;
use tesuji_store::key::digest;
use tesuji_store::{Access, Store};

use tesuji_search::Registry;

use crate::crew::Crew;
use crate::examples;
use crate::failure::Failure;
use crate::input;
use crate::output::print_json;
use crate::progress::Progress;

/// Train a player as a file says; interrupted, it carries on
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct Train {
    /// What to train, and how
    #[arg(value_name = "FILE.toml|FILE.properties", required_unless_present = "resume")]
    file_or_learner: Option<PathBuf>,
    /// The file, if the name of its learner comes before it: tesuji train gomoku-eval FILE.toml
    #[arg(value_name = "FILE.toml")]
    file_of_learner: Option<PathBuf>,
    /// Keep the run in this folder [default: runs/ and the name of the file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Carry on with the run in the folder: this one, or that of --out
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    resume: Option<Option<PathBuf>>,
    /// Stop after this many iterations: of the evolution, or blocks or rounds of games [default:
    /// as the file says]
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// Games at once; 0 for as many as the machine runs threads [default: as the file says]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: Option<u16>,
    /// Keep samples here, a file or postgres://…; with --queue, the store that the workers write to as well [default:
    /// as the file says, else in the folder]
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    crew: Crew,
}

fn help() -> String {
    format!("{}\n\n{}", examples::TRAIN_FILE, examples::help(examples::TRAIN))
}

impl Train {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let plan = self.plan()?;
        refuse_puzzle(games, &plan)?;
        match plan.settings.clone() {
            LearnerSettings::Forest(settings) => self.evolve_a_forest(games, plan, *settings),
            LearnerSettings::Weights(settings) => weights::learn(&self, plan, *settings),
            LearnerSettings::Network(settings) => network::learn(&self, plan, *settings),
            LearnerSettings::Gomoku(settings) => gomoku::learn(&self, plan, *settings),
            LearnerSettings::Critic(settings) => critic::learn(&self, plan, *settings),
            LearnerSettings::Lines(settings) => lines::learn(&self, plan, *settings),
        }
    }

    fn evolve_a_forest(
        &self,
        games: &Registry,
        plan: Plan,
        mut settings: Settings,
    ) -> Result<(), Failure> {
        settings.stop.iterations = self.iterations.or(settings.stop.iterations);
        settings.threads = self.threads.map_or(settings.threads, usize::from);
        let folder = plan.folder.clone();
        let summary = self.evolve(games, &plan, settings)?;
        if self.json {
            print_json(&Told { folder: &folder, summary: &summary })?;
        } else {
            print(&folder, &summary)?;
        }
        match summary.ending {
            Ending::Interrupted => {
                Err(interrupted(&folder, format!("iteration {}", summary.iterations)))
            }
            _ => Ok(()),
        }
    }

    /// Evolves a forest as the plan says.
    fn evolve(
        &self,
        games: &Registry,
        plan: &Plan,
        settings: Settings,
    ) -> Result<Summary, Failure> {
        let of_file = |error: &dyn Display| Failure::in_file(&plan.source, error);
        let window = evolution::window(&settings).map_err(|error| of_file(&error))?;
        let rivals = rivals(games, Programs::Allowed);
        // Each rival is made once here, so that a slip is told before the run begins.
        for player in &settings.evolution.scenarios.rivals {
            rivals(&settings.game, player).map(drop).map_err(|error| of_file(&error))?;
        }
        if matches!(plan.start, Start::New(_)) {
            for place in &settings.data.import {
                importable(place, &settings.game, window).map_err(|error| of_file(&error))?;
            }
        }
        let place = self.store.as_deref().or(settings.data.store.as_deref());
        let queue = self.crew.queue(settings.threads, place)?;
        let (folder, store) = plan.open(place, &self.crew)?;
        let progress = Progress::new(settings.stop.iterations, "iterations");
        let training = Training { settings, folder, store, rivals, queue, stop: stop_sign()? };
        Ok(training.run(&mut |now| progress.show(now.iteration - 1, || words(now)))?)
    }

    /// Who plays the games of a run that keeps no records of its own.
    fn queue(&self, threads: usize) -> Result<Arc<dyn WorkQueue>, Failure> {
        self.crew.queue(threads, self.store.as_deref())
    }

    /// What is to be done where, decided before anything is touched.
    fn plan(&self) -> Result<Plan, Failure> {
        let folder = self.folder()?;
        let plan = match (self.file(), self.resume.is_some() && RunFolder::holds_run(&folder)) {
            (Some(file), false) => {
                let (settings, given) = self.read_file(file)?;
                if RunFolder::holds_run(&folder) {
                    return Err(FolderError::Taken(folder).into());
                }
                Plan { settings, folder, start: Start::New(given), source: file.clone() }
            }
            (Some(file), true) => {
                let (settings, _) = self.read_file(file)?;
                let run = settings_of_run(&folder)?;
                if let Some(difference) = settings.difference(&run) {
                    let folder = folder.display();
                    let what = format!("it does not describe the run in {folder}: {difference}");
                    return Err(Failure::in_file(file, what));
                }
                Plan { settings, folder, start: Start::Again, source: file.clone() }
            }
            (None, _) => {
                let settings = settings_of_run(&folder)?;
                Plan { settings, source: folder.clone(), folder, start: Start::Again }
            }
        };
        Ok(plan)
    }

    fn file(&self) -> Option<&PathBuf> {
        self.file_of_learner.as_ref().or(self.file_or_learner.as_ref())
    }

    /// Reads a file. If a learner was named before it, it must be a file for that one.
    fn read_file(&self, file: &Path) -> Result<(LearnerSettings, Given), Failure> {
        let named = self.file_or_learner.as_ref().filter(|_| self.file_of_learner.is_some());
        let named = named.map(|word| word.to_string_lossy());
        if let Some(word) = named.as_ref().filter(|word| !LEARNERS.contains(&word.as_ref())) {
            let learners = LEARNERS.join(", ");
            return Err(Failure::BadInput(format!(
                "no learner is called '{}'; expected {learners}, or a file alone",
                word.escape_debug()
            )));
        }
        let (settings, given) = read_file(file)?;
        match named.filter(|word| *word != settings.learner()) {
            Some(word) => Err(Failure::in_file(
                file,
                format!(
                    "it is for the learner {}; for {word} it needs: learner = \"{word}\"",
                    settings.learner()
                ),
            )),
            None => Ok((settings, given)),
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
fn refuse_puzzle(games: &Registry, plan: &Plan) -> Result<(), Failure> {
    match (&plan.settings, games.open(plan.settings.game())) {
        (LearnerSettings::Network(_), _) => Ok(()),
        (_, Err(error @ SpecError::OnePlayer { .. })) => {
            Err(Failure::from(error).within(&plan.source))
        }
        _ => Ok(()),
    }
}

/// The words for a run that was interrupted.
fn interrupted(folder: &Path, after: String) -> Failure {
    let folder = folder.display();
    Failure::Undone(format!(
        "interrupted after {after}; carry on with: tesuji train --resume {folder}"
    ))
}

fn read_file(path: &Path) -> Result<(LearnerSettings, Given), Failure> {
    let text = input::text_of(path)?;
    let is_java = path.extension().is_some_and(|extension| extension == "properties");
    let form = if is_java { "properties" } else { "toml" };
    let settings = if is_java {
        properties::read(&text).map(|settings| LearnerSettings::Forest(Box::new(settings)))
    } else {
        LearnerSettings::from_toml(&text)
    };
    let settings = settings.map_err(|error| Failure::in_file(path, error))?;
    Ok((settings, Given { form, text }))
}

fn settings_of_run(folder: &Path) -> Result<LearnerSettings, Failure> {
    let text = RunFolder::settings(folder)?;
    let path = folder.join("settings.toml");
    LearnerSettings::from_toml(&text).map_err(|error| Failure::in_file(&path, error))
}

/// A run, before the type of its game is known.
struct Plan {
    settings: LearnerSettings,
    folder: PathBuf,
    start: Start,
    /// Where the settings came from, for complaints about them.
    source: PathBuf,
}

enum Start {
    New(Given),
    Again,
}

impl Plan {
    /// Opens the folder of the run, and makes it if the run is new.
    fn open_folder(&self) -> Result<RunFolder, Failure> {
        Ok(match &self.start {
            Start::Again => RunFolder::open(&self.folder)?,
            Start::New(given) => {
                RunFolder::create(&self.folder, given, &self.settings.to_toml(), &self.name())?
            }
        })
    }

    /// Opens the folder and the store of the run, and makes them if it is new.
    fn open(
        &self,
        place: Option<&str>,
        crew: &Crew,
    ) -> Result<(RunFolder, Box<dyn Store>), Failure> {
        let own = self.folder.join("samples.db").to_string_lossy().into_owned();
        match &self.start {
            Start::Again => {
                let folder = self.open_folder()?;
                // A run that was killed before it had a store begins with an empty one.
                let begun = folder.checkpoint::<serde_json::Value>()?.is_some();
                if begun && place.is_none() && !Path::new(&own).exists() {
                    return Err(Failure::BadInput(format!(
                        "the samples of this run are not in {own}; give the --store that it was begun with"
                    )));
                }
                let access = if begun { Access::Existing } else { Access::Create };
                Ok((folder, crew.store(place.unwrap_or(&own), access)?))
            }
            Start::New(_) => {
                // A store elsewhere is tried first: nothing is begun that could not go on.
                let open = |place: &str| crew.store(place, Access::Create);
                let elsewhere = place.map(open).transpose()?;
                let folder = self.open_folder()?;
                let store = elsewhere.map_or_else(|| open(&own), Ok)?;
                Ok((folder, store))
            }
        }
    }

    fn name(&self) -> RunName {
        let started_at = now();
        let place = std::path::absolute(&self.folder).unwrap_or(self.folder.clone());
        let parts = [&self.settings.to_toml(), &*place.to_string_lossy(), &started_at.to_string()];
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
        RunName { id: format!("{name}-{}", digest(&parts)), started_at }
    }
}

/// Raised by Ctrl-C; a second one ends the program at once.
fn stop_sign() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

fn words(now: &evolution::Progress<'_>) -> String {
    let last = now.last.map(|last| {
        format!(
            ", best {:.1}, average {:.2}, {:.0} games/s",
            last.best, last.average, last.games_per_second
        )
    });
    format!("game {} of {}{}", now.games, now.of, last.unwrap_or_default())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    folder: &'a Path,
    #[serde(flatten)]
    summary: &'a Summary,
}

fn print(folder: &Path, summary: &Summary) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let Summary { iterations, samples, seconds, games_share, .. } = summary;
    let (share, speed) =
        (100.0 * games_share, summary.last.as_ref().map(|last| last.games_per_second));
    let speed = speed.map(|speed| format!(", {speed:.0} games/s at last")).unwrap_or_default();
    writeln!(
        out,
        "{iterations} iterations, {samples} samples, {seconds:.1} s, {share:.0} % of it in games{speed}"
    )?;
    if let Some(last) = &summary.last {
        writeln!(out, "{}", last.line())?;
    }
    writeln!(out, "best forest: {}", folder.join("best.xml").display())?;
    Ok(())
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Taken(_) | FolderError::NoRun(_) => Failure::BadInput(error.to_string()),
            FolderError::Busy(_) | FolderError::File { .. } => Failure::Undone(error.to_string()),
        }
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Folder(error) => error.into(),
            TrainError::Store(error) => error.into(),
            TrainError::Settings(_) => Failure::BadInput(error.to_string()),
            _ => Failure::Undone(error.to_string()),
        }
    }
}
