//! Divides items into jobs: large enough that transport costs nothing, small enough that all
//! workers are busy until the end. Jobs are stored with their limits, so a resumed run finds the
//! same jobs.

use std::collections::VecDeque;
use std::ops::Range;

/// Items that belong to no job yet.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct JobPlan {
    ranges: VecDeque<Range<u64>>,
    left: u64,
}

/// Limits of a job: its output is one record.
const MAX_ITEMS: u64 = 100_000;
const MAX_NOTE_BYTES: f64 = 1e6;

/// The average cost of an item of one job kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ItemCost {
    pub(crate) seconds: f64,
    /// Bytes of notes.
    pub(crate) bytes: f64,
}

impl ItemCost {
    /// The average with one more job. Later jobs weigh more: games become longer or shorter during
    /// a run.
    pub(crate) fn after(before: Option<ItemCost>, job: ItemCost) -> ItemCost {
        let Some(before) = before else { return job };
        let mix = |old: f64, new: f64| old + 0.3 * (new - old);
        ItemCost { seconds: mix(before.seconds, job.seconds), bytes: mix(before.bytes, job.bytes) }
    }
}

impl JobPlan {
    /// A plan of items in ascending order.
    pub(crate) fn new(items: impl IntoIterator<Item = u64>) -> JobPlan {
        let mut plan = JobPlan::default();
        for item in items {
            plan.left += 1;
            match plan.ranges.back_mut() {
                Some(last) if last.end == item => last.end += 1,
                _ => plan.ranges.push_back(item..item + 1),
            }
        }
        plan
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Takes the next items, at most `most` consecutive ones.
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

    /// The number of items of the next job, for this cost of an item and this number of threads.
    /// While the cost is unknown, 1.
    pub(crate) fn size(&self, item: Option<ItemCost>, job_seconds: f64, threads: u64) -> u64 {
        let Some(item) = item else { return 1 };
        let in_time = job_seconds / item.seconds.max(1e-9);
        let fitting = in_time.min(MAX_NOTE_BYTES / item.bytes.max(1.0)) as u64;
        // Jobs become smaller towards the end, so that no thread waits long for the last one.
        let fair = self.left.div_ceil(2 * threads.max(1));
        fitting.min(fair).clamp(1, MAX_ITEMS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_have_consecutive_items() {
        let mut plan = JobPlan::new([1, 2, 3, 7, 9, 10]);
        let mut taken = Vec::new();
        while let Some(range) = plan.take(2) {
            taken.push(range);
        }
        assert_eq!(taken, [1..3, 3..4, 7..8, 9..11]);
        assert!(plan.is_empty());
    }

    #[test]
    fn jobs_take_about_the_wanted_time() {
        let plan = JobPlan::new(0..1000);
        let item = |seconds, bytes| Some(ItemCost { seconds, bytes });
        assert_eq!(plan.size(None, 5.0, 4), 1);
        assert_eq!(plan.size(item(0.5, 0.0), 5.0, 4), 10);
        assert_eq!(plan.size(item(60.0, 0.0), 5.0, 4), 1);
        assert_eq!(plan.size(item(1e-6, 0.0), 5.0, 4), 125, "every thread gets some");
        assert_eq!(plan.size(item(1e-6, 1e5), 5.0, 4), 10, "the output of a job is limited");
        assert_eq!(JobPlan::new(0..3).size(item(0.5, 0.0), 5.0, 4), 1);
    }
}
