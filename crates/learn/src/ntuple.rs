//! Learned weights: a number for every content of every pattern instead of the vote of a tree, learned by
//! playing against itself. Lucas (2008) called such a thing an n-tuple network.
//!
//! * A [`TupleNetwork`] is what is played with and what stands in a file.
//! * [`TupleLearning`] makes one by self-play; [`WeightLearner`] is the learner, as [`WeightSettings`] say.
//! * [`search_patterns`] looks for patterns that are worth having weights for.
//!
//! Every move is learned from before the next one is chosen: that is why so few games suffice, and why nothing of a run is
//! handed to other threads or machines.

mod chance;
mod file;
mod layout;
mod learning;
mod network;
mod pattern_search;
mod patterns;
mod self_play;
mod settings;
mod training;

pub use file::TuplesError;
pub use layout::{Contents, Layout};
pub use learning::{Checkpoint, Coherence, Learning, Tally, TupleLearning};
pub use network::TupleNetwork;
pub use pattern_search::{Examples, Found, search_patterns};
pub use patterns::{PatternSettings, SearchSettings};
pub use self_play::Instinct;
pub use settings::WeightSettings;
pub use training::{BlockMetrics, KIND, WeightLearner};

#[cfg(test)]
mod tests;
