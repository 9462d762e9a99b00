//! Taking jobs in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tesuji_store::{JobRecord, Record};

use super::Shop;
use super::ticket::Ticket;
use crate::{Bringing, CONTROL, Hitch, Order, bring, gather, news};
use tesuji_queue::{Bench, QueueError, Trouble};

/// How long the server may keep us waiting for a job.
const WAIT: Duration = Duration::from_secs(1);
/// How long a job rests that cannot be done just now.
const REST: Duration = Duration::from_secs(2);
/// Benches that are kept for further jobs of the same kind.
const BENCHES: usize = 4;

/// Benches by the digests of their briefs, the last used last.
type Shelf = Vec<(String, Arc<dyn Bench>)>;

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
                    farewell.ask();
                }
            }
        });
    }

    /// Takes jobs in until it is asked to end, one more than there are hands.
    pub(super) fn take_in(&self, to_hands: SyncSender<Arc<Ticket>>) -> Result<(), QueueError> {
        let result = self.take_until_asked(&to_hands);
        if result.is_err() {
            self.farewell.ask();
        }
        result
    }

    fn take_until_asked(&self, to_hands: &SyncSender<Arc<Ticket>>) -> Result<(), QueueError> {
        let mut consumer: Option<PullConsumer> = None;
        let mut shelf = Shelf::new();
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
                    if let Some(ticket) = self.receive(message, &mut shelf)?
                        && to_hands.send(ticket).is_err()
                    {
                        break;
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

    /// Finds out what a message is about. `None` when there is nothing to do.
    fn receive(
        &self,
        message: jetstream::Message,
        shelf: &mut Shelf,
    ) -> Result<Option<Arc<Ticket>>, QueueError> {
        let say = |what| self.line.wait(message.ack_with(what));
        let Ok(order) = serde_json::from_slice::<Order>(&message.payload) else {
            _ = say(AckKind::Term);
            return Ok(None);
        };
        if order.version != self.line.options.version {
            _ = say(AckKind::Nak(None));
            return Err(self.line.failed(self.line.other_version(&order.version, 1)));
        }
        let Some(job) = gather::jobs(self.store, std::slice::from_ref(&order.job))?.pop() else {
            _ = say(AckKind::Nak(Some(REST)));
            return Err(Trouble(format!(
                "the store {} does not know job {}; give the store that the run {} is kept in",
                self.store.place(),
                order.job,
                order.run
            ))
            .into());
        };
        if job.done || job.is_poisoned() {
            _ = say(if job.done { AckKind::Ack } else { AckKind::Term });
            self.tell(&order.run, &order.job);
            return Ok(None);
        }
        let job = self.with_losses(job, &message)?;
        if job.is_poisoned() {
            _ = say(AckKind::Term);
            self.tell(&order.run, &order.job);
            return Ok(None);
        }
        // From here on the server hears that it is alive: to make a bench may take a while.
        let ticket = Arc::new(Ticket::new(message, job, order.brief.clone()));
        self.tickets().push(ticket.clone());
        match self.bench(&order, shelf) {
            Ok(Some(bench)) => {
                ticket.set_bench(bench);
                return Ok(Some(ticket));
            }
            Ok(None) => {
                // Whoever coordinates sends it again, and puts in the jobs that are missing then.
                self.tell(&order.run, &format!("missing {}", order.brief));
                self.line.wait(ticket.say(AckKind::Term));
            }
            Err(QueueError::Work(trouble)) => {
                self.note_failure(&ticket.job, &ticket.message, &trouble)?;
            }
            Err(error) => return Err(error),
        }
        self.strike(&ticket);
        Ok(None)
    }

    /// Whoever had it before and did not say why it was given up has vanished with it.
    fn with_losses(
        &self,
        job: JobRecord,
        message: &jetstream::Message,
    ) -> Result<JobRecord, QueueError> {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let losses = u32::try_from(deliveries - 1).unwrap_or(0).saturating_sub(job.attempts);
        if losses <= job.losses {
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
        order: &Order,
        shelf: &mut Shelf,
    ) -> Result<Option<Arc<dyn Bench>>, QueueError> {
        if let Some(place) = shelf.iter().position(|(brief, _)| *brief == order.brief) {
            let known = shelf.remove(place);
            shelf.push(known.clone());
            return Ok(Some(known.1));
        }
        let bringing = bring(self.line, &self.settings.cache, &order.run, &order.brief)?;
        let Bringing::Here(task, parcel) = bringing else { return Ok(None) };
        let opened = catch_unwind(AssertUnwindSafe(|| self.settings.tasks.open(&task, &parcel)));
        let bench: Arc<dyn Bench> =
            Arc::from(opened.unwrap_or_else(|panic| Err(Trouble::of_panic(&*panic)))?);
        if shelf.len() >= BENCHES {
            shelf.remove(0);
        }
        shelf.push((order.brief.clone(), bench.clone()));
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
