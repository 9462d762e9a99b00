//! Threads of this process that take one item after another.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use tesuji_store::Record;

use crate::queue::{Batch, BatchSummary, FinishedItem, QueueError, WorkQueue};
use crate::{CancelToken, JobError};

/// The capacity of the channel of finished items. When it is full, the threads wait.
const CHANNEL_ITEMS: usize = 4096;
/// How long finished items accumulate: a wake-up for each costs more than a small game.
const FLUSH_INTERVAL: Duration = Duration::from_micros(200);
/// The most items in one write to the store: a durable write costs about as much as a thousand
/// small games.
const WRITE_ITEMS: usize = 2048;

/// A queue in this process.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    threads: usize,
}

impl Pool {
    /// A pool with this number of threads; 0 uses all of the machine.
    pub fn new(threads: usize) -> Pool {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        Pool { threads }
    }
}

impl WorkQueue for Pool {
    fn run_batch(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<FinishedItem>) -> ControlFlow<()>,
    ) -> Result<BatchSummary, QueueError> {
        let cancel = CancelToken::from_flag(batch.stop.clone());
        let shared = SharedBatch { batch, cancel, next: AtomicUsize::new(0) };
        let threads = self.threads.min(batch.items.len());
        std::thread::scope(|scope| {
            // Bounded, so that a stop requested by `each` takes effect soon.
            let (sender, finished) = sync_channel(CHANNEL_ITEMS);
            let threads: Vec<_> = (0..threads)
                .map(|_| {
                    let (shared, sender) = (&shared, sender.clone());
                    scope.spawn(move || shared.work(&sender))
                })
                .collect();
            drop(sender);
            let delivered = shared.deliver(&finished, each);
            if delivered.is_err() {
                shared.cancel.cancel();
            }
            // Releases threads that wait for room in the channel.
            drop(finished);
            let mut worked = Ok(());
            for thread in threads {
                let ended = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                worked = worked.and(ended);
            }
            let summary = delivered?;
            worked?;
            Ok(summary)
        })
    }
}

/// A batch, and the state that its threads share.
struct SharedBatch<'a> {
    batch: &'a Batch<'a>,
    cancel: CancelToken,
    next: AtomicUsize,
}

