//! Work that people start from a page: trainings, tournaments, matches, experiments, reports. Each is the program itself as a child process,
//! with a folder of its own among the runs; a few at once. When the server stops they are stopped, too, and can be carried
//! on with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_play::event::now;

use super::folders;
use super::order::{self, Kind, Places, Start};
use super::process::{End, Process, output_of};
use crate::errors::ApiError;
use crate::state::Options;

/// So many are at work at once.
pub(super) const MOST_AT_ONCE: usize = 2;
/// So many are listed, the latest first.
const MOST_LISTED: usize = 30;
/// What is known about a job, in its folder.
const NOTE: &str = "job.json";
const RUNNING: &str = "running";
/// How long it may take to see that a killed job is gone, and to write that down.
const TIME_FOR_NOTES: Duration = Duration::from_millis(500);
/// The largest file of settings that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// The jobs of this server.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<BTreeMap<String, Process>>);

/// What is written down about a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Note {
    kind: Kind,
    state: String,
    started_at: u64,
    ended_at: Option<u64>,
    /// Its games are played by the workers of all machines.
    #[serde(default)]
    workers: bool,
    /// Which experiment is made again.
    #[serde(default)]
    experiment: Option<String>,
}

/// A job as it is listed.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) kind: Kind,
    /// `running`, `stopping`, `finished`, `interrupted` or `failed`.
    pub(super) state: String,
    started_at: u64,
    ended_at: Option<u64>,
    /// What the program said last.
    pub(super) output: Vec<String>,
    /// Whether its games are played by the workers of all machines.
    workers: bool,
    /// Which experiment is made again, if that is what it does.
    experiment: Option<String>,
    /// Whether there is a run by the same name.
    run: bool,
    can_stop: bool,
    can_resume: bool,
}

/// What somebody wants to be done.
pub(super) struct Order {
    pub(super) kind: Kind,
    pub(super) toml: String,
    /// What its folder is to be called; a number is added if that is taken.
    pub(super) name: String,
    /// Whether the workers of all machines are to play its games.
    pub(super) workers: bool,
}

impl Jobs {
    /// Starts a new job and returns its name.
    pub(super) fn start(&self, options: &Options, order: &Order) -> Result<String, ApiError> {
        check_name(&order.name)?;
        check_queue(options, order.workers)?;
        // What is wrong with a match or an experiment is known before anything is made.
        let nowhere = places(options, Path::new(""));
        order::arguments(order.kind, Start::New, nowhere, &order.toml)?;
        if !options.allow_programs {
            order::check_reach(&options.runs, order.kind, &order.toml)?;
        }
        let mut jobs = self.inside();
        check_room(&jobs)?;
        let (id, folder) = make_folder(&options.runs, &order.name)?;
        let started =
            lay_out(&folder, order).map_err(|error| cannot_write(&folder, &error)).and_then(|()| {
                let work = Work { kind: order.kind, workers: order.workers };
                launch(options, work, Start::New, &folder, &order.toml)
            });
        match started {
            Ok(process) => drop(jobs.insert(id.clone(), process)),
            Err(error) => {
                drop(fs::remove_dir_all(&folder));
                return Err(error);
            }
        }
        Ok(id)
    }

    /// Carries on with a job, or with a run that nobody works at.
    pub(super) fn resume(&self, options: &Options, id: &str) -> Result<(), ApiError> {
        let folder = find(&options.runs, id)?;
        let mut jobs = self.inside();
        let busy = jobs.get(id).is_some_and(|process| process.end().is_none());
        if busy || folders::is_at_work(&folder) {
            return Err(ApiError::conflict("this is under way already"));
        }
        check_room(&jobs)?;
        let kind = match folders::holds_experiment(&folder) {
            true => Kind::Experiment,
            false => Kind::Train,
        };
        let usual = Work { kind, workers: false };
        let work =
            note_of(&folder).map_or(usual, |note| Work { kind: note.kind, workers: note.workers });
        check_queue(options, work.workers)?;
        if work.kind == Kind::Train && !folders::holds_run(&folder) {
            return Err(ApiError::conflict("this has not even begun; start it anew"));
        }
        if !options.allow_programs {
            check_programs(&folder)?;
        }
        let toml = folders::text_of(&folder.join(order::FILE), LARGEST_FILE).unwrap_or_default();
        let process = launch(options, work, Start::Again, &folder, &toml)?;
        jobs.insert(id.to_string(), process);
        Ok(())
    }

    /// Asks a job to stop.
    pub(super) fn stop(&self, runs: &Path, id: &str) -> Result<(), ApiError> {
        find(runs, id)?;
        match self.inside().get(id).filter(|process| process.end().is_none()) {
            Some(process) => {
                process.stop();
                Ok(())
            }
            None => Err(ApiError::conflict("this is not under way, or was not started here")),
        }
    }

    /// Asks all jobs to stop.
    pub(crate) fn stop_all(&self) {
        self.inside().values().for_each(Process::stop);
    }

