//! Agents for Gem Island: they decide on what a player can see, never on the whole state.
//!
//! [`Agent`] is what all of them are. [`RandomAgent`] plays any legal swap, [`FlatAgent`] is the published search,
//! [`Greedy`] takes what promises most at once, and [`Halving`] tries the best swaps in many imagined worlds; [`Beliefs`]
//! tells it where hidden medals may lie.

mod agent;
mod belief;
mod flat;
mod greedy;
mod halving;
mod placements;

pub use agent::{Agent, Decision, RandomAgent, Weighed};
pub use belief::{Belief, BeliefOptions, Beliefs};
pub use flat::{Evaluation, FlatAgent, HumanWeights, Parts};
pub use greedy::{Greedy, GreedyWeights, WIDEST};
pub use halving::{Halving, HalvingOptions, Scale};
