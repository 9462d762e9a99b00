//! Retries for a database that is unreachable or busy for a while: a server that restarts, a
//! network outage, a lock of another program. Transient errors are retried after pauses that grow
//! from a tenth of a second to five seconds. All other errors fail at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::{Access, AddCounts, Record, Selection, Store, StoreError, StoreInfo, open_with};

/// The first pause; each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Records are buffered up to these limits before the first is passed on. Within them a read can be
/// retried; a longer read fails if the database becomes unreachable in the middle.
const BUFFERED_RECORDS: usize = 10_000;
const BUFFERED_BYTES: usize = 64 << 20;

/// Receives a message when retries begin and when the store works again.
pub type OnRetry = Box<dyn Fn(&str) + Send + Sync>;

/// A store that retries transient errors up to a time limit.
pub struct RetryStore {
    inner: Box<dyn Store>,
    retries: RetryPolicy,
}

/// Opens a store, and retries while its database is unreachable.
pub fn open_with_retry(
    place: &str,
    access: Access,
    limit: Duration,
    on_retry: OnRetry,
) -> Result<RetryStore, StoreError> {
    let retries = RetryPolicy::new(limit, on_retry);
    let inner = retries.run(|| open_with(place, access))?;
    Ok(RetryStore { inner, retries })
}

impl RetryStore {
    /// Wraps a store; each call is retried up to `limit`.
    pub fn new(inner: Box<dyn Store>, limit: Duration, on_retry: OnRetry) -> RetryStore {
        RetryStore { inner, retries: RetryPolicy::new(limit, on_retry) }
    }
}

impl Store for RetryStore {
    fn place(&self) -> &str {
        self.inner.place()
    }

    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
        self.retries.run(|| self.inner.add(records))
    }

    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut buffer = ReadBuffer::default();
        let mut late = None;
        self.retries.run(|| {
            buffer = ReadBuffer::default();
            let result = self.inner.for_each(selection, &mut |record| buffer.take(record, each));
            match buffer.is_flushed {
                // Some records were passed on, so a retry would repeat them.
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
                let _ = buffer.flush(each);
                Ok(())
            }
        }
    }

    fn info(&self) -> Result<StoreInfo, StoreError> {
        self.retries.run(|| self.inner.info())
    }
}

/// The first records of a read.
#[derive(Default)]
struct ReadBuffer {
    records: Vec<Record>,
    bytes: usize,
    /// Whether records were passed on.
    is_flushed: bool,
}

impl ReadBuffer {
    fn take(
        &mut self,
        record: Record,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.is_flushed {
            return each(record);
        }
        self.bytes += record.bytes();
        self.records.push(record);
        match self.records.len() < BUFFERED_RECORDS && self.bytes < BUFFERED_BYTES {
            true => ControlFlow::Continue(()),
            false => self.flush(each),
        }
    }

    fn flush(&mut self, each: &mut dyn FnMut(Record) -> ControlFlow<()>) -> ControlFlow<()> {
        self.is_flushed = true;
        std::mem::take(&mut self.records).into_iter().try_for_each(each)
    }
}

/// The time limit of retries, and where to report them.
struct RetryPolicy {
    limit: Duration,
    on_retry: OnRetry,
    clock: Box<dyn Clock>,
    /// Calls that are being retried: the first reports the beginning, the last the end.
    waiting: AtomicU32,
}

impl RetryPolicy {
    fn new(limit: Duration, on_retry: OnRetry) -> RetryPolicy {
        RetryPolicy { limit, on_retry, clock: Box::new(WallClock), waiting: AtomicU32::new(0) }
    }

    /// Runs `work` until it succeeds, fails permanently, or reaches the time limit.
    fn run<T>(&self, mut work: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let started = self.clock.now();
        let error = match work() {
            Err(error) if error.is_transient() => error,
            result => return result,
        };
        if self.waiting.fetch_add(1, Ordering::Relaxed) == 0 {
            let seconds = self.limit.as_secs();
            (self.on_retry)(&format!("{error}; retrying for up to {seconds} s"));
        }
        let result = self.retry(started, error, work);
        let is_last = self.waiting.fetch_sub(1, Ordering::Relaxed) == 1;
        if is_last && result.is_ok() {
            let seconds = (self.clock.now() - started).as_secs_f64();
            (self.on_retry)(&format!("the store works again after {seconds:.1} s"));
        }
        result
    }

    fn retry<T>(
        &self,
        started: Instant,
        mut error: StoreError,
        mut work: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let left = self.limit.saturating_sub(self.clock.now() - started);
            if left.is_zero() {
                return Err(error);
            }
            self.clock.sleep(pause.min(left));
            pause = (2 * pause).min(MAX_PAUSE);
            error = match work() {
                Err(error) if error.is_transient() => error,
                result => return result,
            };
        }
    }
}

