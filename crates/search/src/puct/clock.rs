//! When a search ends. A simulation with a guide takes a hundred times as long as a node of alpha-beta, so that the
//! clock is read much more often than [`Meter`](crate::Meter) would.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::Limits;

/// The clock is read after so many simulations.
const SIMULATIONS_BETWEEN_LOOKS: u64 = 8;

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
        let out_of_simulations = self.limits.nodes.is_some_and(|most| simulations >= most);
        out_of_simulations
            || simulations.is_multiple_of(SIMULATIONS_BETWEEN_LOOKS) && self.is_late()
    }

    fn is_late(&self) -> bool {
        let told_to_stop =
            self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        told_to_stop || self.limits.time.is_some_and(|time| self.started.elapsed() >= time)
    }
}
