//! The published agent (Brereton, 2017): a flat bandit over the legal swaps, random swaps after the
//! first, and an evaluation at the end of the rollout with the features that a human considers.

use tesuji_games::rules::gem_island::{Fidelity, GemIsland, GemView, Mask, Swap};

use super::{Agent, Decision, SwapValue};
use crate::flat_ucb::{ArmStats, RolloutValue};
use crate::{FlatUcb, FlatUcbOptions, Limits};

/// The evaluation of a rollout at its end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Evaluation {
    /// 1 for a win, 0 otherwise.
    None,
    /// The fraction of the medals that is freed or visible.
    Crude,
    /// The weighted mean of that fraction, the removed ice and the changed gems.
    Human(HumanWeights),
    /// A third of the share of moves left, which rewards rollouts that win early. The published
    /// outcome network amounts to this, since its output is constant.
    MovesLeft,
}

/// The published divisor of the moves left, regardless of the level.
const PUBLISHED_MOVES: f64 = 20.0;

/// The weights of [`Evaluation::Human`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HumanWeights {
    /// The fraction of medals freed or visible.
    pub medals: f64,
    /// The fraction of ice removed.
    pub ice: f64,
    /// The fraction of gems changed.
    pub gems: f64,
}

impl Default for HumanWeights {
    /// The published weights.
    fn default() -> Self {
        HumanWeights { medals: 10.0, ice: 5.0, gems: 1.0 }
    }
}

/// The terms of the evaluations, each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EvaluationTerms {
    /// The fraction of the remaining medals that were freed since the start of the rollout or are
    /// visible at its end.
    pub medals: f64,
    /// The fraction of iced cells whose ice was removed.
    pub ice: f64,
    /// The fraction of all cells whose gem changed.
    pub gems: f64,
}

impl EvaluationTerms {
    /// Compares the end of a rollout with its start.
    pub fn of<M: Mask>(start: &GemView<M>, end: &GemIsland<M>) -> EvaluationTerms {
        let (grid, before, after) = (end.grid(), start.known.board(), end.board());
        let left = f64::from(start.known.medals_left());
        let freed = left - f64::from(after.medals.count());
        let visible = f64::from((grid.medal_cells(after.medals) & !after.iced()).count());
        let iced = before.iced();
        let changed = |plane: M, old: M| plane ^ old;
        let mut gems = M::default();
        for (plane, old) in after.kinds.iter().zip(&before.kinds) {
            gems |= changed(*plane, *old);
        }
        for (plane, old) in after.bonuses.iter().zip(&before.bonuses) {
            gems |= changed(*plane, *old);
        }
        EvaluationTerms {
            medals: fraction(4.0 * freed + visible, 4.0 * left),
            ice: fraction(f64::from((iced & !after.iced()).count()), f64::from(iced.count())),
            gems: f64::from(gems.count()) / f64::from(grid.cells.count()),
        }
    }
}

/// The fraction `some / all`; 1 when `all` is 0.
fn fraction(some: f64, all: f64) -> f64 {
    if all == 0.0 { 1.0 } else { some / all }
}

impl<M: Mask> RolloutValue<GemIsland<M>> for Evaluation {
    fn value(&mut self, start: &GemView<M>, end: &GemIsland<M>, _: f64) -> f64 {
        match self {
            Evaluation::None => f64::from(u8::from(end.medals_left() == 0)),
            Evaluation::MovesLeft => f64::from(end.moves_left()) / PUBLISHED_MOVES / 3.0,
            Evaluation::Crude => EvaluationTerms::of(start, end).medals,
            Evaluation::Human(weights) => {
                let HumanWeights { medals, ice, gems } = *weights;
                let terms = EvaluationTerms::of(start, end);
                (medals * terms.medals + ice * terms.ice + gems * terms.gems)
                    / (medals + ice + gems)
            }
        }
    }
}

/// Flat UCB as an agent.
#[derive(Clone, Debug)]
pub struct FlatAgent<V> {
    search: FlatUcb<V>,
    limits: Limits,
    fidelity: Fidelity,
}

impl<V> FlatAgent<V> {
    /// Creates an agent whose rollouts simulate with `fidelity` and end with `value`.
    pub fn new(options: FlatUcbOptions, limits: Limits, fidelity: Fidelity, value: V) -> Self {
        FlatAgent { search: FlatUcb::with_value(options, value), limits, fidelity }
    }
}

impl<M: Mask, V: RolloutValue<GemIsland<M>>> Agent<M> for FlatAgent<V> {
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision> {
        let view = view.clone().with_fidelity(self.fidelity);
        let arms = self.search.rank_actions::<GemIsland<M>>(&view, &self.limits);
        decision(&arms)
    }
}

fn decision(arms: &[ArmStats<Swap>]) -> Option<Decision> {
    let best = arms.first()?;
    Some(Decision {
        swap: best.action,
        value: best.mean,
        rollouts: arms.iter().map(|arm| arm.visits).sum(),
        swaps: arms
            .iter()
            .map(|arm| SwapValue { swap: arm.action, mean: arm.mean, visits: arm.visits })
            .collect(),
    })
}

/// Estimates how probable the legal swaps are, such as a network.
pub trait SwapPrior: Send {
    /// The probabilities of these swaps, all legal ones.
    fn probabilities(&mut self, view: &GemView<u128>, swaps: &[Swap]) -> Vec<f64>;
}

/// Flat UCB whose rollouts are spread by prior probabilities.
pub struct GuidedAgent<V> {
    flat: FlatAgent<V>,
    prior: Box<dyn SwapPrior>,
}

impl<V> GuidedAgent<V> {
    /// Creates an agent from one without priors.
    pub fn new(flat: FlatAgent<V>, prior: Box<dyn SwapPrior>) -> Self {
        GuidedAgent { flat, prior }
    }
}

impl<V: RolloutValue<GemIsland<u128>>> Agent<u128> for GuidedAgent<V> {
    fn decide(&mut self, view: &GemView<u128>) -> Option<Decision> {
        let FlatAgent { search, limits, fidelity } = &mut self.flat;
        let simulated = view.clone().with_fidelity(*fidelity);
        let prior = &mut |swaps: &[Swap]| self.prior.probabilities(view, swaps);
        let arms = search.rank_actions_by_prior::<GemIsland<u128>>(&simulated, limits, prior);
        decision(&arms)
    }
}
