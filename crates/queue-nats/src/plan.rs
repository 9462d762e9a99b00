//! How units are cut into jobs: large enough that carrying them costs nothing, small enough that all workers have
//! some until the end. Where the cuts are is written into the store with the jobs, so a run that is taken up again
//! finds the same jobs.

use std::collections::VecDeque;
use std::ops::Range;

/// Units that belong to no job yet.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Plan {
    ranges: VecDeque<Range<u64>>,
    left: u64,
}

/// A job has at most so many units, and about so many bytes of notes: what comes of it is one record.
const MOST_UNITS: u64 = 100_000;
const MOST_BYTES: f64 = 1e6;

/// What a unit of a task takes, as far as is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pace {
    pub(crate) seconds: f64,
    pub(crate) bytes: f64,
}

impl Pace {
    /// With one more job. The later ones weigh more: games become longer or shorter while a run goes on.
    pub(crate) fn after(before: Option<Pace>, job: Pace) -> Pace {
        let Some(before) = before else { return job };
        let mix = |old: f64, new: f64| old + 0.3 * (new - old);
        Pace { seconds: mix(before.seconds, job.seconds), bytes: mix(before.bytes, job.bytes) }
    }
}

impl Plan {
    /// Of units in ascending order.
    pub(crate) fn of(units: impl IntoIterator<Item = u64>) -> Plan {
        let mut plan = Plan::default();
        for unit in units {
            plan.left += 1;
            match plan.ranges.back_mut() {
                Some(last) if last.end == unit => last.end += 1,
                _ => plan.ranges.push_back(unit..unit + 1),
            }
        }
        plan
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// The next units, neighbours all of them, no more than so many.
    pub(crate) fn take(&mut self, most: u64) -> Option<Range<u64>> {
        let first = self.ranges.front_mut()?;
        let end = first.end.min(first.start.saturating_add(most.max(1)));
        let taken = first.start..end;
        first.start = end;
        if first.is_empty() {
            self.ranges.pop_front();
        }
        self.left -= taken.end - taken.start;
        Some(taken)
    }

    /// How many units the next job should have, if a unit takes so much and so many threads wait for work. While
    /// nobody knows what a unit takes, one.
    pub(crate) fn size(&self, unit: Option<Pace>, job_seconds: f64, threads: u64) -> u64 {
        let Some(unit) = unit else { return 1 };
        let in_time = job_seconds / unit.seconds.max(1e-9);
        let fitting = in_time.min(MOST_BYTES / unit.bytes.max(1.0)) as u64;
        // Towards the end jobs become smaller, so that nobody waits long for the last one.
        let fair = self.left.div_ceil(2 * threads.max(1));
        fitting.min(fair).clamp(1, MOST_UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_kept_together() {
        let mut plan = Plan::of([1, 2, 3, 7, 9, 10]);
        let mut taken = Vec::new();
        while let Some(range) = plan.take(2) {
            taken.push(range);
        }
        assert_eq!(taken, [1..3, 3..4, 7..8, 9..11]);
        assert!(plan.is_empty());
    }

    #[test]
    fn jobs_take_about_as_long_as_they_should() {
        let plan = Plan::of(0..1000);
        let unit = |seconds, bytes| Some(Pace { seconds, bytes });
        assert_eq!(plan.size(None, 5.0, 4), 1);
        assert_eq!(plan.size(unit(0.5, 0.0), 5.0, 4), 10);
        assert_eq!(plan.size(unit(60.0, 0.0), 5.0, 4), 1);
        assert_eq!(plan.size(unit(1e-6, 0.0), 5.0, 4), 125, "there is something for everybody");
        assert_eq!(plan.size(unit(1e-6, 1e5), 5.0, 4), 10, "and nobody carries too much");
        assert_eq!(Plan::of(0..3).size(unit(0.5, 0.0), 5.0, 4), 1);
    }
}
