//! The folder of a run: all its files, consistent even if the run is killed at any moment.
//!
//! | file | content |
//! |---|---|
//! | `config.toml` or `config.properties` | the settings file as given |
//! | `settings.toml` | all settings, defaults included; written last; it marks a complete folder |
//! | `run.json` | the learner, the name of the run in its store, and its state |
//! | `checkpoint` | the state to resume from; replaced after each step |
//! | `best.*`, `last.*`, `models/` | the best model, the last one, and those of measured steps |
//! | `metrics.jsonl` | one line for each step |
//! | `log.txt`, `plots/` | for human readers |
//! | `samples.db` | the training samples, unless the settings name another store |

use std::fmt::Display;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tesuji_store::safe_file::{self, IfExists};

/// A settings file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsFile {
    /// The file extension: `toml` or `properties`.
    pub extension: &'static str,
    /// The content.
    pub text: String,
}

/// The content of `run.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunInfo {
    /// The version of the folder's format.
    pub format: u32,
    /// The run's name, unique in its store.
    pub id: String,
    /// The learner.
    pub learner: String,
    /// Seconds since 1970.
    pub started_at: u64,
    /// The state of the run.
    pub state: RunState,
    /// The error of a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The state of a run. A killed run is still `Running`, but its folder is not locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// A program is training it.
    Running,
    /// All steps are done.
    Finished,
    /// Stopped before its end.
    Interrupted,
    /// Ended with an error.
    Failed,
}

impl RunState {
    /// The state in one word.
    pub fn word(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Finished => "finished",
            RunState::Interrupted => "interrupted",
            RunState::Failed => "failed",
        }
    }
}

/// The version of the folder's format.
pub const FORMAT: u32 = 2;

impl RunInfo {
    /// The info of a run that starts now.
    pub fn new(id: String, learner: &str) -> RunInfo {
        RunInfo {
            format: FORMAT,
            id,
            learner: learner.to_string(),
            started_at: now(),
            state: RunState::Running,
            why: None,
        }
    }
}

/// The folder of one run. It is locked against other programs while this value exists.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Holds the lock.
    _lock: File,
}

/// Why a folder could not be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A new run would overwrite another one.
    #[error(
        "{0}: already contains a run; resume it with --resume, or choose another folder with --out"
    )]
    Taken(PathBuf),
    /// There is no run to resume.
    #[error("{0}: contains no run; start one with: tesuji train FILE --out {0}")]
    NoRun(PathBuf),
    /// The run has the format of another version.
    #[error(
        "{0}: the run has the format of {1}; finish it with that version, or start again: tesuji train {0}/config.toml --out DIR"
    )]
    Format(PathBuf, &'static str),
    /// Another program has locked the folder.
    #[error(
        "{0}: another program is training here; wait until it has finished, or choose another folder with --out"
    )]
    Busy(PathBuf),
    /// A file could not be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, String),
}

const SETTINGS: &str = "settings.toml";
const RUN: &str = "run.json";
const METRICS: &str = "metrics.jsonl";
const CHECKPOINT: &str = "checkpoint";

impl RunFolder {
    /// Whether the folder contains a run.
    pub fn holds_run(path: &Path) -> bool {
        path.join(SETTINGS).is_file()
    }

    /// Creates the folder of a new run.
    pub fn create(
        path: &Path,
        given: &SettingsFile,
        settings: &str,
        info: &RunInfo,
    ) -> Result<RunFolder, FolderError> {
        if RunFolder::holds_run(path) {
            return Err(FolderError::Taken(path.to_path_buf()));
        }
        for part in ["models", "plots"] {
            fs::create_dir_all(path.join(part)).map_err(|error| file_error(path, error))?;
        }
        let folder = RunFolder::lock(path)?;
        folder.replace(&format!("config.{}", given.extension), given.text.as_bytes())?;
        folder.replace_json(RUN, info)?;
        folder.replace(SETTINGS, settings.as_bytes())?;
        Ok(folder)
    }

