//! Looking after a queue: how it stands, letting workers go, giving failed jobs another chance.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_store::{JobRecord, Kind, Record, Selection, Store};

use crate::coordinator::now;
use crate::gather;
use crate::line::{CONTROL, Hitch, Line, Order};
use crate::presence::WorkerCard;
use tesuji_queue::QueueError;

/// How a queue stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct QueueState {
    /// Where it is.
    pub queue: String,
    /// Jobs in it, also those that somebody is at.
    pub jobs: u64,
    /// Jobs that somebody is at.
    pub under_way: u64,
    /// Who works.
    pub workers: Vec<WorkerCard>,
    /// Games a second of all workers.
    pub games_per_second: f64,
    /// What the store knows of each run.
    pub runs: Vec<RunState>,
}

/// How far a run's jobs are.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct RunState {
    /// The run.
    pub run: String,
    /// Jobs that are done.
    pub done: u64,
    /// Units of these.
    pub units: u64,
    /// Jobs that are waiting or under way.
    pub open: u64,
    /// Jobs that failed too often.
    pub poisoned: u64,
    /// The last error, empty when there was none.
    pub error: String,
    /// Seconds of work in all jobs that are done.
    pub seconds: f64,
    /// When a job was done last, seconds since 1970; 0 for never.
    pub last: u64,
}

impl RunState {
    fn add(&mut self, job: &JobRecord) {
        if job.done {
            self.done += 1;
            self.units += job.units;
            self.seconds += job.micros as f64 / 1e6;
            self.last = self.last.max(job.at);
        } else {
            let count = if job.is_poisoned() { &mut self.poisoned } else { &mut self.open };
            *count += 1;
            if !job.error.is_empty() {
                self.error.clone_from(&job.error);
            }
        }
    }
}

impl Line {
    /// How everything stands.
    pub fn state(&self, store: &dyn Store) -> Result<QueueState, QueueError> {
        let (jobs, under_way) = self.patiently(|| async {
            let consumer = self.consumer().await?;
            let info = consumer.get_info().await.map_err(Hitch::of_server)?;
            let under_way = info.num_ack_pending as u64;
            Ok((info.num_pending + under_way, under_way))
        })?;
        let workers = self.patiently(|| self.workers())?;
        let selection = Selection { without_output: true, ..Selection::all(Kind::Job) };
        let mut runs: BTreeMap<String, RunState> = BTreeMap::new();
        for job in gather::selected(store, &selection)? {
            let run = runs.entry(job.run.clone()).or_default();
            run.run.clone_from(&job.run);
            run.add(&job);
        }
        Ok(QueueState {
            queue: self.place.clone(),
            jobs,
            under_way,
            games_per_second: workers.iter().fold(0.0, |sum, it| sum + it.games_per_second),
            workers,
            runs: runs.into_values().collect(),
        })
    }

    /// Asks a worker, or all, to finish what they are at and leave; waits until they are gone. Returns who is still
    /// there after this time.
    pub fn drain(
        &self,
        worker: Option<&str>,
        patience: Duration,
    ) -> Result<Vec<WorkerCard>, QueueError> {
        let started = Instant::now();
        let order = worker.map_or("drain".to_string(), |name| format!("drain {name}"));
        loop {
            let mut there = self.patiently(|| self.workers())?;
            there.retain(|card| worker.is_none_or(|name| card.name == name));
            if there.is_empty() || started.elapsed() >= patience {
                return Ok(there);
            }
            if there.iter().any(|card| !card.draining) {
                self.patiently(|| async {
                    let client = self.client();
                    let sent = client.publish(CONTROL, order.clone().into()).await;
                    sent.map_err(Hitch::of_server)?;
                    client.flush().await.map_err(Hitch::of_server)
                })?;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// Gives the poisoned jobs of a run, or of all runs, another chance. Returns them.
    pub fn retry(
        &self,
        store: &dyn Store,
        run: Option<&str>,
    ) -> Result<Vec<JobRecord>, QueueError> {
        let event = run.map(str::to_string);
        let selection = Selection { event, without_output: true, ..Selection::all(Kind::Job) };
        let mut jobs = gather::selected(store, &selection)?;
        jobs.retain(JobRecord::is_poisoned);
        let pardoned: Vec<JobRecord> = jobs
            .iter()
            .map(|job| JobRecord {
                round: job.round + 1,
                attempts: 0,
                losses: 0,
                at: now(),
                ..job.clone()
            })
            .collect();
        let records: Vec<Record> = pardoned.iter().cloned().map(Record::Job).collect();
        store.add(&records)?;
        for job in &pardoned {
            let order = Order::of(job, &self.options.version);
            self.patiently(|| self.put(&order))?;
        }
        Ok(jobs)
    }
}
