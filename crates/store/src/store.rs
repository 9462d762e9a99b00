//! The contract that every database fulfils.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::Serialize;

use crate::{GameRecord, Record, RecordKind, RunRecord};

/// A place that keeps records. Shared between threads; every call is complete when it returns.
pub trait Store: Send + Sync {
    /// Where it is, fit to be shown: a path, or a URL without its password.
    fn place(&self) -> &str;

    /// Writes all of these or none, and returns when they will survive a crash of the machine. A record
    /// whose key is known already changes nothing; runs, jobs and ratings are replaced by later versions.
    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError>;

    /// Calls `each` with the selected records, in the order in which they were first written (or backwards, if the
    /// selection says so), until it breaks. Sees one consistent state, whatever is written meanwhile.
    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// What is in it.
    fn info(&self) -> Result<StoreInfo, StoreError>;
}

impl dyn Store + '_ {
    /// The selected games, all at once.
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

/// Which records to read: those of one kind that fit every given field. Where the kind has no such field
/// (a run is of no game), none fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// The kind.
    pub kind: RecordKind,
    /// Games, samples: of this game. Human scores: of this board.
    pub game: Option<String>,
    /// Games: of this event. Samples, runs, jobs, metrics: of this run. Ratings: of this pool.
    pub event: Option<String>,
    /// Jobs: of this stage.
    pub stage: Option<String>,
    /// Those with one of these keys. Runs have their id for it; metrics and ratings have none.
    pub keys: Option<Vec<String>>,
    /// Those that come after the one with this key, in the direction of reading; none, if it is not there.
    pub after: Option<String>,
    /// From which end they are read.
    pub direction: Direction,
    /// No more than so many.
    pub limit: Option<u64>,
    /// Jobs: come without their output, which may be long. Such a job never replaces the whole one.
    pub without_output: bool,
}

/// From which end records are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Direction {
    /// In the order in which they were first written.
    #[default]
    OldestFirst,
    /// The other way round.
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

/// What a write changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AddCounts {
    /// Records that were not there before, or replaced an earlier version.
    pub new: u64,
    /// Records that were there already.
    pub known: u64,
}

impl std::ops::AddAssign for AddCounts {
    fn add_assign(&mut self, other: AddCounts) {
        self.new += other.new;
        self.known += other.known;
    }
}

/// How many of each.
pub type Counts = BTreeMap<RecordKind, u64>;

/// What is in a store.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StoreInfo {
    /// Where it is.
    pub place: String,
    /// The database and its version: `SQLite 3.50.4`.
    pub engine: String,
    /// The version of the tables.
    pub schema: u32,
    /// Bytes on disk.
    pub bytes: u64,
    /// Records of each kind.
    pub counts: Counts,
    /// Games of each game.
    pub games: BTreeMap<String, u64>,
    /// Games of each event.
    pub events: BTreeMap<String, u64>,
}

/// Why a store did not do what it was asked. Each message is one line: what was wrong, where, and what
/// would help.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address is none.
    #[error(
        "'{place}' is not a store; give a file such as games.db, or postgres://USER@HOST/DATABASE"
    )]
    InvalidAddress {
        /// What was given.
        place: String,
    },
    /// A record that no store can keep.
    #[error("cannot keep {record}: {why}; nothing was written")]
    InvalidRecord {
        /// The record, in a few words.
        record: String,
        /// What is wrong with it.
        why: String,
    },
    /// It cannot be reached now; it may come back by itself.
    #[error("cannot open the store {place}: {why}")]
    Unreachable {
        /// The store.
        place: String,
        /// The reason and a remedy.
        why: String,
    },
    /// It cannot be opened until somebody does something about it.
    #[error("cannot open the store {place}: {why}")]
    NotOpened {
        /// The store.
        place: String,
        /// The reason and a remedy.
        why: String,
    },
    /// It is a database, but not one of ours, or one from the future.
    #[error("{place} cannot be used as a store: {why}")]
    WrongSchema {
        /// The store.
        place: String,
        /// What was found and what would be right.
        why: String,
    },
    /// It may be read but not written.
    #[error("the store {place} is read-only: {why}; nothing was written")]
    ReadOnly {
        /// The store.
        place: String,
        /// What the database said.
        why: String,
    },
    /// No room is left.
    #[error("no room left for the store {place}: {why}; what was acknowledged before is safe")]
    Full {
        /// The store.
        place: String,
        /// What the database said.
        why: String,
    },
    /// Somebody else kept it locked for too long.
    #[error("the store {place} is busy: {why}; try again when the other program is done")]
    Busy {
        /// The store.
        place: String,
        /// What the database said.
        why: String,
    },
    /// The file is damaged.
    #[error(
        "the store {place} is damaged: {why}; restore a copy, or export what can still be read"
    )]
    Damaged {
        /// The store.
        place: String,
        /// What the database said.
        why: String,
    },
    /// Anything else that the database complains about.
    #[error("the store {place} failed: {why}")]
    Failed {
        /// The store.
        place: String,
        /// What the database said.
        why: String,
    },
}

impl StoreError {
    /// Whether it may pass by itself, so that it makes sense to try again.
    pub const fn is_transient(&self) -> bool {
        matches!(self, StoreError::Unreachable { .. } | StoreError::Busy { .. })
    }
}
