//! Limits the rate of progress reports from simulations: frequent enough for live display, rare
//! enough to cost nothing. The clock is read only when a report is due.

use std::time::Duration;

/// The number of simulations before the first report, when their speed is still unknown.
const FIRST_REPORT: u64 = 256;
/// The approximate time between two reports.
const INTERVAL: Duration = Duration::from_millis(50);

/// Decides when the next progress report is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttle {
    next: u64,
}

impl Throttle {
    pub(crate) fn new() -> Throttle {
        Throttle { next: FIRST_REPORT }
    }

    /// Whether a report is due.
    #[inline]
    pub(crate) fn is_due(&self, simulations: u64) -> bool {
        simulations >= self.next
    }

    /// Schedules the next report: after the report interval, or when the number of simulations has
    /// doubled, whichever is sooner.
    pub(crate) fn reported(&mut self, simulations: u64, elapsed: Duration) {
        let share = INTERVAL.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
        let simulations_until_next = (simulations as f64 * share.min(1.0)) as u64;
        self.next = simulations + simulations_until_next.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At any speed: few reports at first, then one every 50 milliseconds.
    #[test]
    fn reports_come_twenty_times_a_second_and_no_more() {
        for per_second in [500u64, 20_000, 3_000_000] {
            let (mut throttle, mut reported) = (Throttle::new(), 0);
            for simulations in 1..=per_second * 2 {
                if throttle.is_due(simulations) {
                    let elapsed = Duration::from_secs_f64(simulations as f64 / per_second as f64);
                    throttle.reported(simulations, elapsed);
                    reported += 1;
                }
            }
            assert!((28..=60).contains(&reported), "{reported} at {per_second} a second");
        }
    }
}
