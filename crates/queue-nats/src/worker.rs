//! The side that runs jobs: takes them from a queue, runs them on the threads of this machine,
//! stores their output, and then acknowledges them.
//!
//! One thread receives jobs, one more than there are running, so that no thread waits for the
//! network. Runner threads run them. Ack threads store outputs and acknowledge jobs while the
//! runners continue. One thread sends heartbeats for all jobs that make progress.

mod ack;
mod active_job;
mod heartbeat;
mod intake;
mod run_jobs;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use tesuji_store::Store;

use self::ack::ProcessedJob;
use self::active_job::ActiveJob;
use crate::{Connection, QueueOptions};
use tesuji_queue::{JobKinds, QueueError};

/// The settings of a worker.
#[derive(Clone)]
pub struct WorkerSettings {
    /// Its name, unique among all workers.
    pub name: String,
    /// Jobs that it runs at once; 0 for the number of hardware threads.
    pub threads: usize,
    /// The folder for received files.
    pub cache: PathBuf,
    /// The kinds of jobs that it can run.
    pub job_kinds: JobKinds,
    /// A job that makes no progress for this time is given up.
    pub stall_timeout: Duration,
}

/// Asks a worker to end.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    drain: Arc<AtomicBool>,
    signals: Arc<AtomicU32>,
}

impl Shutdown {
    /// Asks the worker to finish its jobs and to take no more. Repeated calls change nothing: the
    /// order to drain is sent until the worker's status shows that it obeys.
    pub fn drain(&self) {
        self.drain.store(true, Relaxed);
    }

    /// Handles a signal: the first asks the worker to drain, the second to return its jobs at once.
    pub fn signal(&self) {
        self.signals.fetch_add(1, Relaxed);
    }

    fn is_requested(&self) -> bool {
        self.drain.load(Relaxed) || self.signals.load(Relaxed) > 0
    }

    fn is_immediate(&self) -> bool {
        self.signals.load(Relaxed) > 1
    }
}

/// What a worker did.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct WorkerSummary {
    /// Finished jobs.
    pub jobs: u64,
    /// Games in finished jobs.
    pub games: u64,
    /// Jobs that failed here.
    pub failed: u64,
    /// Seconds that the runner threads worked, in total.
    pub busy_seconds: f64,
    /// Seconds that they waited for the next job: the overhead of the queue, while it holds jobs.
    pub waiting_seconds: f64,
}

/// Runs jobs until `shutdown` is requested.
pub fn run_worker(
    options: QueueOptions,
    store: &dyn Store,
    settings: WorkerSettings,
    shutdown: &Shutdown,
) -> Result<WorkerSummary, QueueError> {
    let threads = match settings.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let connection = Connection::connect(options, false)?;
    let settings = WorkerSettings { threads, ..settings };
    Worker::open(&connection, store, settings, shutdown)?.run()
}

/// The state that the threads of a worker share.
struct Worker<'a> {
    connection: &'a Connection,
    store: &'a dyn Store,
    settings: WorkerSettings,
    shutdown: &'a Shutdown,
    /// How long the server waits for a heartbeat.
    lease: Duration,
    since: u64,
    active_jobs: Mutex<Vec<Arc<ActiveJob>>>,
    job_removed: Condvar,
    /// The first error that ends the worker.
    error: Mutex<Option<QueueError>>,
    /// Ends the heartbeat thread.
    closed: AtomicBool,
    jobs: AtomicU64,
    games: AtomicU64,
    failed: AtomicU64,
    busy_micros: AtomicU64,
    waiting_micros: AtomicU64,
}

impl<'a> Worker<'a> {
    fn open(
        connection: &'a Connection,
        store: &'a dyn Store,
        settings: WorkerSettings,
        shutdown: &'a Shutdown,
    ) -> Result<Worker<'a>, QueueError> {
        let consumer = connection.with_retry(|| connection.consumer())?;
        Ok(Worker {
            connection,
            store,
            settings,
            shutdown,
            lease: consumer.cached_info().config.ack_wait,
            since: crate::now(),
            active_jobs: Mutex::default(),
            job_removed: Condvar::new(),
            error: Mutex::default(),
            closed: AtomicBool::new(false),
            jobs: AtomicU64::new(0),
            games: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            busy_micros: AtomicU64::new(0),
            waiting_micros: AtomicU64::new(0),
        })
    }

    fn run(&self) -> Result<WorkerSummary, QueueError> {
        self.listen_for_orders();
        let threads = self.settings.threads;
        let (job_sender, jobs) = sync_channel::<Arc<ActiveJob>>(threads + 1);
        let (processed_sender, processed) = sync_channel::<ProcessedJob>(threads);
        let (jobs, processed) = (SharedReceiver::new(jobs), SharedReceiver::new(processed));
        let received = std::thread::scope(|scope| {
            let heartbeat = scope.spawn(|| self.heartbeat_loop());
            let acks: Vec<_> =
                (0..threads.min(4)).map(|_| scope.spawn(|| self.ack_loop(&processed))).collect();
            let runners: Vec<_> = (0..threads)
                .map(|_| {
                    let (jobs, processed_sender) = (&jobs, processed_sender.clone());
                    scope.spawn(move || self.run_jobs(jobs, &processed_sender))
                })
                .collect();
            drop(processed_sender);
            let received = self.receive_jobs(job_sender);
            let joined = runners.into_iter().chain(acks).map(|thread| thread.join());
            let ended: Vec<_> = joined.collect();
            self.closed.store(true, Relaxed);
            _ = heartbeat.join();
            let panic = ended.into_iter().find_map(Result::err);
            panic.map_or(received, |panic| std::panic::resume_unwind(panic))
        });
        _ = self.connection.block_on(self.connection.remove_worker_status(&self.settings.name));
        _ = self.connection.block_on(self.connection.client().flush());
        received?;
        if let Some(error) = self.error().take() {
            return Err(error);
        }
        Ok(WorkerSummary {
            jobs: self.jobs.load(Relaxed),
            games: self.games.load(Relaxed),
            failed: self.failed.load(Relaxed),
            busy_seconds: self.busy_micros.load(Relaxed) as f64 / 1e6,
            waiting_seconds: self.waiting_micros.load(Relaxed) as f64 / 1e6,
        })
    }

    fn active_jobs(&self) -> MutexGuard<'_, Vec<Arc<ActiveJob>>> {
        self.active_jobs.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    fn error(&self) -> MutexGuard<'_, Option<QueueError>> {
        self.error.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    fn remove(&self, job: &Arc<ActiveJob>) {
        self.active_jobs().retain(|other| !Arc::ptr_eq(other, job));
        self.job_removed.notify_all();
    }

    fn log(&self, text: &str) {
        (self.connection.options.log)(text);
    }
}

/// A receiver that several threads take from.
struct SharedReceiver<T>(Mutex<Receiver<T>>);

impl<T> SharedReceiver<T> {
    fn new(receiver: Receiver<T>) -> SharedReceiver<T> {
        SharedReceiver(Mutex::new(receiver))
    }

    fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner()).recv().ok()
    }
}
