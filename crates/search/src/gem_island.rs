//! Agents for Gem Island: they decide on what a player can see, never on the whole state.
//!
//! [`Agent`] is what all of them are. [`RandomAgent`] plays any legal swap, [`FlatAgent`] is the published search,
//! [`GreedyAgent`] takes what promises most at once, and [`HalvingAgent`] tries the best swaps in many imagined worlds; [`BeliefTracker`]
//! tells it where hidden medals may lie.

mod agent;
mod belief;
mod flat;
mod greedy;
mod halving;
mod placements;

pub use agent::{Agent, Decision, RandomAgent, SwapValue};
pub use belief::{Belief, BeliefOptions, BeliefTracker};
pub use flat::{Evaluation, EvaluationTerms, FlatAgent, HumanWeights};
pub use greedy::{GreedyAgent, GreedyWeights, MAX_WIDTH};
pub use halving::{HalvingAgent, HalvingOptions, Scale};
