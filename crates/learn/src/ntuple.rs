//! Learned weights (an n-tuple network: Lucas, 2008): a number for every content of every pattern
//! instead of the vote of a tree, learned by self-play.
//!
//! * [`TupleNetwork`]: the network, for play and in a file.
//! * [`WeightLearner`]: trains one by self-play, configured by [`WeightSettings`].
//!
//! Each game is learned from before the next one is played: that is why few games suffice, and why
//! games are not distributed to other threads or machines.

mod file;
mod layout;
mod learning;
mod network;
mod pattern_search;
mod patterns;
mod rng;
mod self_play;
mod settings;
mod training;

pub use file::TuplesError;
pub use learning::{Coherence, TdSettings};
pub use network::TupleNetwork;
pub use patterns::{PatternSettings, SearchSettings};
pub use self_play::Instinct;
pub use settings::WeightSettings;
pub use training::{KIND, WeightLearner};

#[cfg(test)]
mod tests;
