//! The expected outcome and length of a test, with the log-likelihood ratio modeled as a Brownian
//! motion.

use serde::{Deserialize, Serialize};

use super::{Sprt, SprtModel};
use crate::statistics::elo::{NORMALIZED_ELO_PER_DEVIATION, score_of_elo};

/// The expected outcome and length of a test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Forecast {
    /// Probability that H1 is accepted.
    pub pass: f64,
    /// Expected number of games.
    pub games: f64,
}

impl Sprt {
    /// Forecasts the test for a true difference of `elo` on the test's own scale. `deviation` is
    /// the standard deviation of a game's points (½ without draws); normalized Elo does not need
    /// it.
    ///
    /// Per game the ratio drifts by (t₁ − t₀)(t − (t₀ + t₁)/2) and has variance (t₁ − t₀)², where t
    /// is the strength in deviations; the rest is the exit of a Brownian motion with drift from an
    /// interval.
    pub fn forecast(&self, elo: f64, deviation: f64) -> Forecast {
        let in_deviations = |elo: f64| match self.model {
            SprtModel::Normalized => elo / NORMALIZED_ELO_PER_DEVIATION,
            SprtModel::Logistic => (score_of_elo(elo) - 0.5) / deviation,
        };
        let [t0, t1, t] = [self.elo0, self.elo1, elo].map(in_deviations);
        let (drift, variance) = ((t1 - t0) * (t - (t0 + t1) / 2.0), (t1 - t0).powi(2));
        let (lower, upper) = self.bounds();
        let pull = 2.0 * drift / variance;
        if pull.abs() * (upper - lower) < 1e-6 {
            let pass = -lower / (upper - lower);
            return Forecast { pass, games: -lower * upper / variance };
        }
        // (1 − e^−kA) / (e^−kB − e^−kA) for the bounds A < 0 < B, written so that nothing
        // overflows.
        let pass = if pull > 0.0 {
            (pull * lower).exp_m1() / (pull * (lower - upper)).exp_m1()
        } else {
            (pull * upper).exp() * (-pull * lower).exp_m1() / (pull * (upper - lower)).exp_m1()
        };
        Forecast { pass, games: (pass * upper + (1.0 - pass) * lower) / drift }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_lengths() {
        // α = β = 5 %, no draws: Wald's expected lengths at H0, and 1.6 times as long in the
        // middle.
        for (elo1, games) in [(5.0, 25_600.0), (10.0, 6_400.0), (20.0, 1_600.0), (50.0, 256.0)] {
            let sprt = Sprt::new(0.0, elo1, 0.05, 0.05, SprtModel::Normalized).unwrap();
            let at_h0 = sprt.forecast(0.0, 0.5);
            assert!((at_h0.games / games - 1.0).abs() < 0.01, "{elo1}: {at_h0:?}");
            let halfway = sprt.forecast(elo1 / 2.0, 0.5);
            assert!((halfway.games / at_h0.games - 1.64).abs() < 0.02 && halfway.pass == 0.5);
        }
    }

    #[test]
    fn forecasts_reproduce_the_error_rates() {
        for model in [SprtModel::Normalized, SprtModel::Logistic] {
            let sprt = Sprt::new(-2.0, 8.0, 0.05, 0.1, model).unwrap();
            assert!((sprt.forecast(-2.0, 0.4).pass - 0.05).abs() < 1e-3);
            assert!((sprt.forecast(8.0, 0.4).pass - 0.9).abs() < 1e-3);
            let passes =
                [-400.0, -8.0, -2.0, 3.0, 8.0, 400.0].map(|elo| sprt.forecast(elo, 0.4).pass);
            assert!(passes.is_sorted() && passes[0] < 1e-6 && passes[5] > 1.0 - 1e-6, "{passes:?}");
        }
    }
}
