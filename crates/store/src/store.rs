//! The trait of stores, selections of records, and errors.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::Serialize;

use crate::{GameRecord, Record, RecordKind, RunRecord};

/// A store of records, shared between threads. Every call is complete when it returns.
pub trait Store: Send + Sync {
    /// Its address for messages: a path, or a URL without its password.
    fn place(&self) -> &str;

    /// Writes all of these records or none, and returns when they are durable. A record whose key
    /// is stored already changes nothing; runs, jobs and ratings are replaced by later versions.
    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError>;

    /// Calls `each` with the selected records until it breaks, in the order in which they were
    /// first written (or the reverse, see [`Direction`]). Reads one consistent snapshot.
    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// A summary of the content.
    fn info(&self) -> Result<StoreInfo, StoreError>;
}

impl dyn Store + '_ {
    /// The selected games.
    pub fn games(&self, selection: &Selection) -> Result<Vec<GameRecord>, StoreError> {
        let mut games = Vec::new();
        self.for_each(&Selection { kind: RecordKind::Game, ..selection.clone() }, &mut |record| {
            if let Record::Game(game) = record {
                games.push(game);
            }
            ControlFlow::Continue(())
        })?;
        Ok(games)
    }

    /// The latest version of a run.
    pub fn run(&self, id: &str) -> Result<Option<RunRecord>, StoreError> {
        let mut found = None;
        let selection =
            Selection { event: Some(id.to_string()), ..Selection::all(RecordKind::Run) };
        self.for_each(&selection, &mut |record| {
            if let Record::Run(run) = record {
                found = Some(run);
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }
}

/// Which records to read: those of one kind that match every field that is set. If the kind lacks
/// such a field (a run has no game), no record matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// The kind.
    pub kind: RecordKind,
    /// The game of games and samples, or the board of human scores.
    pub game: Option<String>,
    /// The event of games, the run of samples, runs, jobs and metrics, or the pool of ratings.
    pub event: Option<String>,
    /// The stage of jobs.
    pub stage: Option<String>,
    /// The keys. The key of a run is its id; metrics and ratings have none.
    pub keys: Option<Vec<String>>,
    /// Only records after the one with this key, in reading direction; none if it does not exist.
    pub after: Option<String>,
    /// The reading direction.
    pub direction: Direction,
    /// The most records.
    pub limit: Option<u64>,
    /// Leaves out the output of jobs, which may be long. Such a job never replaces the full one.
    pub without_output: bool,
}

/// The direction in which records are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Direction {
    /// In the order in which they were first written.
    #[default]
    OldestFirst,
    /// In reverse order.
    NewestFirst,
}

impl Selection {
    /// Every record of a kind.
    pub const fn all(kind: RecordKind) -> Selection {
        Selection {
            kind,
            game: None,
            event: None,
            stage: None,
            keys: None,
            after: None,
            direction: Direction::OldestFirst,
            limit: None,
            without_output: false,
        }
    }

    /// The record of a kind with this key.
    pub fn key(kind: RecordKind, key: &str) -> Selection {
        Selection { keys: Some(vec![key.to_string()]), ..Selection::all(kind) }
    }

    /// Every game of an event.
    pub fn event(event: &str) -> Selection {
        Selection { event: Some(event.to_string()), ..Selection::all(RecordKind::Game) }
    }
}

/// The result of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AddCounts {
    /// Records that are new or replaced an earlier version.
    pub new: u64,
    /// Records that were stored already.
    pub known: u64,
}

impl std::ops::AddAssign for AddCounts {
    fn add_assign(&mut self, other: AddCounts) {
        self.new += other.new;
        self.known += other.known;
    }
}

/// Numbers of records.
pub type Counts = BTreeMap<RecordKind, u64>;

/// A summary of a store.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StoreInfo {
    /// Its address.
    pub place: String,
    /// The database and its version: `SQLite 3.50.4`.
    pub engine: String,
    /// The version of the tables.
    pub schema: u32,
    /// Bytes on disk.
    pub bytes: u64,
    /// Records of each kind.
    pub counts: Counts,
    /// The number of records of each game.
    pub games: BTreeMap<String, u64>,
    /// The number of games of each event.
    pub events: BTreeMap<String, u64>,
}

/// Why a store failed, in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The address is invalid.
    #[error(
        "store '{place}': unknown kind of address; expected a file such as games.db, or \
         postgres://USER@HOST/DATABASE"
    )]
    InvalidAddress {
        /// The address.
        place: String,
    },
    /// A record cannot be stored.
    #[error("{record}: {why} (nothing was written)")]
    InvalidRecord {
        /// A short description of the record.
        record: String,
        /// What is wrong, and what is expected.
        why: String,
    },
    /// The server cannot be reached; a later attempt may succeed.
    #[error("store {place}: unreachable: {why}")]
    Unreachable {
        /// The store.
        place: String,
        /// The reason, and how to correct it.
        why: String,
    },
    /// It cannot be opened.
    #[error("store {place}: cannot be opened: {why}")]
    NotOpened {
        /// The store.
        place: String,
        /// The reason, and how to correct it.
        why: String,
    },
    /// It is no store, or a store of a newer version.
    #[error("store {place}: {why}")]
    WrongSchema {
        /// The store.
        place: String,
        /// What was found and what is expected.
        why: String,
    },
    /// It cannot be written.
    #[error("store {place}: read-only: {why} (nothing was written)")]
    ReadOnly {
        /// The store.
        place: String,
        /// The message of the database.
        why: String,
    },
    /// The disk is full.
    #[error("store {place}: no room left: {why} (records acknowledged before are safe)")]
    Full {
        /// The store.
        place: String,
        /// The message of the database.
        why: String,
    },
    /// Another program locked it for too long.
    #[error("store {place}: busy: {why}; try again when the other program has finished")]
    Busy {
        /// The store.
        place: String,
        /// The message of the database.
        why: String,
    },
    /// The file is damaged.
    #[error(
        "store {place}: damaged: {why}; restore a copy, or export the records that can be read"
    )]
    Damaged {
        /// The store.
        place: String,
        /// The message of the database.
        why: String,
    },
    /// Any other error of the database.
    #[error("store {place}: {why}")]
    Failed {
        /// The store.
        place: String,
        /// The message of the database.
        why: String,
    },
}

impl StoreError {
    /// Whether a later attempt may succeed.
    pub const fn is_transient(&self) -> bool {
        matches!(self, StoreError::Unreachable { .. } | StoreError::Busy { .. })
    }
}
