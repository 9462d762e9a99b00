//! What the engine thinks of cells: tables of numbers that were learned from games
//! (`tesuji train gomoku-eval`), or put together by hand where nothing was learned yet.
//!
//! A table is indexed by the [code](crate::class) of a cell, the patterns in its four lines. Their order says
//! nothing, so codes with the same patterns (one *mix*, of [`MIXES`]) share one number: that many numbers are
//! learned and kept in files.

use std::sync::{Arc, OnceLock};

use tesuji_games::{RowRule, Side};

use crate::class::{Class, patterns_of_code};
use crate::pattern::Pattern;

/// How many mixes there are: four patterns out of fourteen, any of them several times.
pub const MIXES: usize = 2380;

/// How many kinds of threats are told apart: see [`evaluation`](crate::engine::evaluation).
pub const THREATS: usize = 1 << 11;

/// An estimate of this size means that one side wins e times as often as the other.
pub const SCALE: i32 = 200;

/// The numbers of one side. Only in renju do the sides differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideWeights {
    /// For every mix: what an empty cell on which the side would make this is worth to it.
    pub worth: Vec<i16>,
    /// For every mix: how promising it is to play where the side would make this,
    pub attack: Vec<i16>,
    /// and to play where the other side would make what this side's numbers say about it.
    pub defence: Vec<i16>,
    /// For all kinds of threats: what they are worth to this side when it is to move.
    pub threats: Vec<i16>,
}

/// The numbers of both sides for one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// For which rule.
    pub rule: RowRule,
    /// Black's and white's.
    pub sides: [SideWeights; 2],
}

/// [`Numbers`] laid out for a search: by code instead of by mix.
#[derive(Clone, Debug)]
pub struct Weights {
    worth: [Box<[i16]>; 2],
    /// What to add for an own code, and for one of the other side.
    attack: [Box<[i16]>; 2],
    defence: [Box<[i16]>; 2],
    threats: [Box<[i16]>; 2],
}

impl Weights {
    /// Lays numbers out.
    pub fn new(numbers: &Numbers) -> Weights {
        let by_code = |mixes: &[i16]| -> Box<[i16]> {
            (0..=u16::MAX).map(|code| mixes[usize::from(mix_of_code(code))]).collect()
        };
        let [black, white] = &numbers.sides;
        Weights {
            worth: [by_code(&black.worth), by_code(&white.worth)],
            attack: [by_code(&black.attack), by_code(&white.attack)],
            defence: [by_code(&black.defence), by_code(&white.defence)],
            threats: [black.threats.clone().into(), white.threats.clone().into()],
        }
    }

    /// The numbers that come with the program.
    pub fn shipped(rule: RowRule) -> Arc<Weights> {
        static SHIPPED: [OnceLock<Arc<Weights>>; 4] = [const { OnceLock::new() }; 4];
        SHIPPED[rule as usize]
            .get_or_init(|| Arc::new(Weights::new(&Numbers::shipped(rule))))
            .clone()
    }

    /// What an empty cell with this code is worth to the side.
    #[inline]
    pub fn worth(&self, side: Side, code: u16) -> i32 {
        i32::from(self.worth[side.index()][usize::from(code)])
    }

    /// How promising it is for `side` to play on a cell with these codes.
    #[inline]
    pub fn promise(&self, side: Side, own: u16, other: u16) -> i32 {
        let attack = self.attack[side.index()][usize::from(own)];
        let defence = self.defence[(!side).index()][usize::from(other)];
        i32::from(attack) + i32::from(defence)
    }

    /// What threats are worth to the side to move.
    #[inline]
    pub fn threats(&self, side: Side, threats: usize) -> i32 {
        i32::from(self.threats[side.index()][threats % THREATS])
    }
}

/// The mix that a code belongs to: 0 for four dead lines.
#[inline]
pub fn mix_of_code(code: u16) -> u16 {
    static MIX: OnceLock<Box<[u16]>> = OnceLock::new();
    MIX.get_or_init(mixes)[usize::from(code)]
}

/// The patterns of every mix, weakest first, in the order of their numbers.
pub fn patterns_of_mixes() -> Vec<[Pattern; 4]> {
    let mut found = Vec::with_capacity(MIXES);
    for a in 0..Pattern::ALL.len() {
        for b in 0..=a {
            for c in 0..=b {
                for d in 0..=c {
                    found.push([d, c, b, a].map(|n| Pattern::ALL[n]));
                }
            }
        }
    }
    found
}

