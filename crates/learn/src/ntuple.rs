//! Learned weights: a number for every content of every pattern instead of the vote of a tree, learned by
//! playing against itself. Lucas (2008) called such a thing an n-tuple network.
//!
//! * A [`TupleNetwork`] is what is played with and what stands in a file.
//! * [`WeightLearner`] makes one by self-play, as [`WeightSettings`] say.
//!
//! Every move is learned from before the next one is chosen: that is why so few games suffice, and why nothing of a run is
//! handed to other threads or machines.

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
