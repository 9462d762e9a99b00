//! The limits of a PUCT search. A simulation with a model takes a hundred times as long as a node
//! of alpha-beta, or ten thousand times with rollouts, so the clock is read after each simulation
//! and not at intervals as in [`Meter`](crate::Meter).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::Limits;

pub(super) struct Clock {
    limits: Limits,
    started: Instant,
}

impl Clock {
    pub(super) fn start(limits: Limits) -> Self {
        Clock { limits, started: Instant::now() }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether the search must end. Even without simulations there is a result: the model's.
    #[inline]
    pub(super) fn is_over(&self, simulations: u64) -> bool {
        let told_to_stop =
            self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        told_to_stop
            || self.limits.nodes.is_some_and(|most| simulations >= most)
            || self.limits.time.is_some_and(|time| self.started.elapsed() >= time)
    }
}
