//! The limits of a search, and the meter that enforces them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The maximum depth of fixed-depth searches in plies. Deeper trees never finish, and the call
/// stack must not grow with the length of a game.
pub const MAX_DEPTH: u32 = 255;

/// The limits of a search. The first limit reached ends it; without limits it runs until it has an
/// exact result.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Plies from the root.
    pub depth: Option<u32>,
    /// Positions visited (simulations, for Monte Carlo).
    pub nodes: Option<u64>,
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// A flag that another thread sets to end the search at once.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// Limits the depth in plies from the root.
    pub fn depth(depth: u32) -> Self {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// The search depth; without a limit the end of the game or [`MAX_DEPTH`].
    pub fn plies(&self) -> u32 {
        self.depth.map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH))
    }

    /// Limits the visited positions or simulations.
    pub fn nodes(nodes: u64) -> Self {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Limits the wall-clock time.
    pub fn time(time: Duration) -> Self {
        Limits { time: Some(time), ..Limits::default() }
    }
}

/// The maximum number of nodes between two checks of the clock and the stop flag: reading the clock
/// at every node would cost more than the node.
const MAX_CHECK_INTERVAL: u64 = 1024;
/// The target time between two checks. A node may take a fraction of a microsecond, and a
/// simulation of renju on 20x20 takes 23 milliseconds, so the number of nodes adapts to the
/// measured time.
const TARGET_CHECK_INTERVAL: Duration = Duration::from_millis(1);

/// Counts the nodes of one thread's search and checks the limits.
#[derive(Clone, Debug)]
pub struct Meter {
    limits: Limits,
    started: Instant,
    nodes: u64,
    next_check: u64,
    /// The number of nodes between two checks.
    check_interval: u64,
    /// The time of the last check, since the start.
    last_check: Duration,
    stopped: bool,
}

impl Meter {
    /// Starts counting nodes of a tree search. The clock does not interrupt the first 1,024 nodes:
    /// they are enough for a result.
    pub fn start(limits: &Limits) -> Self {
        Meter::with_check_interval(MAX_CHECK_INTERVAL, limits)
    }

    /// Starts counting simulations, each of which may take long.
    pub fn start_simulations(limits: &Limits) -> Self {
        Meter::with_check_interval(1, limits)
    }

    fn with_check_interval(check_interval: u64, limits: &Limits) -> Self {
        Meter {
            limits: limits.clone(),
            started: Instant::now(),
            nodes: 0,
            next_check: limits.nodes.map_or(check_interval, |limit| limit.min(check_interval)),
            check_interval,
            last_check: Duration::ZERO,
            stopped: false,
        }
    }

    /// Counts one node; returns whether the search must end.
    #[inline]
    pub fn tick(&mut self) -> bool {
        self.spend(1)
    }

    /// Adds the nodes of another search; returns whether this search must end.
    #[inline]
    pub fn spend(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        self.stopped
    }

    /// Checks the clock and the stop flag immediately, in the middle of a long operation; returns
    /// whether the search must end.
    pub fn check_now(&mut self) -> bool {
        self.check_limits();
        self.stopped
    }

    #[cold]
    fn check_limits(&mut self) {
        let elapsed = self.started.elapsed();
        let out_of_nodes = self.limits.nodes.is_some_and(|limit| self.nodes >= limit);
        let out_of_time = self.limits.time.is_some_and(|limit| elapsed >= limit);
        let stop_requested =
            self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        self.stopped |= out_of_nodes || out_of_time || stop_requested;
        self.check_interval = match elapsed - self.last_check < TARGET_CHECK_INTERVAL {
            true => (2 * self.check_interval).min(MAX_CHECK_INTERVAL),
            false => (self.check_interval / 2).max(1),
        };
        self.last_check = elapsed;
        self.next_check = self.nodes + self.check_interval;
        if let Some(limit) = self.limits.nodes
            && limit > self.nodes
        {
            self.next_check = self.next_check.min(limit);
        }
    }

    /// Whether the search must end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The number of nodes so far.
    #[inline]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
