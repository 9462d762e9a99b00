//! Taking jobs in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tesuji_store::{JobRecord, Record};

use super::Shop;
use super::ticket::Ticket;
use crate::{Bringing, CONTROL, Hitch, OTHER_STORE, Order, bring, gather, news};
use tesuji_queue::{Bench, QueueError, Trouble};

/// How long the server may keep us waiting for a job.
const WAIT: Duration = Duration::from_secs(1);
/// The pause after a job that the store does not have; it doubles with each in a row.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Benches that are kept for further jobs of the same kind.
const BENCHES: usize = 4;

/// Benches by the digests of their briefs, the last used last.
type Shelf = Vec<(String, Arc<dyn Bench>)>;

/// What a message was.
enum Receipt {
    /// A job to do.
    Job(Arc<Ticket>),
    /// A job of the store with nothing left to do here.
    Settled,
    /// A job that the store does not have: forged, left over, or of another store than this
    /// worker's.
    Unknown,
    /// Nothing that any worker can use.
    PutAside,
}

/// What a message names.
enum Identified {
    Job(Box<(Order, JobRecord)>),
    Not(Receipt),
}

impl Shop<'_> {
    /// Hears on the line when it is to leave.
    pub(super) fn listen_for_orders(&self) {
        let (client, farewell) = (self.line.client().clone(), self.farewell.clone());
        let name = self.settings.name.clone();
        self.line.beside(async move {
            let Ok(mut orders) = client.subscribe(CONTROL).await else { return };
            while let Some(order) = orders.next().await {
                let order = String::from_utf8_lossy(&order.payload).into_owned();
                if order == "drain" || order == format!("drain {name}") {
                    farewell.finish();
                }
            }
        });
    }

    /// Takes jobs in until it is asked to end, one more than there are hands.
    pub(super) fn take_in(&self, to_hands: SyncSender<Arc<Ticket>>) -> Result<(), QueueError> {
        let result = self.take_until_asked(&to_hands);
        if result.is_err() {
            self.farewell.finish();
        }
        result
    }

    fn take_until_asked(&self, to_hands: &SyncSender<Arc<Ticket>>) -> Result<(), QueueError> {
        let mut consumer: Option<PullConsumer> = None;
        let mut shelf = Shelf::new();
        let mut pause = Duration::ZERO;
        while self.has_room() {
            let from = match consumer.take() {
                Some(consumer) => consumer,
                None => self.line.patiently(|| async {
                    self.line.mend().await?;
                    self.line.consumer().await
                })?,
            };
            match self.line.wait(next(&from)) {
                Ok(Some(message)) => {
                    match self.receive(message, &mut shelf)? {
                        Receipt::Job(ticket) => {
                            pause = Duration::ZERO;
                            if to_hands.send(ticket).is_err() {
                                break;
                            }
                        }
                        // A worker with another store leaves most jobs to those that can do them.
                        Receipt::Unknown => {
                            pause = (2 * pause).clamp(FIRST_PAUSE, LONGEST_PAUSE);
                            self.rest(pause);
                        }
                        Receipt::Settled | Receipt::PutAside => {}
                    }
                    consumer = Some(from);
                }
                Ok(None) => consumer = Some(from),
                // Asked for anew, and set up again should the server have lost it.
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
        Ok(())
    }

    /// Waits for room for one more; false when nothing more is to be taken.
    fn has_room(&self) -> bool {
        let most = self.settings.threads + 1;
        let mut tickets = self.tickets();
        while !self.farewell.is_asked() && tickets.len() >= most {
            let waited = self.fewer_tickets.wait_timeout(tickets, Duration::from_millis(200));
            tickets = waited.unwrap_or_else(|poison| poison.into_inner()).0;
        }
        !self.farewell.is_asked()
    }

    /// Waits, unless the worker is asked to end.
    fn rest(&self, time: Duration) {
        let end = Instant::now() + time;
        while !self.farewell.is_asked() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Finds out what a message is about, and takes the job in where there is one to do.
    fn receive(
        &self,
        message: jetstream::Message,
        shelf: &mut Shelf,
    ) -> Result<Receipt, QueueError> {
        let (order, job) = match self.identify(&message)? {
            Identified::Job(named) => *named,
            Identified::Not(receipt) => return Ok(receipt),
        };
        let job = self.with_losses(job, &order, &message)?;
        if job.done || job.is_poisoned() {
            let answer = if job.done { AckKind::Ack } else { AckKind::Term };
            _ = self.line.wait(message.ack_with(answer));
            self.tell(&job.run, &job.key);
            return Ok(Receipt::Settled);
        }
        // The order to end came while the server was asked for a job.
        if self.farewell.is_asked() {
            self.give_back(&job, &message);
            return Ok(Receipt::Settled);
        }
        // From here on the server hears that it is alive: to make a bench may take a while.
        let ticket = Arc::new(Ticket::new(message, job));
        self.tickets().push(ticket.clone());
        match self.bench(&ticket.job, shelf) {
            Ok(Some(bench)) => {
                ticket.set_bench(bench);
                return Ok(Receipt::Job(ticket));
            }
            Ok(None) => {
                // Whoever coordinates sends it again, and puts in the jobs that are missing then.
                self.tell(&ticket.job.run, &format!("missing {}", ticket.job.brief));
                self.line.wait(ticket.say(AckKind::Term));
            }
            Err(QueueError::Work(trouble)) => {
                self.note_failure(&ticket.job, &ticket.message, &trouble)?;
            }
            Err(error) => return Err(error),
        }
        self.strike(&ticket);
        Ok(Receipt::Settled)
    }

    /// The job that a message names, as the store has it. The store decides what is done: a message
    /// that does not agree with it is put aside, so that nobody who can write to the queue alone
    /// decides what a worker does or ends it.
    fn identify(&self, message: &jetstream::Message) -> Result<Identified, QueueError> {
        let Ok(order) = serde_json::from_slice::<Order>(&message.payload) else {
            self.put_aside(message, "a message is not a job");
            return Ok(Identified::Not(Receipt::PutAside));
        };
        let key = crate::excerpt(&order.job);
        if order.version != self.line.options.version {
            self.stay_with_this_version(message)?;
            let version = crate::excerpt(&order.version);
            self.put_aside(message, &format!("job {key}: it is of tesuji {version}"));
            return Ok(Identified::Not(Receipt::PutAside));
        }
        let Some(job) = gather::jobs(self.store, std::slice::from_ref(&order.job))?.pop() else {
            let place = self.store.place();
            self.put_aside(message, &format!("job {key}: it is not in the store {place}"));
            self.tell(&order.run, &format!("{OTHER_STORE}{}", self.settings.name));
            return Ok(Identified::Not(Receipt::Unknown));
        };
        if (&order.run, &order.brief) != (&job.run, &job.brief) {
            let why = format!("job {key}: the message does not agree with the store's record");
            self.put_aside(message, &why);
            return Ok(Identified::Not(Receipt::PutAside));
        }
        Ok(Identified::Job(Box::new((order, job))))
    }

    /// An error when another version has taken the queue over; this worker leaves then.
    fn stay_with_this_version(&self, message: &jetstream::Message) -> Result<(), QueueError> {
        let checked = self.line.patiently(|| self.line.mend());
        if checked.is_err() {
            _ = self.line.wait(message.ack_with(AckKind::Nak(None)));
        }
        checked
    }

    /// Takes a message out of the queue that no worker can use, and says so.
    fn put_aside(&self, message: &jetstream::Message, why: &str) {
        self.notice(&format!("{why}; it is put aside"));
        _ = self.line.wait(message.ack_with(AckKind::Term));
    }

    /// Whoever had it before and did not say why it was given up has vanished with it.
    fn with_losses(
        &self,
        job: JobRecord,
        order: &Order,
        message: &jetstream::Message,
    ) -> Result<JobRecord, QueueError> {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let again = u32::try_from(deliveries - 1).unwrap_or(0);
        // What the store knows bounds what the message says.
        let before = order.before.min(job.attempts.saturating_add(job.losses));
        let losses = before.saturating_add(again).saturating_sub(job.attempts);
        if job.done || job.is_poisoned() || losses <= job.losses {
            return Ok(job);
        }
        let error = match job.error.is_empty() {
            true => "a worker vanished with it".to_string(),
            false => job.error.clone(),
        };
        let job = JobRecord { losses, error, at: crate::now(), ..job };
        self.store.add(&[Record::Job(job.clone())])?;
        Ok(job)
    }

    /// The bench of a brief; `None` when its files are not to be found.
    fn bench(
        &self,
        job: &JobRecord,
        shelf: &mut Shelf,
    ) -> Result<Option<Arc<dyn Bench>>, QueueError> {
        if let Some(place) = shelf.iter().position(|(brief, _)| *brief == job.brief) {
            let known = shelf.remove(place);
            shelf.push(known.clone());
            return Ok(Some(known.1));
        }
        let bringing = bring(self.line, &self.settings.cache, &job.run, &job.brief)?;
        let Bringing::Here(task, parcel) = bringing else { return Ok(None) };
        let opened = catch_unwind(AssertUnwindSafe(|| self.settings.tasks.open(&task, &parcel)));
        let bench: Arc<dyn Bench> =
            Arc::from(opened.unwrap_or_else(|panic| Err(Trouble::of_panic(&*panic)))?);
        if shelf.len() >= BENCHES {
            shelf.remove(0);
        }
        shelf.push((job.brief.clone(), bench.clone()));
        Ok(Some(bench))
    }

    /// Tells whoever coordinates a run.
    pub(super) fn tell(&self, run: &str, what: &str) {
        let client = self.line.client();
        _ = self.line.wait(client.publish(news(run), what.to_string().into()));
    }
}

/// The next job, if there is one soon.
async fn next(consumer: &PullConsumer) -> Result<Option<jetstream::Message>, Hitch> {
    let fetched = consumer.fetch().max_messages(1).expires(WAIT).messages();
    let asked = tokio::time::timeout(3 * WAIT, async {
        let mut messages = fetched.await.map_err(Hitch::of_server)?;
        match messages.next().await {
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(error)) => Err(Hitch::Passing(error.to_string())),
            None => Ok(None),
        }
    });
    asked.await.unwrap_or_else(|_| Err(Hitch::Passing("no answer".to_string())))
}
