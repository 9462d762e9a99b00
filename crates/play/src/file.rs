//! Files that decide how a player plays: models, books and weights named by its options, and the
//! programs of external engines.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use tesuji_games::SpecError;
use tesuji_store::safe_file;

/// A file named by an option of a player. It is opened at the first use of its content, never while
/// the text of the player is parsed; and it is read once, so that all games of a player have the
/// same content, which identifies them.
#[derive(Clone, Debug)]
pub struct PlayerFile {
    key: String,
    name: String,
    path: PathBuf,
    most: u64,
    content: Arc<OnceLock<Vec<u8>>>,
}

impl PlayerFile {
    /// The file `name` of the option `key`, at another path if `elsewhere` is given. A file of more
    /// than `most` bytes is refused.
    pub(crate) fn new(key: &str, name: &str, elsewhere: Option<&PathBuf>, most: u64) -> PlayerFile {
        let path = elsewhere.cloned().unwrap_or_else(|| PathBuf::from(name));
        let (key, name) = (key.to_string(), name.to_string());
        PlayerFile { key, name, path, most, content: Arc::default() }
    }

    /// The option that names the file.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The file's name in the player's text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the file once and returns its content.
    pub fn bytes(&self) -> io::Result<&[u8]> {
        if self.content.get().is_none() {
            let bytes = safe_file::read(&self.path, self.most)?;
            // If two threads read the file, the first one wins.
            let _ = self.content.set(bytes);
        }
        Ok(self.content.get().map_or(&[][..], Vec::as_slice))
    }

    /// The error of a player that cannot use the file.
    pub fn unusable(&self, player: &str, error: &dyn Display) -> SpecError {
        SpecError::BadValue {
            owner: player.split(':').next().unwrap_or(player).to_string(),
            option: self.key.clone(),
            value: self.name.clone(),
            expected: format!("a usable file ({error})"),
        }
    }

    /// The digest of the content.
    pub(crate) fn digest(&self) -> io::Result<String> {
        Ok(blake3::hash(self.bytes()?).to_hex().to_string())
    }
}

/// Larger files of an engine are identified by size and time.
const LARGEST_DIGESTED: u64 = 1 << 30;

/// A file of an external engine: its program, or a file among its arguments. The engine reads it at
/// every start, so changes are detected rather than prevented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineFile {
    path: PathBuf,
    size: u64,
    changed: Option<SystemTime>,
}

impl EngineFile {
    /// The current state of a file; `None` if it is not a regular file.
    pub fn snapshot(path: &Path) -> Option<EngineFile> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let (size, changed) = (data.len(), data.modified().ok());
        Some(EngineFile { path: path.to_path_buf(), size, changed })
    }

    /// The digest of the content. An unreadable (execute-only) file is identified by size and time.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut read = || hasher.update_reader(safe_file::open(&self.path)?).map(drop);
        if self.size > LARGEST_DIGESTED || read().is_err() {
            hasher.reset();
            hasher.update(format!("{} {:?}", self.size, self.changed).as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Returns an error if the file has changed.
    pub(crate) fn check_unchanged(&self) -> Result<(), String> {
        match EngineFile::snapshot(&self.path) {
            Some(now) if now == *self => Ok(()),
            _ => Err(format!(
                "{}: changed while games were played; expected the same file to the end",
                self.path.display()
            )),
        }
    }
}
