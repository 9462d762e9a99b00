//! Games that were played elsewhere and logged: in a folder of files, or in a store, where the web app keeps the games of
//! people. A log that cannot be read is left out and named, so that one damaged file does not end
//! a run.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tesuji_games::rules::gem_island::log::{Log, LogError};
use tesuji_games::rules::gem_island::text::Snapshot;
use tesuji_store::{Kind, Record, Sample, Selection, StoreError, safe_file};

/// Longer logs are refused; a game of a hundred swaps has about 100 KiB.
const LONGEST_LOG: u64 = 16 << 20;

/// The states of a game, the last one too, and whether it was won.
pub(super) struct LoggedGame {
    pub(super) states: Vec<Snapshot>,
    pub(super) won: bool,
}

/// Why there are no logs to learn from.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// The folder cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// Of the folder.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No game that the network could learn from.
    #[error(
        "{path}: no finished game on a 9x9 board in its .txt files or its samples{}",
        left_out(damaged)
    )]
    Nothing {
        /// Of the folder or the store.
        path: PathBuf,
        /// Logs that could not be read.
        damaged: Vec<DamagedLog>,
    },
}

fn left_out(damaged: &[DamagedLog]) -> String {
    match damaged {
        [] => String::new(),
        [only] => format!("; 1 log could not be read: {only}"),
        [first, ..] => format!("; {} logs could not be read, the first: {first}", damaged.len()),
    }
}

/// A log that was left out.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name}: {why}")]
pub struct DamagedLog {
    /// The path of the file, or the key of the sample.
    pub name: String,
    /// What is wrong with it.
    pub why: String,
}

impl DamagedLog {
    fn new(name: impl ToString, why: impl ToString) -> DamagedLog {
        DamagedLog { name: name.to_string(), why: why.to_string() }
    }
}

/// The logs of a folder or a store: those that could be read, and those that could not.
#[derive(Default)]
struct Found {
    logs: Vec<Log>,
    damaged: Vec<DamagedLog>,
}

impl Found {
    fn add(&mut self, read: Result<Option<Log>, DamagedLog>) {
        match read {
            Ok(log) => self.logs.extend(log),
            Err(damaged) => self.damaged.push(damaged),
        }
    }
}

/// All finished games of a folder, by the names of their files; or of a store, in the order in
/// which they were written. Logs that cannot be read come apart; without any game they are the
/// reason.
pub(super) fn read_logs(place: &Path) -> Result<(Vec<LoggedGame>, Vec<DamagedLog>), LogsError> {
    let Found { logs, damaged } = match store_at(place) {
        Some(store) => of_store(&store)?,
        None => of_folder(place)?,
    };
    let games: Vec<LoggedGame> = logs.into_iter().filter(is_known_board).map(logged_game).collect();
    match games.is_empty() {
        true => Err(LogsError::Nothing { path: place.to_path_buf(), damaged }),
        false => Ok((games, damaged)),
    }
}

/// The address of a store, if that is what this names: a file, or a server.
fn store_at(place: &Path) -> Option<String> {
    let text = place.to_str()?;
    (text.contains("://") || place.is_file()).then(|| text.to_string())
}

fn of_store(place: &str) -> Result<Found, LogsError> {
    let store = tesuji_store::open_existing(place)?;
    let mut found = Found::default();
    store.for_each(&Selection::all(Kind::Sample), &mut |record| {
        if let Record::Sample(sample) = record {
            found.add(log_of(&sample).map_err(|error| DamagedLog::new(&sample.key, error)));
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// The log in a sample; samples of other games have none.
fn log_of(sample: &Sample) -> Result<Option<Log>, LogError> {
    let is_ours = sample.game.starts_with("gem-island");
    match sample.detail.get("log").and_then(|log| log.as_str()).filter(|_| is_ours) {
        Some(text) => Ok(Log::read(text.as_bytes())?.log),
        None => Ok(None),
    }
}

fn of_folder(folder: &Path) -> Result<Found, LogsError> {
    let failed = |path: &Path, error| LogsError::Io { path: path.to_path_buf(), error };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let path = entry.map_err(|error| failed(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut found = Found::default();
    for path in paths {
        found.add(of_file(&path));
    }
    Ok(found)
}

fn of_file(path: &Path) -> Result<Option<Log>, DamagedLog> {
    let bytes = safe_file::read(path, LONGEST_LOG)
        .map_err(|error| DamagedLog::new(path.display(), error))?;
    let reading = Log::read(&bytes).map_err(|error| DamagedLog::new(path.display(), error))?;
    Ok(reading.log)
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
