//! When a search ends. A simulation with a guide takes a hundred times as long as a node of alpha-beta, or ten thousand
//! times where the guide plays games to their end: the clock is read after each, and not now and then as
//! [`Meter`](crate::Meter) does.

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

    /// Whether the search must end after so many simulations. Even with none there is an answer: the guide's.
    #[inline]
    pub(super) fn is_over(&self, simulations: u64) -> bool {
        let told_to_stop =
            self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        told_to_stop
            || self.limits.nodes.is_some_and(|most| simulations >= most)
            || self.limits.time.is_some_and(|time| self.started.elapsed() >= time)
    }
}
