//! The transposition table: a table of fixed size that any number of threads read and write without
//! locks.
//!
//! An entry consists of two words, the data and the key xor the data (Hyatt and Mann, 2002). If two
//! threads write an entry at the same time, the words do not match and the entry reads as empty.
//! Four entries share a cache line, so a look-up costs one memory access.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use tesuji_games::{Position, Score, Symmetries};

use crate::memory;

/// The relation of the stored score to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// At least the stored score.
    Lower,
    /// At most the stored score.
    Upper,
    /// The stored score itself.
    Exact,
}

/// The search result of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The score for the side to move; plies of a forced result count from this position.
    pub score: Score,
    /// The type of the score.
    pub bound: Bound,
    /// The depth of the search below this position, at most 255.
    pub depth: u32,
    /// Whether no line was cut off by the horizon, so that the score holds at every greater depth.
    pub settled: bool,
    /// The [`move_index`](tesuji_games::Position::move_index) of the best move, if there is one.
    pub best: Option<u16>,
}

/// A score takes 31 bits, with its sign.
const SCORE_MASK: u64 = (1 << 31) - 1;
const _: () = assert!(Score::MAX.raw() < 1 << 30);

/// The key of a position in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableKey {
    /// The key, the same for all images if symmetries are used.
    pub(crate) key: u64,
    /// Whether the position itself has this key, not only an image of it.
    pub(crate) is_canonical: bool,
}

impl TableKey {
    /// The key of a position, mixed with the evaluator's salt.
    #[inline]
    pub(crate) fn of<P: Position>(
        position: &P,
        symmetries: Option<Symmetries<P>>,
        salt: u64,
    ) -> TableKey {
        let own = position.key();
        let canonical = symmetries.map_or(own, |all| (all.canonical_key)(position));
        TableKey { key: canonical ^ salt, is_canonical: canonical == own }
    }
}

/// The table entries that can replace a search, by depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DepthMatch {
    /// Entries of the same depth, and those that hold at any depth: the search keeps the value of
    /// plain minimax at its depth.
    #[default]
    Same,
    /// Also entries of a greater depth: better informed and therefore stronger, but the value is no
    /// longer that of a single depth.
    SameOrDeeper,
}

impl TableEntry {
    /// The score for a search to `depth` with this window, `ply` moves from its root, if the entry
    /// decides it.
    #[inline]
    pub fn decisive_score(
        &self,
        depth: u32,
        ply: u32,
        window: (Score, Score),
        matching: DepthMatch,
    ) -> Option<Score> {
        let deep_enough = self.depth == depth
            || self.holds_at_any_depth(depth)
            || (matching == DepthMatch::SameOrDeeper && self.depth > depth);
        if !deep_enough {
            return None;
        }
        let score = self.score.further(ply);
        let decisive = match self.bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.1,
            Bound::Upper => score <= window.0,
        };
        decisive.then_some(score)
    }

    /// Whether a search to `depth` must return the same score: no line was cut off by a horizon, or
    /// the end of the game lies within both horizons. (A forced result within both horizons is the
    /// same for both: the winner's moves exist, and the loser gains nothing from later plies.)
    #[inline]
    pub fn holds_at_any_depth(&self, depth: u32) -> bool {
        (self.settled && self.depth <= depth)
            || self.score.plies_to_end().is_some_and(|plies| plies <= depth.min(self.depth))
    }

    #[inline]
    fn pack(&self, generation: u8, is_canonical: bool) -> u64 {
        let bound: u64 = match self.bound {
            Bound::Lower => 1,
            Bound::Upper => 2,
            Bound::Exact => 3,
        };
        let best = self.best.map_or(0, |index| u64::from(index) + 1);
        u64::from(self.score.raw() as u32) & SCORE_MASK
            | u64::from(is_canonical) << 31
            | best << 32
            | u64::from(self.depth as u8) << 49
            | bound << 57
            | u64::from(self.settled) << 59
            | u64::from(generation) << 60
    }

    #[inline]
    fn unpack(data: u64, is_canonical: bool) -> Option<TableEntry> {
        let bound = match data >> 57 & 3 {
            0 => return None,
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        };
        // The move of another image would mislead.
        let is_same_image = (data >> 31 & 1 != 0) == is_canonical;
        let best = if is_same_image { data >> 32 & 0x1_ffff } else { 0 };
        Some(TableEntry {
            score: Score::from_raw(((data as u32) << 1) as i32 >> 1),
            bound,
            depth: (data >> 49 & 0xff) as u32,
            settled: data >> 59 & 1 != 0,
            best: best.checked_sub(1).map(|index| index as u16),
        })
    }
}

const GENERATIONS: u8 = 16;

