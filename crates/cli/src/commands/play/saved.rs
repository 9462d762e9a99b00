//! Games saved to files, as JSON.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_store::safe_file::IfExists;

use crate::output::write_file;
use crate::prelude::*;

/// A saved game.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SavedGame {
    /// The game, such as `connect4:7x7`.
    pub(super) game: String,
    /// The position: a list of moves, or the notation of the game.
    pub(super) position: String,
    /// Who moves first.
    pub(super) first: String,
    /// Who moves second.
    pub(super) second: String,
    /// The seed of the players.
    pub(super) seed: u64,
}

/// The format and version in the file, so that later versions can read it.
const FORMAT: &str = "tesuji-game";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct SavedGameFile {
    format: String,
    version: u32,
    #[serde(flatten)]
    game: SavedGame,
}

impl SavedGame {
    /// Reads a file that [`write`](Self::write) wrote.
    pub(super) fn read(path: &Path) -> Result<SavedGame, Failure> {
        let bytes = input::read_text_bytes(path)?;
        let wrong =
            |problem: String| Failure::in_file(path, format!("not a saved game: {problem}"));
        let envelope: SavedGameFile =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if envelope.format != FORMAT {
            return Err(wrong(format!("format is '{}'; expected '{FORMAT}'", envelope.format)));
        }
        if envelope.version > VERSION {
            return Err(wrong(format!(
                "version is {}; expected at most {VERSION}",
                envelope.version
            )));
        }
        Ok(envelope.game)
    }

    /// Writes the file atomically, so that a crash or a full disk does not damage an existing file.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let envelope =
            SavedGameFile { format: FORMAT.to_string(), version: VERSION, game: self.clone() };
        let text = serde_json::to_string_pretty(&envelope)? + "\n";
        write_file(path, IfExists::Replace, text.as_bytes())
    }
}
