//! Color-swapped pairs of games as the unit of a match.
//!
//! The two games of a pair share their opening, so their results are correlated: with a biased
//! opening each player wins once, whatever their strength. Counted as single games they
//! overestimate the variance; counted as pairs, the variance is the observed one (Van den Bergh,
//! 2018).

use serde::{Deserialize, Serialize};

use super::Rating;

/// Number of pairs by the first player's points: 0, ½, 1, 1½ or 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial {
    /// Number of pairs with `index / 2` points.
    pub counts: [u64; 5],
}

impl Pentanomial {
    /// Counts one pair by the first player's points (0, ½ or 1) in its two games.
    pub fn add(&mut self, points_a: f64, points_b: f64) {
        let halves =
            [points_a, points_b].map(|points| (points * 2.0).round().clamp(0.0, 2.0) as usize);
        self.counts[halves[0] + halves[1]] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// The strength estimate of the pairs; `None` without pairs.
    pub fn rating(&self) -> Option<Rating> {
        Rating::of_sample(&self.counts, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WinDrawLoss;

    fn rating(counts: [u64; 5]) -> Rating {
        Pentanomial { counts }.rating().unwrap()
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let mut pairs = Pentanomial::default();
        assert_eq!(pairs.rating(), None);
        let results = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)];
        for (a, b) in results {
            pairs.add(a, b);
        }
        assert_eq!(pairs.counts, [1, 1, 2, 1, 1]);
        assert_eq!((pairs.pairs(), pairs.games()), (6, 12));
        assert_eq!(pairs.rating().unwrap().score, 0.5);
    }

    /// Elo and the ends of its interval as OpenBench's `Elo` computes them (with Student's
    /// quantile).
    #[test]
    fn intervals_agree_with_openbench() {
        let known = [
            ([10, 200, 500, 230, 20], [0.739, 9.050, 17.371]),
            ([5, 25, 60, 40, 15], [14.268, 42.137, 70.558]),
            ([20, 0, 61, 0, 37], [6.987, 50.405, 95.454]),
            ([100, 2000, 5000, 2300, 150], [4.685, 7.277, 9.871]),
        ];
        for (counts, [low, elo, high]) in known {
            let ours = rating(counts);
            let slack = 0.02 * (high - low);
            assert!((ours.elo.unwrap() - elo).abs() < 0.001, "{ours:?}");
            assert!((ours.low.unwrap() - low).abs() < slack, "{ours:?}");
            assert!((ours.high.unwrap() - high).abs() < slack, "{ours:?}");
        }
    }

    #[test]
    fn biased_openings_narrow_the_interval_and_independent_games_do_not() {
        // Every opening wins for the side that has it: single games vary, pairs do not.
        let biased = rating([1, 0, 98, 0, 1]);
        let singles = WinDrawLoss { wins: 100, draws: 0, losses: 100 }.rating().unwrap();
        assert!(biased.margin.unwrap() < 0.3 * singles.margin.unwrap());
        // Independent even games: 1/4, 1/2, 1/4.
        let independent = rating([250, 0, 500, 0, 250]);
        let singles = WinDrawLoss { wins: 1000, draws: 0, losses: 1000 }.rating().unwrap();
        assert!((independent.margin.unwrap() / singles.margin.unwrap() - 1.0).abs() < 0.002);
    }

    #[test]
    fn a_clean_sweep_is_bounded_from_one_side_only() {
        let sweep = rating([0, 0, 0, 0, 10]);
        assert_eq!(
            (sweep.elo, sweep.margin, sweep.high, sweep.normalized),
            (None, None, None, None)
        );
        assert!(sweep.low.unwrap() > 200.0 && sweep.superiority > 0.999_9);
        let swept = rating([10, 0, 0, 0, 0]);
        assert!(swept.low.is_none() && swept.high.unwrap() < -200.0 && swept.superiority < 1e-4);
        assert!(rating([0, 0, 0, 0, 1]).superiority < 0.95, "one pair proves little");
    }

    #[test]
    fn equal_pairs_leave_an_interval_that_shrinks() {
        let [few, more, many] = [10, 100, 1000].map(|n| rating([0, 0, n, 0, 0]));
        assert!(few.elo == Some(0.0) && (few.superiority - 0.5).abs() < 1e-6);
        assert!(few.margin.unwrap() > 4.0 * more.margin.unwrap());
        assert!(more.margin.unwrap() > 4.0 * many.margin.unwrap() && many.margin.unwrap() > 0.1);
        assert_eq!(few.normalized, None);
    }

    #[test]
    fn normalized_elo_is_elo_for_games_without_draws_between_near_equals() {
        let even = rating([2_475, 0, 5_000, 0, 2_525]);
        let (elo, normalized) = (even.elo.unwrap(), even.normalized.unwrap());
        assert!((normalized / elo - 1.0).abs() < 0.01, "{elo} {normalized}");
        assert!((even.normalized_margin.unwrap() / even.margin.unwrap() - 1.0).abs() < 0.01);
        assert!((even.superiority - 0.760).abs() < 0.001, "{even:?}");
    }

    #[test]
    fn the_opponent_sees_the_mirror_image() {
        let (ours, theirs) = (rating([5, 25, 60, 40, 15]), rating([15, 40, 60, 25, 5]));
        assert!((ours.elo.unwrap() + theirs.elo.unwrap()).abs() < 1e-9);
        assert!((ours.low.unwrap() + theirs.high.unwrap()).abs() < 1e-9);
        assert!((ours.superiority + theirs.superiority - 1.0).abs() < 1e-6);
    }
}
