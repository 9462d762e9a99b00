//! Patience with a database that is away or busy for a while: a server that is restarted, a network that is
//! down, a program that holds a lock. Whatever failed for such a reason is done again, after pauses that grow
//! from a tenth of a second to five seconds. All else fails at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::{Access, AddCounts, Record, Selection, Store, StoreError, StoreInfo, open_with};

/// The first pause; each further one is twice as long.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A reading is held back until so many records, or so many bytes, have come. Within them it can be
/// done again; what is longer is handed on as it comes, and fails when the database goes away in the middle.
const HELD_RECORDS: usize = 10_000;
const HELD_BYTES: usize = 64 << 20;

/// Is told when the waiting begins, and when the store works again.
pub type OnRetry = Box<dyn Fn(&str) + Send + Sync>;

/// A store that waits for its database. What it cannot have within its limit fails as it would without it.
pub struct RetryStore {
    inner: Box<dyn Store>,
    patience: RetryPolicy,
}

/// Opens the store at this place, and waits where its database is not there yet.
pub fn open_with_retry(
    place: &str,
    access: Access,
    limit: Duration,
    notice: OnRetry,
) -> Result<RetryStore, StoreError> {
    let patience = RetryPolicy::new(limit, notice);
    let inner = patience.run(|| open_with(place, access))?;
    Ok(RetryStore { inner, patience })
}

impl RetryStore {
    /// A store that waits for this one, up to `limit` for each call.
    pub fn new(inner: Box<dyn Store>, limit: Duration, notice: OnRetry) -> RetryStore {
        RetryStore { inner, patience: RetryPolicy::new(limit, notice) }
    }
}

impl Store for RetryStore {
    fn place(&self) -> &str {
        self.inner.place()
    }

    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
        self.patience.run(|| self.inner.add(records))
    }

    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut held = ReadBuffer::default();
        let mut late = None;
        self.patience.run(|| {
            held = ReadBuffer::default();
            let result = self.inner.for_each(selection, &mut |record| held.take(record, each));
            match held.is_open {
                // Some were handed on, and nobody wants to be told them twice.
                true => {
                    late = result.err();
                    Ok(())
                }
                false => result,
            }
        })?;
        match late {
            Some(error) => Err(error),
            None => {
                let _ = held.open(each);
                Ok(())
            }
        }
    }

    fn info(&self) -> Result<StoreInfo, StoreError> {
        self.patience.run(|| self.inner.info())
    }
}

/// The first records of a reading.
#[derive(Default)]
struct ReadBuffer {
    records: Vec<Record>,
    bytes: usize,
    /// Whether they were handed on.
    is_open: bool,
}

impl ReadBuffer {
    fn take(
        &mut self,
        record: Record,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.is_open {
            return each(record);
        }
        self.bytes += record.bytes();
        self.records.push(record);
        match self.records.len() < HELD_RECORDS && self.bytes < HELD_BYTES {
            true => ControlFlow::Continue(()),
            false => self.open(each),
        }
    }

    fn open(&mut self, each: &mut dyn FnMut(Record) -> ControlFlow<()>) -> ControlFlow<()> {
        self.is_open = true;
        std::mem::take(&mut self.records).into_iter().try_for_each(each)
    }
}

/// How long to wait, and whom to tell.
struct RetryPolicy {
    limit: Duration,
    notice: OnRetry,
    clock: Box<dyn Clock>,
    /// Calls that wait now: the first one says so, the last one says that it is over.
    waiting: AtomicU32,
}

impl RetryPolicy {
    fn new(limit: Duration, notice: OnRetry) -> RetryPolicy {
        RetryPolicy { limit, notice, clock: Box::new(WallClock), waiting: AtomicU32::new(0) }
    }

