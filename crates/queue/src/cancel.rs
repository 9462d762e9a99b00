//! A token shared by a runner and its supervisor: it carries the order to stop in one direction and
//! heartbeats in the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Cancels work and counts its heartbeats. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    stop: Arc<AtomicBool>,
    heartbeats: Arc<AtomicU64>,
}

impl CancelToken {
    /// A token that an existing flag cancels.
    pub fn from_flag(stop: Arc<AtomicBool>) -> CancelToken {
        CancelToken { stop, ..CancelToken::default() }
    }

    /// The flag, in the form that searches take.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Whether work should stop.
    pub fn is_canceled(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Asks work to stop.
    pub fn cancel(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Reports progress. Every finished item counts by itself; an item that takes minutes must
    /// report now and then, or it is taken to hang.
    pub fn heartbeat(&self) {
        self.heartbeats.fetch_add(1, Relaxed);
    }

    /// The number of heartbeats so far.
    pub fn heartbeats(&self) -> u64 {
        self.heartbeats.load(Relaxed)
    }
}
