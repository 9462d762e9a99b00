//! A queue that serializes its jobs but stays in this process. With it, tests check that a job
//! specification survives serialization, and that a run on many machines gives the same results.
//!
//! ```
//! # use tesuji_queue::{
//! #     Batch, CancelToken, JobError, JobKind, JobKinds, JobRunner, JobSpec, Output, Payload,
//! #     ReceivedPayload, WorkQueue,
//! # };
//! use tesuji_queue::testing::LoopbackQueue;
//! # struct Powers(u32);
//! # impl JobSpec for Powers {
//! #     fn payload(&self) -> Result<Payload, JobError> {
//! #         Ok(Payload::new("powers", self.0.to_string()))
//! #     }
//! #     fn runner<'a>(&'a self, _: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
//! #         let power = |item: u64| Output::default().with_note(&item.pow(self.0));
//! #         Ok(Box::new(move |item: u64| Ok(Some(power(item)))))
//! #     }
//! # }
//! # fn powers(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
//! #     Ok(Box::new(Powers(payload.text.parse().map_err(JobError::new)?)))
//! # }
//! let queue = LoopbackQueue::new(JobKinds::new([JobKind::new("powers", powers)]));
//! let batch = Batch::new("example", "1", &[1, 2, 3], &Powers(3));
//! let mut cubes = Vec::new();
//! queue
//!     .run_batch(&batch, &mut |finished| {
//!         cubes.extend(finished.iter().map(|it| it.output.note::<u64>().unwrap()));
//!         std::ops::ControlFlow::Continue(())
//!     })
//!     .unwrap();
//! cubes.sort();
//! assert_eq!(cubes, [1, 8, 27]);
//! ```

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tesuji_store::RecordKind;

use crate::{
    Batch, BatchSummary, CancelToken, FinishedItem, JobError, JobKinds, JobRunner, JobSpec, Output,
    Payload, Pool, QueueError, ReceivedPayload, WorkQueue,
};

/// Serializes a job specification and builds it again from its payload, as another machine does.
/// The files of the payload exist only while it is built.
pub fn round_trip(job: &dyn JobSpec, kinds: &JobKinds) -> Result<Box<dyn JobSpec>, JobError> {
    let Payload { kind, text, files } = job.payload()?;
    let folder = tempfile::tempdir().map_err(JobError::new)?;
    let mut paths = BTreeMap::new();
    for (number, (name, bytes)) in files.into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, bytes).map_err(JobError::new)?;
        paths.insert(name, path);
    }
    kinds.open(kind, &ReceivedPayload { text, files: paths })
}

/// A queue that builds every job specification from its payload, and runs the items from last to
/// first. It checks that the specification describes its items as the original does, and that they
/// make the records that it lists.
#[derive(Clone)]
pub struct LoopbackQueue {
    kinds: JobKinds,
}

impl LoopbackQueue {
    /// A queue whose workers know these job kinds.
    pub fn new(kinds: JobKinds) -> LoopbackQueue {
        LoopbackQueue { kinds }
    }
}

impl WorkQueue for LoopbackQueue {
    fn run_batch(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<FinishedItem>) -> ControlFlow<()>,
    ) -> Result<BatchSummary, QueueError> {
        let job = CheckedJob { original: batch.job, rebuilt: round_trip(batch.job, &self.kinds)? };
        let items: Vec<u64> = batch.items.iter().rev().copied().collect();
        Pool::new(2).run_batch(&Batch { items: &items, job: &job, ..batch.clone() }, each)
    }
}

/// A job specification, and the same specification built from its payload.
struct CheckedJob<'a> {
    original: &'a dyn JobSpec,
    rebuilt: Box<dyn JobSpec>,
}

impl JobSpec for CheckedJob<'_> {
    fn payload(&self) -> Result<Payload, JobError> {
        self.rebuilt.payload()
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let mut runner = self.rebuilt.runner(cancel)?;
        Ok(Box::new(move |item: u64| {
            let output = runner.run(item)?;
            output.map(|output| self.checked(item, output)).transpose()
        }))
    }

    fn records(&self, item: u64) -> Option<(RecordKind, Vec<String>)> {
        self.rebuilt.records(item)
    }

    fn games(&self, item: u64) -> u64 {
        self.rebuilt.games(item)
    }
}

impl CheckedJob<'_> {
    fn checked(&self, item: u64, output: Output) -> Result<Output, JobError> {
        let (original, rebuilt) = (self.original.records(item), self.rebuilt.records(item));
        if original != rebuilt {
            return Err(JobError(format!(
                "item {item}: lists the records {rebuilt:?}; expected {original:?}"
            )));
        }
        let (games, rebuilt) = (self.original.games(item), self.rebuilt.games(item));
        if games != rebuilt {
            return Err(JobError(format!("item {item}: has {rebuilt} games; expected {games}")));
        }
        let made: Vec<(RecordKind, &str)> =
            output.records.iter().map(|it| (it.kind(), it.key().unwrap_or_default())).collect();
        let (kind, keys) = original.unwrap_or((RecordKind::Game, Vec::new()));
        if made != keys.iter().map(|key| (kind, key.as_str())).collect::<Vec<_>>() {
            return Err(JobError(format!(
                "item {item}: made the records {made:?}; expected {keys:?}"
            )));
        }
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobKind;

    /// Adds a number that is sent in a file; with `has_wrong_records` it lists records that it does
    /// not make.
    struct Adding {
        number: u64,
        has_wrong_records: bool,
    }

    impl JobSpec for Adding {
        fn payload(&self) -> Result<Payload, JobError> {
            let number = self.number.to_string().into_bytes();
            let text = self.has_wrong_records.to_string();
            Ok(Payload::new("adding", text).with_file("a/number", number))
        }

        fn runner<'a>(&'a self, _: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
            let sum = |item: u64| Output::default().with_note(&(item + self.number));
            Ok(Box::new(move |item: u64| Ok(Some(sum(item)))))
        }

        fn records(&self, item: u64) -> Option<(RecordKind, Vec<String>)> {
            self.has_wrong_records.then(|| (RecordKind::Sample, vec![item.to_string()]))
        }
    }

    fn open(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
        let number = String::from_utf8(payload.read("a/number")?).map_err(JobError::new)?;
        let number = number.parse().map_err(JobError::new)?;
        Ok(Box::new(Adding { number, has_wrong_records: payload.text == "true" }))
    }

    fn sums(job: &Adding, name: &'static str) -> Result<Vec<u64>, QueueError> {
        let queue = LoopbackQueue::new(JobKinds::new([JobKind::new(name, open)]));
        let mut sums = Vec::new();
        queue.run_batch(&Batch::new("run", "1", &[1, 2, 3], job), &mut |finished| {
            sums.extend(finished.iter().map(|it| it.output.note::<u64>().unwrap()));
            ControlFlow::Continue(())
        })?;
        sums.sort_unstable();
        Ok(sums)
    }

    #[test]
    fn a_job_survives_serialization() {
        let adding = |has_wrong_records| Adding { number: 40, has_wrong_records };
        assert_eq!(sums(&adding(false), "adding").unwrap(), [41, 42, 43]);
        let unknown = sums(&adding(false), "other").unwrap_err().to_string();
        assert_eq!(unknown, "job kind 'adding': unknown; expected one of other");
        let wrong = sums(&adding(true), "adding").unwrap_err().to_string();
        assert!(wrong.contains("made the records []"), "{wrong}");
    }
}
