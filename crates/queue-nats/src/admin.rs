//! Administration of a queue: its status, draining workers, retrying failed jobs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_store::{JobRecord, Record, RecordKind, Selection, Store};

use crate::connection::{CONTROL, Connection, JobMessage, RequestError};
use crate::coordinator::now;
use crate::results;
use crate::worker_status::WorkerStatus;
use tesuji_queue::QueueError;

/// The status of a queue.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct QueueStatus {
    /// Its address, without secrets.
    pub queue: String,
    /// Jobs in the queue, running ones included.
    pub jobs: u64,
    /// Jobs that are running.
    pub under_way: u64,
    /// The workers.
    pub workers: Vec<WorkerStatus>,
    /// Games per second of all workers.
    pub games_per_second: f64,
    /// The progress of each run, from the store.
    pub runs: Vec<RunProgress>,
}

/// The progress of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct RunProgress {
    /// The name of the run.
    pub run: String,
    /// Finished jobs.
    pub done: u64,
    /// Items in finished jobs.
    pub units: u64,
    /// Jobs that are waiting or running.
    pub open: u64,
    /// Jobs that failed too often.
    pub poisoned: u64,
    /// The last error; empty if there was none.
    pub error: String,
    /// Seconds of work in all finished jobs.
    pub seconds: f64,
    /// The time when the last job finished, in seconds since 1970; 0 if none has.
    pub last: u64,
}

impl RunProgress {
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

impl Connection {
    /// The status of the queue, its workers and its runs.
    pub fn status(&self, store: &dyn Store) -> Result<QueueStatus, QueueError> {
        let (jobs, under_way) = self.with_retry(|| async {
            let consumer = self.consumer().await?;
            let info = consumer.get_info().await.map_err(RequestError::from_server)?;
            let under_way = info.num_ack_pending as u64;
            Ok((info.num_pending + under_way, under_way))
        })?;
        let workers = self.with_retry(|| self.workers())?;
        let selection = Selection { without_output: true, ..Selection::all(RecordKind::Job) };
        let mut runs: BTreeMap<String, RunProgress> = BTreeMap::new();
        for job in results::selected_jobs(store, &selection)? {
            let run = runs.entry(job.run.clone()).or_default();
            run.run.clone_from(&job.run);
            run.add(&job);
        }
        Ok(QueueStatus {
            queue: self.address.clone(),
            jobs,
            under_way,
            games_per_second: workers.iter().fold(0.0, |sum, it| sum + it.games_per_second),
            workers,
            runs: runs.into_values().collect(),
        })
    }

    /// Asks one worker or all to finish their jobs and end, and waits until they have. Returns the
    /// workers that remain after `timeout`.
    pub fn drain(
        &self,
        worker: Option<&str>,
        timeout: Duration,
    ) -> Result<Vec<WorkerStatus>, QueueError> {
        let started = Instant::now();
        let order = worker.map_or("drain".to_string(), |name| format!("drain {name}"));
        loop {
            let mut remaining = self.with_retry(|| self.workers())?;
            remaining.retain(|status| worker.is_none_or(|name| status.name == name));
            if remaining.is_empty() || started.elapsed() >= timeout {
                return Ok(remaining);
            }
            if remaining.iter().any(|status| !status.draining) {
                self.with_retry(|| async {
                    let client = self.client();
                    let sent = client.publish(CONTROL, order.clone().into()).await;
                    sent.map_err(RequestError::from_server)?;
                    client.flush().await.map_err(RequestError::from_server)
                })?;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// Enqueues the failed jobs of a run, or of all runs, again. Returns them as they were.
    pub fn retry_failed(
        &self,
        store: &dyn Store,
        run: Option<&str>,
    ) -> Result<Vec<JobRecord>, QueueError> {
        let event = run.map(str::to_string);
        let selection =
            Selection { event, without_output: true, ..Selection::all(RecordKind::Job) };
        let mut jobs = results::selected_jobs(store, &selection)?;
        jobs.retain(JobRecord::is_poisoned);
        let reset: Vec<JobRecord> = jobs
            .iter()
            .map(|job| JobRecord {
                round: job.round + 1,
                attempts: 0,
                losses: 0,
                at: now(),
                ..job.clone()
            })
            .collect();
        let records: Vec<Record> = reset.iter().cloned().map(Record::Job).collect();
        store.add(&records)?;
        for job in &reset {
            let message = JobMessage::new(job, &self.options.version);
            self.with_retry(|| self.enqueue(&message))?;
        }
        Ok(jobs)
    }
}
