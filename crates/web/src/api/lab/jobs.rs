//! Jobs started from the pages: trainings, tournaments, matches, experiments and reproductions.
//! Each job is a child process of the program with its own folder among the runs. Few jobs run in
//! parallel. They are stopped with the server and can be resumed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_play::event::now;

use super::folders;
use super::job_command::{self, JobPaths, LabJobKind, StartMode};
use super::process::{Process, ProcessEnd, output_of};
use crate::errors::ApiError;
use crate::state::ServerOptions;

/// The most parallel jobs.
pub(super) const MAX_PARALLEL_JOBS: usize = 2;
/// The error of a server without a program.
pub(super) const NO_PROGRAM: &str = "jobs: the server has no program to start";
/// The most listed jobs, latest first.
const MAX_LISTED: usize = 30;
/// The file with the state of a job, in its folder.
const JOB_FILE: &str = "job.json";
const RUNNING: &str = "running";
/// The time to notice the end of a killed job and to record it.
const KILL_WAIT: Duration = Duration::from_millis(500);
/// The largest file of settings that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The processes of this server's jobs.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<BTreeMap<String, Process>>);

/// The stored state of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct JobFile {
    kind: LabJobKind,
    state: String,
    started_at: u64,
    ended_at: Option<u64>,
    /// Whether remote workers play its games.
    #[serde(default)]
    workers: bool,
    /// The experiment that it reproduces.
    #[serde(default)]
    experiment: Option<String>,
}

/// A job of the list.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) kind: LabJobKind,
    /// `running`, `stopping`, `finished`, `interrupted` or `failed`.
    pub(super) state: String,
    started_at: u64,
    ended_at: Option<u64>,
    /// The last lines of its output.
    pub(super) output: Vec<String>,
    /// Whether remote workers play its games.
    workers: bool,
    /// The experiment that it reproduces.
    experiment: Option<String>,
    /// Whether there is a run of the same name.
    run: bool,
    can_stop: bool,
    can_resume: bool,
}

/// A request to start a job.
pub(super) struct JobRequest {
    pub(super) kind: LabJobKind,
    pub(super) toml: String,
    /// The name of its folder; a number is added if it is taken.
    pub(super) name: String,
    /// Whether remote workers play its games.
    pub(super) workers: bool,
}

