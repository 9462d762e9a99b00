//! The log-likelihood ratio of a sample of pairs under two strengths.
//!
//! A hypothesis fixes only the strength; the rest of the distribution is free. So each hypothesis
//! gets its maximum-likelihood distribution: among all (p₀ … p₄) with that strength, the one that
//! makes the sample likeliest (generalized likelihood ratio). Lagrange multipliers give its form,
//! as Van den Bergh (2020) has shown for both kinds of strength:
//!
//! pᵢ = p̂ᵢ / (1 + λ dᵢ), with λ such that Σ pᵢ dᵢ = 0,
//!
//! where p̂ is the observed distribution, aᵢ = 0, ¼ … 1 the share of the points, and
//! - for a given mean s: dᵢ = aᵢ − s;
//! - for a given t = (μ − ½) / σ: dᵢ = (aᵢ − μ) − t ((aᵢ − μ)² − σ²) / 2σ, with μ and σ of p
//!   itself.
//!
//! The second follows from ∂μ/∂pᵢ = aᵢ and ∂σ/∂pᵢ = (aᵢ² − 2 μ aᵢ) / 2σ, minus the mean over p. As
//! μ and σ appear on both sides, it is iterated.

use crate::statistics::Pentanomial;
use crate::statistics::rating::mean_and_variance;

/// A distribution over the five results of a pair.
pub(super) type Distribution = [f64; 5];

/// The strength of a hypothesis.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constraint {
    /// The mean share of the points.
    Mean(f64),
    /// The excess of the mean over ½, in standard deviations of a pair.
    Excess(f64),
}

/// Replaces a count of zero, whose logarithm would be infinite: a thousandth of a pair.
const UNSEEN: f64 = 1e-3;

/// The log-likelihood ratio of `high` over `low`, given the pairs.
pub(super) fn log_ratio(pairs: &Pentanomial, low: Constraint, high: Constraint) -> f64 {
    let counts = pairs.counts.map(|count| (count as f64).max(UNSEEN));
    let total: f64 = counts.iter().sum();
    let seen = counts.map(|count| count / total);
    let (low, high) = (best_under(&seen, low), best_under(&seen, high));
    (0..5).map(|i| counts[i] * (high[i] / low[i]).ln()).sum()
}

/// The distribution under the constraint that makes `seen` likeliest.
pub(super) fn best_under(seen: &Distribution, constraint: Constraint) -> Distribution {
    match constraint {
        Constraint::Mean(mean) => tilted(seen, &SHARES.map(|share| share - mean), &mut 0.0),
        Constraint::Excess(excess) => with_excess(seen, excess),
    }
}

/// The possible results of a pair as shares of its points.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Start values of the deviation, as shares of the possible range. A small sample far from the
/// constraint can have several stationary distributions; with these three starts the best one was
/// found in all of 470 random cases that were also searched by brute force.
const STARTS: [f64; 3] = [0.02, 0.5, 0.9];

/// A stationary distribution that costs less than this (log-likelihood per pair), for a sample with
/// more than this variance, is the best one: no start led to a better one in any of 12,314 random
/// cases. Samples of almost only equal pairs do have others.
const NEAR: f64 = 0.1;
const SCATTERED: f64 = 0.01;

/// The likeliest distribution with (μ − ½) / σ = `excess`: the best of the stationary ones.
fn with_excess(seen: &Distribution, excess: f64) -> Distribution {
    if excess == 0.0 {
        return best_under(seen, Constraint::Mean(0.5));
    }
    if excess < 0.0 {
        return mirrored(&with_excess(&mirrored(seen), -excess));
    }
    let [low, high] = possible_deviations(excess);
    let variance = mean_and_variance(seen).1;
    let own = variance.sqrt().clamp(0.95 * low + 0.05 * high, 0.05 * low + 0.95 * high);
    let (kept, near) = stationary(seen, excess, own);
    if kept && variance > SCATTERED && cost(seen, &near) < NEAR {
        return near;
    }
    let found = STARTS.map(|start| stationary(seen, excess, low + start * (high - low)));
    let rank = |found: &(bool, Distribution)| (found.0, -cost(seen, &found.1));
    let best = |a, b| if rank(&b) > rank(&a) { b } else { a };
    found.into_iter().fold((kept, near), best).1
}

/// The loss in log-likelihood per pair of `p` relative to the observed distribution.
fn cost(seen: &Distribution, p: &Distribution) -> f64 {
    (0..5).map(|i| seen[i] * (seen[i] / p[i]).ln()).sum()
}

/// The range of deviations of distributions with this excess (positive, below 2.8, which
/// [`Sprt`](super::Sprt) guarantees): at most that of a coin toss between 0 and 1 with mean μ = ½ +
/// tσ, at least that of a choice between the two results next to μ.
fn possible_deviations(excess: f64) -> [f64; 2] {
    let room = 1.0 + excess * excess;
    [excess / (4.0 * room), 0.5 / room.sqrt()]
}

fn mirrored(p: &Distribution) -> Distribution {
    [p[4], p[3], p[2], p[1], p[0]]
}

/// Iterates the deviation σ (with μ = ½ + tσ) by secant steps until the tilted distribution has the
/// assumed deviation. Also returns whether the constraint holds in the end.
fn stationary(seen: &Distribution, excess: f64, start: f64) -> (bool, Distribution) {
    let [mut low, mut high] = possible_deviations(excess);
    let mut deviation = start;
    let (mut multiplier, mut before): (f64, Option<(f64, f64)>) = (0.0, None);
    let mut found = *seen;
    for _ in 0..100 {
        found = tilted(seen, &directions(deviation, excess), &mut multiplier);
        let miss = mean_and_variance(&found).1.sqrt() - deviation;
        if miss > 0.0 {
            low = deviation;
        } else {
            high = deviation;
        }
        let next = next_deviation(deviation, miss, before, low, high);
        if miss.abs() < 1e-10 || (next - deviation).abs() < 1e-14 {
            break;
        }
        before = Some((deviation, miss));
        deviation = next;
    }
    let (mean, variance) = mean_and_variance(&found);
    let kept = (mean - 0.5 - excess * variance.sqrt()).abs() < 1e-7
        && (found.iter().sum::<f64>() - 1.0).abs() < 1e-7;
    (kept, found)
}

