//! The folders of runs: listing, lookup, safe reading of their files, and their state.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::OFlags;
pub(super) use tesuji_app::experiment::FILE as EXPERIMENT;
use tesuji_train::{RunInfo, RunState};

use crate::errors::ApiError;

/// Written last when a run starts; a folder with it contains a run.
pub(super) const SETTINGS: &str = "settings.toml";
/// The file with the state of a run.
const INFO: &str = "run.json";
/// The largest such file.
const MAX_INFO_BYTES: u64 = 64 << 10;
/// The most visited folders.
const MAX_FOLDERS: usize = 2000;
/// The longest name of a folder.
const MAX_NAME_LENGTH: usize = 100;

/// The folder of a run. Its id is `NAME` or `FOLDER/NAME`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Folder {
    pub(super) id: String,
    pub(super) path: PathBuf,
}

/// Finds all folders with a run, up to two levels deep, in no particular order.
pub(super) fn all(runs: &Path) -> Vec<Folder> {
    let mut found = Vec::new();
    let mut visited = 0;
    for (name, path) in folders_in(runs) {
        visit(name.clone(), path.clone(), &mut found, &mut visited);
        if holds_run(&path) {
            continue;
        }
        for (inner, path) in folders_in(&path) {
            if visited >= MAX_FOLDERS {
                return found;
            }
            visit(format!("{name}/{inner}"), path, &mut found, &mut visited);
        }
    }
    found
}

fn visit(id: String, path: PathBuf, found: &mut Vec<Folder>, visited: &mut usize) {
    *visited += 1;
    if *visited <= MAX_FOLDERS && holds_run(&path) {
        found.push(Folder { id, path });
    }
}

pub(super) fn folders_in(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_FOLDERS);
    entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok().filter(|name| is_plain(name))?;
        // Skip links, which may lead anywhere.
        entry.file_type().ok().filter(fs::FileType::is_dir).map(|_| (name, entry.path()))
    })
}

pub(super) fn holds_run(path: &Path) -> bool {
    path.join(SETTINGS).is_file()
}

/// Whether a folder contains an experiment, whose runs are its subfolders.
pub(super) fn holds_experiment(path: &Path) -> bool {
    path.join(EXPERIMENT).is_file()
}

/// Whether a name is safe as a single path component.
pub(super) fn is_plain(name: &str) -> bool {
    let odd = |c: char| c.is_control() || ['/', '\\', '"'].contains(&c);
    !name.is_empty()
        && name.len() <= MAX_NAME_LENGTH
        && !name.starts_with('.')
        && !name.contains(odd)
}

/// Finds a run by its id.
pub(super) fn find(runs: &Path, id: &str) -> Result<Folder, ApiError> {
    let missing = || ApiError::missing("run: not found; see /api/lab/runs");
    let parts: Vec<&str> = id.split('/').collect();
    if parts.len() > 2 || !parts.iter().all(|part| is_plain(part)) {
        return Err(missing());
    }
    let path = parts.iter().fold(runs.to_path_buf(), |path, part| path.join(part));
    if !holds_run(&path) || !is_inside(&path, runs) {
        return Err(missing());
    }
    Ok(Folder { id: id.to_string(), path })
}

/// Whether a path is in a folder after resolving links.
pub(super) fn is_inside(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

/// Opens a regular file. Opening or reading other files could block or never end.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let regular = |about: fs::Metadata| match about.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("not a regular file")),
    };
    regular(fs::metadata(path)?)?;
    // The file may have been replaced since, so open without blocking and check again.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    regular(file.metadata()?)?;
    Ok(file)
}

/// Reads a text file of at most `most` bytes.
pub(super) fn text_of(path: &Path, most: u64) -> Option<String> {
    let mut text = String::new();
    open(path).ok()?.take(most + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= most).then_some(text)
}

/// Reads the last lines of a text file, within a number of bytes.
pub(super) fn tail_of(path: &Path, bytes: u64, lines: usize) -> Vec<String> {
    let Some(tail) = last_bytes(path, bytes) else { return Vec::new() };
    let text = String::from_utf8_lossy(&tail);
    let printable = |line: &str| -> String {
        line.chars().take(500).map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(lines)..].iter().map(|line| printable(line)).collect()
}

fn last_bytes(path: &Path, bytes: u64) -> Option<Vec<u8>> {
    let mut file = open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(bytes))).ok()?;
    let mut tail = Vec::new();
    file.take(bytes).read_to_end(&mut tail).ok()?;
    Some(tail)
}

/// The modification time of a file, in seconds since 1970.
pub(super) fn changed_at(path: &Path) -> Option<u64> {
    let changed = fs::metadata(path).ok()?.modified().ok()?;
    changed.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// The modification time and size of a file; a cache is valid as long as both are the same.
pub(super) fn stamp_of(path: &Path) -> Option<(SystemTime, u64)> {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Whether another program holds the folder's lock. Takes the lock for a moment.
pub(super) fn is_at_work(path: &Path) -> bool {
    let lock = open(&path.join(".lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The state of a run. A killed run is recorded as running, but nothing holds its folder.
pub(super) fn state_of(path: &Path) -> &'static str {
    if is_at_work(path) {
        return RunState::Running.word();
    }
    let info = text_of(&path.join(INFO), MAX_INFO_BYTES).and_then(|text| {
        let info: RunInfo = serde_json::from_str(&text).ok()?;
        Some(info.state)
    });
    info.filter(|state| *state != RunState::Running).unwrap_or(RunState::Interrupted).word()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_here_and_one_deeper_and_nowhere_else() {
        let place = tempfile::tempdir().unwrap();
        let runs = place.path().join("runs");
        for path in ["a", "b/c", "b/d/e", ".hidden", "a/inner"] {
            fs::create_dir_all(runs.join(path)).unwrap();
            fs::write(runs.join(path).join(SETTINGS), "").unwrap();
        }
        fs::create_dir_all(place.path().join("outside")).unwrap();
        fs::write(place.path().join("outside").join(SETTINGS), "").unwrap();
        std::os::unix::fs::symlink(place.path().join("outside"), runs.join("link")).unwrap();
        let mut ids: Vec<String> = all(&runs).into_iter().map(|folder| folder.id).collect();
        ids.sort();
        assert_eq!(ids, ["a", "b/c"]);
        assert!(find(&runs, "a").is_ok() && find(&runs, "b/c").is_ok());
        for id in
            ["", "x", "b", "..", "../outside", "a/..", "b/d/e", "/a", ".hidden", "link", "a\0"]
        {
            assert!(find(&runs, id).is_err(), "{id}");
        }
        assert!(all(&place.path().join("nowhere")).is_empty());
    }

    /// Opening a FIFO would block without a writer.
    #[test]
    fn only_regular_files_are_opened() {
        let place = tempfile::tempdir().unwrap();
        let fifo = place.path().join(".lock");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        assert!(text_of(&fifo, 10).is_none() && tail_of(&fifo, 10, 10).is_empty());
        assert!(!is_at_work(place.path()));
        assert!(open(Path::new("/dev/zero")).is_err() && open(place.path()).is_err());
        fs::write(place.path().join("a"), "text").unwrap();
        assert_eq!(text_of(&place.path().join("a"), 10).as_deref(), Some("text"));
    }
}
