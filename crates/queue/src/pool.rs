//! Threads of this process that take one unit after another.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use tesuji_store::Record;

use crate::queue::{Batch, Finished, Performed, QueueError, WorkQueue};
use crate::{Life, Trouble};

/// Finished units that wait to be kept and counted, at most. Beyond that the threads wait.
const WAITING: usize = 4096;
/// So long who counts lets units gather: to be woken up for each costs more than a small game.
const MOMENT: Duration = Duration::from_micros(200);
/// Units that are kept at once, at most: one durable write costs about as much as a thousand small games.
const AT_ONCE: usize = 2048;

/// A queue in this process.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    threads: usize,
}

impl Pool {
    /// With so many threads; 0 for all of the machine's.
    pub fn new(threads: usize) -> Pool {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        Pool { threads }
    }
}

impl WorkQueue for Pool {
    fn perform(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<Performed, QueueError> {
        let crew =
            Crew { batch, life: Life::stopped_by(batch.stop.clone()), next: AtomicUsize::new(0) };
        let threads = self.threads.min(batch.units.len());
        std::thread::scope(|scope| {
            // Who counts is never far behind: a stop that it asks for takes effect soon.
            let (hand_in, finished) = sync_channel(WAITING);
            let threads: Vec<_> = (0..threads)
                .map(|_| {
                    let (crew, hand_in) = (&crew, hand_in.clone());
                    scope.spawn(move || crew.work(&hand_in))
                })
                .collect();
            drop(hand_in);
            let counted = crew.count(&finished, each);
            if counted.is_err() {
                crew.life.stop();
            }
            // Nobody waits for room any more.
            drop(finished);
            let mut worked = Ok(());
            for thread in threads {
                let ended = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                worked = worked.and(ended);
            }
            let performed = counted?;
            worked?;
            Ok(performed)
        })
    }
}

/// The threads and what they share.
struct Crew<'a> {
    batch: &'a Batch<'a>,
    life: Life,
    next: AtomicUsize,
}

