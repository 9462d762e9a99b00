//! The side that has work to distribute: stores and enqueues jobs, and collects their results from
//! the store.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::Subscriber;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use tesuji_store::{JobRecord, Record, RecordKind, Selection, Store};

use crate::connection::{
    Connection, JobMessage, OTHER_STORE, QueueOptions, RequestError, events_subject,
};
use crate::payloads::PackedPayload;
use crate::plan::{ItemCost, JobPlan};
use crate::results;
use tesuji_queue::{Batch, BatchSummary, FinishedItem, JobError, Output, QueueError, WorkQueue};

/// How long one iteration waits for events.
const EVENT_WAIT: Duration = Duration::from_millis(200);
/// The interval between two reads of open jobs, for the case that events were lost.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The interval between two counts of the workers.
const WORKER_INTERVAL: Duration = Duration::from_secs(3);
/// After this time without results, the queue is compared with the store.
const COMPARE_INTERVAL: Duration = Duration::from_secs(10);
/// Open jobs for each thread of the workers, and the minimum.
const JOBS_PER_THREAD: u64 = 3;
const MIN_JOBS: u64 = 16;
/// The most finished jobs per second, since one coordinator reads all results. With many workers,
/// jobs become longer.
const MAX_JOBS_PER_SECOND: f64 = 100.0;
/// Jobs that are enqueued concurrently.
const CONCURRENT_PUTS: usize = 64;
/// Jobs that are read at once with their output.
const JOBS_PER_READ: usize = 16;

/// A queue on a NATS server.
pub struct NatsQueue {
    connection: Connection,
    store: Arc<dyn Store>,
    /// The cost of an item, by job kind.
    costs: Mutex<HashMap<&'static str, ItemCost>>,
}

impl NatsQueue {
    /// Connects, and waits for the server if necessary. Results go to `store`, which must be the
    /// store of all workers.
    pub fn connect(options: QueueOptions, store: Arc<dyn Store>) -> Result<NatsQueue, QueueError> {
        let connection = Connection::connect(options, true)?;
        Ok(NatsQueue { connection, store, costs: Mutex::default() })
    }
}

impl WorkQueue for NatsQueue {
    fn run_batch(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<FinishedItem>) -> ControlFlow<()>,
    ) -> Result<BatchSummary, QueueError> {
        if let Some(store) = batch.store
            && store.place() != self.store.place()
        {
            return Err(JobError(format!(
                "run {}: its store is {}; expected {}, the store of the queue",
                batch.run,
                store.place(),
                self.store.place()
            ))
            .into());
        }
        if batch.items.is_empty() {
            return Ok(BatchSummary::default());
        }
        let payload = batch.job.payload()?;
        let kind = payload.kind;
        let packed = PackedPayload::new(payload, &self.connection.options.version);
        packed.send(&self.connection, batch.run)?;
        let result = RunningBatch::open(self, batch, kind, &packed)?.run(each);
        if result.is_ok() {
            packed.remove(&self.connection, batch.run);
        }
        result.map(|()| BatchSummary::default())
    }
}

/// The state of a batch that is running.
struct RunningBatch<'a> {
    queue: &'a NatsQueue,
    batch: &'a Batch<'a>,
    kind: &'static str,
    payload: &'a PackedPayload,
    events: Subscriber,
    /// Items that are not delivered yet.
    due: BTreeSet<u64>,
    /// Items that belong to no job yet.
    plan: JobPlan,
    /// Stored jobs that are not done.
    open: BTreeMap<String, JobRecord>,
    /// Jobs that are done and not delivered.
    done: Vec<String>,
    /// Jobs that failed too often.
    poisoned: BTreeMap<String, JobRecord>,
    /// Threads of all workers at the last count.
    threads: u64,
    workers_counted: Option<Instant>,
    polled: Instant,
    last_result: Instant,
    has_logged_no_workers: bool,
    has_logged_other_store: bool,
}

