//! The limits of a PUCT search. A simulation with a model takes a hundred times as long as a node
//! of alpha-beta, or ten thousand times with rollouts, so the clock is read after each simulation
//! and not at intervals as in [`Meter`](crate::Meter).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::Limits;

pub(super) struct LimitCheck {
    limits: Limits,
    started: Instant,
}

impl LimitCheck {
    pub(super) fn start(limits: Limits) -> Self {
        LimitCheck { limits, started: Instant::now() }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether the search must end. Even without simulations there is a result: the model's.
    #[inline]
    pub(super) fn is_over(&self, simulations: u64) -> bool {
        let stop_requested =
            self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        stop_requested
            || self.limits.nodes.is_some_and(|limit| simulations >= limit)
            || self.limits.time.is_some_and(|time| self.started.elapsed() >= time)
    }
}
