//! What a search has spent and when it must end. Looks at the time more often than a
//! [`Meter`](tesuji_search::Meter) does: a node here is a turn, with its threats and candidates, and costs microseconds.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tesuji_search::Limits;

/// Positions between two looks at the clock.
const NODES_BETWEEN_LOOKS: u64 = 16;

/// See the top of this file.
#[derive(Debug)]
pub(super) struct Clock {
    limits: Limits,
    started: Instant,
    nodes: u64,
    next_look: u64,
    stopped: bool,
}

impl Clock {
    pub(super) fn start(limits: &Limits) -> Clock {
        Clock {
            limits: limits.clone(),
            started: Instant::now(),
            nodes: 0,
            next_look: 0,
            stopped: false,
        }
    }

    /// Counts positions; true when the search must end now.
    #[inline]
    pub(super) fn tick(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.nodes >= self.next_look {
            self.look();
        }
        self.stopped
    }

    fn look(&mut self) {
        self.next_look = self.nodes + NODES_BETWEEN_LOOKS;
        let out_of_nodes = self.limits.nodes.is_some_and(|limit| self.nodes >= limit);
        let out_of_time = self.limits.time.is_some_and(|limit| self.started.elapsed() >= limit);
        let told = self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        self.stopped |= out_of_nodes || out_of_time || told;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// When the time is over.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.limits.time.and_then(|limit| self.started.checked_add(limit))
    }
}