fn mixes() -> Box<[u16]> {
    let number_of: std::collections::HashMap<[Pattern; 4], u16> =
        patterns_of_mixes().into_iter().zip(0..).collect();
    let mix = |code| {
        let mut patterns = patterns_of_code(code);
        patterns.sort_unstable();
        number_of.get(&patterns).copied().unwrap_or(0)
    };
    (0..=u16::MAX).map(mix).collect()
}

impl Numbers {
    /// Numbers from the meaning of the patterns alone: where learning starts.
    pub fn by_hand(rule: RowRule) -> Numbers {
        Numbers { rule, sides: Side::ALL.map(|side| SideWeights::by_hand(rule.of_side(side))) }
    }
}

impl SideWeights {
    fn by_hand(winning: RowRule) -> SideWeights {
        let mixes = patterns_of_mixes();
        let classes = mixes.iter().map(|&patterns| Class::of(winning, patterns));
        let worth = |(patterns, class): (&[Pattern; 4], Class)| {
            let lines: i16 = patterns.iter().map(|&pattern| line_worth(pattern)).sum();
            lines + class_worth(class)
        };
        let worth: Vec<i16> = mixes.iter().zip(classes.clone()).map(worth).collect();
        let attack =
            worth.iter().zip(classes.clone()).map(|(w, c)| 3 * w + class_promise(c)).collect();
        let defence =
            worth.iter().zip(classes).map(|(w, c)| 2 * w + class_promise(c) / 2).collect();
        let threats = (0..THREATS).map(threats_by_hand).collect();
        SideWeights { worth, attack, defence, threats }
    }
}

fn line_worth(pattern: Pattern) -> i16 {
    match pattern {
        Pattern::Dead | Pattern::Overline => 0,
        Pattern::One => 1,
        Pattern::OpenOne => 2,
        Pattern::Two => 4,
        Pattern::OpenTwo => 8,
        Pattern::WideTwo => 10,
        Pattern::Three => 9,
        Pattern::OpenThree => 20,
        Pattern::WideThree => 24,
        Pattern::Four => 22,
        Pattern::DoubleFour | Pattern::OpenFour => 60,
        Pattern::Five => 80,
    }
}

fn class_worth(class: Class) -> i16 {
    match class {
        Class::TwoTwo | Class::Three => 2,
        Class::ThreeTwo => 4,
        Class::OpenThreePlus | Class::Four => 8,
        Class::ThreeThree | Class::FourPlus => 24,
        Class::FourThree => 60,
        Class::OpenFour => 80,
        Class::Five => 100,
        _ => 0,
    }
}

fn class_promise(class: Class) -> i16 {
    match class {
        Class::OpenTwo => 10,
        Class::Three => 20,
        Class::TwoTwo => 30,
        Class::ThreeTwo => 50,
        Class::OpenThree => 80,
        Class::OpenThreePlus => 120,
        Class::ThreeThree => 200,
        Class::Four => 60,
        Class::FourPlus => 120,
        Class::FourThree => 500,
        Class::OpenFour => 800,
        Class::Five => 1600,
        _ => 0,
    }
}

/// What each threat is worth by itself, in the order of the bits: first those of the side to move.
const THREAT_WORTH: [i16; 11] = [900, 300, 20, 80, 40, -900, -250, -60, -5, -20, -10];

fn threats_by_hand(threats: usize) -> i16 {
    let bits = (0..THREAT_WORTH.len()).filter(|bit| threats >> bit & 1 == 1);
    bits.map(|bit| THREAT_WORTH[bit]).sum::<i16>().clamp(-1200, 1200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_lines_does_not_matter() {
        let code = |patterns: [Pattern; 4]| {
            (0..4).fold(0u16, |code, n| code | (patterns[n] as u16) << (4 * n))
        };
        use Pattern::*;
        let mix = mix_of_code(code([Four, Dead, OpenTwo, Two]));
        assert_eq!(mix, mix_of_code(code([Two, OpenTwo, Dead, Four])));
        assert_ne!(mix, mix_of_code(code([Two, OpenTwo, One, Four])));
        assert_eq!(patterns_of_mixes()[usize::from(mix)], [Dead, Two, OpenTwo, Four]);
        assert_eq!(patterns_of_mixes().len(), MIXES);
        assert_eq!(mix_of_code(0), 0);
    }

    #[test]
    fn an_empty_cell_without_hope_is_worth_nothing() {
        for rule in RowRule::ALL {
            let weights = Weights::shipped(rule);
            assert_eq!(Side::ALL.map(|side| weights.worth(side, 0)), [0, 0]);
        }
    }
}