impl SharedBatch<'_> {
    /// Runs on one thread: takes the next item until none is left.
    fn work(&self, sender: &SyncSender<FinishedItem>) -> Result<(), QueueError> {
        let result = self.work_until_stopped(sender);
        if result.is_err() {
            self.cancel.cancel();
        }
        result
    }

    fn work_until_stopped(&self, sender: &SyncSender<FinishedItem>) -> Result<(), QueueError> {
        let mut runner = self.batch.job.runner(&self.cancel)?;
        while !self.cancel.is_canceled() {
            let index = self.next.fetch_add(1, Relaxed);
            let Some(&item) = self.batch.items.get(index) else { break };
            let result = catch_unwind(AssertUnwindSafe(|| runner.run(item)));
            let output = result.map_err(|panic| self.panicked(item, &*panic))??;
            let Some(output) = output else { break };
            if sender.send(FinishedItem { item, output }).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn panicked(&self, item: u64, panic: &(dyn std::any::Any + Send)) -> QueueError {
        let (run, stage) = (self.batch.run.to_string(), self.batch.stage.to_string());
        QueueError::Panic { run, stage, item, reason: JobError::from_panic(panic).0 }
    }

    /// Stores finished items and passes them to `each` until the threads end.
    fn deliver(
        &self,
        finished: &Receiver<FinishedItem>,
        each: &mut dyn FnMut(Vec<FinishedItem>) -> ControlFlow<()>,
    ) -> Result<BatchSummary, QueueError> {
        let mut summary = BatchSummary::default();
        let mut delivered: Option<Instant> = None;
        while let Ok(first) = finished.recv() {
            if delivered.is_some_and(|then| then.elapsed() < FLUSH_INTERVAL) {
                std::thread::sleep(FLUSH_INTERVAL);
            }
            let mut group = vec![first];
            group.extend(finished.try_iter().take(WRITE_ITEMS - 1));
            if let Some(store) = self.batch.store {
                let records: Vec<Record> =
                    group.iter().flat_map(|it| it.output.records.iter().cloned()).collect();
                summary.contested |= store.add(&records)?.known > 0;
            }
            if each(group).is_break() {
                self.cancel.cancel();
                break;
            }
            delivered = Some(Instant::now());
        }
        Ok(summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JobRunner, JobSpec, Output, Payload};
    use std::sync::Mutex;
    use tesuji_store::{HumanScore, RecordKind};

    /// Doubles numbers; some items fail, panic or wait until they are canceled.
    struct Doubling;

    impl JobSpec for Doubling {
        fn payload(&self) -> Result<Payload, JobError> {
            Ok(Payload::new("doubling", String::new()))
        }

        fn runner<'a>(
            &'a self,
            cancel: &'a CancelToken,
        ) -> Result<Box<dyn JobRunner + 'a>, JobError> {
            Ok(Box::new(move |item: u64| match item {
                1001 => Err(JobError("item 1001 is bad".to_string())),
                1002 => panic!("item 1002 is worse"),
                1003 => {
                    while !cancel.is_canceled() {
                        std::thread::yield_now();
                    }
                    Ok(None)
                }
                _ => {
                    let output = Output::default().with_records(vec![score(item)]);
                    Ok(Some(output.with_note(&(2 * item))))
                }
            }))
        }
    }

    fn score(item: u64) -> Record {
        Record::Human(HumanScore {
            key: format!("item {item}"),
            board: "doubling".to_string(),
            name: "Ada".to_string(),
            score: item as i64,
            moves: 1,
            won: true,
            at: 0,
        })
    }

    fn doubled(
        items: &[u64],
        threads: usize,
        most: usize,
    ) -> (Vec<(u64, u64)>, Result<BatchSummary, QueueError>) {
        let found = Mutex::new(Vec::new());
        let batch = Batch::new("run", "1", items, &Doubling);
        let result = Pool::new(threads).run_batch(&batch, &mut |finished| {
            let mut found = found.lock().unwrap();
            found.extend(finished.iter().map(|it| (it.item, it.output.note::<u64>().unwrap())));
            if found.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let mut found = found.into_inner().unwrap();
        found.sort_unstable();
        (found, result)
    }

    #[test]
    fn every_item_runs_once() {
        let items: Vec<u64> = (0..1000).filter(|n| n % 3 != 0).collect();
        for threads in [0, 1, 2, 7] {
            let (found, result) = doubled(&items, threads, usize::MAX);
            let expected: Vec<(u64, u64)> = items.iter().map(|&n| (n, 2 * n)).collect();
            assert_eq!(found, expected);
            assert_eq!(result.unwrap(), BatchSummary::default());
        }
        assert!(doubled(&[], 3, usize::MAX).0.is_empty());
    }

    #[test]
    fn the_caller_can_stop_the_batch() {
        let (found, result) = doubled(&[1, 1003, 1003], 3, 1);
        assert_eq!(found, [(1, 2)]);
        result.unwrap();
    }

    #[test]
    fn a_failed_item_ends_the_batch() {
        let error = doubled(&[1, 2, 1001, 1003], 2, usize::MAX).1.unwrap_err().to_string();
        assert_eq!(error, "item 1001 is bad");
        let error = doubled(&[1002, 1003], 2, usize::MAX).1.unwrap_err().to_string();
        assert_eq!(error, "item 1002 of run/1: panicked: item 1002 is worse");
    }

    #[test]
    fn records_are_stored_before_they_are_delivered() {
        let folder = tempfile::tempdir().unwrap();
        let store = tesuji_store::open(folder.path().join("s.db").to_str().unwrap()).unwrap();
        let stored =
            |store: &dyn tesuji_store::Store| store.info().unwrap().counts[&RecordKind::Human];
        let items: Vec<u64> = (0..100).collect();
        let batch = Batch::new("run", "1", &items, &Doubling).with_store(Some(&*store));
        let mut count = 0;
        let summary = Pool::new(2).run_batch(&batch, &mut |finished| {
            count += finished.len() as u64;
            assert!(stored(&*store) >= count);
            ControlFlow::Continue(())
        });
        assert_eq!((count, stored(&*store)), (100, 100));
        assert!(!summary.unwrap().contested);
        let again = Pool::new(2).run_batch(&batch, &mut |_| ControlFlow::Continue(()));
        assert!(again.unwrap().contested, "the records were there");
    }
}
