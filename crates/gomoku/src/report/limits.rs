//! What one choice may spend, and the meter that stops it. A node here is the scoring of a hundred cells, so
//! the clock is looked at every time: that costs nothing beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What an agent may spend on one move. Whatever comes first ends the search; what is not set is left to the
/// agent's own parameters.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Positions explored (playouts, for Monte Carlo).
    pub nodes: Option<u64>,
    /// The deepest level that is explored below the root, in place of the agent's own: 1 is a move and the best
    /// reply to it.
    pub depth: Option<u32>,
    /// Raised by somebody else to end the search at once.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// Wall-clock time and nothing else.
    pub fn time(time: Duration) -> Self {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// Positions explored (or playouts) and nothing else.
    pub fn nodes(nodes: u64) -> Self {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Levels below the root and nothing else.
    pub fn depth(depth: u32) -> Self {
        Limits { depth: Some(depth), ..Limits::default() }
    }
}

/// Counts what is spent.
#[derive(Debug)]
pub(super) struct Meter {
    started: Instant,
    time: Option<Duration>,
    nodes_left: u64,
    nodes: u64,
    stop: Option<Arc<AtomicBool>>,
}

impl Meter {
    /// Starts the clock; `own_time` is the agent's, which only a shorter limit changes.
    pub(super) fn start(limits: &Limits, own_time: Option<Duration>) -> Self {
        let time = match (limits.time, own_time) {
            (Some(given), Some(own)) => Some(given.min(own)),
            (given, own) => given.or(own),
        };
        let nodes_left = limits.nodes.unwrap_or(u64::MAX);
        Meter { started: Instant::now(), time, nodes_left, nodes: 0, stop: limits.stop.clone() }
    }

    /// Pays for one node; false when there is nothing left to pay with.
    pub(super) fn pay(&mut self) -> bool {
        let in_time = self.time.is_none_or(|time| self.started.elapsed() < time);
        let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if self.nodes_left == 0 || !in_time || stopped {
            return false;
        }
        self.nodes_left -= 1;
        self.nodes += 1;
        true
    }

    /// Nodes paid for so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }
}
