//! The evaluation by patterns: early exits by the most urgent threat, otherwise a weighted sum in
//! which the patterns of the side that has just moved count less, because the opponent moves next.

use tesuji_games::Side;

use super::patterns::{FudanPattern, PatternCategory, PatternCounts};

/// A value in tenths, so that γ = 0.1 and 0.2 stay integers and sums are exact.
pub type Points = i64;

/// The number of [`Points`] in one unit of value.
pub const TENTHS: Points = 10;

const FIVE: Points = 1_000_000 * TENTHS;
const WINNING: Points = 100_000 * TENTHS;
const FORCING: Points = 1_000 * TENTHS;

/// Whether the most urgent threat alone determines the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EarlyExit {
    /// It does (the final agent).
    Enabled,
    /// The value is always the weighted sum (pydan2).
    Disabled,
}

/// The values of the patterns and their combination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FudanEvaluation {
    /// The value of each pattern of the maximizing side, in whole units, in the order of
    /// [`FudanPattern::ALL`].
    pub own: [Points; 10],
    /// The amount subtracted for each pattern of the minimizing side.
    pub other: [Points; 10],
    /// γ in tenths: the weight of the patterns of the side that has just moved. The opponent's
    /// weight is 1.
    pub gamma_tenths: Points,
    /// Whether the most urgent threat alone determines the value.
    pub early_exit: EarlyExit,
}

impl FudanEvaluation {
    /// The final agent's evaluation (pyzobrist).
    pub fn last() -> Self {
        let values = [1_000_000, 100_000, 98_000, 1_000, 1_000, 1_000, 950, 40, 50, 10];
        FudanEvaluation {
            own: values,
            other: values,
            gamma_tenths: 1,
            early_exit: EarlyExit::Enabled,
        }
    }

    /// The final agent's evaluation with its sign error: a compensation four of the opponent
    /// subtracts 102,000. It affects [`Self::sum`] only, since a compensation four ends
    /// [`Self::points`] before the sum.
    pub fn last_faithful() -> Self {
        let mut evaluation = FudanEvaluation::last();
        evaluation.other[FudanPattern::CompensationFour as usize] = 102_000;
        evaluation
    }

    /// The second agent's evaluation (pydan2), without the compensation four.
    pub fn pydan2() -> Self {
        let values = [1_000_000, 100_000, 0, 1_000, 1_000, 900, 991, 10, 9, 9];
        FudanEvaluation {
            own: values,
            other: values,
            gamma_tenths: 2,
            early_exit: EarlyExit::Disabled,
        }
    }

    /// The second agent's evaluation with its sign error: a compensation of the opponent *adds*
    /// 1,009.
    pub fn pydan2_faithful() -> Self {
        let mut evaluation = FudanEvaluation::pydan2();
        evaluation.other[FudanPattern::Compensation as usize] = -1_009;
        evaluation
    }

    /// The value of a position for `own` after a move of `mover`.
    pub fn points(&self, counts: &PatternCounts<10>, own: Side, mover: Side) -> Points {
        let early = match self.early_exit {
            EarlyExit::Enabled => self.exit(counts.of(mover), counts.of(!mover)),
            EarlyExit::Disabled => None,
        };
        match early {
            Some(points) if mover == own => points,
            Some(points) => -points,
            None => self.sum(counts, own, mover),
        }
    }

    /// The value for the mover if one threat is more urgent than everything else. The opponent
    /// moves next, so its winning threats come first; it cannot answer two forcing threats of the
    /// mover.
    fn exit(&self, mover: &[u16; 10], other: &[u16; 10]) -> Option<Points> {
        if has_five(mover) {
            Some(FIVE)
        } else if has_five(other) {
            Some(-FIVE)
        } else if self.wins_next(other) {
            Some(-WINNING)
        } else if self.wins_next(mover) || forcing(mover) > 1 {
            Some(WINNING)
        } else if forcing(other) > 0 {
            Some(-FORCING)
        } else {
            None
        }
    }

    /// γ₁·Σ|p|·v + γ₂·Σ|p|·v, the second sum negative.
    pub fn sum(&self, counts: &PatternCounts<10>, own: Side, mover: Side) -> Points {
        let weight = |side| if side == mover { self.gamma_tenths } else { TENTHS };
        let total = |side, values: &[Points; 10]| -> Points {
            counts
                .of(side)
                .iter()
                .zip(values)
                .map(|(&count, value)| Points::from(count) * value)
                .sum()
        };
        weight(own) * total(own, &self.own) - weight(!own) * total(!own, &self.other)
    }

    /// Whether a side has a winning threat: an open four or, if it has a value, a compensation
    /// four.
    pub(super) fn wins_next(&self, counts: &[u16; 10]) -> bool {
        let knows_compensation = self.own[FudanPattern::CompensationFour as usize] != 0;
        counts[FudanPattern::OpenFour as usize] > 0
            || knows_compensation && counts[FudanPattern::CompensationFour as usize] > 0
    }

    /// The value of five in a row.
    pub(super) const fn five() -> Points {
        FIVE
    }
}

pub(super) fn has_five(counts: &[u16; 10]) -> bool {
    counts[FudanPattern::Five as usize] > 0
}

/// The number of forcing threats.
pub(super) fn forcing(counts: &[u16; 10]) -> u16 {
    let is_forcing = |pattern: &&FudanPattern| pattern.category() == PatternCategory::ForcingThreat;
    FudanPattern::ALL.iter().filter(is_forcing).map(|&pattern| counts[pattern as usize]).sum()
}