#[derive(Default)]
struct Slot {
    key_xor_data: AtomicU64,
    data: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// A transposition table.
pub struct TranspositionTable {
    buckets: Box<[Bucket]>,
    generation: AtomicU8,
}

impl TranspositionTable {
    /// Creates an empty table of about this size, or a smaller one if the system refuses the
    /// memory.
    pub fn new(size: TableSize) -> Self {
        let count = (size.bytes() / size_of::<Bucket>() as u64) as usize;
        let buckets = memory::filled(count, Bucket::default);
        TranspositionTable { buckets: buckets.into_boxed_slice(), generation: AtomicU8::new(0) }
    }

    /// The memory of the entries in bytes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.buckets) as u64
    }

    /// Looks up the entry of the position with this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<TableEntry> {
        self.get_image(TableKey { key, is_canonical: true })
    }

    /// Looks up the entry of a position or of one of its images. It has a best move only if it was
    /// stored for the same image. (Of more than two images, those that are not canonical count as
    /// one: later in a game only one of them can be reached.)
    #[inline]
    pub(crate) fn get_image(&self, TableKey { key, is_canonical }: TableKey) -> Option<TableEntry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            let same = slot.key_xor_data.load(Relaxed) ^ data == key;
            if same { TableEntry::unpack(data, is_canonical) } else { None }
        })
    }

    /// Stores an entry. Replaces an older one of the same position, otherwise the least valuable
    /// one in its bucket: an entry of an earlier search, or the one with the smallest depth.
    #[inline]
    pub fn put(&self, key: u64, entry: TableEntry) {
        self.put_image(TableKey { key, is_canonical: true }, entry);
    }

    /// Stores the entry of a position for all its images.
    #[inline]
    pub(crate) fn put_image(&self, TableKey { key, is_canonical }: TableKey, entry: TableEntry) {
        let generation = self.generation.load(Relaxed);
        let mut least = (i32::MAX, &self.bucket(key).0[0]);
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            let value = if slot.key_xor_data.load(Relaxed) ^ data == key {
                i32::MIN
            } else {
                keep_value(data, generation)
            };
            if value < least.0 {
                least = (value, slot);
            }
        }
        let data = entry.pack(generation, is_canonical);
        least.1.data.store(data, Relaxed);
        least.1.key_xor_data.store(key ^ data, Relaxed);
    }

    /// Starts a new search: older entries are replaced first from now on.
    pub fn age(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
    }

    /// Clears the table.
    pub fn clear(&self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.data.store(0, Relaxed);
            slot.key_xor_data.store(0, Relaxed);
        }
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        // The high half of the product maps keys to any number of buckets without a division.
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }
}

/// The value of keeping an entry.
#[inline]
fn keep_value(data: u64, generation: u8) -> i32 {
    if data == 0 {
        return -1;
    }
    let depth = (data >> 49 & 0xff) as i32;
    let current = (data >> 60) as u8 == generation;
    depth + if current { 256 } else { 0 }
}

/// A table size such as `64M`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TableSize(u64);

impl TableSize {
    /// The maximum table size.
    pub const MAX: TableSize = TableSize(64 << 30);

    /// Creates a size in bytes, at most [`MAX`](Self::MAX).
    pub const fn from_bytes(bytes: u64) -> Self {
        if bytes > Self::MAX.0 { Self::MAX } else { TableSize(bytes) }
    }

    /// Creates a size in MiB.
    pub const fn megabytes(n: u64) -> Self {
        Self::from_bytes(n.saturating_mul(1 << 20))
    }

    /// The size in bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// Formats in the largest unit that gives a whole number: `64M`, `1536K`, `1000`.
impl fmt::Display for TableSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("G", 30), ("M", 20), ("K", 10), ("", 0)];
        let (unit, shift) = units
            .into_iter()
            .find(|(_, shift)| self.0 & ((1 << shift) - 1) == 0)
            .unwrap_or(("", 0));
        write!(f, "{}{unit}", self.0 >> shift)
    }
}

/// The error of parsing a table size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("table size '{text}': not valid; expected a number with K, M or G, up to 64G, such as 64M")]
pub struct TableSizeError {
    /// The invalid text.
    pub text: String,
}

/// Parses `512K`, `64M`, `1G` (powers of 1024, either case), or plain bytes.
impl FromStr for TableSize {
    type Err = TableSizeError;