impl Crew<'_> {
    /// One thread: takes the next unit until none is left.
    fn work(&self, hand_in: &SyncSender<Finished>) -> Result<(), QueueError> {
        let result = self.work_until_stopped(hand_in);
        if result.is_err() {
            self.life.stop();
        }
        result
    }

    fn work_until_stopped(&self, hand_in: &SyncSender<Finished>) -> Result<(), QueueError> {
        let mut hand = self.batch.bench.hand(&self.life)?;
        while !self.life.is_stopped() {
            let place = self.next.fetch_add(1, Relaxed);
            let Some(&unit) = self.batch.units.get(place) else { break };
            let worked = catch_unwind(AssertUnwindSafe(|| hand.work(unit)));
            let product = worked.map_err(|panic| self.panicked(unit, &*panic))??;
            let Some(product) = product else { break };
            if hand_in.send(Finished { unit, product }).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn panicked(&self, unit: u64, panic: &(dyn std::any::Any + Send)) -> QueueError {
        let (run, stage) = (self.batch.run.to_string(), self.batch.stage.to_string());
        QueueError::Panic { run, stage, unit, why: Trouble::of_panic(panic).0 }
    }

    /// Keeps and counts what has gathered, as long as units come.
    fn count(
        &self,
        finished: &Receiver<Finished>,
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<Performed, QueueError> {
        let mut performed = Performed::default();
        let mut counted: Option<Instant> = None;
        while let Ok(first) = finished.recv() {
            // They come thick and fast.
            if counted.is_some_and(|then| then.elapsed() < MOMENT) {
                std::thread::sleep(MOMENT);
            }
            let mut gathered = vec![first];
            gathered.extend(finished.try_iter().take(AT_ONCE - 1));
            if let Some(store) = self.batch.store {
                let records: Vec<Record> =
                    gathered.iter().flat_map(|it| it.product.records.iter().cloned()).collect();
                performed.contested |= store.add(&records)?.known > 0;
            }
            if each(gathered).is_break() {
                self.life.stop();
                break;
            }
            counted = Some(Instant::now());
        }
        Ok(performed)
    }
}

impl From<QueueError> for Trouble {
    fn from(error: QueueError) -> Trouble {
        Trouble::of(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bench, Brief, Hand, Product};
    use std::sync::Mutex;
    use tesuji_store::{HumanScore, Kind};

    /// Doubles numbers; some units fail, panic or wait for the end.
    struct Doubling;

    impl Bench for Doubling {
        fn brief(&self) -> Result<Brief, Trouble> {
            Ok(Brief::new("doubling", String::new()))
        }

        fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
            Ok(Box::new(move |unit: u64| match unit {
                1001 => Err(Trouble("unit 1001 is bad".to_string())),
                1002 => panic!("unit 1002 is worse"),
                1003 => {
                    while !life.is_stopped() {
                        std::thread::yield_now();
                    }
                    Ok(None)
                }
                _ => Ok(Some(Product::kept(vec![score(unit)]).with_note(&(2 * unit)))),
            }))
        }
    }

    fn score(unit: u64) -> Record {
        Record::Human(HumanScore {
            key: format!("unit {unit}"),
            board: "doubling".to_string(),
            name: "Ada".to_string(),
            score: unit as i64,
            moves: 1,
            won: true,
            at: 0,
        })
    }

    fn doubled(
        units: &[u64],
        threads: usize,
        most: usize,
    ) -> (Vec<(u64, u64)>, Result<Performed, QueueError>) {
        let found = Mutex::new(Vec::new());
        let batch = Batch::new("run", "1", units, &Doubling);
        let result = Pool::new(threads).perform(&batch, &mut |finished| {
            let mut found = found.lock().unwrap();
            found.extend(finished.iter().map(|it| (it.unit, it.product.note::<u64>().unwrap())));
            if found.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let mut found = found.into_inner().unwrap();
        found.sort_unstable();
        (found, result)
    }

    #[test]
    fn every_unit_is_done_once() {
        let units: Vec<u64> = (0..1000).filter(|n| n % 3 != 0).collect();
        for threads in [0, 1, 2, 7] {
            let (found, result) = doubled(&units, threads, usize::MAX);
            let expected: Vec<(u64, u64)> = units.iter().map(|&n| (n, 2 * n)).collect();
            assert_eq!(found, expected);
            assert_eq!(result.unwrap(), Performed::default());
        }
        assert!(doubled(&[], 3, usize::MAX).0.is_empty());
    }

    #[test]
    fn who_counts_may_stop_it() {
        let (found, result) = doubled(&[1, 1003, 1003], 3, 1);
        assert_eq!(found, [(1, 2)]);
        result.unwrap();
    }

    #[test]
    fn what_fails_ends_the_batch() {
        let error = doubled(&[1, 2, 1001, 1003], 2, usize::MAX).1.unwrap_err().to_string();
        assert_eq!(error, "unit 1001 is bad");
        let error = doubled(&[1002, 1003], 2, usize::MAX).1.unwrap_err().to_string();
        assert_eq!(error, "unit 1002 of run/1 panicked: unit 1002 is worse");
    }

    #[test]
    fn records_are_kept_before_they_count() {
        let folder = tempfile::tempdir().unwrap();
        let store = tesuji_store::open(folder.path().join("s.db").to_str().unwrap()).unwrap();
        let kept = |store: &dyn tesuji_store::Store| store.info().unwrap().counts[&Kind::Human];
        let units: Vec<u64> = (0..100).collect();
        let batch = Batch::new("run", "1", &units, &Doubling).kept_in(Some(&*store));
        let mut count = 0;
        let performed = Pool::new(2).perform(&batch, &mut |finished| {
            count += finished.len() as u64;
            assert!(kept(&*store) >= count);
            ControlFlow::Continue(())
        });
        assert_eq!((count, kept(&*store)), (100, 100));
        assert!(!performed.unwrap().contested);
        let again = Pool::new(2).perform(&batch, &mut |_| ControlFlow::Continue(()));
        assert!(again.unwrap().contested, "somebody else was first");
    }
}
