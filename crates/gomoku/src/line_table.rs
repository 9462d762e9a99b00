//! Lookup tables for the patterns of one line: for every key of the cells around a point, the
//! patterns of both sides in one byte.
//!
//! A key has two bits for each cell (0 empty, 1 black, 2 white, 3 wall). Freestyle needs four cells
//! on each side: 16 bits, 64 KiB. The other rules also need the cell after a five: 20 bits, 1 MiB.
//! The lower four bits of a byte are black's [`LinePattern`], the upper four white's. A table is
//! built when its rule is first used, once for all boards, in some hundredths of a second: keys
//! with one more stone are greater numbers, so the table is filled from its end and the classifier
//! looks up its own recursive calls.

use std::sync::OnceLock;

use tesuji_games::{RowRule, Side};

use crate::pattern::{Line, LinePattern};

/// The patterns of every key under one rule.
#[derive(Debug)]
pub struct LineTable {
    bytes: Box<[u8]>,
}

impl LineTable {
    /// The table of a rule.
    pub fn of(rule: RowRule) -> &'static LineTable {
        static TABLES: [OnceLock<LineTable>; RowRule::ALL.len()] = [const { OnceLock::new() }; 4];
        TABLES[rule as usize].get_or_init(|| LineTable::new(rule))
    }

    fn new(rule: RowRule) -> LineTable {
        let [black, white] = Side::ALL.map(|side| rule.of_side(side));
        let black_sees = patterns(black, rule.reach(5));
        let white_sees = if white == black { None } else { Some(patterns(white, rule.reach(5))) };
        let white_sees = white_sees.as_ref().unwrap_or(&black_sees);
        let byte = |key| black_sees[key] | white_sees[other_view(key as u32) as usize] << 4;
        LineTable { bytes: (0..black_sees.len()).map(byte).collect() }
    }

    /// The patterns of both sides: black's in the lower four bits, white's in the upper.
    #[inline]
    pub fn patterns(&self, key: u32) -> u8 {
        self.bytes[key as usize]
    }

    /// The pattern of one side.
    #[inline]
    pub fn pattern(&self, side: Side, key: u32) -> LinePattern {
        LinePattern::from_bits(u32::from(self.patterns(key)) >> (4 * side.index()))
    }
}

/// The pattern of every key as seen by a side with this winning rule.
fn patterns(winning: RowRule, reach: u32) -> Vec<u8> {
    let mut known = vec![0u8; 1 << (4 * reach)];
    for key in (0..known.len()).rev() {
        let line = Line { winning, reach, key: key as u32 };
        let further = |key: u32| LinePattern::from_bits(u32::from(known[key as usize]));
        known[key] = line.pattern(&further) as u8;
    }
    known
}

/// Swaps the stones of the two sides in a key.
#[inline]
pub const fn other_view(key: u32) -> u32 {
    const LOW: u32 = 0x5555_5555;
    (key & LOW) << 1 | key >> 1 & LOW
}

#[cfg(test)]
mod tests {
    use tesuji_games::random::{below, seeded};

    use super::*;
    use crate::pattern::pattern;

    fn assert_as_classified(rule: RowRule, key: u32) {
        for side in Side::ALL {
            let view = if side == Side::First { key } else { other_view(key) };
            let slow = pattern(rule.of_side(side), rule.reach(5), view);
            assert_eq!(LineTable::of(rule).pattern(side, key), slow, "{rule} {side} {key:#x}");
        }
    }

    /// A random key in which `empty` of eight cells are empty on average.
    fn random_key(rng: &mut tesuji_games::random::Rng, reach: u32, empty: u32) -> u32 {
        (0..2 * reach).fold(0, |key, _| {
            let stone = if below(rng, 8) < empty { 0 } else { 1 + below(rng, 3) };
            key << 2 | stone
        })
    }

    #[test]
    fn tables_agree_with_the_classifier() {
        let mut rng = seeded(7);
        for rule in RowRule::ALL {
            for (keys, empty) in [(25_000, 1), (1_000, 3), (20, 5)] {
                for _ in 0..keys {
                    assert_as_classified(rule, random_key(&mut rng, rule.reach(5), empty));
                }
            }
        }
    }

    #[test]
    fn a_line_read_backwards_is_the_same() {
        let mut rng = seeded(8);
        for rule in RowRule::ALL {
            for _ in 0..10_000 {
                let key = random_key(&mut rng, rule.reach(5), 5);
                let cells = 2 * rule.reach(5);
                let mirrored = (0..cells).fold(0, |sum, n| sum << 2 | (key >> (2 * n) & 3));
                let table = LineTable::of(rule);
                assert_eq!(table.patterns(key), table.patterns(mirrored), "{rule} {key:#x}");
            }
        }
    }
}
