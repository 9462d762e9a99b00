//! Where hidden medals may lie, and how likely each arrangement is. The game lays medals one after another, each on
//! any free place with equal chance; an arrangement therefore comes about in many orders, and its weight is the sum
//! over them of the product of 1 / (free places). Arrangements are enumerated while they are few, and sampled else.

use tesuji_games::random::{Rng, below};
use tesuji_games::rules::gem_island::Mask;

/// So many medals at most have their orders summed up: the sum runs over all subsets of them.
const MOST_MEDALS: u32 = 10;

/// What is asked: which sets of `hidden` places, all among `places`, complete the `known` ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<M> {
    /// From a place to the one at its right.
    pub stride: u32,
    /// All places that medals could have been laid on at first.
    pub region: M,
    /// The medals of which the place is known, freed ones too.
    pub known: M,
    /// Where the others can be.
    pub places: M,
    /// How many others there are.
    pub hidden: u32,
}

impl<M: Mask> Question<M> {
    /// Places on which a medal would overlap one that lies here, this one included.
    fn overlapping(&self, place: u32) -> M {
        let bit = M::bit(place);
        let column = bit | bit << 1 | bit >> 1;
        (column | column << self.stride | column >> self.stride) & self.region
    }

    /// Places of hidden medals that no known one is in the way of.
    fn open_places(&self) -> M {
        let mut taken = M::default();
        self.known.for_each(|place| taken |= self.overlapping(place) | M::bit(place));
        self.places & self.region & !taken
    }
}

/// Arrangements of the hidden medals and their weights, which need not add up to one.
#[derive(Clone, Debug)]
pub(super) struct Arrangements<M> {
    /// The places of the hidden medals.
    pub sets: Vec<M>,
    /// How likely each is, in relation to the others.
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

    /// All arrangements, in a fixed order, with exact weights; whether there was room for them. If not, what was found
    /// until then stays.
    pub(super) fn enumerate(&mut self, question: &Question<M>, most: usize) -> bool {
        self.clear();
        if question.known.count() + question.hidden > MOST_MEDALS {
            return false;
        }
        let mut orders = Orders::new(question);
        let mut steps = 4 * most;
        self.extend(&mut orders, question.open_places(), M::default(), most, &mut steps)
    }

    /// Adds all arrangements that complete `set` by places out of `open`; `false` when the room is used up.
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

    /// As many arrangements as `tries` of laying medals give: the hidden ones on any open place, in any order among
    /// the known ones; the weight makes up for the difference from how the game lays them. Before anything is known
    /// there is none, and all weights are equal.
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

/// One arrangement and its weight; `None` when some medal found no place.
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

/// The factor for known medals that were laid after the last hidden one.
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

/// Sums over the orders of a set that grows and shrinks at its end. For each subset T, numbered by its bits, it keeps
/// the sum over the orders of T divided by the places that T leaves free: what T contributes to every set that has one
/// medal more.
struct Orders<'a, M> {
    question: &'a Question<M>,
    medals: u32,
    blocked: Vec<M>,
    terms: Vec<f64>,
    weight: f64,
    /// 1 / n, since a division would be most of the work.
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

    /// The sum over all orders of the whole set.
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

    /// Whichever medal of the subset came last, the others came before it in some order.
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
