//! Everything that is said to a program and by it, with the time, for people who write engines.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// We do.
    ToEngine,
    /// The program does.
    FromEngine,
}

impl Direction {
    /// The mark in front of a line.
    pub(crate) fn arrow(self) -> char {
        match self {
            Direction::ToEngine => '>',
            Direction::FromEngine => '<',
        }
    }
}

/// A file at whose end lines are added. Several programs may share one: each line is written at once and
/// names its process.
pub(crate) struct Log {
    file: File,
}

impl Log {
    /// Opens the file or makes it.
    pub(crate) fn open(path: &Path) -> io::Result<Log> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let named = |error| io::Error::other(format!("cannot open {}: {error}", path.display()));
        file.map(|file| Log { file }).map_err(named)
    }

    /// Adds a line: seconds since 1970, the number of the process, who speaks, what was said.
    pub(crate) fn write(&mut self, process: u32, direction: Direction, line: &str) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let text = format!("{:.3} {process} {} {line}\n", time.as_secs_f64(), direction.arrow());
        // A log on a full disk is no reason to lose a game.
        let _ = self.file.write_all(text.as_bytes());
    }
}
