//! The engine's parameters as two lists: those of the estimate and those of the move order.
//!
//! A parameter is one of the engine's integers divided by its scale, so that a regression works
//! with log odds.

use tesuji_games::{RowRule, Side};
use tesuji_gomoku::engine::weights::{
    COMBINATIONS, EngineWeights, SCALE, SideWeights, THREATS, patterns_of_combinations,
};
use tesuji_gomoku::{LinePattern, MoveClass};

use super::fit::SharedShifts;

/// A move whose score is higher by this is e times as likely to be the best.
pub const MOVE_SCORE_SCALE: i32 = 100;

/// Shifts of cells: one for each pattern and each class.
const CELL_SHIFTS: usize = LinePattern::ALL.len() + MoveClass::COUNT;

const THREAT_BITS: usize = THREATS.ilog2() as usize;

/// The indices of parameters in the lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParameterLayout {
    rule: RowRule,
    /// 2 if the sides have separate parameters, else 1.
    sides: usize,
}

impl ParameterLayout {
    /// The layout for a rule.
    pub fn new(rule: RowRule) -> ParameterLayout {
        ParameterLayout { rule, sides: if EngineWeights::sides_differ(rule) { 2 } else { 1 } }
    }

    /// In the list of the estimate, the index of the value of an empty cell for a side; in the list
    /// of the order, the index of what the side creates by a move there.
    #[inline]
    pub fn cell(self, side: Side, combination: u16) -> usize {
        (side.index() % self.sides) * COMBINATIONS + usize::from(combination)
    }

    /// In the list of the estimate, the index of threats for the side to move.
    #[inline]
    pub fn threats(self, side: Side, threats: usize) -> usize {
        self.cells() + (side.index() % self.sides) * THREATS + threats
    }

    /// In the list of the order, the index of the combination that `side` would create on the cell
    /// of the opponent's move.
    #[inline]
    pub fn defense(self, side: Side, combination: u16) -> usize {
        self.cells() + self.cell(side, combination)
    }

    /// The number of the estimate's parameters for cells; the others are for threats.
    pub fn cells(self) -> usize {
        self.sides * COMBINATIONS
    }

    /// The parameters of the estimate.
    pub fn estimate_of(self, weights: &EngineWeights) -> Vec<f32> {
        self.parameters(weights, SCALE, [|side| &side.worth, |side| &side.threats])
    }

    /// The parameters of the order.
    pub fn order_of(self, weights: &EngineWeights) -> Vec<f32> {
        self.parameters(weights, MOVE_SCORE_SCALE, [|side| &side.attack, |side| &side.defense])
    }

    fn parameters(
        self,
        weights: &EngineWeights,
        scale: i32,
        parts: [fn(&SideWeights) -> &Vec<i16>; 2],
    ) -> Vec<f32> {
        let sides = &weights.sides[..self.sides];
        let all = parts.into_iter().flat_map(|part| sides.iter().flat_map(part));
        all.map(|&number| f32::from(number) / scale as f32).collect()
    }

    /// The shifts that the estimate's parameters share: those of cells by pattern and class, those
    /// of threats by threat.
    pub fn shared_in_estimate(self) -> SharedShifts {
        let mut shared = SharedShifts::new(self.sides * (CELL_SHIFTS + 1 + THREAT_BITS));
        self.push_cells(&mut shared, 0);
        for side in 0..self.sides {
            let first = self.sides * CELL_SHIFTS + side * (1 + THREAT_BITS);
            for threats in 0..THREATS {
                let bits = (0..THREAT_BITS).filter(|bit| threats >> bit & 1 == 1);
                shared.push(std::iter::once(first).chain(bits.map(|bit| first + 1 + bit)));
            }
        }
        shared
    }

    /// The shifts that the order's parameters share: by pattern and class.
    pub fn shared_in_order(self) -> SharedShifts {
        let mut shared = SharedShifts::new(2 * self.sides * CELL_SHIFTS);
        self.push_cells(&mut shared, 0);
        self.push_cells(&mut shared, self.sides * CELL_SHIFTS);
        shared
    }

    /// An empty line and a cell without patterns have no shift: they are the reference level.
    fn push_cells(self, shared: &mut SharedShifts, first: usize) {
        for side in 0..self.sides {
            let winning = self.rule.of_side(Side::ALL[side]);
            let first = first + side * CELL_SHIFTS;
            for patterns in patterns_of_combinations() {
                let class = MoveClass::of(winning, patterns) as usize;
                let lines = patterns.iter().map(|&pattern| pattern as usize);
                let lines = lines.filter(|&pattern| pattern > 0);
                let class = Some(LinePattern::ALL.len() + class).filter(|_| class > 0);
                shared.push(lines.chain(class).map(|shift| first + shift));
            }
        }
    }

    /// Rounds parameters to the engine's weights.
    pub fn engine_weights(self, estimate: &[f32], order: &[f32]) -> EngineWeights {
        let sides = Side::ALL.map(|side| {
            let from_estimate = |start: usize, length| rounded(&estimate[start..][..length], SCALE);
            let from_order =
                |start: usize| rounded(&order[start..][..COMBINATIONS], MOVE_SCORE_SCALE);
            SideWeights {
                worth: from_estimate(self.cell(side, 0), COMBINATIONS),
                attack: from_order(self.cell(side, 0)),
                defense: from_order(self.defense(side, 0)),
                threats: from_estimate(self.threats(side, 0), THREATS),
            }
        });
        EngineWeights { rule: self.rule, sides }
    }
}

fn rounded(parameters: &[f32], scale: i32) -> Vec<i16> {
    // Casts of floats saturate.
    parameters.iter().map(|parameter| (parameter * scale as f32).round() as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_round_trip_as_parameters() {
        for rule in RowRule::ALL {
            let (layout, mut weights) =
                (ParameterLayout::new(rule), EngineWeights::handcrafted(rule));
            weights.sides[0].attack[7] = i16::MIN;
            weights.sides[0].defense[COMBINATIONS - 1] = i16::MAX;
            weights.sides[0].threats[THREATS - 1] = -77;
            if !EngineWeights::sides_differ(rule) {
                weights.sides[1] = weights.sides[0].clone();
            }
            let (estimate, order) = (layout.estimate_of(&weights), layout.order_of(&weights));
            assert_eq!(layout.engine_weights(&estimate, &order), weights, "{rule}");
            let last = layout.threats(Side::Second, THREATS - 1);
            assert_eq!(
                (last + 1, layout.cells()),
                (estimate.len(), layout.threats(Side::First, 0))
            );
            assert_eq!(layout.defense(Side::Second, COMBINATIONS as u16 - 1) + 1, order.len());
        }
    }
}
