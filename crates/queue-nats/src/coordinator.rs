//! The side that has work to give: writes jobs down, puts them into the queue, and hears in the store what came of
//! them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::Subscriber;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use tesuji_store::{JobRecord, Kind, Record, Selection, Store};

use crate::blobs::Packed;
use crate::gather;
use crate::line::{Hitch, Line, OTHER_STORE, Options, Order, news};
use crate::plan::{Pace, Plan};
use tesuji_queue::{Batch, Finished, Performed, QueueError, WorkQueue};
use tesuji_queue::{Product, Trouble};

/// How long news is waited for before one looks up.
const TICK: Duration = Duration::from_millis(200);
/// Between two looks at the store, where no news came.
const LOOK: Duration = Duration::from_secs(2);
/// Between two looks at who works.
const COUNT_WORKERS: Duration = Duration::from_secs(3);
/// When nothing has come for so long, the queue is compared with the store.
const COMPARE: Duration = Duration::from_secs(10);
/// Jobs in the queue for each thread that works, and at least.
const JOBS_PER_THREAD: u64 = 3;
const FEWEST_JOBS: u64 = 16;
/// However many work, jobs are made so long that no more than so many end in a second: one coordinator reads what came
/// of them.
const MOST_JOBS_PER_SECOND: f64 = 100.0;
/// Jobs that are put in at once, without waiting for one before the next.
const PUT_AT_ONCE: usize = 64;
/// Jobs that are read at once with all that came of them.
const READ_AT_ONCE: usize = 16;

/// A queue on a server.
pub struct NatsQueue {
    line: Line,
    store: Arc<dyn Store>,
    /// What a unit of each task took last.
    paces: Mutex<HashMap<&'static str, Pace>>,
}

impl NatsQueue {
    /// Waits until the server is there. What comes of the work is kept in this store; all workers must be given the
    /// same.
    pub fn connect(options: Options, store: Arc<dyn Store>) -> Result<NatsQueue, QueueError> {
        Ok(NatsQueue { line: Line::connect(options, true)?, store, paces: Mutex::default() })
    }
}

impl WorkQueue for NatsQueue {
    fn perform(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<Performed, QueueError> {
        if let Some(store) = batch.store
            && store.place() != self.store.place()
        {
            return Err(Trouble(format!(
                "{} keeps its records in {}, the queue in {}; give both the same store",
                batch.run,
                store.place(),
                self.store.place()
            ))
            .into());
        }
        if batch.units.is_empty() {
            return Ok(Performed::default());
        }
        let brief = batch.bench.brief()?;
        let task = brief.task;
        let packed = Packed::of(brief, &self.line.options.version);
        packed.send(&self.line, batch.run)?;
        let result = Desk::open(self, batch, task, &packed)?.run(each);
        if result.is_ok() {
            packed.remove(&self.line, batch.run);
        }
        result.map(|()| Performed::default())
    }
}

/// One batch under way.
struct Desk<'a> {
    queue: &'a NatsQueue,
    batch: &'a Batch<'a>,
    task: &'static str,
    packed: &'a Packed,
    news: Subscriber,
    /// Units that are due and not counted yet.
    due: BTreeSet<u64>,
    /// Units that are in no job yet.
    plan: Plan,
    /// Jobs that are written down and not done.
    open: BTreeMap<String, JobRecord>,
    /// Jobs that are done and not counted.
    done: Vec<String>,
    /// Jobs that failed too often.
    poisoned: BTreeMap<String, JobRecord>,
    /// Threads that work, as far as is known.
    threads: u64,
    workers_counted: Option<Instant>,
    looked: Instant,
    heard: Instant,
    has_missed_workers: bool,
    has_told_of_other_store: bool,
}

