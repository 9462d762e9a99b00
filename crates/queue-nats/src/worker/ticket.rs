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
    /// It made no progress for too long and was told to stop.
    has_hung: bool,
}

impl Ticket {
    pub(super) fn new(message: jetstream::Message, job: JobRecord) -> Ticket {
        let pulse = Pulse { life: None, beats: 0, felt: Instant::now(), has_hung: false };
        let pulse = Mutex::new(pulse);
        Ticket { message, job, bench: OnceLock::new(), pulse }
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
        let (beats, life) = (life.beats(), Some(life.clone()));
        *self.pulse() = Pulse { life, beats, felt: Instant::now(), has_hung: false };
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
            pulse.has_hung = true;
            life.stop();
        }
        is_alive
    }

    /// Whether it was told to stop because it made no progress.
    pub(super) fn has_hung(&self) -> bool {
        self.pulse().has_hung
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
