//! The log of a game, written line by line during the game, so that a crash loses nothing.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use tesuji_games::rules::gem_island::log::{LogHeader, turn_lines};
use tesuji_games::rules::gem_island::text::LogAction;
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, Mask};

use crate::failure::Failure;

/// Writes the log of a game.
pub(super) struct LogWriter {
    path: PathBuf,
    file: File,
    next: u32,
}

impl LogWriter {
    /// Creates the file, which must not exist.
    pub(super) fn new(path: &Path, settings: &GemSettings) -> Result<LogWriter, Failure> {
        let opened = OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = opened.map_err(|error| Failure::of_file(path, &error))?;
        file.write_all(LogHeader::of(settings).to_text().as_bytes())
            .map_err(|error| Failure::from(error).within(path))?;
        Ok(LogWriter { path: path.to_path_buf(), file, next: 0 })
    }

    /// Writes a state and the action in it.
    pub(super) fn write<M: Mask>(
        &mut self,
        game: &GemIsland<M>,
        action: LogAction,
    ) -> Result<(), Failure> {
        let lines = turn_lines(self.next, game, action);
        self.next += 2;
        let written = self.file.write_all(lines.as_bytes());
        written.map_err(|error| Failure::from(error).within(&self.path))
    }
}
