//! How often a client may ask, in buckets of tokens that fill with time, and how much it may hold
//! at once, in slots. Both count by name in bounded memory; the name of a client's address is its
//! network.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the limits of an address count by: an IPv4 address, or the /64 prefix of an IPv6 address.
/// Providers hand out whole prefixes, so one client can use every address in one.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
    }
}

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

    /// This many times as much.
    pub(crate) fn times(self, factor: f64) -> Rate {
        Rate { burst: self.burst * factor, per_second: self.per_second * factor }
    }

    fn filled(&self, level: Level, now: Instant) -> Level {
        let since = now.saturating_duration_since(level.at).as_secs_f64();
        Level { tokens: (level.tokens + since * self.per_second).min(self.burst), at: now }
    }
}

/// Things that are held for a while: at most `in_all`, and at most `of_one` by one network. Copies
/// share the same slots.
#[derive(Clone)]
pub(crate) struct Slots {
    in_all: usize,
    of_one: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    in_all: usize,
    /// Only of networks that hold something.
    by_network: HashMap<IpAddr, usize>,
}

/// A slot, given back when it is dropped.
pub(crate) struct Slot {
    network: IpAddr,
    taken: Arc<Mutex<Taken>>,
}

/// Why there is no slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The network has its share.
    OfOne,
    /// All slots are taken.
    InAll,
}

impl Slots {
    pub(crate) fn new(in_all: usize, of_one: usize) -> Slots {
        Slots { in_all, of_one, taken: Arc::default() }
    }

    pub(crate) fn take(&self, network: IpAddr) -> Result<Slot, Full> {
        let mut taken = locked(&self.taken);
        if taken.by_network.get(&network).is_some_and(|held| *held >= self.of_one) {
            return Err(Full::OfOne);
        }
        if taken.in_all >= self.in_all {
            return Err(Full::InAll);
        }
        taken.in_all += 1;
        *taken.by_network.entry(network).or_default() += 1;
        Ok(Slot { network, taken: self.taken.clone() })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = locked(&self.taken);
        taken.in_all -= 1;
        if let Some(held) = taken.by_network.get_mut(&self.network) {
            *held -= 1;
            if *held == 0 {
                taken.by_network.remove(&self.network);
            }
        }
    }
}

fn locked(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_of_an_address_is_the_address_or_the_prefix_of_64_bits() {
        let network = |text: &str| network_of(text.parse().unwrap()).to_string();
        for (address, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:aaaa:bbbb:cccc:dddd", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
            ("::1", "::"),
        ] {
            assert_eq!(network(address), expected);
        }
    }

    #[test]
    fn slots_are_bounded_in_all_and_by_network_and_come_back() {
        let network = |n: u8| IpAddr::from([192, 0, 2, n]);
        let slots = Slots::new(5, 3);
        let mut held: Vec<Slot> = (0..3).map(|_| slots.take(network(1)).ok().unwrap()).collect();
        assert_eq!(slots.take(network(1)).err(), Some(Full::OfOne));
        held.extend((2..4).map(|n| slots.take(network(n)).ok().unwrap()));
        assert_eq!(slots.take(network(4)).err(), Some(Full::InAll));
        held.truncate(2);
        assert!(slots.take(network(4)).is_ok() && slots.take(network(1)).is_ok());
        held.clear();
        let taken = locked(&slots.taken);
        assert_eq!((taken.in_all, taken.by_network.len()), (0, 0));
    }

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
