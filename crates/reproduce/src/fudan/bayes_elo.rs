//! Ratings by the model of BayesElo (Coulom, 2005) with the report's settings: no advantage of the
//! first move, a draw value of 0.01, and the default prior of two virtual draws.
//!
//! The model: Elo's curve shifted by the draw value gives the probabilities of a win and of a loss,
//! and a draw is the rest. Davidson's model in `tesuji_play::statistics` fits the share of draws to
//! the games; this one fixes it.

use crate::comparison::Estimate;

/// Elo points by which the curve is shifted for a win and for a loss.
const DRAW: f64 = 0.01;
/// Virtual draws of a player in all, spread over its opponents by their games.
const PRIOR_DRAWS: f64 = 2.0;
/// Ratings are searched this far from those of the opponents.
const REACH: f64 = 2_000.0;
/// Number of intervals of a posterior, one for each Elo point or two.
const STEPS: usize = 4_096;

/// The games of a player against one opponent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct GamesAgainst {
    /// The opponent's rating.
    pub(super) rating: f64,
    /// Games won.
    pub(super) wins: f64,
    /// Games drawn, virtual ones included.
    pub(super) draws: f64,
    /// Games lost.
    pub(super) losses: f64,
}

impl GamesAgainst {
    fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }

    /// The logarithm of the probability of these games at a rating.
    fn log_likelihood(&self, rating: f64) -> f64 {
        let difference = rating - self.rating;
        let [win, loss] = [difference - DRAW, -difference - DRAW].map(expected);
        let draw = expected(difference + DRAW) - win;
        self.wins * win.ln() + self.draws * draw.ln() + self.losses * loss.ln()
    }

    /// The same games with virtual draws.
    fn with_draws(self, draws: f64) -> GamesAgainst {
        GamesAgainst { draws: self.draws + draws, ..self }
    }
}

/// Elo's curve.
fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-difference / 400.0))
}

/// The virtual draws of a player with `all` games in a pairing of `games`: each of two colors gets
/// a quarter of the prior.
fn virtual_draws(games: f64, all: f64) -> f64 {
    if all > 0.0 { 2.0 * 0.25 * PRIOR_DRAWS * games / all } else { 0.0 }
}

/// Rates a player against opponents with fixed ratings: the most probable rating and the central
/// 95 % of its posterior. `None` without games.
pub(super) fn place(opponents: &[GamesAgainst]) -> Option<Estimate> {
    let all: f64 = opponents.iter().map(GamesAgainst::games).sum();
    if all == 0.0 {
        return None;
    }
    let with_prior = |games: &GamesAgainst| games.with_draws(virtual_draws(games.games(), all));
    let games: Vec<GamesAgainst> = opponents.iter().map(with_prior).collect();
    let least = games.iter().map(|games| games.rating).fold(f64::INFINITY, f64::min) - REACH;
    let most = games.iter().map(|games| games.rating).fold(f64::NEG_INFINITY, f64::max) + REACH;
    let at = |step: usize| least + (most - least) * step as f64 / STEPS as f64;
    let value = most_probable(&games, [least, most]);
    let peak = log_likelihood(&games, value);
    let mass: Vec<f64> =
        (0..=STEPS).map(|step| (log_likelihood(&games, at(step)) - peak).exp()).collect();
    let total: f64 = mass.iter().sum();
    let quantile = |share: f64| {
        let mut sum = 0.0;
        let step = mass.iter().position(|part| {
            sum += part;
            sum >= share * total
        });
        at(step.unwrap_or(STEPS))
    };
    Some(Estimate { value, low: quantile(0.025), high: quantile(0.975) })
}

fn log_likelihood(games: &[GamesAgainst], rating: f64) -> f64 {
    games.iter().map(|games| games.log_likelihood(rating)).sum()
}