    /// Opens the folder of an existing run.
    pub fn open(path: &Path) -> Result<RunFolder, FolderError> {
        if !RunFolder::holds_run(path) {
            return Err(FolderError::NoRun(path.to_path_buf()));
        }
        let folder = RunFolder::lock(path)?;
        folder.info()?;
        Ok(folder)
    }

    fn lock(path: &Path) -> Result<RunFolder, FolderError> {
        let file_path = path.join(".lock");
        let lock = OpenOptions::new().create(true).append(true).open(&file_path);
        let lock = lock.map_err(|error| file_error(&file_path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunFolder { path: path.to_path_buf(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(FolderError::Busy(path.to_path_buf())),
            Err(TryLockError::Error(error)) => Err(file_error(&file_path, error)),
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings of the run as resolved at its start.
    pub fn settings(path: &Path) -> Result<String, FolderError> {
        if !RunFolder::holds_run(path) {
            return Err(FolderError::NoRun(path.to_path_buf()));
        }
        let file_path = path.join(SETTINGS);
        safe_file::read_text(&file_path, LARGEST_FILE)
            .map_err(|error| file_error(&file_path, error))
    }

    /// Reads `run.json`.
    pub fn info(&self) -> Result<RunInfo, FolderError> {
        let file_path = self.path.join(RUN);
        let bytes = self.read(RUN)?.ok_or_else(|| file_error(&file_path, MISSING))?;
        let found: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|error| file_error(&file_path, error))?;
        match found.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {
                serde_json::from_value(found).map_err(|error| file_error(&file_path, error))
            }
            Some(_) => Err(FolderError::Format(self.path.clone(), "a newer version")),
            None => Err(FolderError::Format(self.path.clone(), "the first version")),
        }
    }

    /// Sets the state of the run.
    pub fn set_state(&self, state: RunState, why: Option<String>) -> Result<(), FolderError> {
        self.replace_json(RUN, &RunInfo { state, why, ..self.info()? })
    }

    /// The content of a file; `None` if it is missing.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, FolderError> {
        let file_path = self.path.join(name);
        match safe_file::read(&file_path, LARGEST_FILE) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file_error(&file_path, error)),
        }
    }

    /// The content of the checkpoint; `None` before the first one.
    pub fn checkpoint(&self) -> Result<Option<Vec<u8>>, FolderError> {
        self.read(CHECKPOINT)
    }

    /// Replaces the checkpoint: the run resumes from here.
    pub fn save_checkpoint(&self, bytes: &[u8]) -> Result<(), FolderError> {
        self.replace(CHECKPOINT, bytes)
    }

    /// Replaces a file atomically.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), FolderError> {
        let file_path = self.path.join(name);
        let written: io::Result<()> =
            safe_file::write(&file_path, IfExists::Replace, |out| out.write_all(content));
        written.map_err(|error| file_error(&file_path, error))
    }

    /// Writes a file that can be recreated, without waiting for the disk.
    pub fn write_unsynced(&self, name: &str, content: &[u8]) -> Result<(), FolderError> {
        let file_path = self.path.join(name);
        fs::write(&file_path, content).map_err(|error| file_error(&file_path, error))
    }

    /// Replaces a file with a value as JSON.
    pub fn replace_json(&self, name: &str, value: &impl Serialize) -> Result<(), FolderError> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| file_error(&self.path.join(name), error))?;
        self.replace(name, format!("{text}\n").as_bytes())
    }

    /// Appends a line to the metrics.
    pub fn add_metrics(&self, metrics: &impl Serialize) -> Result<(), FolderError> {
        let file_path = self.path.join(METRICS);
        let append = || -> io::Result<()> {
            let line = serde_json::to_string(metrics)?;
            let mut file = OpenOptions::new().create(true).append(true).open(&file_path)?;
            file.write_all(format!("{line}\n").as_bytes())?;
            file.sync_data()
        };
        append().map_err(|error| file_error(&file_path, error))
    }

    /// The leading lines of the metrics that satisfy `counts`. The rest is removed from the file: a
    /// truncated line, or a step that has to be repeated.
    pub fn metrics<T: DeserializeOwned>(
        &self,
        counts: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, FolderError> {
        let bytes = self.read(METRICS)?.unwrap_or_default();
        let (mut good, mut lines) = (0, Vec::new());
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let is_complete = line.ends_with(b"\n");
            match serde_json::from_slice(line) {
                Ok(metrics) if is_complete && counts(&metrics) => lines.push(metrics),
                _ => break,
            }
            good += line.len();
        }
        if good < bytes.len() {
            self.replace(METRICS, &bytes[..good])?;
        }
        Ok(lines)
    }
}

