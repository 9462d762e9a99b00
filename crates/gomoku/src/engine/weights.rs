//! The weights of the evaluation and of the move order: learned from games (`tesuji train
//! gomoku-eval`), or handcrafted.
//!
//! Tables are indexed by the [code](crate::class) of a cell, which holds the patterns in its four
//! lines. The order of the lines does not matter, so codes with the same multiset of patterns (one
//! *combination*, of [`COMBINATIONS`]) share a weight. Learning and files use one weight for each
//! combination.

use std::sync::{Arc, OnceLock};

use tesuji_games::{RowRule, Side};

use crate::class::{MoveClass, patterns_of_code};
use crate::pattern::LinePattern;

/// The number of combinations: multisets of four patterns out of fourteen.
pub const COMBINATIONS: usize = 2380;

/// The number of threat combinations: see [`evaluation`](crate::engine::evaluation).
pub const THREATS: usize = 1 << 11;

/// The evaluation at which one side wins e times as often as the other.
pub const SCALE: i32 = 200;

/// The weights of one side. The sides differ only in renju.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideWeights {
    /// For every combination: the value of an empty cell where a move of the side would create it.
    pub worth: Vec<i16>,
    /// For every combination: the move score of creating it.
    pub attack: Vec<i16>,
    /// For every combination: the opponent's move score of preventing this side from creating it.
    pub defense: Vec<i16>,
    /// For all threat combinations: their value when this side is to move.
    pub threats: Vec<i16>,
}

/// The weights of both sides for one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineWeights {
    /// The rule.
    pub rule: RowRule,
    /// Black's and white's weights.
    pub sides: [SideWeights; 2],
}

/// [`EngineWeights`] as lookup tables for the search: indexed by code instead of by combination.
#[derive(Clone, Debug)]
pub struct WeightTables {
    worth: [Box<[i16]>; 2],
    /// The move scores of own codes and of opponent's codes.
    attack: [Box<[i16]>; 2],
    defense: [Box<[i16]>; 2],
    threats: [Box<[i16]>; 2],
}

impl WeightTables {
    /// Builds the lookup tables.
    pub fn new(numbers: &EngineWeights) -> WeightTables {
        let by_code = |combinations: &[i16]| -> Box<[i16]> {
            (0..=u16::MAX)
                .map(|code| combinations[usize::from(combination_of_code(code))])
                .collect()
        };
        let [black, white] = &numbers.sides;
        WeightTables {
            worth: [by_code(&black.worth), by_code(&white.worth)],
            attack: [by_code(&black.attack), by_code(&white.attack)],
            defense: [by_code(&black.defense), by_code(&white.defense)],
            threats: [black.threats.clone().into(), white.threats.clone().into()],
        }
    }

    /// The tables of the weights shipped with the program.
    pub fn shipped(rule: RowRule) -> Arc<WeightTables> {
        static SHIPPED: [OnceLock<Arc<WeightTables>>; 4] = [const { OnceLock::new() }; 4];
        SHIPPED[rule as usize]
            .get_or_init(|| Arc::new(WeightTables::new(&EngineWeights::shipped(rule))))
            .clone()
    }

    /// The value of an empty cell with this code for `side`.
    #[inline]
    pub fn worth(&self, side: Side, code: u16) -> i32 {
        i32::from(self.worth[side.index()][usize::from(code)])
    }

    /// The move score of a move of `side` on a cell with these codes.
    #[inline]
    pub fn move_score(&self, side: Side, own: u16, other: u16) -> i32 {
        let attack = self.attack[side.index()][usize::from(own)];
        let defense = self.defense[(!side).index()][usize::from(other)];
        i32::from(attack) + i32::from(defense)
    }

    /// The value of the threats for the side to move.
    #[inline]
    pub fn threats(&self, side: Side, threats: usize) -> i32 {
        i32::from(self.threats[side.index()][threats % THREATS])
    }
}

/// The combination of a code; 0 for four dead lines.
#[inline]
pub fn combination_of_code(code: u16) -> u16 {
    static COMBINATION_OF_CODE: OnceLock<Box<[u16]>> = OnceLock::new();
    COMBINATION_OF_CODE.get_or_init(combinations)[usize::from(code)]
}

/// The patterns of every combination, weakest first, ordered by number.
pub fn patterns_of_combinations() -> Vec<[LinePattern; 4]> {
    let mut found = Vec::with_capacity(COMBINATIONS);
    for a in 0..LinePattern::ALL.len() {
        for b in 0..=a {
            for c in 0..=b {
                for d in 0..=c {
                    found.push([d, c, b, a].map(|n| LinePattern::ALL[n]));
                }
            }
        }
    }
    found
}

