//! The strength of one player against another, with confidence intervals.

use serde::{Deserialize, Serialize};

use super::elo::{
    NORMALIZED_ELO_PER_DEVIATION, elo_of_score, normal_below, two_sided_95_of_student,
};

/// The strength of the first player against the second. Intervals are two-sided 95 % confidence
/// intervals.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// Share of the points, 0 to 1.
    pub score: f64,
    /// Half the width of its interval.
    pub score_margin: f64,
    /// Elo difference; `None` if one side won every game, since no finite number fits.
    pub elo: Option<f64>,
    /// Half the width of the interval; `None` if an end of it is infinite.
    pub margin: Option<f64>,
    /// Lower end of the interval; `None` if it is minus infinity. Finite even if the first player
    /// won every game.
    pub low: Option<f64>,
    /// Upper end of the interval; `None` if it is infinite.
    pub high: Option<f64>,
    /// Normalized Elo: the score above ½ in standard deviations of a game. `None` if every pair (or
    /// game) had the same result: the deviation is then zero.
    pub normalized: Option<f64>,
    /// Half the width of the interval around `normalized`.
    pub normalized_margin: Option<f64>,
    /// Likelihood of superiority (LOS): the probability that the first player is the stronger one.
    pub superiority: f64,
}

impl Rating {
    /// Estimates a rating from a sample of independent units (games, or pairs of games):
    /// `counts[i]` of them scored `i / (counts.len() - 1)` of the points. `None` for an empty
    /// sample.
    ///
    /// The variance is computed as if one more unit had been seen, in equal shares of every result.
    /// A match whose units all had the same result therefore gets an interval that shrinks with its
    /// length, not one of ± 0; with a hundred units it changes a typical interval by about 1 %. The
    /// width uses Student's quantile, so that intervals of ten pairs have the same coverage as
    /// those of a thousand.
    pub(super) fn of_sample<const N: usize>(
        counts: &[u64; N],
        games_per_unit: u64,
    ) -> Option<Rating> {
        let seen = counts.map(|count| count as f64);
        let units: f64 = seen.iter().sum();
        if units == 0.0 {
            return None;
        }
        let (score, variance) = mean_and_variance(&seen);
        let (_, cautious) = mean_and_variance(&seen.map(|count| count + 1.0 / N as f64));
        let error = (cautious / units).sqrt();
        let reach = error * two_sided_95_of_student(units);
        let [low, high] = [score - reach, score + reach].map(elo_of_score);
        let in_normalized =
            NORMALIZED_ELO_PER_DEVIATION / (variance * games_per_unit as f64).sqrt();
        Some(Rating {
            score,
            score_margin: reach,
            elo: elo_of_score(score),
            margin: high.zip(low).map(|(high, low)| (high - low) / 2.0),
            low,
            high,
            normalized: (variance > 0.0).then_some((score - 0.5) * in_normalized),
            normalized_margin: (variance > 0.0).then_some(reach * in_normalized),
            superiority: normal_below((score - 0.5) / error),
        })
    }
}

/// Weighted mean and variance of values spaced evenly from 0 to 1.
pub(super) fn mean_and_variance<const N: usize>(weights: &[f64; N]) -> (f64, f64) {
    let values = || (0..N).map(|i| i as f64 / (N - 1) as f64);
    let total: f64 = weights.iter().sum();
    let mean = weights.iter().zip(values()).map(|(w, v)| w * v).sum::<f64>() / total;
    let squares: f64 = weights.iter().zip(values()).map(|(w, v)| w * (v - mean).powi(2)).sum();
    (mean, squares / total)
}
