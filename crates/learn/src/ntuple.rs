//! Learned weights: a number for every content of every pattern instead of the vote of a tree, learned by
//! playing against itself. Lucas (2008) called such a thing an n-tuple network.
//!
//! * A [`TupleNetwork`] is what is played with and what stands in a file.
//! * A [`Learner`] makes one by self-play; [`train_weights`] is a whole run, as [`WeightSettings`] say, in a folder.
//! * [`search_patterns`] looks for patterns that are worth having weights for.
//!
//! Every move is learned from before the next one is chosen: that is why so few games suffice, and why nothing of a run is
//! handed to other threads or machines.

mod chance;
mod checkpoint;
mod file;
mod layout;
mod learning;
mod measure;
mod network;
mod pattern_search;
mod patterns;
mod self_play;
mod settings;
mod training;

pub use checkpoint::Checkpoint;
pub use file::TuplesError;
pub use layout::{Contents, Layout};
pub use learning::{Coherence, Learner, Learning, Tally};
pub use measure::{Results, Rival};
pub use network::TupleNetwork;
pub use pattern_search::{Examples, Found, search_patterns};
pub use patterns::{PatternSettings, SearchSettings};
pub use self_play::Instinct;
pub use settings::{MeasureSettings, SettingsError, WeightSettings};
pub use training::{
    BlockMetrics, CHECKPOINT, Observer, TrainWeightsError, WEIGHTS, WeightsProgress, train_weights,
};

#[cfg(test)]
mod tests;
