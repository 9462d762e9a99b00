//! Measures the running time of a thread.

use std::time::{Duration, Instant};

/// Measures the time that this thread has run, so that other load on the machine matters less;
/// wall-clock time where the system does not report it.
pub struct ThreadTimer {
    wall: Instant,
    ran: Option<Duration>,
}

impl ThreadTimer {
    /// Starts now.
    pub fn start() -> ThreadTimer {
        ThreadTimer { wall: Instant::now(), ran: time_run() }
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        match (self.ran, time_run()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.wall.elapsed(),
        }
    }
}

fn time_run() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
