//! The thread that receives jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tesuji_store::{JobRecord, Record};

use super::Worker;
use super::active_job::ActiveJob;
use crate::{
    CONTROL, JobMessage, OTHER_STORE, RequestError, events_subject, fetch_payload, results,
};
use tesuji_queue::{JobError, JobSpec, QueueError};

/// How long one request for a job waits.
const PULL_WAIT: Duration = Duration::from_secs(1);
/// The pause after a job that the store does not have; it doubles with each in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Job specifications that are kept for further jobs with the same payload.
const CACHED_SPECS: usize = 4;

/// Job specifications by the digests of their payloads, the most recently used last.
type SpecCache = Vec<(String, Arc<dyn JobSpec>)>;

/// What became of a message.
enum Intake {
    /// A job to run.
    Job(Arc<ActiveJob>),
    /// A job of the store that needs no work here.
    Settled,
    /// A job that the store does not have: forged, left over, or of a worker with another store.
    Unknown,
    /// A message that no worker can use.
    Discarded,
}

/// The job that a message names, or why it names none.
enum Lookup {
    Job(Box<(JobMessage, JobRecord)>),
    NoJob(Intake),
}

impl Worker<'_> {
    /// Listens for orders to drain, in the background.
    pub(super) fn listen_for_orders(&self) {
        let (client, shutdown) = (self.connection.client().clone(), self.shutdown.clone());
        let name = self.settings.name.clone();
        self.connection.spawn(async move {
            let Ok(mut orders) = client.subscribe(CONTROL).await else { return };
            while let Some(order) = orders.next().await {
                let order = String::from_utf8_lossy(&order.payload).into_owned();
                if order == "drain" || order == format!("drain {name}") {
                    shutdown.drain();
                }
            }
        });
    }

    /// Receives jobs until shutdown, one more than there are runners.
    pub(super) fn receive_jobs(
        &self,
        job_sender: SyncSender<Arc<ActiveJob>>,
    ) -> Result<(), QueueError> {
        let result = self.receive_until_shutdown(&job_sender);
        if result.is_err() {
            self.shutdown.drain();
        }
        result
    }

    fn receive_until_shutdown(
        &self,
        job_sender: &SyncSender<Arc<ActiveJob>>,
    ) -> Result<(), QueueError> {
        let mut consumer: Option<PullConsumer> = None;
        let mut specs = SpecCache::new();
        let mut pause = Duration::ZERO;
        while self.has_room() {
            let current = match consumer.take() {
                Some(consumer) => consumer,
                None => self.connection.with_retry(|| async {
                    self.connection.repair().await?;
                    self.connection.consumer().await
                })?,
            };
            match self.connection.block_on(next(&current)) {
                Ok(Some(message)) => {
                    match self.receive(message, &mut specs)? {
                        Intake::Job(job) => {
                            pause = Duration::ZERO;
                            if job_sender.send(job).is_err() {
                                break;
                            }
                        }
                        // A worker with the wrong store leaves most jobs to the others.
                        Intake::Unknown => {
                            pause = (2 * pause).clamp(FIRST_PAUSE, MAX_PAUSE);
                            self.sleep(pause);
                        }
                        Intake::Settled | Intake::Discarded => {}
                    }
                    consumer = Some(current);
                }
                Ok(None) => consumer = Some(current),
                // The next iteration creates the consumer again if the server has lost it.
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
        Ok(())
    }

    /// Waits until another job may be received; false on shutdown.
    fn has_room(&self) -> bool {
        let most = self.settings.threads + 1;
        let mut jobs = self.active_jobs();
        while !self.shutdown.is_requested() && jobs.len() >= most {
            let waited = self.job_removed.wait_timeout(jobs, Duration::from_millis(200));
            jobs = waited.unwrap_or_else(|poison| poison.into_inner()).0;
        }
        !self.shutdown.is_requested()
    }

    /// Sleeps, unless shutdown is requested.
    fn sleep(&self, time: Duration) {
        let end = Instant::now() + time;
        while !self.shutdown.is_requested() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Identifies the job of a message and makes it active if there is work to do.
    fn receive(
        &self,
        message: jetstream::Message,
        specs: &mut SpecCache,
    ) -> Result<Intake, QueueError> {
        let (content, job) = match self.look_up(&message)? {
            Lookup::Job(found) => *found,
            Lookup::NoJob(intake) => return Ok(intake),
        };
        let job = self.with_losses(job, &content, &message)?;
        if job.done || job.is_poisoned() {
            let ack = if job.done { AckKind::Ack } else { AckKind::Term };
            _ = self.connection.block_on(message.ack_with(ack));
            self.publish_event(&job.run, &job.key);
            return Ok(Intake::Settled);
        }
        // The order to drain may come while the server is asked for a job.
        if self.shutdown.is_requested() {
            self.give_back(&job, &message);
            return Ok(Intake::Settled);
        }
        // Active before its specification is built, which may take a while: the server receives
        // heartbeats from here on.
        let job = Arc::new(ActiveJob::new(message, job));
        self.active_jobs().push(job.clone());
        match self.spec(&job.record, specs) {
            Ok(Some(spec)) => {
                job.set_spec(spec);
                return Ok(Intake::Job(job));
            }
            Ok(None) => {
                // The coordinator sends the payload again and enqueues missing jobs then.
                self.publish_event(&job.record.run, &format!("missing {}", job.record.brief));
                self.connection.block_on(job.ack(AckKind::Term));
            }
            Err(QueueError::Job(error)) => {
                self.store_failure(&job.record, &job.message, &error)?;
            }
            Err(error) => return Err(error),
        }
        self.remove(&job);
        Ok(Intake::Settled)
    }

    /// Reads the job that a message names from the store. The store is authoritative: a message
    /// that disagrees with it is discarded, so that write access to the queue alone neither decides
    /// what a worker does nor ends it.
    fn look_up(&self, message: &jetstream::Message) -> Result<Lookup, QueueError> {
        let Ok(content) = serde_json::from_slice::<JobMessage>(&message.payload) else {
            self.discard(message, "a message is not a job");
            return Ok(Lookup::NoJob(Intake::Discarded));
        };
        let key = crate::excerpt(&content.job);
        if content.version != self.connection.options.version {
            self.check_version(message)?;
            let version = crate::excerpt(&content.version);
            self.discard(message, &format!("job {key}: of another version, tesuji {version}"));
            return Ok(Lookup::NoJob(Intake::Discarded));
        }
        let Some(job) = results::jobs(self.store, std::slice::from_ref(&content.job))?.pop() else {
            let place = self.store.place();
            self.discard(message, &format!("job {key}: not in the store {place}"));
            self.publish_event(&content.run, &format!("{OTHER_STORE}{}", self.settings.name));
            return Ok(Lookup::NoJob(Intake::Unknown));
        };
        if (&content.run, &content.payload) != (&job.run, &job.brief) {
            let why = format!("job {key}: the message disagrees with the record in the store");
            self.discard(message, &why);
            return Ok(Lookup::NoJob(Intake::Discarded));
        }
        Ok(Lookup::Job(Box::new((content, job))))
    }

    /// Fails if another version has taken over the queue; this worker ends then.
    fn check_version(&self, message: &jetstream::Message) -> Result<(), QueueError> {
        let checked = self.connection.with_retry(|| self.connection.repair());
        if checked.is_err() {
            _ = self.connection.block_on(message.ack_with(AckKind::Nak(None)));
        }
        checked
    }

    /// Removes a message that no worker can use from the queue, and logs it.
    fn discard(&self, message: &jetstream::Message, why: &str) {
        self.log(&format!("{why}; message discarded"));
        _ = self.connection.block_on(message.ack_with(AckKind::Term));
    }

    /// Updates the losses of a job: a delivery that was neither acknowledged nor given back means
    /// that its worker was lost.
    fn with_losses(
        &self,
        job: JobRecord,
        content: &JobMessage,
        message: &jetstream::Message,
    ) -> Result<JobRecord, QueueError> {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let redeliveries = u32::try_from(deliveries - 1).unwrap_or(0);
        // The record limits what the message may claim.
        let before = content.before.min(job.attempts.saturating_add(job.losses));
        let losses = before.saturating_add(redeliveries).saturating_sub(job.attempts);
        if job.done || job.is_poisoned() || losses <= job.losses {
            return Ok(job);
        }
        let error = match job.error.is_empty() {
            true => "its worker was lost".to_string(),
            false => job.error.clone(),
        };
        let job = JobRecord { losses, error, at: crate::now(), ..job };
        self.store.add(&[Record::Job(job.clone())])?;
        Ok(job)
    }

    /// The specification of a job; `None` if the server lacks its payload.
    fn spec(
        &self,
        job: &JobRecord,
        specs: &mut SpecCache,
    ) -> Result<Option<Arc<dyn JobSpec>>, QueueError> {
        if let Some(index) = specs.iter().position(|(payload, _)| *payload == job.brief) {
            let cached = specs.remove(index);
            specs.push(cached.clone());
            return Ok(Some(cached.1));
        }
        let fetched = fetch_payload(self.connection, &self.settings.cache, &job.run, &job.brief)?;
        let Some((kind, payload)) = fetched else { return Ok(None) };
        let opened =
            catch_unwind(AssertUnwindSafe(|| self.settings.job_kinds.open(&kind, &payload)));
        let spec: Arc<dyn JobSpec> =
            Arc::from(opened.unwrap_or_else(|panic| Err(JobError::from_panic(&*panic)))?);
        if specs.len() >= CACHED_SPECS {
            specs.remove(0);
        }
        specs.push((job.brief.clone(), spec.clone()));
        Ok(Some(spec))
    }

    /// Sends an event to the coordinator of a run.
    pub(super) fn publish_event(&self, run: &str, event: &str) {
        let client = self.connection.client();
        let published = client.publish(events_subject(run), event.to_string().into());
        _ = self.connection.block_on(published);
    }
}

/// The next job, if one arrives soon.
async fn next(consumer: &PullConsumer) -> Result<Option<jetstream::Message>, RequestError> {
    let fetched = consumer.fetch().max_messages(1).expires(PULL_WAIT).messages();
    let request = tokio::time::timeout(3 * PULL_WAIT, async {
        let mut messages = fetched.await.map_err(RequestError::from_server)?;
        match messages.next().await {
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(error)) => Err(RequestError::Transient(error.to_string())),
            None => Ok(None),
        }
    });
    request.await.unwrap_or_else(|_| Err(RequestError::Transient("no answer".to_string())))
}
