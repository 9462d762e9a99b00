//! What an agent for Gem Island is, and the simplest one.

use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::rules::gem_island::{GemView, Mask, Swap};

/// Chooses swaps. It is given what a player sees, so it cannot look under the ice.
pub trait Agent<M: Mask>: Send {
    /// The swap to play; `None` when none is legal or the game is over.
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision>;
}

/// What an agent decided, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The swap to play.
    pub swap: Swap,
    /// What the agent thinks it is worth, on a scale of the agent's own.
    pub value: f64,
    /// Games that were played out in thought.
    pub rollouts: u64,
    /// Each legal swap, best first; empty from an agent that does not compare them.
    pub swaps: Vec<SwapValue>,
}

/// A legal swap as an agent sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SwapValue {
    /// The swap.
    pub swap: Swap,
    /// Its mean value, on the scale of the agent; 0 if it was never tried.
    pub mean: f64,
    /// How often it was tried.
    pub visits: u64,
}

/// Plays any legal swap, each as likely as any other.
#[derive(Clone, Debug)]
pub struct RandomAgent {
    rng: Rng,
}

impl RandomAgent {
    /// Chance starts from this seed.
    pub fn new(seed: u64) -> RandomAgent {
        RandomAgent { rng: seeded(seed) }
    }
}

impl<M: Mask> Agent<M> for RandomAgent {
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision> {
        let state = &view.known;
        let count = state.swaps().count();
        if count == 0 {
            return None;
        }
        let swap = state.swap_at(below(&mut self.rng, count));
        Some(Decision { swap, value: 0.0, rollouts: 0, swaps: Vec::new() })
    }
}
