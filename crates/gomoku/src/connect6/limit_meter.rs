//! Counts nodes and checks the limits of a search. It checks the time more often than
//! [`tesuji_search::Meter`]: a node is a turn with its threats and candidates and takes
//! microseconds.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tesuji_search::Limits;

/// Nodes between two checks of the limits.
const NODES_BETWEEN_CHECKS: u64 = 16;

/// Measures one search against its limits.
#[derive(Debug)]
pub(super) struct LimitMeter {
    limits: Limits,
    started: Instant,
    nodes: u64,
    next_check: u64,
    stopped: bool,
}

impl LimitMeter {
    pub(super) fn start(limits: &Limits) -> LimitMeter {
        LimitMeter {
            limits: limits.clone(),
            started: Instant::now(),
            nodes: 0,
            next_check: 0,
            stopped: false,
        }
    }

    /// Counts nodes; returns true if the search must stop.
    #[inline]
    pub(super) fn tick(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        self.stopped
    }

    fn check_limits(&mut self) {
        self.next_check = self.nodes + NODES_BETWEEN_CHECKS;
        let out_of_nodes = self.limits.nodes.is_some_and(|limit| self.nodes >= limit);
        let out_of_time = self.limits.time.is_some_and(|limit| self.started.elapsed() >= limit);
        let stop_requested =
            self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        self.stopped |= out_of_nodes || out_of_time || stop_requested;
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

    /// The time at which the search must stop.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.limits.time.and_then(|limit| self.started.checked_add(limit))
    }
}
