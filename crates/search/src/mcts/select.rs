//! Child selection in a simulation: UCB1 (Auer, Cesa-Bianchi and Fischer, 2002), with RAVE blended
//! with AMAF statistics (all moves as first; Gelly and Silver, 2011).

use tesuji_games::Outcome;
use tesuji_games::random::{Rng, below};

use super::proven;
use super::tree::{Amaf, Node, NodeStats, POINT};

const SCALE: f32 = 1.0 / POINT as f32;

/// The parameters of the selection formula.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formula {
    pub(crate) exploration: f32,
    /// RAVE's equivalence parameter: after this number of visits AMAF has half of the weight.
    pub(crate) rave: Option<f32>,
}

/// A table of 1 / √n. Each step down the tree waits for the one before it, so the latency of a
/// single bound matters; the table avoids the latency of a square root and a division.
#[derive(Debug)]
pub(crate) struct InverseRoots([f32; TABLE_SIZE]);

/// Represents 1 / √0: large enough to win every comparison.
const HUGE: f32 = 1e18;

/// The size of the table: 4 KiB of first-level cache.
const TABLE_SIZE: usize = 1024;

impl InverseRoots {
    pub(crate) fn new() -> Self {
        // Infinity for 0 would make the bound of an unvisited child NaN, which loses every
        // comparison; threads that race for one child can leave another unvisited.
        InverseRoots(std::array::from_fn(|n| if n == 0 { HUGE } else { 1.0 / (n as f32).sqrt() }))
    }

    #[inline]
    fn of(&self, n: u32) -> f32 {
        match self.0.get(n as usize) {
            Some(&root) => root,
            None => 1.0 / (n as f32).sqrt(),
        }
    }
}

/// The child with the largest upper bound; with `SOLVER`, among those that are not proven. (If all
/// are proven, another thread has just proven the last one, and the choice does not matter.)
///
/// When a proven draw has a higher value than all of them, the simulation continues with another
/// child and counts as a draw: visits to a proven node yield no information.
#[inline]
pub(crate) fn select_by_ucb<const SOLVER: bool>(
    c: f32,
    parent_visits: u32,
    children: &[Node],
    roots: &InverseRoots,
) -> Choice {
    let bonus = c * fast_ln(parent_visits).sqrt();
    let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
    let mut has_draw = false;
    for (ordinal, child) in children.iter().enumerate() {
        let mut score = upper_bound(child.stats(), bonus, roots);
        if SOLVER {
            let proven_code = child.proven_code();
            has_draw |= proven_code == proven::DRAW;
            score = if proven_code == proven::UNPROVEN { score } else { f32::NEG_INFINITY };
        }
        // The best child is unpredictable: two conditional selections instead of a branch.
        let better = score > best_score;
        best = if better { ordinal } else { best };
        best_score = if better { score } else { best_score };
    }
    Choice { ordinal: best, prefers_draw: has_draw && best_score < 0.5 }
}

/// Mean + bonus / √visits; huge without visits.
#[inline]
fn upper_bound(stats: NodeStats, bonus: f32, roots: &InverseRoots) -> f32 {
    let r = roots.of(stats.visits());
    (stats.points() as i64 as f32 * (SCALE * r) + bonus) * r
}

/// An unvisited child, if there is one. The scan starts at a random index, so that the order of the
/// moves has no influence.
pub(crate) fn unvisited_child(children: &[Node], rng: &mut Rng) -> Option<usize> {
    let n = children.len();
    let start = below(rng, n as u32) as usize;
    (start..n).chain(0..start).find(|&ordinal| children[ordinal].visits() == 0)
}

/// The child to visit, and whether the side prefers a proven draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) ordinal: usize,
    pub(crate) prefers_draw: bool,
}

/// Child selection with RAVE (`None` when all children are proven).
pub(crate) fn select_by_rave(
    formula: Formula,
    parent_visits: u32,
    children: &[Node],
    amaf: &[Amaf],
    roots: &InverseRoots,
    rng: &mut Rng,
) -> Option<Choice> {
    let bonus = formula.exploration * fast_ln(parent_visits).sqrt();
    let beta = formula.rave.map_or(0.0, |k| (k / (3.0 * parent_visits as f32 + k)).sqrt());
    let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
    let mut has_draw = false;
    // Early on, many children are equal: start at a random index, so that the order of the moves
    // has no influence.
    let n = children.len();
    let start = if (parent_visits as usize) <= 2 * n { below(rng, n as u32) as usize } else { 0 };
    for index in start..start + n {
        let ordinal = if index < n { index } else { index - n };
        let child = &children[ordinal];
        if let Some(proven) = child.proven() {
            has_draw |= proven.outcome == Outcome::Draw;
            continue;
        }
        let score = rave_value(child, amaf.get(ordinal), beta, bonus, roots);
        if best.is_none() || score > best_score {
            (best, best_score) = (Some(ordinal), score);
        }
    }
    best.map(|ordinal| Choice { ordinal, prefers_draw: has_draw && best_score < 0.5 })
}

#[inline]
fn rave_value(
    child: &Node,
    amaf: Option<&Amaf>,
    beta: f32,
    bonus: f32,
    roots: &InverseRoots,
) -> f32 {
    let stats = child.stats();
    let visits = stats.visits();
    let amaf = amaf.filter(|a| a.visits() > 0);
    match (visits, amaf) {
        (0, None) => f32::INFINITY,
        (0, Some(amaf)) => amaf_mean(amaf) + bonus,
        (_, None) => upper_bound(stats, bonus, roots),
        (_, Some(amaf)) => {
            let mean = stats.mean() as f32;
            (1.0 - beta) * mean + beta * amaf_mean(amaf) + bonus / (visits as f32).sqrt()
        }
    }
}

#[inline]
fn amaf_mean(amaf: &Amaf) -> f32 {
    amaf.points() as f32 * SCALE / amaf.visits() as f32
}

/// The natural logarithm to three digits: the exponent from the bits of the number, the mantissa by
/// a parabola. Exploration needs no more, and the library's logarithm took a tenth of a simulation.
#[inline]
fn fast_ln(n: u32) -> f32 {
    let bits = (n.max(1) as f32).to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    let log2 = exponent + (mantissa - 1.0) * (1.693 - 0.3465 * mantissa);
    (log2 * std::f32::consts::LN_2).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unvisited_child_comes_before_all_others() {
        let children: [Node; 3] = Default::default();
        (0..5).for_each(|_| children[0].add_visit::<false>(POINT));
        children[2].add_visit::<false>(0);
        let roots = InverseRoots::new();
        assert_eq!(select_by_ucb::<false>(1.4, 7, &children, &roots).ordinal, 1);
        assert_eq!(select_by_ucb::<true>(1.4, 7, &children, &roots).ordinal, 1);
    }

    #[test]
    fn logarithm_is_close_enough() {
        for n in (1..200_000).chain([1 << 24, u32::MAX]) {
            let error = (fast_ln(n) - (n as f32).ln()).abs();
            assert!(error < 0.01, "ln {n}: off by {error}");
        }
    }
}
