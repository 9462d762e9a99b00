//! Signs of life, in both directions: whoever works says that it gets on, and hears when to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What a hand and whoever watches over it share.
#[derive(Clone, Debug, Default)]
pub struct Life {
    stop: Arc<AtomicBool>,
    beats: Arc<AtomicU64>,
}

impl Life {
    /// With somebody else's flag.
    pub fn stopped_by(stop: Arc<AtomicBool>) -> Life {
        Life { stop, ..Life::default() }
    }

    /// Raised to end work soon; for searches, which look at it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Whether to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Asks for the end.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Says that work gets on. Every finished unit says so by itself; units that take minutes should say so now and
    /// then, or they are taken for dead.
    pub fn beat(&self) {
        self.beats.fetch_add(1, Relaxed);
    }

    /// How often it was said.
    pub fn beats(&self) -> u64 {
        self.beats.load(Relaxed)
    }
}