    fn from_str(text: &str) -> Result<Self, TableSizeError> {
        let error = || TableSizeError { text: text.to_string() };
        let (digits, shift) = match text.as_bytes().last() {
            Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
            Some(b'm' | b'M') => (&text[..text.len() - 1], 20),
            Some(b'g' | b'G') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(error());
        }
        let number: u64 = digits.parse().map_err(|_| error())?;
        let bytes = number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or_else(error)?;
        if bytes > Self::MAX.0 { Err(error()) } else { Ok(TableSize(bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::bits::zobrist;
    use tesuji_games::random::{below, seeded, word};

    fn entry(raw: i32, depth: u32) -> TableEntry {
        TableEntry {
            score: Score::from_raw(raw),
            bound: Bound::Exact,
            depth,
            settled: false,
            best: Some(3),
        }
    }

    #[test]
    fn entries_come_back_as_they_were() {
        let table = TranspositionTable::new(TableSize::megabytes(1));
        let mut rng = seeded(5);
        let scores = [Score::MAX, Score::loss_in(0), Score::DRAW, Score::estimate(i32::MIN)];
        for _ in 0..10_000 {
            let written = TableEntry {
                score: scores[below(&mut rng, 4) as usize],
                bound: [Bound::Lower, Bound::Upper, Bound::Exact][below(&mut rng, 3) as usize],
                depth: below(&mut rng, 256),
                settled: below(&mut rng, 2) == 0,
                best: [None, Some(0), Some(u16::MAX)][below(&mut rng, 3) as usize],
            };
            let key = word(&mut rng);
            table.put(key, written);
            assert_eq!(table.get(key), Some(written));
        }
    }

    #[test]
    fn the_move_of_another_image_is_not_given() {
        let table = TranspositionTable::new(TableSize::from_bytes(64));
        for is_canonical in [true, false] {
            let key = TableKey { key: 7, is_canonical };
            table.put_image(key, entry(-5, 3));
            assert_eq!(table.get_image(key), Some(entry(-5, 3)));
            let other = TableKey { key: 7, is_canonical: !is_canonical };
            assert_eq!(table.get_image(other), Some(TableEntry { best: None, ..entry(-5, 3) }));
        }
    }

    #[test]
    fn a_full_bucket_gives_up_the_oldest_then_the_shallowest() {
        let table = TranspositionTable::new(TableSize::from_bytes(64));
        assert_eq!(table.get(0), None, "the empty table knows nothing, not even of key 0");
        for key in 1..=4 {
            table.put(key, entry(0, 10 + key as u32));
        }
        table.put(5, entry(0, 1));
        assert_eq!((table.get(1), table.get(5)), (None, Some(entry(0, 1))));
        table.age();
        table.put(6, entry(0, 2));
        table.put(7, entry(0, 2));
        assert_eq!((table.get(5), table.get(2)), (None, None), "old entries go first");
        assert!(table.get(6).is_some() && table.get(7).is_some());
        table.clear();
        assert!((0..10).all(|key| table.get(key).is_none()));
    }

    #[test]
    fn threads_never_read_each_others_halves() {
        let table = TranspositionTable::new(TableSize::from_bytes(64));
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let table = &table;
                scope.spawn(move || {
                    let mut rng = seeded(thread);
                    for _ in 0..200_000 {
                        // Well-mixed keys as in games: the xor scheme relies on them.
                        let n = below(&mut rng, 16);
                        let key = zobrist(u64::from(n));
                        if let Some(found) = table.get(key) {
                            assert_eq!(found.score.raw(), n as i32);
                        }
                        table.put(key, entry(n as i32, below(&mut rng, 200)));
                    }
                });
            }
        });
    }

    #[test]
    fn only_what_holds_at_this_depth_answers() {
        let window = (Score::MIN, Score::MAX);
        let score_at =
            |entry: TableEntry, depth| entry.decisive_score(depth, 2, window, DepthMatch::Same);
        assert_eq!(score_at(entry(5, 4), 4), Some(Score::estimate(5)));
        assert_eq!(score_at(entry(5, 4), 3), None);
        assert_eq!(score_at(entry(5, 4), 5), None);
        let deeper = entry(5, 4).decisive_score(3, 2, window, DepthMatch::SameOrDeeper);
        assert_eq!(deeper, Some(Score::estimate(5)));
        let settled = TableEntry { settled: true, ..entry(0, 4) };
        assert_eq!((score_at(settled, 9), score_at(settled, 3)), (Some(Score::DRAW), None));
        let win = TableEntry { score: Score::win_in(3), ..entry(0, 4) };
        assert_eq!(score_at(win, 3), Some(Score::win_in(5)));
        assert_eq!((score_at(win, 9), score_at(win, 2)), (Some(Score::win_in(5)), None));
        let lower = TableEntry { bound: Bound::Lower, ..entry(5, 4) };
        assert_eq!(
            lower.decisive_score(4, 0, (Score::DRAW, Score::estimate(6)), DepthMatch::Same),
            None
        );
        let high = lower.decisive_score(4, 0, (Score::DRAW, Score::estimate(5)), DepthMatch::Same);
        assert_eq!(high, Some(Score::estimate(5)));
    }

    #[test]
    fn sizes_are_read_and_refused() {
        for (text, bytes) in [("64M", 64 << 20), ("1G", 1 << 30), ("512k", 512 << 10), ("100", 100)]
        {
            assert_eq!(text.parse(), Ok(TableSize(bytes)));
        }
        for text in
            ["", "M", "0", "-1M", "64MB", "1.5G", "65G", "99999999999999999999G", "６４M", "+4M"]
        {
            let error = text.parse::<TableSize>().unwrap_err().to_string();
            assert!(error.contains("such as 64M") && !error.contains('\n'), "{error}");
        }
    }
}
