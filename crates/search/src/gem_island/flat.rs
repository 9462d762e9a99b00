//! The published agent: a flat bandit over the legal swaps, random swaps after the first, and what a player would
//! look at in the position where a rollout stops (Brereton, 2017).

use tesuji_games::rules::gem_island::{Fidelity, GemIsland, GemView, Mask};

use super::{Agent, Decision, SwapValue};
use crate::flat_ucb::RolloutValue;
use crate::{FlatUcb, FlatUcbOptions, Limits};

/// What a rollout is worth where it stopped.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Evaluation {
    /// 1 for a win, 0 for anything else.
    None,
    /// Which part of the medals is freed or can be seen.
    Crude,
    /// That, and the ice that went, and the gems that changed.
    Human(HumanWeights),
}

/// How much each part of [`Evaluation::Human`] counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HumanWeights {
    /// EvaluationTerms of medals freed or seen.
    pub medals: f64,
    /// Ice that went.
    pub ice: f64,
    /// Gems that changed.
    pub gems: f64,
}

impl Default for HumanWeights {
    /// The published ones.
    fn default() -> Self {
        HumanWeights { medals: 10.0, ice: 5.0, gems: 1.0 }
    }
}

/// The parts of the evaluations, each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EvaluationTerms {
    /// EvaluationTerms of medals freed since the start of the rollout, or on show at its end, of all that were left.
    pub medals: f64,
    /// Cells whose ice went, of all that had ice.
    pub ice: f64,
    /// Cells with another gem than before, of all cells.
    pub gems: f64,
}

impl EvaluationTerms {
    /// Compares the end of a rollout with its start.
    pub fn of<M: Mask>(start: &GemView<M>, end: &GemIsland<M>) -> EvaluationTerms {
        let (grid, before, after) = (end.grid(), start.known.board(), end.board());
        let left = f64::from(start.known.medals_left());
        let freed = left - f64::from(after.medals.count());
        let shown = f64::from((grid.medal_cells(after.medals) & !after.iced()).count());
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
            medals: part(4.0 * freed + shown, 4.0 * left),
            ice: part(f64::from((iced & !after.iced()).count()), f64::from(iced.count())),
            gems: f64::from(gems.count()) / f64::from(grid.cells.count()),
        }
    }
}

/// All of nothing is everything.
fn part(some: f64, all: f64) -> f64 {
    if all == 0.0 { 1.0 } else { some / all }
}

impl<M: Mask> RolloutValue<GemIsland<M>> for Evaluation {
    fn value(&mut self, start: &GemView<M>, end: &GemIsland<M>, _: f64) -> f64 {
        match self {
            Evaluation::None => f64::from(u8::from(end.medals_left() == 0)),
            Evaluation::Crude => EvaluationTerms::of(start, end).medals,
            Evaluation::Human(weights) => {
                let HumanWeights { medals, ice, gems } = *weights;
                let parts = EvaluationTerms::of(start, end);
                (medals * parts.medals + ice * parts.ice + gems * parts.gems)
                    / (medals + ice + gems)
            }
        }
    }
}

/// The flat bandit as an agent.
#[derive(Clone, Debug)]
pub struct FlatAgent<V> {
    search: FlatUcb<V>,
    limits: Limits,
    fidelity: Fidelity,
}

impl<V> FlatAgent<V> {
    /// Rollouts that play on as exactly as `fidelity` says and end in a `value`.
    pub fn new(options: FlatUcbOptions, limits: Limits, fidelity: Fidelity, value: V) -> Self {
        FlatAgent { search: FlatUcb::with_value(options, value), limits, fidelity }
    }
}

impl<M: Mask, V: RolloutValue<GemIsland<M>>> Agent<M> for FlatAgent<V> {
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision> {
        let view = view.clone().with_fidelity(self.fidelity);
        let arms = self.search.rank_actions::<GemIsland<M>>(&view, &self.limits);
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
}
