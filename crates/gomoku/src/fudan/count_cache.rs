//! A cache of the pattern counts of positions, by number of stones and key, for a whole match.

use std::collections::HashMap;

use super::patterns::PatternCounts;

/// The entries of a hash map of 2²⁰ slots, about 60 MB. The published program's cache is unbounded.
const MAX_ENTRIES: usize = 7 << 17;

/// Pattern counts of positions.
#[derive(Clone, Default, Debug)]
pub(super) struct CountCache {
    counts: HashMap<(u16, u64), PatternCounts<10>>,
}

impl CountCache {
    pub(super) fn get(&self, stones: u16, key: u64) -> Option<PatternCounts<10>> {
        self.counts.get(&(stones, key)).copied()
    }

    /// Stores a position if there is room.
    pub(super) fn put(&mut self, stones: u16, key: u64, counts: PatternCounts<10>) {
        if self.counts.len() < MAX_ENTRIES {
            self.counts.insert((stones, key), counts);
        }
    }

    /// Makes room when the cache is half full: positions with no more stones than the board has
    /// cannot recur in this game. Clears everything if that frees too little.
    pub(super) fn make_room(&mut self, stones: u16) {
        if self.counts.len() * 2 > MAX_ENTRIES {
            self.counts.retain(|&(count, _), _| count > stones);
        }
        if self.counts.len() * 4 > MAX_ENTRIES * 3 {
            self.counts.clear();
        }
    }

    pub(super) fn clear(&mut self) {
        self.counts.clear();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_cache_drops_unreachable_positions() {
        let mut cache = CountCache::default();
        for key in 0..MAX_ENTRIES as u64 + 9 {
            cache.put(if key % 3 == 0 { 5 } else { 50 }, key, PatternCounts::default());
        }
        assert_eq!(cache.len(), MAX_ENTRIES);
        cache.make_room(5);
        assert_eq!(cache.len(), MAX_ENTRIES - MAX_ENTRIES.div_ceil(3));
        assert_eq!((cache.get(5, 0), cache.get(50, 1)), (None, Some(PatternCounts::default())));
        cache.make_room(49);
        assert!(cache.get(50, 1).is_some());
        cache.make_room(50);
        assert_eq!(cache.len(), 0);
    }
}
