//! The lookup tables of an evaluation, and how an entry is added to the sum. The loops over
//! placements are compiled once for each kind of table.

use std::collections::HashMap;
use std::sync::Arc;

use tesuji_games::Side;

use super::evaluation::{COUNTER_BITS, packed_difference, packed_votes};
use super::grow::swapped_indices;
use super::layout::{Layout, MAX_ENTRIES};
use super::tree::IGNORED;
use super::{PatternTree, Vote, VoteFormula};

/// A lookup table. A slot is the stored state of a placement: its index and, if there is room, its
/// current entry.
pub(super) trait EntryTable {
    /// The type of a table entry.
    type Entry: Copy;

    /// The entries from this index on.
    fn entries_from(&self, index: u32) -> &[Self::Entry];

    /// The contribution of the placement whose entry is at this index of `entries`.
    fn entry_at(&self, entries: &[Self::Entry], place: u32) -> u64;

    /// The contribution of a placement with this index.
    #[inline]
    fn entry(&self, index: u32) -> u64 {
        self.entry_at(self.entries_from(0), index)
    }

    /// The slot of a placement with this index.
    #[inline]
    fn slot(&self, index: u32) -> u32 {
        index
    }

    /// The index stored in a slot.
    #[inline]
    fn index(slot: u32) -> u32 {
        slot
    }

    /// The current contribution of a placement.
    #[inline]
    fn current(&self, slot: u32) -> u64 {
        self.entry(Self::index(slot))
    }
}

/// Votes with weight 1: an entry is the bit position of a counter in the sum. The slot holds it
/// next to the index, which saves the table lookup of the previous vote.
#[derive(Clone, Debug)]
pub(super) struct VoteTable {
    table: Vec<u8>,
}

/// The low bits of a slot are the shift of the counter; the index is above them.
const SHIFT_BITS: u32 = 6;
const _: () = assert!(MAX_ENTRIES <= 1 << (u32::BITS - SHIFT_BITS));
/// Placements that do not vote add to the highest bit of the sum, where overflow is harmless.
const NO_VOTE: u8 = 63;

impl VoteTable {
    pub(super) fn new(trees: &[Arc<PatternTree>], layout: &Layout) -> VoteTable {
        let mut table = Vec::with_capacity(layout.entries());
        for tree in trees {
            let shift = |&class: &u8| match class {
                IGNORED => NO_VOTE,
                class => class * COUNTER_BITS as u8,
            };
            table.extend(tree.table.iter().map(shift));
        }
        VoteTable { table }
    }
}

impl EntryTable for VoteTable {
    #[inline]
    fn slot(&self, index: u32) -> u32 {
        index << SHIFT_BITS | u32::from(self.table[index as usize])
    }

    #[inline]
    fn index(slot: u32) -> u32 {
        slot >> SHIFT_BITS
    }

    #[inline]
    fn current(&self, slot: u32) -> u64 {
        1u64.wrapping_shl(slot)
    }

    type Entry = u8;

    #[inline]
    fn entries_from(&self, index: u32) -> &[u8] {
        &self.table[index as usize..]
    }

    #[inline]
    fn entry_at(&self, entries: &[u8], place: u32) -> u64 {
        1u64.wrapping_shl(u32::from(entries[place as usize]))
    }
}

/// Votes of any weight, or the difference of both sides' votes: an entry selects one of a few
/// words.
#[derive(Clone, Debug)]
pub(super) struct CodedVoteTable {
    table: Vec<u16>,
    words: Vec<u64>,
}

impl CodedVoteTable {
    pub(super) fn new(trees: &[Arc<PatternTree>], formula: &VoteFormula) -> CodedVoteTable {
        // Word 0 is for placements that do not vote.
        let mut coded = CodedVoteTable { table: Vec::new(), words: vec![0] };
        for tree in trees {
            let mut codes = HashMap::new();
            let code = |(&mine, swap): (&u8, u32)| {
                let entries = (mine, tree.table[swap as usize]);
                *codes.entry(entries).or_insert_with(|| {
                    let (mine, theirs) = (Vote::of_entry(entries.0), Vote::of_entry(entries.1));
                    coded.code_of(match formula.zero_sum {
                        true => packed_difference(formula, mine, theirs, tree.weight),
                        false => packed_votes(mine, tree.weight),
                    })
                })
            };
            let swaps = swapped_indices(tree.pattern.len());
            let row: Vec<u16> = tree.table.iter().zip(swaps).map(code).collect();
            coded.table.extend(row);
        }
        coded
    }

    /// There are at most a few hundred words for each distinct weight.
    fn code_of(&mut self, word: u64) -> u16 {
        let known = self.words.iter().position(|&known| known == word);
        known.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        }) as u16
    }
}

impl EntryTable for CodedVoteTable {
    type Entry = u16;

    #[inline]
    fn entries_from(&self, index: u32) -> &[u16] {
        &self.table[index as usize..]
    }

    #[inline]
    fn entry_at(&self, entries: &[u16], place: u32) -> u64 {
        self.words[usize::from(entries[place as usize])]
    }
}

/// Learned weights for each side to move, with both sums in one word.
#[derive(Clone, Debug)]
pub(super) struct WeightTables {
    pub(super) first: SideWeights,
    pub(super) second: SideWeights,
}

/// The weights for one side to move.
#[derive(Clone, Debug)]
pub(super) struct SideWeights(Vec<i16>);

impl WeightTables {
    pub(super) fn new(weights: &[Vec<Vec<i16>>; 2]) -> WeightTables {
        let of = |side: Side| SideWeights(weights[side.index()].concat());
        WeightTables { first: of(Side::First), second: of(Side::Second) }
    }
}

impl EntryTable for WeightTables {
    type Entry = ();

    /// There are two tables: see [`entry`](EntryTable::entry).
    #[inline]
    fn entries_from(&self, _: u32) -> &[()] {
        &[]
    }

    #[inline]
    fn entry_at(&self, _: &[()], place: u32) -> u64 {
        self.first.entry(place).wrapping_add(self.second.entry(place) << 32)
    }
}

impl EntryTable for SideWeights {
    type Entry = i16;

    #[inline]
    fn entries_from(&self, index: u32) -> &[i16] {
        &self.0[index as usize..]
    }

    /// Sign-extends the weight to a wrapping word.
    #[inline]
    fn entry_at(&self, entries: &[i16], place: u32) -> u64 {
        i64::from(entries[place as usize]) as u64
    }
}