/// A clock, which tests replace.
trait Clock: Send + Sync {
    fn now(&self) -> Instant;
    fn sleep(&self, pause: Duration);
}

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

    /// A clock that only `sleep` advances.
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

    /// A store with `records` records whose first `calls` calls fail, each after `first` records.
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
        store: RetryStore,
        clock: Arc<ManualClock>,
        messages: Arc<Mutex<Vec<String>>>,
    }

    fn fixture(inner: FlakyStore, seconds: u64) -> Fixture {
        let clock = Arc::new(ManualClock { start: Instant::now(), pauses: Mutex::default() });
        let messages: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = Arc::clone(&messages);
        let on_retry = move |text: &str| log.lock().unwrap().push(text.to_string());
        let mut store =
            RetryStore::new(Box::new(inner), Duration::from_secs(seconds), Box::new(on_retry));
        store.retries.clock = Box::new(Arc::clone(&clock));
        Fixture { store, clock, messages }
    }

    fn flaky(calls: u32, error: fn() -> StoreError) -> FlakyStore {
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
    fn pauses_grow_and_two_messages_are_sent() {
        let fixture = fixture(flaky(9, gone), 60);
        assert_eq!(fixture.store.add(&[record(1)]).unwrap().new, 1);
        let pauses = fixture.clock.pauses.lock().unwrap().clone();
        let millis: Vec<u128> = pauses.iter().map(Duration::as_millis).collect();
        assert_eq!(millis, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
        let messages = fixture.messages.lock().unwrap().clone();
        assert_eq!(
            messages,
            [
                "store away: unreachable: gone; retrying for up to 60 s",
                "the store works again after 21.3 s"
            ]
        );
        fixture.store.info().unwrap();
        assert_eq!(fixture.messages.lock().unwrap().len(), 2);
    }

    #[test]
    fn retries_have_a_time_limit() {
        let fixture = fixture(flaky(1000, gone), 20);
        let error = fixture.store.info().unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
        let waited: Duration = fixture.clock.pauses.lock().unwrap().iter().sum();
        assert_eq!(waited, Duration::from_secs(20));
        assert_eq!(fixture.messages.lock().unwrap().len(), 1);
    }

    #[test]
    fn permanent_errors_fail_at_once() {
        let full = || StoreError::Full { place: "away".to_string(), why: "full".to_string() };
        let fixture = fixture(flaky(1, full), 20);
        let error = fixture.store.add(&[]).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(fixture.messages.lock().unwrap().is_empty());
        assert!(fixture.clock.pauses.lock().unwrap().is_empty());
    }

    /// A read that fails in the middle is repeated, and no record is passed on twice.
    #[test]
    fn failed_reads_are_repeated() {
        for (most, expected) in [(10, &["0", "1", "2"][..]), (2, &["0", "1"])] {
            let fixture = fixture(flaky(4, gone), 60);
            let (result, keys) = keys(&fixture.store, most);
            result.unwrap();
            assert_eq!(keys, expected);
            assert_eq!(fixture.messages.lock().unwrap().len(), 2);
        }
    }

    /// A read beyond the buffer is passed on immediately, so it cannot be repeated.
    #[test]
    fn a_long_read_fails_in_the_middle() {
        let first = BUFFERED_RECORDS as u64 + 5;
        let long = || FlakyStore { records: 2 * first, first, ..flaky(1, gone) };
        let (result, found) = keys(&fixture(long(), 60).store, usize::MAX);
        assert!(matches!(result, Err(StoreError::Unreachable { .. })), "{result:?}");
        assert_eq!(found.len() as u64, first);
        // A caller that breaks before the failure does not see it.
        let (result, found) = keys(&fixture(long(), 60).store, BUFFERED_RECORDS + 1);
        result.unwrap();
        assert_eq!(found.len(), BUFFERED_RECORDS + 1);
    }

    #[test]
    fn files_are_not_retried() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("games.db");
        let limit = Duration::from_secs(600);
        let on_retry: OnRetry = Box::new(|text| panic!("{text}"));
        let nowhere = folder.path().join("nowhere/games.db");
        let error = open_with_retry(nowhere.to_str().unwrap(), Access::Create, limit, on_retry);
        assert!(matches!(error.err(), Some(StoreError::NotOpened { .. })));
        let on_retry: OnRetry = Box::new(|text| panic!("{text}"));
        let store =
            open_with_retry(file.to_str().unwrap(), Access::Create, limit, on_retry).unwrap();
        assert_eq!(store.add(&[record(1)]).unwrap().new, 1);
    }
}
