//! What was counted before: the pattern counts of positions, by number of stones and key, over a whole match.

use std::collections::HashMap;

use super::patterns::PatternCounts;

/// As many as a hash map keeps in 2²⁰ places, about 60 MB. The published program's cache grows without end.
const MAX_ENTRIES: usize = 7 << 17;

/// Counts of positions.
#[derive(Clone, Default, Debug)]
pub(super) struct CountCache {
    counts: HashMap<(u16, u64), PatternCounts<10>>,
}

impl CountCache {
    pub(super) fn get(&self, stones: u16, key: u64) -> Option<PatternCounts<10>> {
        self.counts.get(&(stones, key)).copied()
    }

    /// Remembers a position, as long as there is room.
    pub(super) fn put(&mut self, stones: u16, key: u64, counts: PatternCounts<10>) {
        if self.counts.len() < MAX_ENTRIES {
            self.counts.insert((stones, key), counts);
        }
    }

    /// Makes room when little is left: positions with no more stones than now on the board cannot come again in
    /// this game. If that frees too little, everything goes.
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
    fn a_full_cache_forgets_what_cannot_come_again() {
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