impl Jobs {
    /// Starts a new job and returns its id.
    pub(super) fn start(
        &self,
        options: &ServerOptions,
        request: &JobRequest,
    ) -> Result<String, ApiError> {
        check_name(&request.name)?;
        check_queue(options, request.workers)?;
        // Report errors of a match or an experiment before a folder is created.
        let nowhere = paths(options, Path::new(""));
        job_command::arguments(request.kind, StartMode::New, nowhere, &request.toml)?;
        if !options.allow_programs {
            job_command::check_file(&options.runs, request.kind, &request.toml)?;
        }
        let mut jobs = self.processes();
        check_room(&jobs)?;
        let (id, folder) = make_folder(&options.runs, &request.name)?;
        let started = write_files(&folder, request)
            .map_err(|error| cannot_write(&folder, &error))
            .and_then(|()| {
                let work = WorkOptions { kind: request.kind, workers: request.workers };
                launch(options, work, StartMode::New, &folder, &request.toml)
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

    /// Resumes a job, or a run that no program works on.
    pub(super) fn resume(&self, options: &ServerOptions, id: &str) -> Result<(), ApiError> {
        let folder = find(&options.runs, id)?;
        let mut jobs = self.processes();
        let busy = jobs.get(id).is_some_and(|process| process.end().is_none());
        if busy || folders::is_at_work(&folder) {
            return Err(ApiError::conflict("job: already running"));
        }
        check_room(&jobs)?;
        let kind = match folders::holds_experiment(&folder) {
            true => LabJobKind::Experiment,
            false => LabJobKind::Train,
        };
        let usual = WorkOptions { kind, workers: false };
        let work = read_job_file(&folder).map_or(usual, |job_file| WorkOptions {
            kind: job_file.kind,
            workers: job_file.workers,
        });
        check_queue(options, work.workers)?;
        if work.kind == LabJobKind::Train && !folders::holds_run(&folder) {
            return Err(ApiError::conflict("job: has no checkpoint; start a new one"));
        }
        if !options.allow_programs {
            check_programs(&folder)?;
        }
        let toml =
            folders::text_of(&folder.join(job_command::FILE), MAX_FILE_BYTES).unwrap_or_default();
        let process = launch(options, work, StartMode::Resume, &folder, &toml)?;
        jobs.insert(id.to_string(), process);
        Ok(())
    }

    /// Asks a job to stop.
    pub(super) fn stop(&self, runs: &Path, id: &str) -> Result<(), ApiError> {
        find(runs, id)?;
        match self.processes().get(id).filter(|process| process.end().is_none()) {
            Some(process) => {
                process.stop();
                Ok(())
            }
            None => Err(ApiError::conflict("job: not running, or not started by this server")),
        }
    }

    /// Asks all jobs to stop.
    pub(crate) fn stop_all(&self) {
        self.processes().values().for_each(Process::stop);
    }

    /// Asks all jobs to stop, waits for them, and kills them after `grace`. Their files are
    /// complete at any time, so they can be resumed.
    pub(crate) async fn end_all(&self, grace: Duration) {
        // A job may have been started since the first request.
        self.stop_all();
        self.wait_until_stopped(grace).await;
        self.processes().values().for_each(Process::kill);
        self.wait_until_stopped(KILL_WAIT).await;
    }

    async fn wait_until_stopped(&self, time: Duration) {
        let since = Instant::now();
        while self.num_running() > 0 && since.elapsed() < time {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn num_running(&self) -> usize {
        num_running(&self.processes())
    }

    /// How a job of this server ended, if it has.
    pub(super) fn end_of(&self, id: &str) -> Option<ProcessEnd> {
        self.processes().get(id).and_then(Process::end)
    }

    /// The latest jobs.
    pub(super) fn list(&self, runs: &Path) -> Vec<Job> {
        let entries = fs::read_dir(runs).into_iter().flatten().flatten().take(10_000);
        let mut job_files: Vec<(String, PathBuf, JobFile)> = entries
            .filter_map(|entry| {
                let id = entry.file_name().into_string().ok().filter(|id| folders::is_plain(id))?;
                Some((id, entry.path(), read_job_file(&entry.path())?))
            })
            .collect();
        job_files
            .sort_by_key(|(id, _, job_file)| (std::cmp::Reverse(job_file.started_at), id.clone()));
        job_files.truncate(MAX_LISTED);
        let jobs = self.processes();
        job_files
            .into_iter()
            .map(|(id, path, job_file)| job(id.clone(), &path, job_file, jobs.get(&id)))
            .collect()
    }

    fn processes(&self) -> MutexGuard<'_, BTreeMap<String, Process>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn job(id: String, path: &Path, job_file: JobFile, process: Option<&Process>) -> Job {
    let here = process.filter(|process| process.end().is_none());
    let run = folders::holds_run(path);
    let state = match here {
        Some(process) if process.is_stopping() => "stopping",
        Some(_) => RUNNING,
        // A server that crashed could not record the end; its trainings may still run.
        None if job_file.state == RUNNING && process.is_none() => match folders::is_at_work(path) {
            true => RUNNING,
            false => "interrupted",
        },
        None => &job_file.state,
    }
    .to_string();
    let over = state == "interrupted" || state == "failed";
    Job {
        kind: job_file.kind,
        output: output_of(path),
        can_stop: here.is_some() && state == RUNNING,
        can_resume: over && (run || job_file.kind != LabJobKind::Train),
        state,
        started_at: job_file.started_at,
        ended_at: job_file.ended_at,
        workers: job_file.workers,
        experiment: job_file.experiment,
        run,
        id,
    }
}

fn num_running(jobs: &BTreeMap<String, Process>) -> usize {
    jobs.values().filter(|process| process.end().is_none()).count()
}

fn check_room(jobs: &BTreeMap<String, Process>) -> Result<(), ApiError> {
    if num_running(jobs) >= MAX_PARALLEL_JOBS {
        return Err(ApiError::conflict(format!(
            "jobs: {MAX_PARALLEL_JOBS} are running, which is the limit; stop one or wait"
        )));
    }
    Ok(())
}

/// Whether remote workers can play games of jobs.
pub(super) fn can_be_shared(options: &ServerOptions) -> bool {
    options.queue.is_some() && options.store.is_some()
}

fn check_queue(options: &ServerOptions, is_wanted: bool) -> Result<(), ApiError> {
    if is_wanted && !can_be_shared(options) {
        return Err(ApiError::conflict(
            "workers: none; expected a server started with --queue nats://HOST and a store",
        ));
    }
    Ok(())
}

/// Checks that the files of a folder name no programs: the run may have been started where that is
/// allowed.
fn check_programs(folder: &Path) -> Result<(), ApiError> {
    for file in [job_command::FILE, folders::SETTINGS, folders::EXPERIMENT] {
        match folders::text_of(&folder.join(file), MAX_FILE_BYTES) {
            Some(text) => job_command::check_programs(&text)?,
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
    let is_known = || read_job_file(&path).is_some() || folders::holds_experiment(&path);
    if folders::is_plain(id) && is_known() && folders::is_inside(&path, runs) {
        return Ok(path);
    }
    folders::find(runs, id).map(|folder| folder.path)
}

/// Checks the name of a job, which becomes a folder name.
pub(super) fn check_name(name: &str) -> Result<(), ApiError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 40 || name.starts_with('-') || !name.chars().all(fits) {
        return Err(ApiError::bad(
            "name: invalid; expected 1 to 40 characters of a–z, 0–9 and '-'",
        ));
    }
    Ok(())
}

/// Creates a new folder.
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
    Err(ApiError::conflict(format!("name '{name}': taken too often; choose another name")))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> ApiError {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ApiError::internal(format!("folder of runs: cannot write {name}: {error}"))
}

/// Writes the settings of a job into its folder, and the opening lists that they name.
fn write_files(folder: &Path, request: &JobRequest) -> std::io::Result<()> {
    fs::write(folder.join(job_command::FILE), &request.toml)?;
    for (name, content) in super::examples::openings() {
        if request.toml.contains(name) {
            let path = folder.join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, content)?;
        }
    }
    Ok(())
}

/// The kind of a job, and whether remote workers play its games.
#[derive(Clone, Copy)]
struct WorkOptions {
    kind: LabJobKind,
    workers: bool,
}

fn paths<'a>(options: &'a ServerOptions, folder: &'a Path) -> JobPaths<'a> {
    JobPaths { folder, store: options.store.as_deref(), reports: &options.reports }
}

fn launch(
    options: &ServerOptions,
    WorkOptions { kind, workers }: WorkOptions,
    start: StartMode,
    folder: &Path,
    toml: &str,
) -> Result<Process, ApiError> {
    let nothing = || ApiError::conflict(NO_PROGRAM);
    let program = options.program.as_deref().ok_or_else(nothing)?;
    let arguments = job_command::arguments(kind, start, paths(options, folder), toml)?;
    let state = RUNNING.to_string();
    let is_report = kind == LabJobKind::Reproduce;
    let experiment =
        is_report.then(|| job_command::reproduction_id(toml).ok()).flatten().map(str::to_string);
    let job_file = JobFile { kind, state, started_at: now(), ended_at: None, workers, experiment };
    write_job_file(folder, &job_file).map_err(|error| cannot_write(folder, &error))?;
    let place = folder.to_path_buf();
    let ended = move |end: ProcessEnd| {
        let state = state_name(end).to_string();
        // The folder may have been deleted.
        drop(write_job_file(&place, &JobFile { state, ended_at: Some(now()), ..job_file }));
    };
    let mut command = Command::new(program);
    command.args(arguments).env_remove("TESUJI_TOKEN");
    // Not as arguments, which every user of this machine can read.
    match job_command::store_of(kind, paths(options, folder), workers) {
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
        .map_err(|error| ApiError::internal(format!("program: cannot be started: {error}")))
}

fn state_name(end: ProcessEnd) -> &'static str {
    match end {
        ProcessEnd::Finished => "finished",
        ProcessEnd::Failed => "failed",
        ProcessEnd::Interrupted => "interrupted",
    }
}

fn write_job_file(folder: &Path, job_file: &JobFile) -> std::io::Result<()> {
    let text = serde_json::to_string(job_file).map_err(std::io::Error::other)?;
    // Replaced atomically, so that readers never see a partial file.
    let draft = folder.join("job.json.new");
    fs::write(&draft, text)?;
    fs::rename(draft, folder.join(JOB_FILE))
}

fn read_job_file(folder: &Path) -> Option<JobFile> {
    serde_json::from_str(&folders::text_of(&folder.join(JOB_FILE), 4 << 10)?).ok()
}

/// Why a job failed, in one line. Removes the folder of a new job that wrote no results.
pub(super) fn failure(runs: &Path, id: &str, start: StartMode) -> ApiError {
    let folder = runs.join(id);
    let output = output_of(&folder);
    let line = output.iter().rev().find_map(|line| line.strip_prefix("error: "));
    let line = line.or(output.last().map(String::as_str)).unwrap_or("program: ended at once");
    let file = format!("{}: ", folder.join(job_command::FILE).display());
    let error = ApiError::bad(line.strip_prefix(&file).unwrap_or(line));
    let has_begun = folders::holds_run(&folder) || folders::holds_experiment(&folder);
    let kept = has_begun || folder.join("games.db").exists();
    if start == StartMode::New && !kept {
        drop(fs::remove_dir_all(&folder));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job that ignores all stop requests does not block the end of the server.
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
        jobs.processes().insert("stubborn".to_string(), process);
        let asked = Instant::now();
        jobs.stop_all();
        jobs.end_all(Duration::from_millis(300)).await;
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        assert_eq!(jobs.end_of("stubborn"), Some(ProcessEnd::Interrupted));
    }
}
