//! N-tuple networks (Lucas, 2008): a weight for every content of every pattern, in place of the
//! votes of trees, trained by self-play.
//!
//! * [`TupleNetwork`]: the network, for play and in a file.
//! * [`WeightLearner`]: trains one by self-play, configured by [`WeightLearnerSettings`].
//!
//! Training on each game precedes the next game, so few games suffice, but games cannot be
//! distributed to other threads or machines.

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
pub use patterns::{PatternSearchSettings, PatternSettings};
pub use self_play::TacticsMode;
pub use settings::WeightLearnerSettings;
pub use training::{KIND, WeightLearner};

#[cfg(test)]
mod tests;
