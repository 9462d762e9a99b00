//! The contract of work queues.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_store::{Store, StoreError};

use crate::{JobError, JobSpec, Output};

/// Distributes work.
pub trait WorkQueue: Send + Sync {
    /// Runs every item of a batch once. Calls `each` on this thread with finished items, in any
    /// order; once it breaks, no further item is started or reported. If the batch has a store,
    /// records are in it before `each` sees them.
    fn run_batch(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<FinishedItem>) -> ControlFlow<()>,
    ) -> Result<BatchSummary, QueueError>;
}

/// Items to run.
#[derive(Clone)]
pub struct Batch<'a> {
    /// The name of their run in the store.
    pub run: &'a str,
    /// The part of the run, such as the number of an iteration.
    pub stage: &'a str,
    /// Their numbers, in ascending order.
    pub items: &'a [u64],
    /// What they share.
    pub job: &'a dyn JobSpec,
    /// Where their records are stored.
    pub store: Option<&'a dyn Store>,
    /// Set by the caller to stop early; set by the queue when `each` breaks.
    pub stop: Arc<AtomicBool>,
}

impl<'a> Batch<'a> {
    /// A batch without a store and with a stop flag of its own.
    pub fn new(run: &'a str, stage: &'a str, items: &'a [u64], job: &'a dyn JobSpec) -> Batch<'a> {
        Batch { run, stage, items, job, store: None, stop: Arc::default() }
    }

    /// Sets the store for the records.
    pub fn with_store(self, store: Option<&'a dyn Store>) -> Batch<'a> {
        Batch { store, ..self }
    }

    /// Sets the flag that stops the batch.
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Batch<'a> {
        Batch { stop, ..self }
    }

    /// Runs the batch on a queue and calls `each` with one item at a time, up to the first error.
    pub fn run_on<E: From<QueueError>>(
        &self,
        queue: &dyn WorkQueue,
        each: &mut dyn FnMut(FinishedItem) -> Result<(), E>,
    ) -> Result<BatchSummary, E> {
        let mut result = Ok(());
        let summary = queue.run_batch(self, &mut |finished| {
            result = finished.into_iter().try_for_each(&mut *each);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        result.map(|()| summary)
    }
}

/// An item with its output.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedItem {
    /// The number of the item.
    pub item: u64,
    /// Its output.
    pub output: Output,
}

/// How a batch went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BatchSummary {
    /// Another process ran some of the items at the same time and stored their records first. The
    /// records in the store count, even where `each` saw others.
    pub contested: bool,
}

/// Why a batch did not run to its end. Finished items stay stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// A job failed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread panicked in an item.
    #[error("item {item} of {run}/{stage}: panicked: {reason}")]
    Panic {
        /// The run.
        run: String,
        /// Its part.
        stage: String,
        /// The number of the item.
        item: u64,
        /// The message of the panic.
        reason: String,
    },
    /// The queue cannot be reached or used.
    #[error("queue {address}: {reason}")]
    Queue {
        /// Its address, without secrets.
        address: String,
        /// What is wrong, and how to correct it.
        reason: String,
    },
    /// Jobs failed too often.
    #[error(
        "{jobs} of the jobs of {run} failed too often, the first of them: {error}; when the cause \
         is removed, run tesuji queue retry {run} and start the run again"
    )]
    FailedJobs {
        /// The run.
        run: String,
        /// The number of failed jobs.
        jobs: usize,
        /// The last error of the first of them.
        error: String,
    },
}

impl From<QueueError> for JobError {
    fn from(error: QueueError) -> JobError {
        JobError::new(error)
    }
}
