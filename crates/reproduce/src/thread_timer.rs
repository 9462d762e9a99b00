//! Time as measurements want it.

use std::time::{Duration, Instant};

/// Time that this thread has run, so that whatever else the machine does counts less; where the system does not
/// tell, time on the wall.
pub struct ThreadTimer {
    wall: Instant,
    ran: Option<Duration>,
}

impl ThreadTimer {
    /// From now on.
    pub fn start() -> ThreadTimer {
        ThreadTimer { wall: Instant::now(), ran: time_run() }
    }

    /// What has run since.
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
