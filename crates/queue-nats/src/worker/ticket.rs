//! A job on this worker's books.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::AckKind;
use tesuji_store::JobRecord;

use tesuji_queue::{Bench, Life};

/// A job that was taken in.
pub(super) struct Ticket {
    pub(super) message: jetstream::Message,
    /// As it stood in the store.
    pub(super) job: JobRecord,
    /// What one must know for it, by its digest.
    pub(super) brief: String,
    /// The bench that was made of it, once it is made, which may take a while.
    bench: OnceLock<Arc<dyn Bench>>,
    pulse: Mutex<Pulse>,
}

/// How it is.
struct Pulse {
    /// Whose work it is; `None` while it waits for a hand or lies with a clerk.
    life: Option<Life>,
    beats: u64,
    felt: Instant,
}

impl Ticket {
    pub(super) fn new(message: jetstream::Message, job: JobRecord, brief: String) -> Ticket {
        let pulse = Mutex::new(Pulse { life: None, beats: 0, felt: Instant::now() });
        Ticket { message, job, brief, bench: OnceLock::new(), pulse }
    }

    /// Gives it its bench, for good.
    pub(super) fn set_bench(&self, bench: Arc<dyn Bench>) {
        self.bench.get_or_init(|| bench);
    }

    /// Where it is done; a ticket goes to hands only when it has one.
    pub(super) fn bench(&self) -> &Arc<dyn Bench> {
        self.bench.get().unwrap_or_else(|| unreachable!("hands get no ticket without a bench"))
    }

    fn pulse(&self) -> MutexGuard<'_, Pulse> {
        self.pulse.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Somebody begins with it.
    pub(super) fn begin(&self, life: &Life) {
        let life = Some(life.clone());
        *self.pulse() =
            Pulse { beats: life.as_ref().map_or(0, Life::beats), life, felt: Instant::now() };
    }

    /// Nobody is at it any more.
    pub(super) fn end(&self) {
        self.pulse().life = None;
    }

    /// Whether it is alive: waits, or got on within this time. One that did not is told to stop.
    pub(super) fn is_alive(&self, hang: Duration) -> bool {
        let mut pulse = self.pulse();
        let Some(life) = pulse.life.clone() else { return true };
        if life.beats() != pulse.beats {
            pulse.beats = life.beats();
            pulse.felt = Instant::now();
        }
        let is_alive = pulse.felt.elapsed() < hang;
        if !is_alive {
            life.stop();
        }
        is_alive
    }

    /// Whether somebody is at it.
    pub(super) fn is_busy(&self) -> bool {
        self.pulse().life.is_some()
    }

    /// Drops it.
    pub(super) fn stop(&self) {
        if let Some(life) = &self.pulse().life {
            life.stop();
        }
    }

    /// Says something to the server about it. What does not arrive does no harm: the store knows.
    pub(super) async fn say(&self, what: AckKind) {
        _ = self.message.ack_with(what).await;
    }
}