impl<'a> RunningBatch<'a> {
    /// Resumes from the jobs of this batch that are in the store.
    fn open(
        queue: &'a NatsQueue,
        batch: &'a Batch<'a>,
        kind: &'static str,
        payload: &'a PackedPayload,
    ) -> Result<RunningBatch<'a>, QueueError> {
        let connection = &queue.connection;
        let events = connection.with_retry(|| async {
            let subscribed = connection.client().subscribe(events_subject(batch.run)).await;
            subscribed.map_err(RequestError::from_server)
        })?;
        let now = Instant::now();
        let mut running = RunningBatch {
            queue,
            batch,
            kind,
            payload,
            events,
            due: batch.items.iter().copied().collect(),
            plan: JobPlan::default(),
            open: BTreeMap::new(),
            done: Vec::new(),
            poisoned: BTreeMap::new(),
            threads: 0,
            workers_counted: None,
            polled: now,
            last_result: now,
            has_logged_no_workers: false,
            has_logged_other_store: false,
        };
        let mut planned = BTreeSet::new();
        for job in running.stored_jobs()? {
            // With another payload the numbers mean other items, for example after a player joined
            // a tournament.
            if job.brief != payload.digest {
                continue;
            }
            let items = job.first..job.first + job.units;
            if items.clone().any(|item| running.due.contains(&item)) {
                planned.extend(items);
                running.classify(job);
            }
        }
        let unplanned = running.due.iter().copied().filter(|item| !planned.contains(item));
        running.plan = JobPlan::new(unplanned);
        let open: Vec<JobRecord> = running.open.values().cloned().collect();
        running.enqueue(&open)?;
        Ok(running)
    }

    /// All jobs of this batch in the store, without their output.
    fn stored_jobs(&self) -> Result<Vec<JobRecord>, QueueError> {
        let selection = Selection {
            event: Some(self.batch.run.to_string()),
            stage: Some(self.batch.stage.to_string()),
            without_output: true,
            ..Selection::all(RecordKind::Job)
        };
        Ok(results::selected_jobs(&*self.queue.store, &selection)?)
    }

    fn classify(&mut self, job: JobRecord) {
        if job.done {
            self.open.remove(&job.key);
            self.done.push(job.key);
        } else if job.is_poisoned() {
            self.open.remove(&job.key);
            self.poisoned.insert(job.key.clone(), job);
        } else {
            self.open.insert(job.key.clone(), job);
        }
    }

    fn run(
        mut self,
        each: &mut dyn FnMut(Vec<FinishedItem>) -> ControlFlow<()>,
    ) -> Result<(), QueueError> {
        loop {
            if self.deliver(each)?.is_break() || self.batch.stop.load(Relaxed) {
                self.batch.stop.store(true, Relaxed);
                self.abandon();
                return Ok(());
            }
            if self.due.is_empty() {
                return Ok(());
            }
            if self.open.is_empty() && self.plan.is_empty() && self.done.is_empty() {
                return Err(self.failed());
            }
            self.count_workers();
            self.add_jobs()?;
            self.receive_events()?;
            self.poll()?;
        }
    }

    /// Delivers the items of jobs that are done.
    fn deliver(
        &mut self,
        each: &mut dyn FnMut(Vec<FinishedItem>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, QueueError> {
        let done = std::mem::take(&mut self.done);
        if done.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        self.last_result = Instant::now();
        for keys in done.chunks(JOBS_PER_READ) {
            for job in results::jobs(&*self.queue.store, keys)? {
                self.update_cost(&job);
                let (spec, store) = (self.batch.job, &*self.queue.store);
                let finished = results::finished_items(&job, &self.due, spec, store)?;
                for it in &finished {
                    self.due.remove(&it.item);
                }
                if !finished.is_empty() && each(finished).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn update_cost(&self, job: &JobRecord) {
        let items = job.units.max(1) as f64;
        let (seconds, bytes) = (job.micros as f64 / 1e6 / items, job.output.len() as f64 / items);
        let mut costs = self.queue.costs.lock().unwrap_or_else(|poison| poison.into_inner());
        let cost = ItemCost::after(costs.get(self.kind).copied(), ItemCost { seconds, bytes });
        costs.insert(self.kind, cost);
    }

    fn count_workers(&mut self) {
        if self.workers_counted.is_some_and(|then| then.elapsed() < WORKER_INTERVAL) {
            return;
        }
        let is_first = self.workers_counted.is_none();
        self.workers_counted = Some(Instant::now());
        let connection = &self.queue.connection;
        let Ok(workers) = connection.block_on(connection.workers()) else { return };
        self.threads = workers.iter().map(|worker| worker.threads as u64).sum();
        if self.threads == 0 && !is_first && !self.has_logged_no_workers {
            self.has_logged_no_workers = true;
            (connection.options.log)(&format!(
                "run {}: no workers yet; start some with: tesuji worker --queue {} --store {}",
                self.batch.run,
                connection.address,
                self.queue.store.place()
            ));
        }
    }

    /// Stores and enqueues new jobs until enough are open.
    fn add_jobs(&mut self) -> Result<(), QueueError> {
        let wanted = MIN_JOBS.max(JOBS_PER_THREAD * self.threads);
        let costs = self.queue.costs.lock().unwrap_or_else(|poison| poison.into_inner());
        let cost = costs.get(self.kind).copied();
        drop(costs);
        let job_seconds = self.queue.connection.options.job_seconds;
        let job_seconds = job_seconds.max(self.threads as f64 / MAX_JOBS_PER_SECOND);
        let mut new = Vec::new();
        while (self.open.len() + new.len()) as u64 <= wanted {
            let most = self.plan.size(cost, job_seconds, self.threads);
            let Some(items) = self.plan.take(most) else { break };
            new.push(self.job(items));
        }
        if new.is_empty() {
            return Ok(());
        }
        let records: Vec<Record> = new.iter().cloned().map(Record::Job).collect();
        self.queue.store.add(&records)?;
        self.enqueue(&new)?;
        self.open.extend(new.into_iter().map(|job| (job.key.clone(), job)));
        Ok(())
    }

    fn job(&self, items: std::ops::Range<u64>) -> JobRecord {
        let Batch { run, stage, .. } = self.batch;
        let count = items.end - items.start;
        JobRecord {
            key: format!("{run}/{stage}/{}/{}+{count}", &self.payload.digest[..8], items.start),
            run: (*run).to_string(),
            stage: (*stage).to_string(),
            task: self.kind.to_string(),
            brief: self.payload.digest.clone(),
            first: items.start,
            units: count,
            at: now(),
            ..JobRecord::default()
        }
    }

    /// Enqueues jobs. Jobs that are in the queue are unaffected, so all may be retried.
    fn enqueue(&self, jobs: &[JobRecord]) -> Result<(), QueueError> {
        let connection = &self.queue.connection;
        let message = |job: &JobRecord| JobMessage::new(job, &connection.options.version);
        for jobs in jobs.chunks(CONCURRENT_PUTS) {
            let messages: Vec<JobMessage> = jobs.iter().map(message).collect();
            connection.with_retry(|| async {
                try_join_all(messages.iter().map(|it| connection.enqueue(it))).await
            })?;
        }
        Ok(())
    }

    /// Waits shortly for events of workers and handles them.
    fn receive_events(&mut self) -> Result<(), QueueError> {
        let connection = &self.queue.connection;
        let mut received = Vec::new();
        connection.block_on(async {
            let mut wait = EVENT_WAIT;
            while let Ok(Some(message)) = tokio::time::timeout(wait, self.events.next()).await {
                received.extend(String::from_utf8(message.payload.to_vec()));
                wait = Duration::ZERO;
            }
        });
        if received.iter().any(|it| *it == format!("missing {}", self.payload.digest)) {
            self.payload.send(connection, self.batch.run)?;
        }
        if let Some(worker) = received.iter().find_map(|it| it.strip_prefix(OTHER_STORE)) {
            self.log_other_store(worker);
        }
        let keys: Vec<String> =
            received.into_iter().filter(|it| self.open.contains_key(it)).collect();
        if !keys.is_empty() {
            for job in results::jobs(&*self.queue.store, &keys)? {
                self.classify(job);
            }
        }
        Ok(())
    }

    /// Logs once that a worker has a store without the jobs of this run. `poll` enqueues the job
    /// that it discarded again.
    fn log_other_store(&mut self, worker: &str) {
        if std::mem::replace(&mut self.has_logged_other_store, true) {
            return;
        }
        (self.queue.connection.options.log)(&format!(
            "worker {}: its store does not have the jobs of {}; expected --store {}",
            crate::excerpt(worker),
            self.batch.run,
            self.queue.store.place()
        ));
    }

    /// Reads the open jobs from the store now and then: events may be lost. If no results come,
    /// enqueues jobs that the queue has lost.
    fn poll(&mut self) -> Result<(), QueueError> {
        if !self.done.is_empty() || self.polled.elapsed() < POLL_INTERVAL {
            return Ok(());
        }
        self.polled = Instant::now();
        let keys = Some(self.open.keys().cloned().collect());
        let selection = Selection { keys, without_output: true, ..Selection::all(RecordKind::Job) };
        for job in results::selected_jobs(&*self.queue.store, &selection)? {
            self.classify(job);
        }
        if self.done.is_empty() && self.last_result.elapsed() >= COMPARE_INTERVAL {
            self.last_result = Instant::now();
            let connection = &self.queue.connection;
            let queued = connection.with_retry(|| connection.count(self.batch.run))?;
            if queued < self.open.len() {
                self.payload.send(connection, self.batch.run)?;
                let open: Vec<JobRecord> = self.open.values().cloned().collect();
                self.enqueue(&open)?;
            }
        }
        Ok(())
    }

    /// Removes the remaining jobs from the queue.
    fn abandon(&self) {
        let connection = &self.queue.connection;
        _ = connection.block_on(connection.clear(self.batch.run));
    }

    fn failed(&self) -> QueueError {
        let error = self.poisoned.values().next().map(|job| match job.worker.as_str() {
            "" => format!("{}: {}", job.key, job.error),
            worker => format!("{} (worker {worker}): {}", job.key, job.error),
        });
        QueueError::FailedJobs {
            run: self.batch.run.to_string(),
            jobs: self.poisoned.len(),
            error: error.unwrap_or_default(),
        }
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// The record of a job that is done.
pub(crate) fn finished_job(
    job: &JobRecord,
    outputs: &[Output],
    worker: &str,
    duration: Duration,
) -> Record {
    Record::Job(JobRecord {
        done: true,
        error: String::new(),
        worker: worker.to_string(),
        micros: duration.as_micros() as u64,
        at: now(),
        output: results::joined_notes(outputs),
        ..job.clone()
    })
}
