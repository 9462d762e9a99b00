//! The score of a match as wins, draws and losses. Games count as independent here; for
//! color-swapped pairs use [`Pentanomial`](super::Pentanomial).

use serde::{Deserialize, Serialize};

use super::Rating;
use super::elo::normal_below;

/// Wins, draws and losses of the first player of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct WinDrawLoss {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl WinDrawLoss {
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

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// One point per win, half a point per draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The strength estimate, with all games independent; `None` without games.
    pub fn rating(&self) -> Option<Rating> {
        let rating = Rating::of_sample(&[self.losses, self.draws, self.wins], 1)?;
        Some(Rating { superiority: self.superiority(), ..rating })
    }

    /// The probability that the first player is the stronger one, from the decided games alone
    /// (normal approximation): draws carry no information about which side is stronger.
    fn superiority(&self) -> f64 {
        let (wins, losses) = (self.wins as f64, self.losses as f64);
        if wins + losses == 0.0 {
            return 0.5;
        }
        normal_below((wins - losses) / (wins + losses).sqrt())
    }
}

impl std::iter::Sum for WinDrawLoss {
    fn sum<I: Iterator<Item = WinDrawLoss>>(tallies: I) -> WinDrawLoss {
        tallies.fold(WinDrawLoss::default(), |a, b| WinDrawLoss {
            wins: a.wins + b.wins,
            draws: a.draws + b.draws,
            losses: a.losses + b.losses,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rating(wins: u64, draws: u64, losses: u64) -> Rating {
        WinDrawLoss { wins, draws, losses }.rating().unwrap()
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
            assert!((even.margin.unwrap() / margin - 1.0).abs() < 0.03, "{games}: {even:?}");
        }
    }

    #[test]
    fn a_clean_sweep_has_no_finite_elo() {
        let sweep = rating(10, 0, 0);
        assert_eq!((sweep.elo, sweep.margin), (None, None));
        assert!(sweep.superiority > 0.999);
        assert_eq!(rating(0, 10, 0).superiority, 0.5);
        assert!(WinDrawLoss::default().rating().is_none());
    }

    #[test]
    fn draws_alone_leave_a_bar() {
        let [few, many] = [rating(0, 10, 0), rating(0, 1000, 0)].map(|r| r.margin.unwrap());
        assert!(few > 50.0 && many > 0.5 && many < few / 50.0, "{few} {many}");
    }

    #[test]
    fn superiority_is_the_normal_tail() {
        // One standard deviation: 84.13 %; two: 97.72 %.
        assert!((rating(55, 0, 45).superiority - 0.841345).abs() < 1e-5);
        assert!((rating(60, 0, 40).superiority - 0.977250).abs() < 1e-5);
        assert!((rating(45, 0, 55).superiority - 0.158655).abs() < 1e-5);
    }
}
