//! A work queue for many machines over NATS JetStream.
//!
//! The store is authoritative; the server only transports. A job, some items of a batch, is stored
//! before it is enqueued, and its result is stored before it is acknowledged. If the queue loses
//! everything, the coordinator finds the remaining jobs in the store and enqueues them again.
//!
//! The server holds
//! * a stream of jobs with one subject for each job; an acknowledged job is removed,
//! * one consumer from which all workers pull; a job that is not acknowledged within the lease is
//!   delivered to another worker,
//! * a bucket of objects: the payloads of jobs, by digest,
//! * a bucket of keys, in memory: the status of every worker.

mod address;
mod admin;
mod connection;
mod coordinator;
mod payloads;
mod plan;
pub(crate) mod results;
mod worker;
mod worker_status;

pub use address::{AddressError, QueueAddress};
pub use admin::{QueueStatus, RunProgress};
pub use connection::{Connection, LogFn, QueueOptions, VERSION};
pub use coordinator::NatsQueue;
pub use worker::{Shutdown, WorkerSettings, WorkerSummary, run_worker};
pub use worker_status::WorkerStatus;

pub(crate) use connection::{CONTROL, JobMessage, OTHER_STORE, RequestError, events_subject};
pub(crate) use coordinator::{finished_job, now};
pub(crate) use payloads::fetch_payload;

/// The beginning of a text from the network, without control characters, for one line of a log.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
