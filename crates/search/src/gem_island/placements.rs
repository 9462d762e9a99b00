//! The possible arrangements of hidden medals and their probabilities. The game places medals one
//! after another, uniformly on the free places. The same arrangement results from many orders; its
//! weight is the sum over these orders of the product of 1 / (free places). Arrangements are
//! enumerated while they are few, and sampled otherwise.

use tesuji_games::random::{Rng, below};
use tesuji_games::rules::gem_island::Mask;

/// The maximum number of medals for exact weights: the sum runs over all their subsets.
const MAX_MEDALS: u32 = 10;

/// A query: the sets of `hidden` places, all among `places`, that complete the `known` ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrangementQuery<M> {
    /// The distance from a place to its right neighbor.
    pub stride: u32,
    /// All places on which medals can initially lie.
    pub region: M,
    /// The places of the known medals, including freed ones.
    pub known: M,
    /// The possible places of the others.
    pub places: M,
    /// The number of the others.
    pub hidden: u32,
}

impl<M: Mask> ArrangementQuery<M> {
    /// The places on which a medal would overlap a medal here, including this place.
    fn overlapping(&self, place: u32) -> M {
        let bit = M::bit(place);
        let column = bit | bit << 1 | bit >> 1;
        (column | column << self.stride | column >> self.stride) & self.region
    }

    /// The places of hidden medals that do not overlap a known one.
    fn open_places(&self) -> M {
        let mut taken = M::default();
        self.known.for_each(|place| taken |= self.overlapping(place) | M::bit(place));
        self.places & self.region & !taken
    }
}

/// Arrangements of the hidden medals with unnormalized weights.
#[derive(Clone, Debug)]
pub(super) struct Arrangements<M> {
    /// The places of the hidden medals.
    pub sets: Vec<M>,
    /// The relative probability of each arrangement.
    pub weights: Vec<f64>,
}

impl<M> Default for Arrangements<M> {
    fn default() -> Self {
        Arrangements { sets: Vec::new(), weights: Vec::new() }
    }
}

impl<M: Mask> Arrangements<M> {
    pub(super) fn clear(&mut self) {
        self.sets.clear();
        self.weights.clear();
    }

    pub(super) fn push(&mut self, set: M, weight: f64) {
        self.sets.push(set);
        self.weights.push(weight);
    }

    /// Enumerates all arrangements in a fixed order with exact weights. Returns `false` if there
    /// are too many; the arrangements found so far remain.
    pub(super) fn enumerate(&mut self, query: &ArrangementQuery<M>, max: usize) -> bool {
        self.clear();
        if query.known.count() + query.hidden > MAX_MEDALS {
            return false;
        }
        let mut order_sums = OrderSums::new(query);
        let mut steps = 4 * max;
        self.extend(&mut order_sums, query.open_places(), M::default(), max, &mut steps)
    }

    /// Adds all arrangements that complete `set` with places from `open`; `false` when the limit is
    /// reached.
    fn extend(
        &mut self,
        order_sums: &mut OrderSums<'_, M>,
        mut open: M,
        set: M,
        max: usize,
        steps: &mut usize,
    ) -> bool {
        let left = order_sums.query.hidden - set.count();
        if left == 0 {
            self.push(set, order_sums.weight());
            return self.sets.len() <= max;
        }
        while open.count() >= left {
            let place = open.lowest();
            open ^= M::bit(place);
            *steps = steps.saturating_sub(1);
            order_sums.add(place);
            let rest = open & !order_sums.query.overlapping(place);
            let has_room =
                *steps > 0 && self.extend(order_sums, rest, set | M::bit(place), max, steps);
            order_sums.remove();
            if !has_room {
                return false;
            }
        }
        true
    }

    /// Samples arrangements in `attempts` attempts: hidden medals on random open places, in random
    /// order among the known ones. The weight corrects for the difference from the game's
    /// procedure. Without known medals there is no difference, and all weights are equal.
    pub(super) fn sample(&mut self, query: &ArrangementQuery<M>, attempts: usize, rng: &mut Rng) {
        self.clear();
        let open = query.open_places();
        for _ in 0..attempts {
            if let Some((set, weight)) = sample_one(query, open, rng) {
                self.push(set, weight);
            }
        }
    }
}