    /// Waits until no job is at work; those that are left after `grace` are killed. They are asked
    /// to stop first, and what they have written is complete at any moment, so they can be resumed.
    pub(crate) async fn end_all(&self, grace: Duration) {
        // One may have been started since all were asked.
        self.stop_all();
        self.stopped_within(grace).await;
        self.inside().values().for_each(Process::kill);
        self.stopped_within(TIME_FOR_NOTES).await;
    }

    async fn stopped_within(&self, time: Duration) {
        let since = Instant::now();
        while self.at_work() > 0 && since.elapsed() < time {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn at_work(&self) -> usize {
        at_work(&self.inside())
    }

    /// How a job of this server ended, if it did.
    pub(super) fn end_of(&self, id: &str) -> Option<End> {
        self.inside().get(id).and_then(Process::end)
    }

    /// The latest jobs.
    pub(super) fn list(&self, runs: &Path) -> Vec<Job> {
        let entries = fs::read_dir(runs).into_iter().flatten().flatten().take(10_000);
        let mut notes: Vec<(String, PathBuf, Note)> = entries
            .filter_map(|entry| {
                let id = entry.file_name().into_string().ok().filter(|id| folders::is_plain(id))?;
                Some((id, entry.path(), note_of(&entry.path())?))
            })
            .collect();
        notes.sort_by_key(|(id, _, note)| (std::cmp::Reverse(note.started_at), id.clone()));
        notes.truncate(MOST_LISTED);
        let jobs = self.inside();
        notes
            .into_iter()
            .map(|(id, path, note)| job(id.clone(), &path, note, jobs.get(&id)))
            .collect()
    }

    fn inside(&self) -> MutexGuard<'_, BTreeMap<String, Process>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn job(id: String, path: &Path, note: Note, process: Option<&Process>) -> Job {
    let here = process.filter(|process| process.end().is_none());
    let run = folders::holds_run(path);
    let state = match here {
        Some(process) if process.is_stopping() => "stopping",
        Some(_) => RUNNING,
        // A server that came to a sudden end could not write down more; its trainings may go on without it.
        None if note.state == RUNNING && process.is_none() => match folders::is_at_work(path) {
            true => RUNNING,
            false => "interrupted",
        },
        None => &note.state,
    }
    .to_string();
    let over = state == "interrupted" || state == "failed";
    Job {
        kind: note.kind,
        output: output_of(path),
        can_stop: here.is_some() && state == RUNNING,
        can_resume: over && (run || note.kind != Kind::Train),
        state,
        started_at: note.started_at,
        ended_at: note.ended_at,
        workers: note.workers,
        experiment: note.experiment,
        run,
        id,
    }
}

fn at_work(jobs: &BTreeMap<String, Process>) -> usize {
    jobs.values().filter(|process| process.end().is_none()).count()
}

fn check_room(jobs: &BTreeMap<String, Process>) -> Result<(), ApiError> {
    if at_work(jobs) >= MOST_AT_ONCE {
        return Err(ApiError::conflict(format!(
            "{MOST_AT_ONCE} are under way, and no more fit; stop one, or wait"
        )));
    }
    Ok(())
}

/// Whether games can be left to the workers of other machines.
pub(super) fn can_be_shared(options: &Options) -> bool {
    options.queue.is_some() && options.store.is_some()
}

fn check_queue(options: &Options, is_wanted: bool) -> Result<(), ApiError> {
    if is_wanted && !can_be_shared(options) {
        return Err(ApiError::conflict(
            "there are no workers here; start the server with --queue nats://HOST and a store",
        ));
    }
    Ok(())
}

/// Whether what is written in a folder starts no programs: a run may have been begun elsewhere,
/// where that is allowed.
fn check_programs(folder: &Path) -> Result<(), ApiError> {
    for file in [order::FILE, folders::SETTINGS, folders::EXPERIMENT] {
        match folders::text_of(&folder.join(file), LARGEST_FILE) {
            Some(text) => order::check_programs(&text)?,
            None if folder.join(file).exists() => {
                return Err(ApiError::conflict(format!("{file}: cannot be read as text")));
            }
            None => (),
        }
    }
    Ok(())
}

/// The folder of a job, an experiment or a run.
fn find(runs: &Path, id: &str) -> Result<PathBuf, ApiError> {
    let path = runs.join(id);
    let is_known = || note_of(&path).is_some() || folders::holds_experiment(&path);
    if folders::is_plain(id) && is_known() && folders::is_inside(&path, runs) {
        return Ok(path);
    }
    folders::find(runs, id).map(|folder| folder.path)
}

/// Small letters, digits and lines between them: it becomes the name of a folder.
pub(super) fn check_name(name: &str) -> Result<(), ApiError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 40 || name.starts_with('-') || !name.chars().all(fits) {
        return Err(ApiError::bad(
            "a name has 1 to 40 small letters, digits and lines between them",
        ));
    }
    Ok(())
}

/// A new folder that was not there before.
fn make_folder(runs: &Path, name: &str) -> Result<(String, PathBuf), ApiError> {
    fs::create_dir_all(runs).map_err(|error| cannot_write(runs, &error))?;
    for number in 1..1000 {
        let id = if number == 1 { name.to_string() } else { format!("{name}-{number}") };
        let folder = runs.join(&id);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok((id, folder)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => (),
            Err(error) => return Err(cannot_write(&folder, &error)),
        }
    }
    Err(ApiError::conflict(format!("there are very many runs called {name}; choose another name")))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> ApiError {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ApiError::internal(format!("cannot write into the folder of runs: {name}: {error}"))
}

/// Lays the file of an order into its folder, and the lists of openings that it may name.
fn lay_out(folder: &Path, order: &Order) -> std::io::Result<()> {
    fs::write(folder.join(order::FILE), &order.toml)?;
    for (name, content) in super::examples::openings() {
        if order.toml.contains(name) {
            let path = folder.join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, content)?;
        }
    }
    Ok(())
}

/// What a job does, and who plays for it.
#[derive(Clone, Copy)]
struct Work {
    kind: Kind,
    workers: bool,
}

fn places<'a>(options: &'a Options, folder: &'a Path) -> Places<'a> {
    Places { folder, store: options.store.as_deref(), reports: &options.reports }
}

fn launch(
    options: &Options,
    Work { kind, workers }: Work,
    start: Start,
    folder: &Path,
    toml: &str,
) -> Result<Process, ApiError> {
    let nothing = || ApiError::conflict("nothing can be started here: the server knows no program");
    let program = options.program.as_deref().ok_or_else(nothing)?;
    let arguments = order::arguments(kind, start, places(options, folder), toml)?;
    let state = RUNNING.to_string();
    let is_report = kind == Kind::Reproduce;
    let experiment = is_report.then(|| order::published(toml).ok()).flatten().map(str::to_string);
    let note = Note { kind, state, started_at: now(), ended_at: None, workers, experiment };
    write_note(folder, &note).map_err(|error| cannot_write(folder, &error))?;
    let place = folder.to_path_buf();
    let ended = move |end: End| {
        let state = word(end).to_string();
        // The folder may be gone: then there is nothing to remember.
        drop(write_note(&place, &Note { state, ended_at: Some(now()), ..note }));
    };
    let mut command = Command::new(program);
    command.args(arguments).env_remove("TESUJI_TOKEN");
    // Not as arguments, which every user of this machine can read.
    match order::store_of(kind, places(options, folder), workers) {
        Some(store) => command.env("TESUJI_STORE", store),
        None => command.env_remove("TESUJI_STORE"),
    };
    for (name, value) in options.queue.iter().flat_map(|queue| &queue.environment) {
        match workers {
            true => command.env(name, value),
            false => command.env_remove(name),
        };
    }
    Process::start(command, folder, ended)
        .map_err(|error| ApiError::internal(format!("the program cannot be started: {error}")))
}

fn word(end: End) -> &'static str {
    match end {
        End::Finished => "finished",
        End::Failed => "failed",
        End::Interrupted => "interrupted",
    }
}