    /// Does something until it works, fails for good, or the limit is reached.
    fn run<T>(&self, mut work: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let began = self.clock.now();
        let error = match work() {
            Err(error) if error.is_transient() => error,
            answer => return answer,
        };
        if self.waiting.fetch_add(1, Ordering::Relaxed) == 0 {
            let seconds = self.limit.as_secs();
            (self.notice)(&format!("{error}; trying again for up to {seconds} s"));
        }
        let answer = self.retry(began, error, work);
        let is_last = self.waiting.fetch_sub(1, Ordering::Relaxed) == 1;
        if is_last && answer.is_ok() {
            let seconds = (self.clock.now() - began).as_secs_f64();
            (self.notice)(&format!("the store works again after {seconds:.1} s"));
        }
        answer
    }

    fn retry<T>(
        &self,
        began: Instant,
        mut error: StoreError,
        mut work: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut pause = SHORTEST_PAUSE;
        loop {
            let left = self.limit.saturating_sub(self.clock.now() - began);
            if left.is_zero() {
                return Err(error);
            }
            self.clock.sleep(pause.min(left));
            pause = (2 * pause).min(LONGEST_PAUSE);
            error = match work() {
                Err(error) if error.is_transient() => error,
                answer => return answer,
            };
        }
    }
}

/// Time, which tests make up.
trait Clock: Send + Sync {
    fn now(&self) -> Instant;
    fn sleep(&self, pause: Duration);
}

