//! Agents for Gem Island. They decide from the player's view, never from the full state.
//!
//! [`Agent`] is the common trait. [`RandomAgent`] plays a random legal swap, [`FlatAgent`] is the
//! published search, [`GreedyAgent`] takes the swap with the highest immediate value, and
//! [`HalvingAgent`] tests the best swaps in many sampled states; [`BeliefTracker`] gives the
//! probabilities of hidden medals.

mod agent;
mod belief;
mod flat;
mod greedy;
mod halving;
mod placements;

pub use agent::{Agent, Decision, RandomAgent, SwapValue};
pub use belief::{Belief, BeliefOptions, BeliefTracker};
pub use flat::{Evaluation, EvaluationTerms, FlatAgent, GuidedAgent, HumanWeights, SwapPrior};
pub use greedy::{GreedyAgent, GreedyWeights, MAX_WIDTH};
pub use halving::{HalvingAgent, HalvingOptions, RolloutScale};