/// A secant step if it stays within the bracket, else the plain iteration, else bisection.
fn next_deviation(at: f64, miss: f64, before: Option<(f64, f64)>, low: f64, high: f64) -> f64 {
    let secant = before.map(|(x, y)| at - miss * (at - x) / (miss - y));
    [secant, Some(at + miss)]
        .into_iter()
        .flatten()
        .find(|next| *next > low && *next < high)
        .unwrap_or((low + high) / 2.0)
}

/// How each result moves a distribution of this deviation away from the constraint.
fn directions(deviation: f64, excess: f64) -> [f64; 5] {
    SHARES.map(|share| {
        let away = share - 0.5 - excess * deviation;
        away - excess * (away * away - deviation * deviation) / (2.0 * deviation)
    })
}

/// p̂ᵢ / (1 + λ dᵢ) with Σ pᵢ dᵢ = 0. The sum falls monotonically with λ between the two poles next
/// to 0, from +∞ to −∞, so there is exactly one such λ: Newton steps, with bisection where one
/// would leave the bracket. `multiplier` is the start of the search and, afterwards, its result.
fn tilted(seen: &Distribution, directions: &[f64; 5], multiplier: &mut f64) -> Distribution {
    let largest = directions.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let smallest = directions.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    let mut at = if *multiplier > low && *multiplier < high { *multiplier } else { 0.0 };
    for _ in 0..200 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (p, d) in seen.iter().zip(directions) {
            let part = d / (1.0 + at * d);
            sum += p * part;
            slope += p * part * part;
        }
        if sum > 0.0 {
            low = at;
        } else {
            high = at;
        }
        let newton = at + sum / slope;
        let next = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
        let moved = (next - at).abs();
        at = next;
        if moved <= 1e-9 * (1.0 + at.abs()) {
            break;
        }
    }
    *multiplier = at;
    std::array::from_fn(|i| seen[i] / (1.0 + at * directions[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random;

    fn log_likelihood(seen: &Distribution, p: &Distribution) -> f64 {
        (0..5).map(|i| seen[i] * p[i].ln()).sum()
    }

    fn excess(p: &Distribution) -> f64 {
        let (mean, variance) = mean_and_variance(p);
        (mean - 0.5) / variance.sqrt()
    }

    /// A distribution near `p` with the same excess: perturbed at random, then mixed with a point
    /// mass at one end until the excess matches again.
    fn neighbor(p: &Distribution, wanted: f64, rng: &mut random::Rng) -> Option<Distribution> {
        let moved = p.map(|p| p * (1.0 + 0.02 * (random::unit(rng) - 0.5)));
        let total: f64 = moved.iter().sum();
        let moved = moved.map(|p| p / total);
        let end = if excess(&moved) < wanted { 4 } else { 0 };
        let mixed = |share: f64| {
            let mut mixed = moved.map(|p| p * (1.0 - share));
            mixed[end] += share;
            mixed
        };
        let (mut low, mut high) = (0.0, 0.1);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if (excess(&mixed(middle)) < wanted) == (end == 4) {
                low = middle
            } else {
                high = middle
            }
        }
        let mixed = mixed(low);
        ((excess(&mixed) - wanted).abs() < 1e-10).then_some(mixed)
    }

    #[test]
    fn no_neighbor_under_the_constraint_is_likelier() {
        let mut rng = random::seeded(5);
        let mut compared = 0;
        for _ in 0..200 {
            let counts: [f64; 5] = std::array::from_fn(|_| 0.01 + random::unit(&mut rng).powi(3));
            let total: f64 = counts.iter().sum();
            let seen = counts.map(|count| count / total);
            let wanted = 1.2 * (random::unit(&mut rng) - 0.5);
            let best = best_under(&seen, Constraint::Excess(wanted));
            assert!((excess(&best) - wanted).abs() < 1e-6, "{seen:?} {wanted}");
            for _ in 0..20 {
                let Some(other) = neighbor(&best, wanted, &mut rng) else { continue };
                compared += 1;
                let gain = log_likelihood(&seen, &other) - log_likelihood(&seen, &best);
                assert!(gain < 1e-9, "{seen:?} {wanted}: {gain}");
            }
        }
        assert!(compared > 2000, "{compared}");
    }

    #[test]
    fn constraints_hold_at_every_strength_and_for_degenerate_samples() {
        let samples =
            [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 7, 0], [0, 3, 0, 0, 3], [9, 0, 0, 0, 9]];
        for counts in samples {
            let counts = counts.map(|count: u64| (count as f64).max(UNSEEN));
            let total: f64 = counts.iter().sum();
            let seen = counts.map(|count| count / total);
            for wanted in [-2.0, -0.8, -0.02, 0.0, 1e-4, 0.2, 0.8, 2.0] {
                let best = best_under(&seen, Constraint::Excess(wanted));
                assert!((excess(&best) - wanted).abs() < 1e-5, "{seen:?} {wanted} {best:?}");
                let best = best_under(&seen, Constraint::Mean(0.5 + wanted / 5.0));
                assert!((mean_and_variance(&best).0 - 0.5 - wanted / 5.0).abs() < 1e-9);
            }
        }
    }
}
