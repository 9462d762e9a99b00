//! A cache of pattern counts by line. A search visits the same few thousand lines repeatedly, and a
//! lookup costs a tenth of counting.
//!
//! Threads share it without locks: an entry is three words, the first of which is the key XORed
//! with the other two, so words of different entries do not match (Hyatt and Mann, 2002).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::patterns::PATTERNS;

/// Twice ten counts of six bits each: those of the first side, then those of the second.
pub(super) type LineCounts = u128;

const FIELD: u32 = 6;
const FIELD_MASK: u128 = (1 << FIELD) - 1;
/// The number of counts of both sides.
pub(super) const FIELDS: usize = 2 * PATTERNS;
/// 256 KiB, which fits into a second-level cache.
const SLOTS: usize = 1 << 13;

/// Maps lines to their counts.
#[derive(Debug)]
pub(super) struct LineCache {
    slots: Box<[Slot]>,
}

#[derive(Debug, Default)]
#[repr(align(32))]
struct Slot {
    check: AtomicU64,
    low: AtomicU64,
    high: AtomicU64,
}

impl LineCache {
    pub(super) fn new() -> LineCache {
        LineCache { slots: (0..SLOTS).map(|_| Slot::default()).collect() }
    }

    /// The counts of a line, from the cache or computed. No key is 0.
    #[inline]
    pub(super) fn counts(&self, key: u64, count: impl FnOnce() -> LineCounts) -> LineCounts {
        let slot = &self.slots[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize];
        let (low, high) = (slot.low.load(Relaxed), slot.high.load(Relaxed));
        if slot.check.load(Relaxed) == check_word(key, low, high) {
            return u128::from(high) << 64 | u128::from(low);
        }
        let counts = count();
        let (low, high) = (counts as u64, (counts >> 64) as u64);
        slot.low.store(low, Relaxed);
        slot.high.store(high, Relaxed);
        slot.check.store(check_word(key, low, high), Relaxed);
        counts
    }
}

#[inline]
fn check_word(key: u64, low: u64, high: u64) -> u64 {
    key ^ low.rotate_left(17) ^ high.rotate_left(43)
}

/// The count of one field.
#[inline]
pub(super) const fn field(counts: LineCounts, field: usize) -> u16 {
    (counts >> (FIELD * field as u32) & FIELD_MASK) as u16
}

/// A count shifted to its field.
pub(super) const fn in_field(field: usize, count: u16) -> LineCounts {
    (count as u128 & FIELD_MASK) << (FIELD * field as u32)
}

/// Calls `each` with the fields in which two sums of counts differ, and with both values.
#[inline]
pub(super) fn differences(old: LineCounts, new: LineCounts, mut each: impl FnMut(usize, u16, u16)) {
    let mut different = old ^ new;
    while different != 0 {
        let at = (different.trailing_zeros() / FIELD) as usize;
        each(at, field(old, at), field(new, at));
        different &= !(FIELD_MASK << (FIELD * at as u32));
    }
}
