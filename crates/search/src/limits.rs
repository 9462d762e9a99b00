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
const MOST_BETWEEN_LOOKS: u64 = 1024;
/// The target time between two checks. A node may take a fraction of a microsecond, and a
/// simulation of renju on 20x20 takes 23 milliseconds, so the number of nodes adapts to the
/// measured time.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Counts the nodes of one thread's search and checks the limits.
#[derive(Clone, Debug)]
pub struct Meter {
    limits: Limits,
    started: Instant,
    nodes: u64,
    next_look: u64,
    /// The number of nodes between two checks.
    between: u64,
    /// The time of the last check, since the start.
    looked: Duration,
    stopped: bool,
}

impl Meter {
    /// Starts counting nodes of a tree search. The clock does not interrupt the first 1,024 nodes:
    /// they are enough for a result.
    pub fn start(limits: &Limits) -> Self {
        Meter::looking_after(MOST_BETWEEN_LOOKS, limits)
    }

    /// Starts counting simulations, each of which may take long.
    pub fn start_simulations(limits: &Limits) -> Self {
        Meter::looking_after(1, limits)
    }

    fn looking_after(between: u64, limits: &Limits) -> Self {
        Meter {
            limits: limits.clone(),
            started: Instant::now(),
            nodes: 0,
            next_look: limits.nodes.map_or(between, |most| most.min(between)),
            between,
            looked: Duration::ZERO,
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
        if self.nodes >= self.next_look {
            self.look();
        }
        self.stopped
    }

    /// Checks the clock and the stop flag immediately, in the middle of a long operation; returns
    /// whether the search must end.
    pub fn check_now(&mut self) -> bool {
        self.look();
        self.stopped
    }

    #[cold]
    fn look(&mut self) {
        let elapsed = self.started.elapsed();
        let out_of_nodes = self.limits.nodes.is_some_and(|limit| self.nodes >= limit);
        let out_of_time = self.limits.time.is_some_and(|limit| elapsed >= limit);
        let told_to_stop =
            self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        self.stopped |= out_of_nodes || out_of_time || told_to_stop;
        self.between = match elapsed - self.looked < LOOK_EVERY {
            true => (2 * self.between).min(MOST_BETWEEN_LOOKS),
            false => (self.between / 2).max(1),
        };
        self.looked = elapsed;
        self.next_look = self.nodes + self.between;
        if let Some(limit) = self.limits.nodes
            && limit > self.nodes
        {
            self.next_look = self.next_look.min(limit);
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