fn write_note(folder: &Path, note: &Note) -> std::io::Result<()> {
    let text = serde_json::to_string(note).map_err(std::io::Error::other)?;
    // Replaced at once: who lists jobs never sees half a note.
    let draft = folder.join("job.json.new");
    fs::write(&draft, text)?;
    fs::rename(draft, folder.join(NOTE))
}

fn note_of(folder: &Path) -> Option<Note> {
    serde_json::from_str(&folders::text_of(&folder.join(NOTE), 4 << 10)?).ok()
}

/// Why a job failed, in one line. Of a new one the folder is taken away, if nothing but the order is in it.
pub(super) fn failure(runs: &Path, id: &str, start: Start) -> ApiError {
    let folder = runs.join(id);
    let output = output_of(&folder);
    let line = output.iter().rev().find_map(|line| line.strip_prefix("error: "));
    let line = line.or(output.last().map(String::as_str)).unwrap_or("the program ended at once");
    let file = format!("{}: ", folder.join(order::FILE).display());
    let error = ApiError::bad(line.strip_prefix(&file).unwrap_or(line));
    let has_begun = folders::holds_run(&folder) || folders::holds_experiment(&folder);
    let kept = has_begun || folder.join("games.db").exists();
    if start == Start::New && !kept {
        drop(fs::remove_dir_all(&folder));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job that ignores every request to stop does not hold up the end of the server.
    #[tokio::test]
    async fn a_job_that_does_not_stop_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' INT TERM; touch ready; while :; do sleep 1; done"]);
        command.current_dir(folder.path());
        let process = Process::start(command, folder.path(), |_| ()).unwrap();
        while !folder.path().join("ready").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let jobs = Jobs::default();
        jobs.inside().insert("stubborn".to_string(), process);
        let asked = Instant::now();
        jobs.stop_all();
        jobs.end_all(Duration::from_millis(300)).await;
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        assert_eq!(jobs.end_of("stubborn"), Some(End::Interrupted));
    }
}
