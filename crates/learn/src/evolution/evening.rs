//! The games of one iteration while they are played: what is counted, and finished games on their way to the store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::forest::WindowSample;

use super::bank::{Bank, BankError, Stage};

/// Finished games are kept at least this often, so that a run that is killed need not play them again.
const BETWEEN_WRITES: Duration = Duration::from_secs(5);

/// The games of an iteration.
#[derive(Default)]
pub(super) struct Evening {
    /// All samples, in the order of the schedule.
    pub(super) samples: Vec<WindowSample>,
    pub(super) games: u64,
    /// Those that were played just now.
    pub(super) played: u64,
    pub(super) plies: u64,
    pub(super) nodes: u64,
    pub(super) seconds: f64,
}

/// Where finished games wait until they are kept.
pub(super) struct Desk {
    stage: Stage,
    waiting: Vec<(usize, WindowSample)>,
    written: Instant,
    fault: Option<BankError>,
}

impl Desk {
    pub(super) fn new(stage: Stage) -> Desk {
        Desk { stage, waiting: Vec::new(), written: Instant::now(), fault: None }
    }

    pub(super) fn take(
        &mut self,
        game: usize,
        sample: WindowSample,
        bank: &mut Bank<'_>,
        stop: &AtomicBool,
    ) {
        self.waiting.push((game, sample));
        if self.fault.is_none() && self.written.elapsed() >= BETWEEN_WRITES {
            self.fault = bank.add(self.stage, std::mem::take(&mut self.waiting)).err();
            self.written = Instant::now();
            // Games that cannot be kept need not be played.
            stop.fetch_or(self.fault.is_some(), Ordering::Relaxed);
        }
    }

    pub(super) fn close(self, bank: &mut Bank<'_>) -> Result<(), BankError> {
        match self.fault {
            Some(fault) => Err(fault),
            None => bank.add(self.stage, self.waiting),
        }
    }
}
