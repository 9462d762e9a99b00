//! How often somebody may ask: buckets of tokens that fill with time, one for each name, in bounded memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many at once, and so many a second in the long run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) burst: f64,
    pub(crate) per_second: f64,
}

/// No more names than this are remembered; then those that are full again are forgotten.
const MOST_NAMES: usize = 50_000;

/// Buckets by name.
pub(crate) struct Buckets<K> {
    rate: Rate,
    levels: Mutex<HashMap<K, Level>>,
}

#[derive(Clone, Copy)]
struct Level {
    tokens: f64,
    at: Instant,
}

impl<K: Eq + Hash> Buckets<K> {
    pub(crate) fn new(rate: Rate) -> Self {
        Buckets { rate, levels: Mutex::new(HashMap::new()) }
    }

    /// Takes a token; false when there is none.
    pub(crate) fn take(&self, name: K) -> bool {
        self.take_at(name, Instant::now())
    }

    fn take_at(&self, name: K, now: Instant) -> bool {
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if levels.len() >= MOST_NAMES && !levels.contains_key(&name) {
            levels.retain(|_, level| self.rate.filled(*level, now).tokens < self.rate.burst);
            if levels.len() >= MOST_NAMES {
                return false;
            }
        }
        let full = Level { tokens: self.rate.burst, at: now };
        let level = levels.entry(name).or_insert(full);
        *level = self.rate.filled(*level, now);
        let allowed = level.tokens >= 1.0;
        if allowed {
            level.tokens -= 1.0;
        }
        allowed
    }
}

impl Rate {
    /// One every so often.
    pub(crate) fn one_in(pause: Duration) -> Rate {
        Rate { burst: 1.0, per_second: 1.0 / pause.as_secs_f64() }
    }

    fn filled(&self, level: Level, now: Instant) -> Level {
        let since = now.saturating_duration_since(level.at).as_secs_f64();
        Level { tokens: (level.tokens + since * self.per_second).min(self.burst), at: now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_granted_and_then_the_rate() {
        let buckets = Buckets::new(Rate { burst: 3.0, per_second: 2.0 });
        let start = Instant::now();
        let granted = |after: u64| {
            let now = start + Duration::from_millis(after);
            (0..10).filter(|_| buckets.take_at("a", now)).count()
        };
        assert_eq!([granted(0), granted(400), granted(500), granted(1500)], [3, 0, 1, 2]);
        assert!(buckets.take_at("b", start));
    }

    #[test]
    fn names_are_forgotten_when_their_buckets_are_full_again() {
        let buckets = Buckets::new(Rate { burst: 1.0, per_second: 1.0 });
        let start = Instant::now();
        assert!((0..MOST_NAMES).all(|name| buckets.take_at(name, start)));
        assert!(!buckets.take_at(MOST_NAMES, start), "no room, and nobody may be forgotten yet");
        assert!(buckets.take_at(MOST_NAMES, start + Duration::from_secs(2)));
        assert_eq!(buckets.levels.lock().unwrap().len(), 1);
    }
}
