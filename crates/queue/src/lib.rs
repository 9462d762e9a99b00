//! Distributed work: the contract, and its implementation on the threads of one process ([`Pool`],
//! the default). `tesuji-queue-nats` implements it for many machines; learners and matches depend
//! on the contract alone.
//!
//! Work is a sequence of *items*, mostly games. An item depends only on its number and on the
//! [`JobSpec`] that all items share. Each thread creates a [`JobRunner`] from the specification and
//! runs item after item. A run gives a [`Batch`] of items to a [`WorkQueue`] and receives each
//! output as it is finished, in any order.
//!
//! For another machine a specification is serialized as a [`Payload`]: text and files. The
//! [`JobKind`] of the same name builds the specification from it there.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tesuji_queue::{
//!     Batch, CancelToken, JobError, JobRunner, JobSpec, Output, Payload, Pool, WorkQueue,
//! };
//!
//! struct Squares;
//!
//! impl JobSpec for Squares {
//!     fn payload(&self) -> Result<Payload, JobError> {
//!         Ok(Payload::new("squares", String::new()))
//!     }
//!     fn runner<'a>(&'a self, _: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
//!         Ok(Box::new(|item: u64| Ok(Some(Output::default().with_note(&(item * item))))))
//!     }
//! }
//!
//! let mut sum = 0;
//! let batch = Batch::new("example", "1", &[1, 2, 3], &Squares);
//! Pool::new(2)
//!     .run_batch(&batch, &mut |finished| {
//!         sum += finished.iter().map(|it| it.output.note::<u64>().unwrap()).sum::<u64>();
//!         ControlFlow::Continue(())
//!     })
//!     .unwrap();
//! assert_eq!(sum, 14);
//! ```

mod cancel;
mod job;
mod job_kind;
mod pool;
mod queue;
pub mod testing;

pub use cancel::CancelToken;
pub use job::{JobError, JobRunner, JobSpec, Output, Payload};
pub use job_kind::{JobKind, JobKinds, ReceivedPayload};
pub use pool::Pool;
pub use queue::{Batch, BatchSummary, FinishedItem, QueueError, WorkQueue};
