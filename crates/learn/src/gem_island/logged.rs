//! Logs of played games, from a folder of files or from a store, where the web app saves users'
//! games. Unreadable logs are skipped, counted and named, so that one damaged file does not end a
//! run.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tesuji_games::rules::gem_island::log::{GemLog, ParsedLog};
use tesuji_play::quantity::grouped;
use tesuji_store::{Record, RecordKind, Sample, Selection, safe_file};
use tesuji_train::TrainError;

/// The maximum size of a log; a game of a hundred swaps has about 100 KiB.
const MAX_LOG_BYTES: u64 = 16 << 20;
/// The number of damaged logs that the summary names.
const NAMED: usize = 3;

/// The finished games of a folder or a store, and what was skipped.
#[derive(Clone, Debug)]
pub struct GemLogs {
    /// The folder or the store.
    source: PathBuf,
    /// The finished games: those of a folder by file name, those of a store in the order of
    /// insertion.
    pub games: Vec<GemLog>,
    /// Damaged logs.
    pub damaged: Vec<SkippedLog>,
    /// Logs without the end of a game.
    pub unfinished: Vec<SkippedLog>,
}

/// A log that is not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedLog {
    /// The name of the file, or the key of the sample.
    pub name: String,
    /// The reason.
    pub why: String,
}

impl GemLogs {
    /// Reads the files `*.txt` of a folder, or the samples of a store. Fails if there is no
    /// finished game.
    pub fn read(source: &Path) -> Result<GemLogs, TrainError> {
        let is_store = |text: &&str| text.contains("://") || source.is_file();
        let mut logs = GemLogs {
            source: source.to_path_buf(),
            games: Vec::new(),
            damaged: Vec::new(),
            unfinished: Vec::new(),
        };
        match source.to_str().filter(is_store) {
            Some(store) => logs.read_store(store)?,
            None => logs.read_folder(source)?,
        }
        logs.demand_games("in its .txt files or samples")
    }

    /// Only the games on a board with six kinds of gems that the networks support. Fails if there
    /// is none.
    pub(super) fn for_networks(mut self) -> Result<GemLogs, TrainError> {
        self.games.retain(is_supported_board);
        self.demand_games("on a 9x9 board in its .txt files or samples")
    }

    fn demand_games(self, expected: &str) -> Result<GemLogs, TrainError> {
        if !self.games.is_empty() {
            return Ok(self);
        }
        let skipped = self.skipped().map_or(String::new(), |skipped| format!("; {skipped}"));
        let source = self.source.display();
        let problem = format!("{source}: no finished game; expected one {expected}{skipped}");
        Err(TrainError::settings(problem))
    }

    /// What was skipped, in one line; `None` if nothing was.
    pub fn skipped(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.damaged.is_empty() {
            let names = self.damaged.iter().take(NAMED).map(|log| log.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let more = if self.damaged.len() > NAMED { ", …" } else { "" };
            parts.push(format!("{} damaged ({names}{more})", grouped(self.damaged.len() as u128)));
        }
        if !self.unfinished.is_empty() {
            parts.push(format!("{} unfinished", grouped(self.unfinished.len() as u128)));
        }
        let all = self.games.len() + self.damaged.len() + self.unfinished.len();
        let all = grouped(all as u128);
        (!parts.is_empty()).then(|| format!("skipped {} of {all} logs", parts.join(" and ")))
    }

    /// Logs what was skipped: one warning, and all names and reasons for `-v`.
    pub fn report_skipped(&self) {
        let Some(summary) = self.skipped() else { return };
        tracing::warn!(target: "train", "{}: {summary}", self.source.display());
        for SkippedLog { name, why } in self.damaged.iter().chain(&self.unfinished) {
            tracing::info!(target: "train", "skipped {name}: {why}");
        }
    }

    fn read_folder(&mut self, folder: &Path) -> Result<(), TrainError> {
        let failed = |error: std::io::Error| {
            let folder = folder.display();
            let expected = "expected a folder or a store of logs";
            TrainError::settings(format!("{folder}: cannot be read ({error}); {expected}"))
        };
        let entries = fs::read_dir(folder).map_err(failed)?;
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>();
        let mut paths = paths.map_err(failed)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
        paths.sort();
        for path in paths {
            let bytes = safe_file::read(&path, MAX_LOG_BYTES).map_err(|error| error.to_string());
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            self.add(&name, bytes.as_deref().map_err(String::clone));
        }
        Ok(())
    }

    fn read_store(&mut self, url: &str) -> Result<(), TrainError> {
        let store = tesuji_store::open_existing(url).map_err(TrainError::settings)?;
        let read = store.for_each(&Selection::all(RecordKind::Sample), &mut |record| {
            if let Record::Sample(sample) = record
                && let Some(text) = log_in_sample(&sample)
            {
                self.add(&sample.key, Ok(text.as_bytes()));
            }
            ControlFlow::Continue(())
        });
        read.map_err(TrainError::settings)
    }

    fn add(&mut self, name: &str, bytes: Result<&[u8], String>) {
        let skipped = |why: String| SkippedLog { name: name.to_string(), why };
        match bytes.and_then(|bytes| GemLog::read(bytes).map_err(|error| error.to_string())) {
            Ok(ParsedLog { log: Some(log), .. }) => self.games.push(log),
            Ok(ParsedLog { repairs, .. }) => {
                let why = repairs.last().map_or("no game".to_string(), ToString::to_string);
                self.unfinished.push(skipped(why));
            }
            Err(why) => self.damaged.push(skipped(why)),
        }
    }
}

/// The log of a sample; samples of other games have none.
fn log_in_sample(sample: &Sample) -> Option<&str> {
    let is_gem_island = sample.game.starts_with("gem-island");
    sample.detail.get("log").and_then(|log| log.as_str()).filter(|_| is_gem_island)
}

fn is_supported_board(log: &GemLog) -> bool {
    let states = log.turns.iter().map(|turn| &turn.state).chain([&log.end]);
    log.header.rows == 9
        && log.header.columns == 9
        && states.into_iter().all(|state| state.cells.iter().all(|cell| cell.gem.kind < 6))
}
