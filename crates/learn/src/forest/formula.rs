//! Conversion of a forest's votes to a score.

use serde::{Deserialize, Serialize};

use super::Class;

/// Vote counts. Placements with only empty cells do not vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Votes {
    /// Votes for a win.
    pub win: u32,
    /// Votes for a draw.
    pub draw: u32,
    /// Votes for a loss.
    pub loss: u32,
}

impl Votes {
    /// Adds votes for a class.
    pub fn add(&mut self, class: Class, count: u32) {
        match class {
            Class::Win => self.win += count,
            Class::Draw => self.draw += count,
            Class::Loss => self.loss += count,
        }
    }

    /// The number of all votes.
    pub fn total(&self) -> u32 {
        self.win + self.draw + self.loss
    }
}

/// The value of the vote shares, in percent of all votes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VoteFormula {
    /// The value of votes for a win.
    pub win: f64,
    /// The value of votes for a draw.
    pub draw: f64,
    /// The value of votes for a loss.
    pub loss: f64,
    /// The value of a drawn game on the same scale; by default, the value of unanimous votes for a
    /// draw.
    pub drawn_game: Option<f64>,
    /// Whether to subtract the other side's score, so that one side's gain is the other's loss.
    pub zero_sum: bool,
    /// What the votes are a share of.
    #[serde(skip_serializing_if = "ShareOf::is_default")]
    pub share_of: ShareOf,
}

/// What votes are a share of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShareOf {
    /// Of the votes cast, as in the thesis: a new vote counts less, the more there are.
    #[default]
    Votes,
    /// Of all placements, whether they vote or not: every vote counts the same.
    Placements,
}

impl ShareOf {
    fn is_default(&self) -> bool {
        *self == ShareOf::default()
    }
}

/// The thesis's defaults (its Table 3-2).
impl Default for VoteFormula {
    fn default() -> Self {
        let (drawn_game, zero_sum, share_of) = (None, false, ShareOf::Votes);
        VoteFormula { win: 2.0, draw: 1.0, loss: -0.5, drawn_game, zero_sum, share_of }
    }
}

impl VoteFormula {
    /// The thesis's value of a position, in percent of `total` votes; 0 without votes.
    pub fn value(&self, votes: Votes, total: u32) -> f64 {
        if total == 0 {
            return 0.0;
        }
        let sum = self.win * f64::from(votes.win)
            + self.draw * f64::from(votes.draw)
            + self.loss * f64::from(votes.loss);
        100.0 * sum / f64::from(total)
    }

    /// The value of a vote for a class.
    pub fn of(&self, class: Class) -> f64 {
        [self.win, self.draw, self.loss][class as usize]
    }

    /// The value of a drawn game.
    pub fn drawn_game(&self) -> f64 {
        self.drawn_game.unwrap_or(100.0 * self.draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_the_thesis() {
        let votes = Votes { win: 30, draw: 50, loss: 20 };
        assert_eq!(VoteFormula::default().value(votes, 100), 60.0 + 50.0 - 10.0);
        assert_eq!(VoteFormula { draw: 1.5, ..VoteFormula::default() }.value(votes, 100), 125.0);
        assert_eq!(VoteFormula::default().value(Votes::default(), 0), 0.0);
    }

    /// The three shares sum to one, so only the relative value of a draw matters.
    #[test]
    fn only_one_of_the_three_weights_is_real() {
        let formula = VoteFormula::default();
        for (win, draw, loss) in [(3, 4, 9), (0, 1, 0), (7, 0, 2)] {
            let votes = Votes { win, draw, loss };
            let share = |n: u32| f64::from(n) / f64::from(votes.total());
            let one = -50.0 + 250.0 * (share(win) + 0.6 * share(draw));
            assert!((formula.value(votes, votes.total()) - one).abs() < 1e-9);
        }
    }
}
