//! Logs of played games, from a folder of files or from a store, where the web app saves users'
//! games. Unreadable logs are skipped and reported, so that one damaged file does not end a run.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use tesuji_games::rules::gem_island::log::{GemLog, LogError};
use tesuji_games::rules::gem_island::text::GemSnapshot;
use tesuji_store::{Record, RecordKind, Sample, Selection, safe_file};
use tesuji_train::TrainError;

/// The maximum size of a log; a game of a hundred swaps has about 100 KiB.
const MAX_LOG_BYTES: u64 = 16 << 20;

/// The states of a game, including the last one, and whether it was won.
pub(super) struct LoggedGame {
    pub(super) states: Vec<GemSnapshot>,
    pub(super) won: bool,
}

/// The logs of a folder or a store, and the errors of unreadable ones.
#[derive(Default)]
struct LogScan {
    logs: Vec<GemLog>,
    damaged: Vec<String>,
}

impl LogScan {
    /// `name` is the path of a file, or the key of a sample.
    fn add(&mut self, name: impl std::fmt::Display, read: Result<Option<GemLog>, String>) {
        match read {
            Ok(log) => self.logs.extend(log),
            Err(why) => self.damaged.push(format!("{name}: {why}")),
        }
    }
}

/// Reads all finished games of a folder, ordered by file name, or of a store, in the order of
/// insertion. Also returns the errors of skipped logs. Fails if there is no game.
pub(super) fn read_logs(source: &Path) -> Result<(Vec<LoggedGame>, Vec<String>), TrainError> {
    let is_store = |text: &&str| text.contains("://") || source.is_file();
    let LogScan { logs, damaged } = match source.to_str().filter(is_store) {
        Some(store) => read_store(store)?,
        None => read_folder(source)?,
    };
    let games: Vec<LoggedGame> =
        logs.into_iter().filter(is_supported_board).map(logged_game).collect();
    if !games.is_empty() {
        return Ok((games, damaged));
    }
    let skipped = match &damaged[..] {
        [] => String::new(),
        [only] => format!("; skipped 1 unreadable log: {only}"),
        [first, ..] => format!("; skipped {} unreadable logs, the first: {first}", damaged.len()),
    };
    Err(TrainError::settings(format!(
        "{}: no finished game; expected one on a 9x9 board in its .txt files or samples{skipped}",
        source.display()
    )))
}

fn read_store(url: &str) -> Result<LogScan, TrainError> {
    let store = tesuji_store::open_existing(url).map_err(TrainError::settings)?;
    let mut found = LogScan::default();
    let read = store.for_each(&Selection::all(RecordKind::Sample), &mut |record| {
        if let Record::Sample(sample) = record {
            found.add(&sample.key, log_in_sample(&sample).map_err(|error| error.to_string()));
        }
        ControlFlow::Continue(())
    });
    read.map_err(TrainError::settings)?;
    Ok(found)
}

/// The log of a sample; samples of other games have none.
fn log_in_sample(sample: &Sample) -> Result<Option<GemLog>, LogError> {
    let is_gem_island = sample.game.starts_with("gem-island");
    match sample.detail.get("log").and_then(|log| log.as_str()).filter(|_| is_gem_island) {
        Some(text) => Ok(GemLog::read(text.as_bytes())?.log),
        None => Ok(None),
    }
}

fn read_folder(folder: &Path) -> Result<LogScan, TrainError> {
    let failed =
        |error: std::io::Error| TrainError::settings(format!("{}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut found = LogScan::default();
    for path in paths {
        let bytes = safe_file::read(&path, MAX_LOG_BYTES).map_err(|error| error.to_string());
        let read = |bytes: Vec<u8>| GemLog::read(&bytes).map_err(|error| error.to_string());
        found.add(path.display(), bytes.and_then(read).map(|reading| reading.log));
    }
    Ok(found)
}

fn is_supported_board(log: &GemLog) -> bool {
    let states = log.turns.iter().map(|turn| &turn.state).chain([&log.end]);
    log.header.rows == 9
        && log.header.columns == 9
        && states.into_iter().all(|state| state.cells.iter().all(|cell| cell.gem.kind < 6))
}

fn logged_game(log: GemLog) -> LoggedGame {
    let won = log.won();
    let states = log.turns.into_iter().map(|turn| turn.state).chain([log.end]).collect();
    LoggedGame { states, won }
}