/// One arrangement and its weight; `None` when a medal found no place.
fn sample_one<M: Mask>(
    query: &ArrangementQuery<M>,
    mut open: M,
    rng: &mut Rng,
) -> Option<(M, f64)> {
    let (mut known, mut hidden) = (query.known, query.hidden);
    let (mut free, mut set, mut weight) = (query.region, M::default(), 1.0);
    while hidden > 0 {
        let others = known.count();
        weight /= f64::from(free.count().max(1));
        let place = if below(rng, others + hidden) < hidden {
            let choices = open.count();
            if choices == 0 {
                return None;
            }
            let place = open.nth(below(rng, choices));
            weight *= f64::from(choices);
            set |= M::bit(place);
            open &= !query.overlapping(place);
            hidden -= 1;
            place
        } else {
            let place = known.nth(below(rng, others));
            known ^= M::bit(place);
            place
        };
        free &= !query.overlapping(place);
    }
    Some((set, weight * remaining_factor(query, known, free, rng)))
}

/// The weight factor of known medals that were placed after the last hidden one.
fn remaining_factor<M: Mask>(
    query: &ArrangementQuery<M>,
    mut known: M,
    mut free: M,
    rng: &mut Rng,
) -> f64 {
    let mut weight = 1.0;
    while !known.is_empty() {
        weight /= f64::from(free.count().max(1));
        let place = known.nth(below(rng, known.count()));
        known ^= M::bit(place);
        free &= !query.overlapping(place);
    }
    weight
}

/// Sums over the orders of a set that grows and shrinks at its end. For each subset T, indexed by
/// its bits, stores the sum over the orders of T divided by the number of places that T leaves
/// free: the contribution of T to every set with one more medal.
struct OrderSums<'a, M> {
    query: &'a ArrangementQuery<M>,
    medals: u32,
    blocked: Vec<M>,
    terms: Vec<f64>,
    weight: f64,
    /// 1 / n, since divisions would take most of the time.
    reciprocals: Vec<f64>,
}

impl<'a, M: Mask> OrderSums<'a, M> {
    fn new(query: &'a ArrangementQuery<M>) -> Self {
        let subsets = 1 << (query.known.count() + query.hidden);
        let places = query.region.count();
        let reciprocals: Vec<f64> = (0..=places).map(|n| 1.0 / f64::from(n.max(1))).collect();
        let mut order_sums = OrderSums {
            query,
            medals: 0,
            blocked: vec![M::default(); subsets],
            terms: vec![0.0; subsets],
            weight: 1.0,
            reciprocals,
        };
        order_sums.terms[0] = order_sums.reciprocals[places as usize];
        query.known.for_each(|place| order_sums.add(place));
        order_sums
    }

    /// The sum over all orders of the complete set.
    fn weight(&self) -> f64 {
        self.weight
    }

    fn add(&mut self, place: u32) {
        let overlapping = self.query.overlapping(place);
        let newest = 1usize << self.medals;
        for old in 0..newest {
            let subset = old | newest;
            let blocked = self.blocked[old] | overlapping;
            self.blocked[subset] = blocked;
            self.weight = self.sum_over_last(subset);
            let free = (self.query.region & !blocked).count();
            self.terms[subset] = self.weight * self.reciprocals[free as usize];
        }
        self.medals += 1;
    }

    /// Sums over the medal of the subset that comes last.
    fn sum_over_last(&self, subset: usize) -> f64 {
        let (mut rest, mut sum) = (subset, 0.0);
        while rest != 0 {
            sum += self.terms[subset & !(rest & rest.wrapping_neg())];
            rest &= rest - 1;
        }
        sum
    }

    fn remove(&mut self) {
        self.medals -= 1;
    }
}
