//! The threads that run jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use super::ack::{JobOutcome, ProcessedJob};
use super::active_job::ActiveJob;
use super::{SharedReceiver, Worker};
use tesuji_queue::{CancelToken, JobError, JobRunner, Output};

impl Worker<'_> {
    /// Runs one job after another. Consecutive jobs with the same payload share a runner, so that
    /// its players are created once.
    pub(super) fn run_jobs(
        &self,
        jobs: &SharedReceiver<Arc<ActiveJob>>,
        processed: &SyncSender<ProcessedJob>,
    ) {
        let mut next = jobs.take();
        while let Some(first) = next.take() {
            let (spec, payload) = (first.spec().clone(), first.record.brief.clone());
            let cancel = CancelToken::default();
            let mut runner = None;
            let mut job = first;
            loop {
                let started = Instant::now();
                job.begin(&cancel);
                let outcome = if self.shutdown.is_immediate() {
                    JobOutcome::Dropped
                } else {
                    let created = catch_unwind(AssertUnwindSafe(|| match runner.take() {
                        Some(runner) => Ok(runner),
                        None => spec.runner(&cancel),
                    }));
                    match created {
                        Ok(Ok(created)) => run_job(runner.insert(created), &job, &cancel),
                        Ok(Err(error)) => JobOutcome::Failed(error),
                        Err(panic) => JobOutcome::Failed(panicked(&*panic)),
                    }
                };
                job.end();
                let is_done = matches!(outcome, JobOutcome::Done(_));
                let duration = started.elapsed();
                self.busy_micros.fetch_add(duration.as_micros() as u64, Relaxed);
                let waiting = Instant::now();
                if processed.send(ProcessedJob { job, outcome, duration }).is_err() {
                    return;
                }
                let Some(following) = jobs.take() else { return };
                self.waiting_micros.fetch_add(waiting.elapsed().as_micros() as u64, Relaxed);
                // After a failure the runner and its token are created again.
                if !is_done || following.record.brief != payload {
                    next = Some(following);
                    break;
                }
                job = following;
            }
        }
    }
}

fn run_job<'a>(
    runner: &mut Box<dyn JobRunner + 'a>,
    job: &ActiveJob,
    cancel: &CancelToken,
) -> JobOutcome {
    let mut outputs: Vec<Output> = Vec::new();
    for item in job.record.first..job.record.first + job.record.units {
        match catch_unwind(AssertUnwindSafe(|| runner.run(item))) {
            Ok(Ok(Some(output))) => outputs.push(output),
            Ok(Ok(None)) => return JobOutcome::Dropped,
            Ok(Err(JobError(why))) => {
                return JobOutcome::Failed(JobError(format!("item {item}: {why}")));
            }
            Err(panic) => {
                let JobError(why) = panicked(&*panic);
                return JobOutcome::Failed(JobError(format!("item {item}: {why}")));
            }
        }
        cancel.heartbeat();
        if cancel.is_canceled() {
            return JobOutcome::Dropped;
        }
    }
    JobOutcome::Done(outputs)
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> JobError {
    JobError(format!("panicked: {}", JobError::from_panic(panic)))
}
