//! Writing down what came of jobs, and acknowledging them when it is safe.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::AckKind;
use tesuji_store::{JobRecord, Record, StoreError};

use super::ticket::Ticket;
use super::{Shared, Shop};
use crate::{Order, done, now};
use tesuji_queue::{Product, QueueError, Trouble};

/// Attempts to have an acknowledgement confirmed. One that is not does no harm: the job comes again and is found done.
const ACKNOWLEDGEMENTS: usize = 5;
/// How long the server may take to confirm.
const ANSWER: Duration = Duration::from_secs(5);
/// How long a job that failed rests, at first.
const FIRST_REST: Duration = Duration::from_secs(1);

/// What a hand gives to a clerk.
pub(super) struct Slip {
    pub(super) ticket: Arc<Ticket>,
    pub(super) verdict: Verdict,
    pub(super) took: Duration,
}

/// What became of a job.
pub(super) enum Verdict {
    /// It is done, and this came of its units.
    Done(Vec<Product>),
    /// It cannot be done.
    Failed(Trouble),
    /// It was stopped before its end.
    Dropped,
}

impl Shop<'_> {
    /// Writes down and acknowledges as long as there is something.
    pub(super) fn keep_books(&self, slips: &Shared<Slip>) {
        while let Some(Slip { ticket, verdict, took }) = slips.take() {
            let booked = match verdict {
                Verdict::Done(products) => self.note_success(&ticket, products, took),
                Verdict::Failed(trouble) => {
                    self.note_failure(&ticket.job, &ticket.message, &trouble)
                }
                Verdict::Dropped => {
                    self.drop_job(&ticket);
                    Ok(())
                }
            };
            if let Err(error) = booked {
                // The job is not acknowledged, so somebody else will get it.
                self.notice(&format!("job {} is not kept: {error}", ticket.job.key));
                self.trouble().get_or_insert(error);
                self.farewell.finish();
            }
            self.strike(&ticket);
        }
    }

    /// Leaves a job to another worker. One that hung counts as a loss, which the next delivery
    /// books.
    fn drop_job(&self, ticket: &Ticket) {
        match ticket.has_hung() {
            true => self.line.wait(ticket.say(AckKind::Nak(None))),
            false => self.give_back(&ticket.job, &ticket.message),
        }
    }

    /// Gives a job back without a loss: a new message takes the place of the one that was
    /// delivered, and with it the count of deliveries begins again. If this worker ends between the
    /// two steps, the coordinator finds that the queue lacks the job and puts it in.
    pub(super) fn give_back(&self, job: &JobRecord, message: &jetstream::Message) {
        let order = Order::of(job, &self.line.options.version);
        let replaced = async {
            let removed = message.double_ack_with(AckKind::Term);
            if matches!(tokio::time::timeout(ANSWER, removed).await, Ok(Ok(()))) {
                _ = tokio::time::timeout(ANSWER, self.line.put(&order)).await;
            }
        };
        self.line.wait(replaced);
    }

    fn note_success(
        &self,
        ticket: &Ticket,
        mut products: Vec<Product>,
        took: Duration,
    ) -> Result<(), QueueError> {
        let job = &ticket.job;
        let mut records: Vec<Record> =
            products.iter_mut().flat_map(|product| std::mem::take(&mut product.records)).collect();
        records.push(done(job, &products, &self.settings.name, took));
        match self.store.add(&records) {
            Ok(_) => {}
            // Nobody will ever be able to keep it.
            Err(error @ StoreError::Unfit { .. }) => {
                return self.note_failure(job, &ticket.message, &Trouble::of(error));
            }
            Err(error) => return Err(error.into()),
        }
        for _ in 0..ACKNOWLEDGEMENTS {
            let acknowledged = ticket.message.double_ack();
            let waited = async { tokio::time::timeout(ANSWER, acknowledged).await };
            if matches!(self.line.wait(waited), Ok(Ok(()))) {
                break;
            }
        }
        self.tell(&job.run, &job.key);
        let games: u64 =
            (job.first..job.first + job.units).map(|unit| ticket.bench().games(unit)).sum();
        self.games.fetch_add(games, Relaxed);
        self.jobs.fetch_add(1, Relaxed);
        Ok(())
    }

    pub(super) fn note_failure(
        &self,
        job: &JobRecord,
        message: &jetstream::Message,
        trouble: &Trouble,
    ) -> Result<(), QueueError> {
        let job = JobRecord {
            attempts: job.attempts + 1,
            error: trouble.to_string(),
            worker: self.settings.name.clone(),
            at: now(),
            ..job.clone()
        };
        self.store.add(&[Record::Job(job.clone())])?;
        self.failed.fetch_add(1, Relaxed);
        self.notice(&format!("job {} failed: {trouble}", job.key));
        let rest = FIRST_REST * 2u32.pow(job.attempts.min(6) - 1);
        let answer = if job.is_poisoned() { AckKind::Term } else { AckKind::Nak(Some(rest)) };
        _ = self.line.wait(message.ack_with(answer));
        self.tell(&job.run, &job.key);
        Ok(())
    }
}
