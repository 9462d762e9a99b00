//! What the tables of an evaluation hold, and how an entry is added to its sum. The loops over placements are
//! compiled once for each payload.

use std::sync::Arc;

use tesuji_games::Side;

use super::evaluation::{FIELD_BITS, packed_difference, packed_votes};
use super::grow::swapped_indices;
use super::layout::{Layout, MOST_ENTRIES};
use super::tree::IGNORED;
use super::{Class, Wood};

/// See the top of this file. A slot is what is kept of a placement from stone to stone: its index, and whatever of
/// its present entry finds room beside it.
pub(super) trait Payload {
    /// An entry of the tables.
    type Entry: Copy;

    /// The entries from this index on.
    fn from(&self, index: u32) -> &[Self::Entry];

    /// What a placement adds whose entry stands at this place of some entries.
    fn entry_in(&self, entries: &[Self::Entry], place: u32) -> u64;

    /// What a placement with this index adds.
    #[inline]
    fn entry(&self, index: u32) -> u64 {
        self.entry_in(self.from(0), index)
    }

    /// The slot of a placement with this index.
    #[inline]
    fn slot(&self, index: u32) -> u32 {
        index
    }

    /// The index of a slot.
    #[inline]
    fn index(slot: u32) -> u32 {
        slot
    }

    /// What the placement adds to the sum as it stands.
    #[inline]
    fn kept(&self, slot: u32) -> u64 {
        self.entry(Self::index(slot))
    }
}

/// Votes that count once: an entry is the place of a counter in the sum. It is kept beside the index, which saves
/// the way to the table for what the placement said before.
#[derive(Clone, Debug)]
pub(super) struct Shifts {
    table: Vec<u8>,
}

/// The lowest bits of a slot are the place of the counter, where a shift wants them; the index stands above.
const SHIFT_BITS: u32 = 6;
const _: () = assert!(MOST_ENTRIES <= 1 << (u32::BITS - SHIFT_BITS));
/// The highest bit of the sum is for placements that do not vote. It overflows without harm.
const NO_VOTE: u8 = 63;

impl Shifts {
    pub(super) fn new(woods: &[Arc<Wood>], layout: &Layout) -> Shifts {
        let mut table = Vec::with_capacity(layout.entries());
        for wood in woods {
            let shift = |&class: &u8| match class {
                IGNORED => NO_VOTE,
                class => class * FIELD_BITS as u8,
            };
            table.extend(wood.table.iter().map(shift));
        }
        Shifts { table }
    }
}

impl Payload for Shifts {
    #[inline]
    fn slot(&self, index: u32) -> u32 {
        index << SHIFT_BITS | u32::from(self.table[index as usize])
    }

    #[inline]
    fn index(slot: u32) -> u32 {
        slot >> SHIFT_BITS
    }

    #[inline]
    fn kept(&self, slot: u32) -> u64 {
        1u64.wrapping_shl(slot)
    }

    type Entry = u8;

    #[inline]
    fn from(&self, index: u32) -> &[u8] {
        &self.table[index as usize..]
    }

    #[inline]
    fn entry_in(&self, entries: &[u8], place: u32) -> u64 {
        1u64.wrapping_shl(u32::from(entries[place as usize]))
    }
}

/// Votes of any weight, or the difference of what both sides see: an entry names one of few words.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    table: Vec<u16>,
    words: Vec<u64>,
}

impl Coded {
    pub(super) fn new(woods: &[Arc<Wood>], zero_sum: bool) -> Coded {
        // Word 0 is for placements that do not vote.
        let mut coded = Coded { table: Vec::new(), words: vec![0] };
        for wood in woods {
            let codes = Class::ALL.map(|mine| {
                Class::ALL.map(|theirs| match zero_sum {
                    true => coded.code_of(packed_difference(mine, theirs, wood.weight)),
                    false => coded.code_of(packed_votes(mine, wood.weight)),
                })
            });
            let code = |(&mine, swap): (&u8, u32)| {
                let theirs = wood.table[swap as usize];
                let row = codes.get(usize::from(mine));
                row.and_then(|row| row.get(usize::from(theirs))).copied().unwrap_or(0)
            };
            let swaps = swapped_indices(wood.pattern.len());
            coded.table.extend(wood.table.iter().zip(swaps).map(code));
        }
        coded
    }

    /// There are at most nine words for each different weight.
    fn code_of(&mut self, word: u64) -> u16 {
        let known = self.words.iter().position(|&known| known == word);
        known.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        }) as u16
    }
}

impl Payload for Coded {
    type Entry = u16;

    #[inline]
    fn from(&self, index: u32) -> &[u16] {
        &self.table[index as usize..]
    }

    #[inline]
    fn entry_in(&self, entries: &[u16], place: u32) -> u64 {
        self.words[usize::from(entries[place as usize])]
    }
}

/// Learned weights for each side to move; both sums in one word.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub(super) first: OneSide,
    pub(super) second: OneSide,
}

/// The weights while one side is to move.
#[derive(Clone, Debug)]
pub(super) struct OneSide(Vec<i16>);

impl Weights {
    pub(super) fn new(weights: &[Vec<Vec<i16>>; 2]) -> Weights {
        let of = |side: Side| OneSide(weights[side.index()].concat());
        Weights { first: of(Side::First), second: of(Side::Second) }
    }
}

impl Payload for Weights {
    type Entry = ();

    /// Two tables: see [`entry`](Payload::entry).
    #[inline]
    fn from(&self, _: u32) -> &[()] {
        &[]
    }

    #[inline]
    fn entry_in(&self, _: &[()], place: u32) -> u64 {
        self.first.entry(place).wrapping_add(self.second.entry(place) << 32)
    }
}

impl Payload for OneSide {
    type Entry = i16;

    #[inline]
    fn from(&self, index: u32) -> &[i16] {
        &self.0[index as usize..]
    }

    /// With its sign, as a word that wraps.
    #[inline]
    fn entry_in(&self, entries: &[i16], place: u32) -> u64 {
        i64::from(entries[place as usize]) as u64
    }
}
