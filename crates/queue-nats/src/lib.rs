//! Work on many machines, carried by NATS JetStream.
//!
//! The store is the truth, the server only carries. A job (some units of a batch) is written into the store before it
//! is put into the queue, and its result is there before it is taken out. So the queue can be lost as a whole: whoever
//! coordinates finds in the store what is left to do and puts it in again.
//!
//! On the server there are
//! * a stream of jobs, one subject for each job, from which an acknowledged job is gone,
//! * one consumer, from which all workers pull; a job that is not acknowledged within the lease goes to another,
//! * a bucket of objects: what workers must know to do a job, by its digest,
//! * a bucket of keys, in memory: who works, and how fast.

mod address;
mod blobs;
mod coordinator;
pub(crate) mod gather;
mod line;
mod plan;
mod presence;
mod service;
mod worker;

pub use address::{Address, AddressError};
pub use coordinator::NatsQueue;
pub use line::{Line, Notice, Options, VERSION};
pub use presence::WorkerCard;
pub use service::{QueueState, RunState};
pub use worker::{Farewell, WorkerReport, WorkerSettings, work};

pub(crate) use blobs::{Bringing, bring};
pub(crate) use coordinator::{done, now};
pub(crate) use line::{CONTROL, Hitch, OTHER_STORE, Order, news};

/// The beginning of a text that came over the network, fit for a line of a log.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
