//! The trait of agents for Gem Island, and the random agent.

use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::rules::gem_island::{GemView, Mask, Swap};

/// Chooses swaps from the player's view, which hides what is under the ice.
pub trait Agent<M: Mask>: Send {
    /// Returns the swap to play; `None` when none is legal or the game is over.
    fn decide(&mut self, view: &GemView<M>) -> Option<Decision>;

    /// Why the last decision failed, for an agent that is another program.
    fn fault(&self) -> Option<&str> {
        None
    }
}

/// The decision of an agent.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The swap to play.
    pub swap: Swap,
    /// The estimated value of the swap, on a scale of the agent's own.
    pub value: f64,
    /// The number of rollouts.
    pub rollouts: u64,
    /// All legal swaps, best first; empty if the agent does not compare them.
    pub swaps: Vec<SwapValue>,
}

/// The statistics of a legal swap.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SwapValue {
    /// The swap.
    pub swap: Swap,
    /// Its mean value on the agent's scale; 0 if it was never tried.
    pub mean: f64,
    /// The number of rollouts that began with it.
    pub visits: u64,
}

/// Plays a uniformly random legal swap.
#[derive(Clone, Debug)]
pub struct RandomAgent {
    rng: Rng,
}

impl RandomAgent {
    /// Creates an agent with this random seed.
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
