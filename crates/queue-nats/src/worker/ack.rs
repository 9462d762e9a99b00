//! Stores the output of jobs, and acknowledges them once it is durable.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::AckKind;
use tesuji_store::{JobRecord, Record, StoreError};

use super::active_job::ActiveJob;
use super::{SharedReceiver, Worker};
use crate::{JobMessage, finished_job, now};
use tesuji_queue::{JobError, Output, QueueError};

/// Attempts to get an acknowledgment confirmed. If all fail, the job is delivered again and found
/// done.
const ACK_ATTEMPTS: usize = 5;
/// How long one attempt waits for the server.
const ACK_TIMEOUT: Duration = Duration::from_secs(5);
/// The delay before the first retry of a failed job; it doubles with each attempt.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(1);

/// A job that a runner has processed.
pub(super) struct ProcessedJob {
    pub(super) job: Arc<ActiveJob>,
    pub(super) outcome: JobOutcome,
    pub(super) duration: Duration,
}

/// The outcome of a job.
pub(super) enum JobOutcome {
    /// It is done, with the outputs of its items.
    Done(Vec<Output>),
    /// It failed.
    Failed(JobError),
    /// It was stopped before its end.
    Dropped,
}

impl Worker<'_> {
    /// Stores and acknowledges processed jobs until the runners end.
    pub(super) fn ack_loop(&self, processed: &SharedReceiver<ProcessedJob>) {
        while let Some(ProcessedJob { job, outcome, duration }) = processed.take() {
            let stored = match outcome {
                JobOutcome::Done(outputs) => self.store_success(&job, outputs, duration),
                JobOutcome::Failed(error) => self.store_failure(&job.record, &job.message, &error),
                JobOutcome::Dropped => {
                    self.drop_job(&job);
                    Ok(())
                }
            };
            if let Err(error) = stored {
                // The job is not acknowledged, so another worker gets it.
                self.log(&format!("job {}: cannot be stored: {error}", job.record.key));
                self.error().get_or_insert(error);
                self.shutdown.drain();
            }
            self.remove(&job);
        }
    }

    /// Leaves a job to another worker. A stalled job counts as a loss, which is recorded at its
    /// next delivery.
    fn drop_job(&self, job: &ActiveJob) {
        match job.has_stalled() {
            true => self.connection.block_on(job.ack(AckKind::Nak(None))),
            false => self.give_back(&job.record, &job.message),
        }
    }

    /// Returns a job without a loss: a new message replaces the delivered one, so the count of
    /// deliveries starts again. If this worker ends between the two steps, the coordinator notices
    /// that the queue lacks the job and enqueues it.
    pub(super) fn give_back(&self, job: &JobRecord, message: &jetstream::Message) {
        let replacement = JobMessage::new(job, &self.connection.options.version);
        self.connection.block_on(async {
            let removed = message.double_ack_with(AckKind::Term);
            if matches!(tokio::time::timeout(ACK_TIMEOUT, removed).await, Ok(Ok(()))) {
                let enqueued = self.connection.enqueue(&replacement);
                _ = tokio::time::timeout(ACK_TIMEOUT, enqueued).await;
            }
        });
    }

    fn store_success(
        &self,
        active: &ActiveJob,
        mut outputs: Vec<Output>,
        duration: Duration,
    ) -> Result<(), QueueError> {
        let job = &active.record;
        let mut records: Vec<Record> =
            outputs.iter_mut().flat_map(|output| std::mem::take(&mut output.records)).collect();
        records.push(finished_job(job, &outputs, &self.settings.name, duration));
        match self.store.add(&records) {
            Ok(_) => {}
            // No worker could store these records.
            Err(error @ StoreError::InvalidRecord { .. }) => {
                return self.store_failure(job, &active.message, &JobError::new(error));
            }
            Err(error) => return Err(error.into()),
        }
        for _ in 0..ACK_ATTEMPTS {
            let acknowledged = active.message.double_ack();
            let attempt = async { tokio::time::timeout(ACK_TIMEOUT, acknowledged).await };
            if matches!(self.connection.block_on(attempt), Ok(Ok(()))) {
                break;
            }
        }
        self.publish_event(&job.run, &job.key);
        let games: u64 =
            (job.first..job.first + job.units).map(|item| active.spec().games(item)).sum();
        self.games.fetch_add(games, Relaxed);
        self.jobs.fetch_add(1, Relaxed);
        Ok(())
    }

    pub(super) fn store_failure(
        &self,
        job: &JobRecord,
        message: &jetstream::Message,
        error: &JobError,
    ) -> Result<(), QueueError> {
        let job = JobRecord {
            attempts: job.attempts + 1,
            error: error.to_string(),
            worker: self.settings.name.clone(),
            at: now(),
            ..job.clone()
        };
        self.store.add(&[Record::Job(job.clone())])?;
        self.failed.fetch_add(1, Relaxed);
        self.log(&format!("job {}: failed: {error}", job.key));
        let delay = FIRST_RETRY_DELAY * 2u32.pow(job.attempts.min(6) - 1);
        let ack = if job.is_poisoned() { AckKind::Term } else { AckKind::Nak(Some(delay)) };
        _ = self.connection.block_on(message.ack_with(ack));
        self.publish_event(&job.run, &job.key);
        Ok(())
    }
}
