//! The possible arrangements of hidden medals and their probabilities. The game places medals one
//! after another, uniformly on the free places. The same arrangement results from many orders; its
//! weight is the sum over these orders of the product of 1 / (free places). Arrangements are
//! enumerated while they are few, and sampled otherwise.

use tesuji_games::random::{Rng, below};
use tesuji_games::rules::gem_island::Mask;

/// The maximum number of medals for exact weights: the sum runs over all their subsets.
const MOST_MEDALS: u32 = 10;

/// A query: the sets of `hidden` places, all among `places`, that complete the `known` ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<M> {
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

impl<M: Mask> Question<M> {
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
    pub(super) fn enumerate(&mut self, question: &Question<M>, most: usize) -> bool {
        self.clear();
        if question.known.count() + question.hidden > MOST_MEDALS {
            return false;
        }
        let mut orders = Orders::new(question);
        let mut steps = 4 * most;
        self.extend(&mut orders, question.open_places(), M::default(), most, &mut steps)
    }

    /// Adds all arrangements that complete `set` with places from `open`; `false` when the limit is
    /// reached.
    fn extend(
        &mut self,
        orders: &mut Orders<'_, M>,
        mut open: M,
        set: M,
        most: usize,
        steps: &mut usize,
    ) -> bool {
        let left = orders.question.hidden - set.count();
        if left == 0 {
            self.push(set, orders.weight());
            return self.sets.len() <= most;
        }
        while open.count() >= left {
            let place = open.lowest();
            open ^= M::bit(place);
            *steps = steps.saturating_sub(1);
            orders.add(place);
            let rest = open & !orders.question.overlapping(place);
            let room = *steps > 0 && self.extend(orders, rest, set | M::bit(place), most, steps);
            orders.remove();
            if !room {
                return false;
            }
        }
        true
    }

    /// Samples arrangements in `tries` attempts: hidden medals on random open places, in random
    /// order among the known ones. The weight corrects for the difference from the game's
    /// procedure. Without known medals there is no difference, and all weights are equal.
    pub(super) fn sample(&mut self, question: &Question<M>, tries: usize, rng: &mut Rng) {
        self.clear();
        let open = question.open_places();
        for _ in 0..tries {
            if let Some((set, weight)) = lay(question, open, rng) {
                self.push(set, weight);
            }
        }
    }
}

/// One arrangement and its weight; `None` when a medal found no place.
fn lay<M: Mask>(question: &Question<M>, mut open: M, rng: &mut Rng) -> Option<(M, f64)> {
    let (mut known, mut hidden) = (question.known, question.hidden);
    let (mut free, mut set, mut weight) = (question.region, M::default(), 1.0);
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
            open &= !question.overlapping(place);
            hidden -= 1;
            place
        } else {
            let place = known.nth(below(rng, others));
            known ^= M::bit(place);
            place
        };
        free &= !question.overlapping(place);
    }
    Some((set, weight * completion(question, known, free, rng)))
}

/// The weight factor of known medals that were placed after the last hidden one.
fn completion<M: Mask>(question: &Question<M>, mut known: M, mut free: M, rng: &mut Rng) -> f64 {
    let mut weight = 1.0;
    while !known.is_empty() {
        weight /= f64::from(free.count().max(1));
        let place = known.nth(below(rng, known.count()));
        known ^= M::bit(place);
        free &= !question.overlapping(place);
    }
    weight
}

/// Sums over the orders of a set that grows and shrinks at its end. For each subset T, indexed by
/// its bits, stores the sum over the orders of T divided by the number of places that T leaves
/// free: the contribution of T to every set with one more medal.
struct Orders<'a, M> {
    question: &'a Question<M>,
    medals: u32,
    blocked: Vec<M>,
    terms: Vec<f64>,
    weight: f64,
    /// 1 / n, since divisions would take most of the time.
    inverse: Vec<f64>,
}

impl<'a, M: Mask> Orders<'a, M> {
    fn new(question: &'a Question<M>) -> Self {
        let subsets = 1 << (question.known.count() + question.hidden);
        let places = question.region.count();
        let inverse: Vec<f64> = (0..=places).map(|n| 1.0 / f64::from(n.max(1))).collect();
        let mut orders = Orders {
            question,
            medals: 0,
            blocked: vec![M::default(); subsets],
            terms: vec![0.0; subsets],
            weight: 1.0,
            inverse,
        };
        orders.terms[0] = orders.inverse[places as usize];
        question.known.for_each(|place| orders.add(place));
        orders
    }

    /// The sum over all orders of the complete set.
    fn weight(&self) -> f64 {
        self.weight
    }

    fn add(&mut self, place: u32) {
        let overlapping = self.question.overlapping(place);
        let newest = 1usize << self.medals;
        for old in 0..newest {
            let subset = old | newest;
            let blocked = self.blocked[old] | overlapping;
            self.blocked[subset] = blocked;
            self.weight = self.sum_over_last(subset);
            let free = (self.question.region & !blocked).count();
            self.terms[subset] = self.weight * self.inverse[free as usize];
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