/// Larger files of a run are refused: checkpoints and games of long runs have a few hundred
/// megabytes.
const LARGEST_FILE: u64 = 4 << 30;

const MISSING: &str = "missing; expected the file of the run";

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

pub(crate) fn file_error(path: &Path, error: impl Display) -> FolderError {
    FolderError::File(path.to_path_buf(), error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Line {
        iteration: u64,
    }

    fn begin(path: &Path) -> Result<RunFolder, FolderError> {
        let given = SettingsFile { extension: "toml", text: "# mine\n".to_string() };
        let info = RunInfo::new("x".to_string(), "forest");
        RunFolder::create(path, &given, "seed = 1\n", &info)
    }

    #[test]
    fn a_folder_with_a_run_is_not_overwritten() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("runs/a");
        assert!(matches!(RunFolder::open(&path), Err(FolderError::NoRun(_))));
        let folder = begin(&path).unwrap();
        assert!(matches!(begin(&path), Err(FolderError::Taken(_))));
        assert!(matches!(RunFolder::open(&path), Err(FolderError::Busy(_))), "it is locked");
        drop(folder);
        let folder = RunFolder::open(&path).unwrap();
        assert_eq!(folder.info().unwrap().id, "x");
        assert_eq!(RunFolder::settings(&path).unwrap(), "seed = 1\n");
        assert_eq!(fs::read_to_string(path.join("config.toml")).unwrap(), "# mine\n");
        assert_eq!(folder.checkpoint().unwrap(), None);
        folder.save_checkpoint(b"3").unwrap();
        assert_eq!(folder.checkpoint().unwrap().as_deref(), Some(&b"3"[..]));
        folder.set_state(RunState::Failed, Some("x".to_string())).unwrap();
        assert_eq!(folder.info().unwrap().state, RunState::Failed);
        drop(folder);
        for (text, by) in
            [("{\"format\":3}", "a newer version"), ("{\"id\":\"x\"}", "the first version")]
        {
            fs::write(path.join(RUN), text).unwrap();
            let error = RunFolder::open(&path).unwrap_err().to_string();
            assert!(error.contains(by) && error.contains("start again"), "{error}");
        }
    }

    #[test]
    fn truncated_and_uncounted_metrics_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = begin(place.path()).unwrap();
        let all = |_: &Line| true;
        assert!(folder.metrics(all).unwrap().is_empty());
        (1..=3).for_each(|iteration| folder.add_metrics(&Line { iteration }).unwrap());
        let path = place.path().join(METRICS);
        let whole = fs::read(&path).unwrap();
        for cut in 1..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let lines = folder.metrics(all).unwrap();
            assert_eq!(lines.len(), cut / (whole.len() / 3), "{cut}");
            assert_eq!(fs::read(&path).unwrap().len() % (whole.len() / 3), 0);
        }
        fs::write(&path, &whole).unwrap();
        assert_eq!(folder.metrics(|line: &Line| line.iteration <= 2).unwrap().len(), 2);
        folder.add_metrics(&Line { iteration: 3 }).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}