/// The maximum of a concave function, by thirds of the interval.
fn most_probable(games: &[GamesAgainst], [mut low, mut high]: [f64; 2]) -> f64 {
    while high - low > 1e-6 {
        let third = (high - low) / 3.0;
        if log_likelihood(games, low + third) < log_likelihood(games, high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    (low + high) / 2.0
}

/// Rates a pool in which `wins[a][b]` games were won by `a` against `b` and none was drawn. The mean
/// of the ratings is `mean`.
pub(super) fn pool<const N: usize>(wins: &[[u64; N]; N], mean: f64) -> [f64; N] {
    let games = |a: usize, b: usize| (wins[a][b] + wins[b][a]) as f64;
    let all: [f64; N] = std::array::from_fn(|a| (0..N).map(|b| games(a, b)).sum());
    let mut ratings = [mean; N];
    // Each player in turn takes its most probable rating, given those of the others.
    for _ in 0..200 {
        for player in 0..N {
            let against = |other: usize| {
                let played = games(player, other);
                let record = GamesAgainst {
                    rating: ratings[other],
                    wins: wins[player][other] as f64,
                    draws: 0.0,
                    losses: wins[other][player] as f64,
                };
                let draws = virtual_draws(played, all[player]) + virtual_draws(played, all[other]);
                record.with_draws(draws)
            };
            let games: Vec<GamesAgainst> =
                (0..N).filter(|other| games(player, *other) > 0.0).map(against).collect();
            ratings[player] = most_probable(&games, [mean - REACH, mean + REACH]);
        }
        let shift = mean - ratings.iter().sum::<f64>() / N as f64;
        ratings = ratings.map(|rating| rating + shift);
    }
    ratings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(rating: f64, wins: f64, losses: f64) -> GamesAgainst {
        GamesAgainst { rating, wins, draws: 0.0, losses }
    }

    #[test]
    fn probabilities_add_up_and_an_even_score_is_the_opponents_rating() {
        let games = |wins, draws, losses| GamesAgainst { rating: 1500.0, wins, draws, losses };
        let probability = |games: GamesAgainst| games.log_likelihood(1530.0).exp();
        let sum: f64 = [games(1.0, 0.0, 0.0), games(0.0, 1.0, 0.0), games(0.0, 0.0, 1.0)]
            .map(probability)
            .into_iter()
            .sum();
        assert!((sum - 1.0).abs() < 1e-12);
        let even = place(&[against(1500.0, 50.0, 50.0)]).unwrap();
        assert!((even.value - 1500.0).abs() < 1e-3, "{even:?}");
        assert!((even.high - 1568.0).abs() < 3.0 && (even.low - 1432.0).abs() < 3.0, "{even:?}");
    }

    #[test]
    fn a_virtual_draw_is_a_game_won_and_a_game_lost() {
        // Twelve games won and one virtual draw: 13 of 14.
        let all_won = place(&[against(1509.0, 12.0, 0.0)]).unwrap();
        let odds = 400.0 * 13f64.log10();
        assert!((all_won.value - 1509.0 - odds).abs() < 0.1, "{all_won:?}");
        assert!(all_won.low > 1509.0 && all_won.high > all_won.value);
        assert!(place(&[]).is_none());
    }

    #[test]
    fn stronger_opponents_make_the_same_score_worth_more() {
        let one = place(&[against(1500.0, 3.0, 3.0), against(1700.0, 2.0, 4.0)]).unwrap();
        let other = place(&[against(1600.0, 3.0, 3.0), against(1800.0, 2.0, 4.0)]).unwrap();
        assert!((other.value - one.value - 100.0).abs() < 1e-3);
    }

    #[test]
    fn a_pool_has_its_mean_and_the_order_of_its_points() {
        let ratings = pool(&[[0, 5, 6], [1, 0, 5], [0, 1, 0]], 1500.0);
        assert!((ratings.iter().sum::<f64>() / 3.0 - 1500.0).abs() < 1e-6);
        assert!(ratings[0] > ratings[1] && ratings[1] > ratings[2], "{ratings:?}");
    }
}