/// The time of everybody.
struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, pause: Duration) {
        std::thread::sleep(pause);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{HumanScore, RecordKind};

    /// A clock that only pauses move.
    struct ManualClock {
        start: Instant,
        pauses: Mutex<Vec<Duration>>,
    }

    impl Clock for Arc<ManualClock> {
        fn now(&self) -> Instant {
            self.start + self.pauses.lock().unwrap().iter().sum::<Duration>()
        }

        fn sleep(&self, pause: Duration) {
            self.pauses.lock().unwrap().push(pause);
        }
    }

    /// A store of so many records that is away for so many calls, each of which gives `first` records before
    /// it fails.
    struct FlakyStore {
        calls: Mutex<u32>,
        records: u64,
        first: u64,
        error: fn() -> StoreError,
    }

    impl FlakyStore {
        fn answer<T>(&self, answer: T) -> Result<T, StoreError> {
            let mut calls = self.calls.lock().unwrap();
            match calls.checked_sub(1) {
                Some(left) => {
                    *calls = left;
                    Err((self.error)())
                }
                None => Ok(answer),
            }
        }
    }

    impl Store for FlakyStore {
        fn place(&self) -> &str {
            "away"
        }

        fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
            self.answer(AddCounts { new: records.len() as u64, known: 0 })
        }

        fn for_each(
            &self,
            _: &Selection,
            each: &mut dyn FnMut(Record) -> ControlFlow<()>,
        ) -> Result<(), StoreError> {
            let answer = self.answer(());
            let count = if answer.is_ok() { self.records } else { self.first };
            match (0..count).map(record).try_for_each(each) {
                ControlFlow::Break(()) => Ok(()),
                ControlFlow::Continue(()) => answer,
            }
        }

        fn info(&self) -> Result<StoreInfo, StoreError> {
            self.answer(StoreInfo {
                place: "away".to_string(),
                engine: String::new(),
                schema: 1,
                bytes: 0,
                counts: Default::default(),
                games: Default::default(),
                events: Default::default(),
            })
        }
    }

    fn record(number: u64) -> Record {
        Record::Human(HumanScore {
            key: number.to_string(),
            board: String::new(),
            name: String::new(),
            score: 0,
            moves: 0,
            won: false,
            at: 0,
        })
    }

    fn gone() -> StoreError {
        StoreError::Unreachable { place: "away".to_string(), why: "gone".to_string() }
    }

    struct Fixture {
        retry: RetryStore,
        clock: Arc<ManualClock>,
        said: Arc<Mutex<Vec<String>>>,
    }

    fn scene(away: FlakyStore, seconds: u64) -> Fixture {
        let clock = Arc::new(ManualClock { start: Instant::now(), pauses: Mutex::default() });
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&said);
        let notice = move |text: &str| heard.lock().unwrap().push(text.to_string());
        let mut retry =
            RetryStore::new(Box::new(away), Duration::from_secs(seconds), Box::new(notice));
        retry.patience.clock = Box::new(Arc::clone(&clock));
        Fixture { retry, clock, said }
    }

    fn away(calls: u32, error: fn() -> StoreError) -> FlakyStore {
        FlakyStore { calls: Mutex::new(calls), records: 3, first: 2, error }
    }

    fn keys(store: &RetryStore, most: usize) -> (Result<(), StoreError>, Vec<String>) {
        let mut keys = Vec::new();
        let result = store.for_each(&Selection::all(RecordKind::Human), &mut |record| {
            let Record::Human(score) = record else { unreachable!() };
            keys.push(score.key);
            if keys.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (result, keys)
    }

    #[test]
    fn pauses_grow_and_two_things_are_said() {
        let scene = scene(away(9, gone), 60);
        assert_eq!(scene.retry.add(&[record(1)]).unwrap().new, 1);
        let pauses = scene.clock.pauses.lock().unwrap().clone();
        let millis: Vec<u128> = pauses.iter().map(Duration::as_millis).collect();
        assert_eq!(millis, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
        let said = scene.said.lock().unwrap().clone();
        assert_eq!(
            said,
            [
                "cannot open the store away: gone; trying again for up to 60 s",
                "the store works again after 21.3 s"
            ]
        );
        scene.retry.info().unwrap();
        assert_eq!(scene.said.lock().unwrap().len(), 2);
    }

    #[test]
    fn patience_has_its_limit() {
        let scene = scene(away(1000, gone), 20);
        let error = scene.retry.info().unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
        let waited: Duration = scene.clock.pauses.lock().unwrap().iter().sum();
        assert_eq!(waited, Duration::from_secs(20));
        assert_eq!(scene.said.lock().unwrap().len(), 1);
    }

    #[test]
    fn what_does_not_pass_fails_at_once() {
        let full = || StoreError::Full { place: "away".to_string(), why: "full".to_string() };
        let scene = scene(away(1, full), 20);
        let error = scene.retry.add(&[]).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(scene.said.lock().unwrap().is_empty());
        assert!(scene.clock.pauses.lock().unwrap().is_empty());
    }

    /// A reading that fails in the middle is done again, and no record is told twice.
    #[test]
    fn readings_are_done_again() {
        for (most, expected) in [(10, &["0", "1", "2"][..]), (2, &["0", "1"])] {
            let scene = scene(away(4, gone), 60);
            let (result, keys) = keys(&scene.retry, most);
            result.unwrap();
            assert_eq!(keys, expected);
            assert_eq!(scene.said.lock().unwrap().len(), 2);
        }
    }

    /// A long reading is handed on as it comes, so it cannot be done again.
    #[test]
    fn a_long_reading_fails_in_the_middle() {
        let first = HELD_RECORDS as u64 + 5;
        let long = || FlakyStore { records: 2 * first, first, ..away(1, gone) };
        let (result, found) = keys(&scene(long(), 60).retry, usize::MAX);
        assert!(matches!(result, Err(StoreError::Unreachable { .. })), "{result:?}");
        assert_eq!(found.len() as u64, first);
        // Whoever has seen enough by then is not told.
        let (result, found) = keys(&scene(long(), 60).retry, HELD_RECORDS + 1);
        result.unwrap();
        assert_eq!(found.len(), HELD_RECORDS + 1);
    }

    #[test]
    fn nobody_waits_for_a_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("games.db");
        let limit = Duration::from_secs(600);
        let notice: OnRetry = Box::new(|text| panic!("{text}"));
        let nowhere = folder.path().join("nowhere/games.db");
        let error = open_with_retry(nowhere.to_str().unwrap(), Access::Create, limit, notice);
        assert!(matches!(error.err(), Some(StoreError::NotOpened { .. })));
        let notice: OnRetry = Box::new(|text| panic!("{text}"));
        let store = open_with_retry(file.to_str().unwrap(), Access::Create, limit, notice).unwrap();
        assert_eq!(store.add(&[record(1)]).unwrap().new, 1);
    }
}
