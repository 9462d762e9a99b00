//! Simulated games of known strength, for the tests of the statistics.

#![allow(dead_code, reason = "not every test uses every function")]

use tesuji_games::random::{self, Rng};
use tesuji_play::Pentanomial;

/// Probabilities of loss, draw and win of a player `x` log-odds ahead, with Davidson's draw weight.
pub(crate) fn chances(x: f64, draw: f64) -> [f64; 3] {
    let (win, loss) = ((x / 2.0).exp(), (-x / 2.0).exp());
    let total = win + draw + loss;
    [loss / total, draw / total, win / total]
}

/// Draws an index by its probability.
pub(crate) fn drawn(chances: &[f64], rng: &mut Rng) -> usize {
    let mut rest = random::unit(rng);
    for (index, chance) in chances.iter().enumerate() {
        rest -= chance;
        if rest < 0.0 {
            return index;
        }
    }
    chances.len() - 1
}

/// The distribution of pairs in a match, except for the strength of the first player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairModel {
    /// Davidson's draw weight.
    pub(crate) draw: f64,
    /// How much an opening favors one side, in log-odds: the source of correlation within pairs.
    pub(crate) opening: f64,
}

impl PairModel {
    /// Probabilities of the five results of a pair, for a first player `strength` log-odds ahead.
    pub(crate) fn pairs(&self, strength: f64) -> [f64; 5] {
        let with = chances(strength + self.opening, self.draw);
        let against = chances(strength - self.opening, self.draw);
        let mut results = [0.0; 5];
        for (a, one) in with.iter().enumerate() {
            for (b, other) in against.iter().enumerate() {
                results[a + b] += one * other;
            }
        }
        results
    }

    /// The same for a first player whose strength on `scale` is `wanted`.
    pub(crate) fn pairs_at(&self, wanted: f64, scale: impl Fn(&[f64; 5]) -> f64) -> [f64; 5] {
        let (mut low, mut high) = (-10.0, 10.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if scale(&self.pairs(middle)) < wanted { low = middle } else { high = middle }
        }
        self.pairs(low)
    }
}

/// Mean and variance of a pair's share of the points.
pub(crate) fn moments(pairs: &[f64; 5]) -> (f64, f64) {
    let mean: f64 = pairs.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
    (mean, pairs.iter().enumerate().map(|(i, p)| p * (i as f64 / 4.0 - mean).powi(2)).sum())
}

/// Adds a random pair.
pub(crate) fn add_pair(pairs: &mut Pentanomial, chances: &[f64; 5], rng: &mut Rng) {
    pairs.counts[drawn(chances, rng)] += 1;
}
