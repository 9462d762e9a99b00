//! What work is made of: a bench, the hands that do unit after unit at it, and what comes of a unit.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tesuji_store::{Kind, Record};

use crate::Life;

/// What all units of a batch have in common.
pub trait Bench: Send + Sync {
    /// All that another machine must know to make the same bench. Asked for only where the work leaves this process.
    fn brief(&self) -> Result<Brief, Trouble>;

    /// Somebody sits down to work: what a thread keeps from unit to unit.
    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble>;

    /// The kind and the keys of the records that this unit makes, where there are any. Those that other machines have
    /// written are read by these names.
    fn records(&self, unit: u64) -> Option<(Kind, Vec<String>)> {
        let _ = unit;
        None
    }

    /// How many games a unit is, for those who want to know how fast it goes.
    fn games(&self, unit: u64) -> u64 {
        let _ = unit;
        1
    }
}

/// Does one unit after another.
pub trait Hand {
    /// What comes of a unit; `None` when it was told to stop before its end. Whatever was done before, a unit
    /// comes out the same.
    fn work(&mut self, unit: u64) -> Result<Option<Product>, Trouble>;
}

impl<F: FnMut(u64) -> Result<Option<Product>, Trouble>> Hand for F {
    fn work(&mut self, unit: u64) -> Result<Option<Product>, Trouble> {
        self(unit)
    }
}

/// What comes of a unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Product {
    /// What is to be kept in the store.
    pub records: Vec<Record>,
    /// What else the run wants to know, as JSON; empty when there is nothing.
    pub note: String,
}

impl Product {
    /// Records alone.
    pub fn kept(records: Vec<Record>) -> Product {
        Product { records, note: String::new() }
    }

    /// A note alone.
    pub fn noted(note: &impl Serialize) -> Product {
        Product::default().with_note(note)
    }

    /// The same with a note.
    pub fn with_note(self, note: &impl Serialize) -> Product {
        let note = serde_json::to_string(note)
            .unwrap_or_else(|error| unreachable!("notes are plain data: {error}"));
        Product { note, ..self }
    }

    /// Reads the note.
    pub fn note<T: DeserializeOwned>(&self) -> Result<T, Trouble> {
        serde_json::from_str(&self.note)
            .map_err(|error| Trouble(format!("what came of a unit cannot be read: {error}")))
    }
}

/// A bench, written down for another machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Brief {
    /// The name of the [`Task`](crate::Task) that makes a bench of it.
    pub task: &'static str,
    /// Settings and the like, in whatever form the task understands.
    pub text: String,
    /// Models and other large things, by names of the task's own.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Brief {
    /// A brief without files.
    pub fn new(task: &'static str, text: String) -> Brief {
        Brief { task, text, files: BTreeMap::new() }
    }

    /// The same with a file.
    pub fn with_file(mut self, name: impl Into<String>, bytes: Vec<u8>) -> Brief {
        self.files.insert(name.into(), bytes);
        self
    }
}

/// Why work could not be done, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(pub String);

impl Trouble {
    /// From any error.
    pub fn of(error: impl std::fmt::Display) -> Trouble {
        Trouble(error.to_string())
    }
    /// What a panic said.
    pub fn of_panic(panic: &(dyn std::any::Any + Send)) -> Trouble {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Trouble(text.unwrap_or_else(|| "it did not say why".to_string()))
    }
}
