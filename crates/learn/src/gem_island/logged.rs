//! Games that were played elsewhere and logged: in a folder of files, or in a store, where the web app keeps the games of
//! people.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tesuji_games::rules::gem_island::log::{Log, LogError};
use tesuji_games::rules::gem_island::text::Snapshot;
use tesuji_store::{Kind, Record, Sample, Selection, StoreError};

/// The states of a game, the last one too, and whether it was won.
pub(super) struct LoggedGame {
    pub(super) states: Vec<Snapshot>,
    pub(super) won: bool,
}

/// Why there are no logs to learn from.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// The folder or a file in it cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// Of the folder or the file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file, or a sample of a store, has no log.
    #[error("{path}: {error}")]
    Log {
        /// Of the file, or the key of the sample.
        path: PathBuf,
        /// Why not.
        error: LogError,
    },
    /// No game that the network could learn from.
    #[error("{path}: no finished game on a 9x9 board in its .txt files or its samples")]
    Nothing {
        /// Of the folder or the store.
        path: PathBuf,
    },
}

/// All finished games of a folder, by the names of their files; or of a store, in the order in which they were written.
pub(super) fn read_logs(place: &Path) -> Result<Vec<LoggedGame>, LogsError> {
    let logs = match store_at(place) {
        Some(store) => of_store(&store)?,
        None => of_folder(place)?,
    };
    let games: Vec<LoggedGame> = logs.into_iter().filter(is_known_board).map(logged_game).collect();
    match games.is_empty() {
        true => Err(LogsError::Nothing { path: place.to_path_buf() }),
        false => Ok(games),
    }
}

/// The address of a store, if that is what this names: a file, or a server.
fn store_at(place: &Path) -> Option<String> {
    let text = place.to_str()?;
    (text.contains("://") || place.is_file()).then(|| text.to_string())
}

fn of_store(place: &str) -> Result<Vec<Log>, LogsError> {
    let store = tesuji_store::open_existing(place)?;
    let mut found = Ok(Vec::new());
    store.for_each(&Selection::all(Kind::Sample), &mut |record| {
        let (Record::Sample(sample), Ok(logs)) = (record, &mut found) else {
            return ControlFlow::Continue(());
        };
        match log_of(&sample) {
            Ok(log) => {
                logs.extend(log);
                ControlFlow::Continue(())
            }
            Err(error) => {
                found = Err(LogsError::Log { path: sample.key.into(), error });
                ControlFlow::Break(())
            }
        }
    })?;
    found
}

/// The log in a sample; samples of other games have none.
fn log_of(sample: &Sample) -> Result<Option<Log>, LogError> {
    let is_ours = sample.game.starts_with("gem-island");
    match sample.detail.get("log").and_then(|log| log.as_str()).filter(|_| is_ours) {
        Some(text) => Ok(Log::read(text.as_bytes())?.log),
        None => Ok(None),
    }
}

fn of_folder(folder: &Path) -> Result<Vec<Log>, LogsError> {
    let failed = |path: &Path, error| LogsError::Io { path: path.to_path_buf(), error };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let path = entry.map_err(|error| failed(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut logs = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).map_err(|error| failed(&path, error))?;
        let reading =
            Log::read(&bytes).map_err(|error| LogsError::Log { path: path.clone(), error })?;
        logs.extend(reading.log);
    }
    Ok(logs)
}

fn is_known_board(log: &Log) -> bool {
    let states = log.turns.iter().map(|turn| &turn.state).chain([&log.end]);
    log.header.rows == 9
        && log.header.columns == 9
        && states.into_iter().all(|state| state.cells.iter().all(|cell| cell.gem.kind < 6))
}

fn logged_game(log: Log) -> LoggedGame {
    let won = log.won();
    let states = log.turns.into_iter().map(|turn| turn.state).chain([log.end]).collect();
    LoggedGame { states, won }
}
