//! The contract of everything that shares out work.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_store::{Store, StoreError};

use crate::{Bench, Product, Trouble};

/// Shares out work.
pub trait WorkQueue: Send + Sync {
    /// Has every unit of a batch done once. `each` is called on this thread with those that are finished, in whatever
    /// order; when it breaks, nothing more is begun or counted. Where the batch has a store, records are in it before
    /// `each` hears of them.
    fn perform(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<Performed, QueueError>;
}

/// Units that are due.
#[derive(Clone)]
pub struct Batch<'a> {
    /// The run they belong to, as it is called in the store.
    pub run: &'a str,
    /// Which part of the run: the number of an iteration, say.
    pub stage: &'a str,
    /// Their numbers, in ascending order.
    pub units: &'a [u64],
    /// What they have in common.
    pub bench: &'a dyn Bench,
    /// Where their records go.
    pub store: Option<&'a dyn Store>,
    /// Raised from outside to end soon; raised by the queue when `each` breaks.
    pub stop: Arc<AtomicBool>,
}

impl<'a> Batch<'a> {
    /// Without a store and with nobody to stop it.
    pub fn new(run: &'a str, stage: &'a str, units: &'a [u64], bench: &'a dyn Bench) -> Batch<'a> {
        Batch { run, stage, units, bench, store: None, stop: Arc::default() }
    }

    /// The same with a place for its records.
    pub fn kept_in(self, store: Option<&'a dyn Store>) -> Batch<'a> {
        Batch { store, ..self }
    }

    /// The same with somebody who may stop it.
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Batch<'a> {
        Batch { stop, ..self }
    }

    /// Has it done by a queue; `each` hears of one unit after the other, up to the first that it cannot take.
    pub fn perform_by<E: From<QueueError>>(
        &self,
        queue: &dyn WorkQueue,
        each: &mut dyn FnMut(Finished) -> Result<(), E>,
    ) -> Result<Performed, E> {
        let mut heard = Ok(());
        let performed = queue.perform(self, &mut |finished| {
            heard = finished.into_iter().try_for_each(&mut *each);
            if heard.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        heard.map(|()| performed)
    }
}

/// A unit that is done.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// Its number.
    pub unit: u64,
    /// What came of it.
    pub product: Product,
}

/// How a batch went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Performed {
    /// Somebody else did some of the units at the same time and was first to keep their records. What the store has
    /// counts, also where `each` heard otherwise.
    pub contested: bool,
}

/// Why a batch was not done, or not to its end. What was finished is kept.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// Work that cannot be done.
    #[error(transparent)]
    Work(#[from] Trouble),
    /// What came of it could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread panicked in a unit.
    #[error("unit {unit} of {run}/{stage} panicked: {why}")]
    Panic {
        /// The run.
        run: String,
        /// Its part.
        stage: String,
        /// The number.
        unit: u64,
        /// What it said.
        why: String,
    },
    /// The queue cannot be reached or used, and what would help.
    #[error("the queue {place}: {why}")]
    Queue {
        /// Where it is, without secrets.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// Jobs that failed again and again.
    #[error(
        "{jobs} of the jobs of {run} failed too often, the first of them: {error}; when the cause is mended: tesuji \
         queue retry {run}, then start it again"
    )]
    Poisoned {
        /// The run.
        run: String,
        /// How many.
        jobs: usize,
        /// What the first of them said last.
        error: String,
    },
}
