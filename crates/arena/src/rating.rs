//! What the score of a match says about strength: Elo difference, its error bar, and the likelihood
//! that the first player is the better one.

use serde::Serialize;

/// Wins, draws and losses of the first player of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// The strength of the first player against the second. Games count as independent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// Share of the points, 0 to 1.
    pub score: f64,
    /// Elo difference; `None` when one side made every point, as no finite number fits.
    pub elo: Option<f64>,
    /// Half the width of the 95 % interval around `elo`; `None` when an end of it is not finite.
    pub margin: Option<f64>,
    /// Likelihood of superiority: how sure the decided games make us that the first is the stronger.
    pub superiority: f64,
}

/// The 97.5 % quantile of the normal distribution.
const TWO_SIDED_95: f64 = 1.959_963_985;

impl Tally {
    /// Counts one game: 1 point for a win of the first player, ½ for a draw, 0 for a loss.
    pub fn add(&mut self, points: f64) {
        if points > 0.75 {
            self.wins += 1;
        } else if points > 0.25 {
            self.draws += 1;
        } else {
            self.losses += 1;
        }
    }

    /// How many games were counted.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// What the tally says about strength; `None` without games.
    pub fn rating(&self) -> Option<Rating> {
        let games = self.games() as f64;
        if games == 0.0 {
            return None;
        }
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(|n| n as f64);
        let score = (wins + draws / 2.0) / games;
        let variance =
            (wins * (1.0 - score).powi(2) + draws * (0.5 - score).powi(2) + losses * score.powi(2))
                / games;
        let spread = TWO_SIDED_95 * (variance / games).sqrt();
        let margin =
            elo(score + spread).zip(elo(score - spread)).map(|(high, low)| (high - low) / 2.0);
        Some(Rating { score, elo: elo(score), margin, superiority: self.superiority() })
    }

    /// Draws say nothing about which side is stronger; of the decided games, that many more wins than
    /// losses would be a matter of luck with probability 1 − this (normal approximation).
    fn superiority(&self) -> f64 {
        let (wins, losses) = (self.wins as f64, self.losses as f64);
        if wins + losses == 0.0 {
            return 0.5;
        }
        (1.0 + error_function((wins - losses) / (2.0 * (wins + losses)).sqrt())) / 2.0
    }
}

/// The Elo difference at which this score is expected (logistic curve); `None` at and beyond 0 and 1.
fn elo(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}

/// erf by the rational approximation 7.1.26 of Abramowitz and Stegun (1964), off by less than 2·10⁻⁷.
fn error_function(x: f64) -> f64 {
    const A: [f64; 5] = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
    let t = 1.0 / (1.0 + 0.3275911 * x.abs());
    let polynomial = A.iter().rev().fold(0.0, |sum, a| (sum + a) * t);
    x.signum() * (1.0 - polynomial * (-x * x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rating(wins: u64, draws: u64, losses: u64) -> Rating {
        Tally { wins, draws, losses }.rating().unwrap()
    }

    #[test]
    fn known_differences() {
        // 64 % is 100 Elo, 75 % is 191, 10:1 is 400.
        assert!((rating(64, 0, 36).elo.unwrap() - 99.95).abs() < 0.01);
        assert!((rating(50, 50, 0).elo.unwrap() - 190.85).abs() < 0.01);
        assert!((rating(1000, 0, 100).elo.unwrap() - 400.0).abs() < 1e-9);
        assert_eq!(rating(5, 7, 5).elo, Some(0.0));
    }

    #[test]
    fn error_bars_of_even_matches_without_draws() {
        for (games, margin) in [(100, 68.0), (400, 34.1), (1000, 21.5), (10_000, 6.8)] {
            let even = rating(games / 2, 0, games / 2);
            assert!((even.margin.unwrap() - margin).abs() < 1.0, "{games}: {even:?}");
        }
    }

    #[test]
    fn a_clean_sweep_has_no_finite_elo() {
        let sweep = rating(10, 0, 0);
        assert_eq!((sweep.elo, sweep.margin), (None, None));
        assert!(sweep.superiority > 0.999);
        assert_eq!(rating(0, 10, 0).superiority, 0.5);
        assert!(Tally::default().rating().is_none());
    }

    #[test]
    fn superiority_is_the_normal_tail() {
        // One standard deviation: 84.13 %; two: 97.72 %.
        assert!((rating(55, 0, 45).superiority - 0.841345).abs() < 1e-5);
        assert!((rating(60, 0, 40).superiority - 0.977250).abs() < 1e-5);
        assert!((rating(45, 0, 55).superiority - 0.158655).abs() < 1e-5);
    }
}
