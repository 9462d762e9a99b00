//! Work that is shared out: the contract, and the threads of one process ([`Pool`], the default). Many machines share
//! work by `tesuji-queue-nats`, which learners and the arena need not know.
//!
//! Long work is a row of *units* (games, mostly), each of which depends on its number and on what all of them have
//! in common, and on nothing else. What they have in common is a [`Bench`]; whoever sits down at it has a [`Hand`]
//! and does unit after unit. A run hands a [`Batch`] of units to a [`WorkQueue`] and hears of each as it is
//! finished, in whatever order.
//!
//! For another machine a bench is written down as a [`Brief`]: a few words of text and some files. There a [`Task`]
//! of the same name makes a bench of it again.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tesuji_queue::{Batch, Bench, Brief, Hand, Life, Pool, Product, Trouble, WorkQueue};
//!
//! struct Squares;
//!
//! impl Bench for Squares {
//!     fn brief(&self) -> Result<Brief, Trouble> {
//!         Ok(Brief::new("squares", String::new()))
//!     }
//!     fn hand<'a>(&'a self, _: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
//!         Ok(Box::new(|unit: u64| Ok(Some(Product::noted(&(unit * unit))))))
//!     }
//! }
//!
//! let mut sum = 0;
//! let batch = Batch::new("example", "1", &[1, 2, 3], &Squares);
//! Pool::new(2)
//!     .perform(&batch, &mut |finished| {
//!         sum += finished.iter().map(|it| it.product.note::<u64>().unwrap()).sum::<u64>();
//!         ControlFlow::Continue(())
//!     })
//!     .unwrap();
//! assert_eq!(sum, 14);
//! ```

pub mod bench;
mod life;
mod pool;
pub mod queue;
pub mod rehearsal;
mod task;

pub use bench::{Bench, Brief, Hand, Product, Trouble};
pub use life::Life;
pub use pool::Pool;
pub use queue::{Batch, Finished, Performed, QueueError, WorkQueue};
pub use task::{Parcel, Task, Tasks};
