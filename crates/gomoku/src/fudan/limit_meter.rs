//! Checks the limits of a search. A node scores about a hundred cells, so it checks the clock every
//! time at no noticeable cost. Limits that are not given default to the agent's own parameters;
//! depth 1 is a move and the best reply to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tesuji_search::Limits;

/// Measures one search against its limits.
#[derive(Debug)]
pub(super) struct LimitMeter {
    started: Instant,
    time: Option<Duration>,
    nodes_left: u64,
    nodes: u64,
    stop: Option<Arc<AtomicBool>>,
}

impl LimitMeter {
    /// Starts the clock; `own_time` is the agent's own limit, which only a shorter one overrides.
    pub(super) fn start(limits: &Limits, own_time: Option<Duration>) -> Self {
        let time = match (limits.time, own_time) {
            (Some(given), Some(own)) => Some(given.min(own)),
            (given, own) => given.or(own),
        };
        let nodes_left = limits.nodes.unwrap_or(u64::MAX);
        LimitMeter {
            started: Instant::now(),
            time,
            nodes_left,
            nodes: 0,
            stop: limits.stop.clone(),
        }
    }

    /// Counts one node; returns false if a limit is reached.
    pub(super) fn try_spend(&mut self) -> bool {
        let in_time = self.time.is_none_or(|time| self.started.elapsed() < time);
        let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if self.nodes_left == 0 || !in_time || stopped {
            return false;
        }
        self.nodes_left -= 1;
        self.nodes += 1;
        true
    }

    /// The number of nodes so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }
}
