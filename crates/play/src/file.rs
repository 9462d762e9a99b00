//! Files that decide how a player plays: models, books and weights that its options name, and the
//! programs of engines.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use tesuji_games::SpecError;
use tesuji_store::safe_file;

/// A file that an option of a player names. It is opened when its content is first wanted, never
/// while the text of the player is read; and it is read once, so that all games of a player have
/// the same content and are known by it.
#[derive(Clone, Debug)]
pub struct PlayerFile {
    key: String,
    name: String,
    path: PathBuf,
    most: u64,
    content: Arc<OnceLock<Vec<u8>>>,
}

impl PlayerFile {
    /// The file that the option `key` names, with another path where it lies elsewhere. Files of
    /// more than `most` bytes are refused.
    pub(crate) fn new(key: &str, name: &str, elsewhere: Option<&PathBuf>, most: u64) -> PlayerFile {
        let path = elsewhere.cloned().unwrap_or_else(|| PathBuf::from(name));
        let (key, name) = (key.to_string(), name.to_string());
        PlayerFile { key, name, path, most, content: Arc::default() }
    }

    /// The option that names it.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// As the text has it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its content.
    pub fn bytes(&self) -> io::Result<&[u8]> {
        if self.content.get().is_none() {
            let bytes = safe_file::read(&self.path, self.most)?;
            // Of two threads that read it the first one decides.
            let _ = self.content.set(bytes);
        }
        Ok(self.content.get().map_or(&[][..], Vec::as_slice))
    }

    /// The complaint of a player that cannot use it.
    pub fn unusable(&self, player: &str, error: &dyn Display) -> SpecError {
        SpecError::BadValue {
            owner: player.split(':').next().unwrap_or(player).to_string(),
            option: self.key.clone(),
            value: self.name.clone(),
            expected: format!("a file that can be used ({error})"),
        }
    }

    /// The digest of its content.
    pub(crate) fn digest(&self) -> io::Result<String> {
        Ok(blake3::hash(self.bytes()?).to_hex().to_string())
    }
}

/// Larger files of an engine are known by size and time.
const LARGEST_DIGESTED: u64 = 1 << 30;

/// A file of an engine: its program, or a file among its arguments. The engine reads it whenever it
/// starts, so a change is noticed rather than prevented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineFile {
    path: PathBuf,
    size: u64,
    changed: Option<SystemTime>,
}

impl EngineFile {
    /// The file as it is now; `None` unless it is a regular file.
    pub fn snapshot(path: &Path) -> Option<EngineFile> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let (size, changed) = (data.len(), data.modified().ok());
        Some(EngineFile { path: path.to_path_buf(), size, changed })
    }

    /// The digest of its content. A file that may be started and not read is known by size and
    /// time.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut read = || hasher.update_reader(safe_file::open(&self.path)?).map(drop);
        if self.size > LARGEST_DIGESTED || read().is_err() {
            hasher.reset();
            hasher.update(format!("{} {:?}", self.size, self.changed).as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Says so if the file is no longer what it was.
    pub(crate) fn check_unchanged(&self) -> Result<(), String> {
        match EngineFile::snapshot(&self.path) {
            Some(now) if now == *self => Ok(()),
            _ => Err(format!(
                "{}: it changed while games were played; expected the same program to the end",
                self.path.display()
            )),
        }
    }
}