impl<'a> Desk<'a> {
    /// Takes up what the store has of this batch.
    fn open(
        queue: &'a NatsQueue,
        batch: &'a Batch<'a>,
        task: &'static str,
        packed: &'a Packed,
    ) -> Result<Desk<'a>, QueueError> {
        let line = &queue.line;
        let news = line.patiently(|| async {
            let subscribed = line.client().subscribe(news(batch.run)).await;
            subscribed.map_err(Hitch::of_server)
        })?;
        let now = Instant::now();
        let mut desk = Desk {
            queue,
            batch,
            task,
            packed,
            news,
            due: batch.units.iter().copied().collect(),
            plan: Plan::default(),
            open: BTreeMap::new(),
            done: Vec::new(),
            poisoned: BTreeMap::new(),
            threads: 0,
            workers_counted: None,
            looked: now,
            heard: now,
            has_missed_workers: false,
            has_told_of_other_store: false,
        };
        let mut planned = BTreeSet::new();
        for job in desk.written_down()? {
            // Units mean something else in another brief: a tournament that was given another player, say.
            if job.brief != packed.digest {
                continue;
            }
            let units = job.first..job.first + job.units;
            if units.clone().any(|unit| desk.due.contains(&unit)) {
                planned.extend(units);
                desk.sort(job);
            }
        }
        desk.plan = Plan::of(desk.due.iter().copied().filter(|unit| !planned.contains(unit)));
        let open: Vec<JobRecord> = desk.open.values().cloned().collect();
        desk.put(&open)?;
        Ok(desk)
    }

    /// All jobs of this batch that the store knows, without what came of them.
    fn written_down(&self) -> Result<Vec<JobRecord>, QueueError> {
        let selection = Selection {
            event: Some(self.batch.run.to_string()),
            stage: Some(self.batch.stage.to_string()),
            without_output: true,
            ..Selection::all(Kind::Job)
        };
        Ok(gather::selected(&*self.queue.store, &selection)?)
    }

    fn sort(&mut self, job: JobRecord) {
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
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<(), QueueError> {
        loop {
            if self.count(each)?.is_break() || self.batch.stop.load(Relaxed) {
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
            self.fill()?;
            self.listen()?;
            self.look()?;
        }
    }

    /// Counts the jobs that are done.
    fn count(
        &mut self,
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, QueueError> {
        let done = std::mem::take(&mut self.done);
        if done.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        self.heard = Instant::now();
        for keys in done.chunks(READ_AT_ONCE) {
            for job in gather::jobs(&*self.queue.store, keys)? {
                self.keep_pace(&job);
                let (bench, store) = (self.batch.bench, &*self.queue.store);
                let finished = gather::finished(&job, &self.due, bench, store)?;
                for it in &finished {
                    self.due.remove(&it.unit);
                }
                if !finished.is_empty() && each(finished).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn keep_pace(&self, job: &JobRecord) {
        let units = job.units.max(1) as f64;
        let (seconds, bytes) = (job.micros as f64 / 1e6 / units, job.output.len() as f64 / units);
        let mut paces = self.queue.paces.lock().unwrap_or_else(|poison| poison.into_inner());
        let pace = Pace::after(paces.get(self.task).copied(), Pace { seconds, bytes });
        paces.insert(self.task, pace);
    }

    fn count_workers(&mut self) {
        if self.workers_counted.is_some_and(|then| then.elapsed() < COUNT_WORKERS) {
            return;
        }
        let is_first = self.workers_counted.is_none();
        self.workers_counted = Some(Instant::now());
        let line = &self.queue.line;
        let Ok(workers) = line.wait(line.workers()) else { return };
        self.threads = workers.iter().map(|worker| worker.threads as u64).sum();
        if self.threads == 0 && !is_first && !self.has_missed_workers {
            self.has_missed_workers = true;
            (line.options.notice)(&format!(
                "nobody works for {} yet; start some with: tesuji worker --queue {} --store {}",
                self.batch.run,
                line.place,
                self.queue.store.place()
            ));
        }
    }

    /// Writes down and puts into the queue as many jobs as there should be.
    fn fill(&mut self) -> Result<(), QueueError> {
        let wanted = FEWEST_JOBS.max(JOBS_PER_THREAD * self.threads);
        let paces = self.queue.paces.lock().unwrap_or_else(|poison| poison.into_inner());
        let pace = paces.get(self.task).copied();
        drop(paces);
        let job_seconds = self.queue.line.options.job_seconds;
        let job_seconds = job_seconds.max(self.threads as f64 / MOST_JOBS_PER_SECOND);
        let mut new = Vec::new();
        while (self.open.len() + new.len()) as u64 <= wanted {
            let most = self.plan.size(pace, job_seconds, self.threads);
            let Some(units) = self.plan.take(most) else { break };
            new.push(self.job(units));
        }
        if new.is_empty() {
            return Ok(());
        }
        let records: Vec<Record> = new.iter().cloned().map(Record::Job).collect();
        self.queue.store.add(&records)?;
        self.put(&new)?;
        self.open.extend(new.into_iter().map(|job| (job.key.clone(), job)));
        Ok(())
    }

    fn job(&self, units: std::ops::Range<u64>) -> JobRecord {
        let Batch { run, stage, .. } = self.batch;
        let count = units.end - units.start;
        JobRecord {
            key: format!("{run}/{stage}/{}/{}+{count}", &self.packed.digest[..8], units.start),
            run: (*run).to_string(),
            stage: (*stage).to_string(),
            task: self.task.to_string(),
            brief: self.packed.digest.clone(),
            first: units.start,
            units: count,
            at: now(),
            ..JobRecord::default()
        }
    }

    fn put(&self, jobs: &[JobRecord]) -> Result<(), QueueError> {
        let line = &self.queue.line;
        let order = |job: &JobRecord| Order::of(job, &line.options.version);
        for jobs in jobs.chunks(PUT_AT_ONCE) {
            let orders: Vec<Order> = jobs.iter().map(order).collect();
            // What is there already stays, so all of them may be tried again.
            line.patiently(|| async { try_join_all(orders.iter().map(|it| line.put(it))).await })?;
        }
        Ok(())
    }

    /// Waits a moment for news.
    fn listen(&mut self) -> Result<(), QueueError> {
        let line = &self.queue.line;
        let mut told = Vec::new();
        line.wait(async {
            let mut wait = TICK;
            while let Ok(Some(message)) = tokio::time::timeout(wait, self.news.next()).await {
                told.extend(String::from_utf8(message.payload.to_vec()));
                wait = Duration::ZERO;
            }
        });
        if told.iter().any(|it| *it == format!("missing {}", self.packed.digest)) {
            self.packed.send(line, self.batch.run)?;
        }
        if let Some(worker) = told.iter().find_map(|it| it.strip_prefix(OTHER_STORE)) {
            self.tell_of_other_store(worker);
        }
        let keys: Vec<String> = told.into_iter().filter(|it| self.open.contains_key(it)).collect();
        if !keys.is_empty() {
            for job in gather::jobs(&*self.queue.store, &keys)? {
                self.sort(job);
            }
        }
        Ok(())
    }

    /// Says once that a worker was started with a store that does not have this run's jobs. The job
    /// that it put aside is put in again by `look`.
    fn tell_of_other_store(&mut self, worker: &str) {
        if std::mem::replace(&mut self.has_told_of_other_store, true) {
            return;
        }
        (self.queue.line.options.notice)(&format!(
            "worker {}: its store does not have the jobs of {}; expected --store {}",
            crate::excerpt(worker),
            self.batch.run,
            self.queue.store.place()
        ));
    }

    /// Looks at the store itself: news may get lost.
    fn look(&mut self) -> Result<(), QueueError> {
        if !self.done.is_empty() || self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        let keys = Some(self.open.keys().cloned().collect());
        let selection = Selection { keys, without_output: true, ..Selection::all(Kind::Job) };
        for job in gather::selected(&*self.queue.store, &selection)? {
            self.sort(job);
        }
        if self.done.is_empty() && self.heard.elapsed() >= COMPARE {
            self.heard = Instant::now();
            let line = &self.queue.line;
            let queued = line.patiently(|| line.count(self.batch.run))?;
            if queued < self.open.len() {
                self.packed.send(line, self.batch.run)?;
                let open: Vec<JobRecord> = self.open.values().cloned().collect();
                self.put(&open)?;
            }
        }
        Ok(())
    }

    /// Nobody needs the rest any more.
    fn abandon(&self) {
        let line = &self.queue.line;
        _ = line.wait(line.clear(self.batch.run));
    }

    fn failed(&self) -> QueueError {
        let error = self.poisoned.values().next().map(|job| match job.worker.as_str() {
            "" => format!("{}: {}", job.key, job.error),
            worker => format!("{} (worker {worker}): {}", job.key, job.error),
        });
        QueueError::Poisoned {
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

/// What a worker writes when a job is done.
pub(crate) fn done(job: &JobRecord, products: &[Product], worker: &str, took: Duration) -> Record {
    Record::Job(JobRecord {
        done: true,
        error: String::new(),
        worker: worker.to_string(),
        micros: took.as_micros() as u64,
        at: now(),
        output: gather::output_of(products),
        ..job.clone()
    })
}
