//! What a job consists of: its specification, the runner that a thread uses, and the output of an
//! item.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tesuji_store::{Record, RecordKind};

use crate::CancelToken;

/// What all items of a batch share.
pub trait JobSpec: Send + Sync {
    /// Everything that another machine needs to build the same specification. Called only when
    /// work leaves this process.
    fn payload(&self) -> Result<Payload, JobError>;

    /// Creates the state of one thread, which it keeps from item to item.
    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError>;

    /// The kind and keys of the records that this item makes, if it makes any. Records that other
    /// machines wrote are read by these keys.
    fn records(&self, item: u64) -> Option<(RecordKind, Vec<String>)> {
        let _ = item;
        None
    }

    /// The number of games in an item, for rates.
    fn games(&self, item: u64) -> u64 {
        let _ = item;
        1
    }
}

/// Runs one item after another.
pub trait JobRunner {
    /// Runs an item; `None` if it was stopped before its end. The output depends only on the item,
    /// not on earlier ones.
    fn run(&mut self, item: u64) -> Result<Option<Output>, JobError>;
}

impl<F: FnMut(u64) -> Result<Option<Output>, JobError>> JobRunner for F {
    fn run(&mut self, item: u64) -> Result<Option<Output>, JobError> {
        self(item)
    }
}

/// The output of an item.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// Records for the store.
    pub records: Vec<Record>,
    /// Further results as JSON; empty if there are none.
    pub note: String,
}

impl Output {
    /// Sets the records.
    pub fn with_records(self, records: Vec<Record>) -> Output {
        Output { records, ..self }
    }

    /// Sets the note.
    pub fn with_note(self, note: &impl Serialize) -> Output {
        let note = serde_json::to_string(note)
            .unwrap_or_else(|error| unreachable!("notes are plain data: {error}"));
        Output { note, ..self }
    }

    /// Parses the note.
    pub fn note<T: DeserializeOwned>(&self) -> Result<T, JobError> {
        serde_json::from_str(&self.note)
            .map_err(|error| JobError(format!("output of an item: cannot be read: {error}")))
    }
}

/// A job specification, serialized for another machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Payload {
    /// The name of the [`JobKind`](crate::JobKind) that reads it.
    pub kind: &'static str,
    /// Settings, in a format that the job kind defines.
    pub text: String,
    /// Models and other large data, by names that the job kind defines.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Payload {
    /// A payload without files.
    pub fn new(kind: &'static str, text: String) -> Payload {
        Payload { kind, text, files: BTreeMap::new() }
    }

    /// Adds a file.
    pub fn with_file(mut self, name: impl Into<String>, bytes: Vec<u8>) -> Payload {
        self.files.insert(name.into(), bytes);
        self
    }
}

/// Why a job failed, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct JobError(pub String);

impl JobError {
    /// The text of any error.
    pub fn new(error: impl std::fmt::Display) -> JobError {
        JobError(error.to_string())
    }

    /// The message of a panic.
    pub fn from_panic(panic: &(dyn std::any::Any + Send)) -> JobError {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        JobError(text.unwrap_or_else(|| "no message".to_string()))
    }
}
