//! The side that does the work: takes jobs out of a queue on a server, does them on the threads of this machine,
//! writes what came of them into the store, and only then acknowledges them.
//!
//! One thread takes jobs in, one ahead of those that are being done, so that nobody waits for the line; hands do them;
//! clerks write down and acknowledge, while the hands are at the next; one thread feels the pulse of all jobs and tells
//! the server which are alive.

mod clerk;
mod hands;
mod intake;
mod pulse;
mod ticket;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use tesuji_store::Store;

use self::clerk::Slip;
use self::ticket::Ticket;
use crate::{Line, Options};
use tesuji_queue::{QueueError, Tasks};

/// How a worker works.
#[derive(Clone)]
pub struct WorkerSettings {
    /// What it is called, unique among all.
    pub name: String,
    /// Jobs at once; 0 for as many as the machine has threads.
    pub threads: usize,
    /// Where models and the like that were sent are kept.
    pub cache: PathBuf,
    /// What it can do.
    pub tasks: Tasks,
    /// A job that shows no sign of life for so long is given up.
    pub hang: Duration,
}

/// Asks a worker to end.
#[derive(Clone, Debug, Default)]
pub struct Farewell {
    finish: Arc<AtomicBool>,
    signals: Arc<AtomicU32>,
}

impl Farewell {
    /// Asks it to finish the jobs that it has and to take no more. Asking again changes nothing: an
    /// order to drain is sent until the worker is seen to obey.
    pub fn finish(&self) {
        self.finish.store(true, Relaxed);
    }

    /// A signal: the first asks it to finish, the second to give its jobs back at once.
    pub fn ask(&self) {
        self.signals.fetch_add(1, Relaxed);
    }

    fn is_asked(&self) -> bool {
        self.finish.load(Relaxed) || self.signals.load(Relaxed) > 0
    }

    fn is_urgent(&self) -> bool {
        self.signals.load(Relaxed) > 1
    }
}

/// What a worker did.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct WorkerReport {
    /// Jobs that it has done.
    pub jobs: u64,
    /// Games in them.
    pub games: u64,
    /// Jobs that failed here.
    pub failed: u64,
    /// Seconds that its hands were at jobs, added up.
    pub busy_seconds: f64,
    /// Seconds that they waited for the next one: what carrying jobs costs, while there are any.
    pub waiting_seconds: f64,
}

/// Works until it is asked to end.
pub fn work(
    options: Options,
    store: &dyn Store,
    settings: WorkerSettings,
    farewell: &Farewell,
) -> Result<WorkerReport, QueueError> {
    let threads = match settings.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let line = Line::connect(options, false)?;
    let settings = WorkerSettings { threads, ..settings };
    let shop = Shop::open(&line, store, settings, farewell)?;
    shop.run()
}

/// Everything that the threads of a worker share.
struct Shop<'a> {
    line: &'a Line,
    store: &'a dyn Store,
    settings: WorkerSettings,
    farewell: &'a Farewell,
    /// How long the server waits for a sign of life.
    lease: Duration,
    since: u64,
    tickets: Mutex<Vec<Arc<Ticket>>>,
    fewer_tickets: Condvar,
    /// Why it could not go on, if it could not.
    trouble: Mutex<Option<QueueError>>,
    /// All is over: the pulse may stop.
    closed: AtomicBool,
    jobs: AtomicU64,
    games: AtomicU64,
    failed: AtomicU64,
    busy_micros: AtomicU64,
    waiting_micros: AtomicU64,
}

impl<'a> Shop<'a> {
    fn open(
        line: &'a Line,
        store: &'a dyn Store,
        settings: WorkerSettings,
        farewell: &'a Farewell,
    ) -> Result<Shop<'a>, QueueError> {
        let consumer = line.patiently(|| line.consumer())?;
        Ok(Shop {
            line,
            store,
            settings,
            farewell,
            lease: consumer.cached_info().config.ack_wait,
            since: crate::now(),
            tickets: Mutex::default(),
            fewer_tickets: Condvar::new(),
            trouble: Mutex::default(),
            closed: AtomicBool::new(false),
            jobs: AtomicU64::new(0),
            games: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            busy_micros: AtomicU64::new(0),
            waiting_micros: AtomicU64::new(0),
        })
    }

    fn run(&self) -> Result<WorkerReport, QueueError> {
        self.listen_for_orders();
        let threads = self.settings.threads;
        let (to_hands, for_hands) = sync_channel::<Arc<Ticket>>(threads + 1);
        let (to_clerks, for_clerks) = sync_channel::<Slip>(threads);
        let (for_hands, for_clerks) = (Shared::new(for_hands), Shared::new(for_clerks));
        let taken = std::thread::scope(|scope| {
            let pulse = scope.spawn(|| self.feel_pulses());
            let clerks: Vec<_> =
                (0..threads.min(4)).map(|_| scope.spawn(|| self.keep_books(&for_clerks))).collect();
            let hands: Vec<_> = (0..threads)
                .map(|_| {
                    let (for_hands, to_clerks) = (&for_hands, to_clerks.clone());
                    scope.spawn(move || self.lend_a_hand(for_hands, &to_clerks))
                })
                .collect();
            drop(to_clerks);
            let taken = self.take_in(to_hands);
            let joined = hands.into_iter().chain(clerks).map(|thread| thread.join());
            let ended: Vec<_> = joined.collect();
            self.closed.store(true, Relaxed);
            _ = pulse.join();
            let panic = ended.into_iter().find_map(Result::err);
            panic.map_or(taken, |panic| std::panic::resume_unwind(panic))
        });
        _ = self.line.wait(self.line.take_away(&self.settings.name));
        _ = self.line.wait(self.line.client().flush());
        taken?;
        if let Some(error) = self.trouble().take() {
            return Err(error);
        }
        Ok(WorkerReport {
            jobs: self.jobs.load(Relaxed),
            games: self.games.load(Relaxed),
            failed: self.failed.load(Relaxed),
            busy_seconds: self.busy_micros.load(Relaxed) as f64 / 1e6,
            waiting_seconds: self.waiting_micros.load(Relaxed) as f64 / 1e6,
        })
    }

    fn tickets(&self) -> MutexGuard<'_, Vec<Arc<Ticket>>> {
        self.tickets.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    fn trouble(&self) -> MutexGuard<'_, Option<QueueError>> {
        self.trouble.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// A job is off this worker's books.
    fn strike(&self, ticket: &Arc<Ticket>) {
        self.tickets().retain(|other| !Arc::ptr_eq(other, ticket));
        self.fewer_tickets.notify_all();
    }

    fn notice(&self, text: &str) {
        (self.line.options.notice)(text);
    }
}

/// The end of a channel that several threads take from.
struct Shared<T>(Mutex<Receiver<T>>);

impl<T> Shared<T> {
    fn new(receiver: Receiver<T>) -> Shared<T> {
        Shared(Mutex::new(receiver))
    }

    fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner()).recv().ok()
    }
}
