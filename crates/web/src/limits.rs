//! Limits of request rates, with token buckets, and of held resources, with slots. Both count by
//! key in bounded memory; the key of an address is its network.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The key of an address: an IPv4 address, or the /64 prefix of an IPv6 address. Providers assign
/// whole prefixes, so one client can use every address in one.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
    }
}

/// The capacity and the refill rate of a token bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimit {
    pub(crate) burst: f64,
    pub(crate) per_second: f64,
}

/// The most keys; at this number full buckets are dropped.
const MAX_KEYS: usize = 50_000;

/// Token buckets by key.
pub(crate) struct TokenBuckets<K> {
    rate: RateLimit,
    buckets: Mutex<HashMap<K, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl<K: Eq + Hash> TokenBuckets<K> {
    pub(crate) fn new(rate: RateLimit) -> Self {
        TokenBuckets { rate, buckets: Mutex::new(HashMap::new()) }
    }

    /// Takes a token; returns false if there is none.
    pub(crate) fn take(&self, key: K) -> bool {
        self.take_at(key, Instant::now())
    }

    fn take_at(&self, key: K, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_KEYS && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| self.rate.filled(*bucket, now).tokens < self.rate.burst);
            if buckets.len() >= MAX_KEYS {
                return false;
            }
        }
        let full = Bucket { tokens: self.rate.burst, at: now };
        let bucket = buckets.entry(key).or_insert(full);
        *bucket = self.rate.filled(*bucket, now);
        let allowed = bucket.tokens >= 1.0;
        if allowed {
            bucket.tokens -= 1.0;
        }
        allowed
    }
}

impl RateLimit {
    /// One token in each interval.
    pub(crate) fn one_in(pause: Duration) -> RateLimit {
        RateLimit { burst: 1.0, per_second: 1.0 / pause.as_secs_f64() }
    }

    /// The same limit, multiplied.
    pub(crate) fn times(self, factor: f64) -> RateLimit {
        RateLimit { burst: self.burst * factor, per_second: self.per_second * factor }
    }

    fn filled(&self, bucket: Bucket, now: Instant) -> Bucket {
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        Bucket { tokens: (bucket.tokens + since * self.per_second).min(self.burst), at: now }
    }
}

/// Slots of a resource: at most `total`, and at most `per_network` for one network. Clones share
/// the slots.
#[derive(Clone)]
pub(crate) struct Slots {
    total: usize,
    per_network: usize,
    counts: Arc<Mutex<SlotCounts>>,
}

#[derive(Default)]
struct SlotCounts {
    total: usize,
    /// Only networks that hold a slot.
    by_network: HashMap<IpAddr, usize>,
}

/// A slot, released on drop.
pub(crate) struct Slot {
    network: IpAddr,
    counts: Arc<Mutex<SlotCounts>>,
}

/// Why no slot is free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotsFull {
    /// The network has reached its limit.
    PerNetwork,
    /// All slots are taken.
    Total,
}

impl Slots {
    pub(crate) fn new(total: usize, per_network: usize) -> Slots {
        Slots { total, per_network, counts: Arc::default() }
    }

    pub(crate) fn take(&self, network: IpAddr) -> Result<Slot, SlotsFull> {
        let mut counts = lock(&self.counts);
        if counts.by_network.get(&network).is_some_and(|held| *held >= self.per_network) {
            return Err(SlotsFull::PerNetwork);
        }
        if counts.total >= self.total {
            return Err(SlotsFull::Total);
        }
        counts.total += 1;
        *counts.by_network.entry(network).or_default() += 1;
        Ok(Slot { network, counts: self.counts.clone() })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        counts.total -= 1;
        if let Some(held) = counts.by_network.get_mut(&self.network) {
            *held -= 1;
            if *held == 0 {
                counts.by_network.remove(&self.network);
            }
        }
    }
}

fn lock(counts: &Mutex<SlotCounts>) -> MutexGuard<'_, SlotCounts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert_eq!(slots.take(network(1)).err(), Some(SlotsFull::PerNetwork));
        held.extend((2..4).map(|n| slots.take(network(n)).ok().unwrap()));
        assert_eq!(slots.take(network(4)).err(), Some(SlotsFull::Total));
        held.truncate(2);
        assert!(slots.take(network(4)).is_ok() && slots.take(network(1)).is_ok());
        held.clear();
        let counts = lock(&slots.counts);
        assert_eq!((counts.total, counts.by_network.len()), (0, 0));
    }

    #[test]
    fn a_burst_is_granted_and_then_the_rate() {
        let buckets = TokenBuckets::new(RateLimit { burst: 3.0, per_second: 2.0 });
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
        let buckets = TokenBuckets::new(RateLimit { burst: 1.0, per_second: 1.0 });
        let start = Instant::now();
        assert!((0..MAX_KEYS).all(|key| buckets.take_at(key, start)));
        assert!(!buckets.take_at(MAX_KEYS, start), "full: no bucket may be dropped yet");
        assert!(buckets.take_at(MAX_KEYS, start + Duration::from_secs(2)));
        assert_eq!(buckets.buckets.lock().unwrap().len(), 1);
    }
}