fn combinations() -> Box<[u16]> {
    let number_of: std::collections::HashMap<[LinePattern; 4], u16> =
        patterns_of_combinations().into_iter().zip(0..).collect();
    let combination = |code| {
        let mut patterns = patterns_of_code(code);
        patterns.sort_unstable();
        number_of.get(&patterns).copied().unwrap_or(0)
    };
    (0..=u16::MAX).map(combination).collect()
}

impl EngineWeights {
    /// Handcrafted weights, the start of learning.
    pub fn handcrafted(rule: RowRule) -> EngineWeights {
        EngineWeights {
            rule,
            sides: Side::ALL.map(|side| SideWeights::handcrafted(rule.of_side(side))),
        }
    }
}

impl SideWeights {
    fn handcrafted(winning: RowRule) -> SideWeights {
        let combinations = patterns_of_combinations();
        let classes = combinations.iter().map(|&patterns| MoveClass::of(winning, patterns));
        let worth = |(patterns, class): (&[LinePattern; 4], MoveClass)| {
            let lines: i16 = patterns.iter().map(|&pattern| line_worth(pattern)).sum();
            lines + class_worth(class)
        };
        let worth: Vec<i16> = combinations.iter().zip(classes.clone()).map(worth).collect();
        let attack =
            worth.iter().zip(classes.clone()).map(|(w, c)| 3 * w + class_move_score(c)).collect();
        let defense =
            worth.iter().zip(classes).map(|(w, c)| 2 * w + class_move_score(c) / 2).collect();
        let threats = (0..THREATS).map(handcrafted_threats).collect();
        SideWeights { worth, attack, defense, threats }
    }
}

fn line_worth(pattern: LinePattern) -> i16 {
    match pattern {
        LinePattern::Dead | LinePattern::Overline => 0,
        LinePattern::One => 1,
        LinePattern::OpenOne => 2,
        LinePattern::Two => 4,
        LinePattern::OpenTwo => 8,
        LinePattern::WideTwo => 10,
        LinePattern::Three => 9,
        LinePattern::OpenThree => 20,
        LinePattern::WideThree => 24,
        LinePattern::Four => 22,
        LinePattern::DoubleFour | LinePattern::OpenFour => 60,
        LinePattern::Five => 80,
    }
}

fn class_worth(class: MoveClass) -> i16 {
    match class {
        MoveClass::TwoTwo | MoveClass::Three => 2,
        MoveClass::ThreeTwo => 4,
        MoveClass::OpenThreePlus | MoveClass::Four => 8,
        MoveClass::ThreeThree | MoveClass::FourPlus => 24,
        MoveClass::FourThree => 60,
        MoveClass::OpenFour => 80,
        MoveClass::Five => 100,
        _ => 0,
    }
}

fn class_move_score(class: MoveClass) -> i16 {
    match class {
        MoveClass::OpenTwo => 10,
        MoveClass::Three => 20,
        MoveClass::TwoTwo => 30,
        MoveClass::ThreeTwo => 50,
        MoveClass::OpenThree => 80,
        MoveClass::OpenThreePlus => 120,
        MoveClass::ThreeThree => 200,
        MoveClass::Four => 60,
        MoveClass::FourPlus => 120,
        MoveClass::FourThree => 500,
        MoveClass::OpenFour => 800,
        MoveClass::Five => 1600,
        _ => 0,
    }
}

/// The value of each threat alone, in the order of the bits; those of the side to move come first.
const THREAT_WORTH: [i16; 11] = [900, 300, 20, 80, 40, -900, -250, -60, -5, -20, -10];

fn handcrafted_threats(threats: usize) -> i16 {
    let bits = (0..THREAT_WORTH.len()).filter(|bit| threats >> bit & 1 == 1);
    bits.map(|bit| THREAT_WORTH[bit]).sum::<i16>().clamp(-1200, 1200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_lines_does_not_matter() {
        let code = |patterns: [LinePattern; 4]| {
            (0..4).fold(0u16, |code, n| code | (patterns[n] as u16) << (4 * n))
        };
        use LinePattern::*;
        let combination = combination_of_code(code([Four, Dead, OpenTwo, Two]));
        assert_eq!(combination, combination_of_code(code([Two, OpenTwo, Dead, Four])));
        assert_ne!(combination, combination_of_code(code([Two, OpenTwo, One, Four])));
        assert_eq!(
            patterns_of_combinations()[usize::from(combination)],
            [Dead, Two, OpenTwo, Four]
        );
        assert_eq!(patterns_of_combinations().len(), COMBINATIONS);
        assert_eq!(combination_of_code(0), 0);
    }

    #[test]
    fn a_dead_cell_is_worth_nothing() {
        for rule in RowRule::ALL {
            let weights = WeightTables::shipped(rule);
            assert_eq!(Side::ALL.map(|side| weights.worth(side, 0)), [0, 0]);
        }
    }
}
