//! Learned weights: a number for every content of every pattern instead of the vote of a tree, learned by
//! playing against itself. Lucas (2008) called such a thing an n-tuple network.
//!
//! A [`TupleNetwork`] is what is played with and what stands in a file.

mod chance;
mod file;
mod layout;
mod learning;
mod network;
mod self_play;

pub use file::TuplesError;
pub use layout::{Contents, Layout};
pub use learning::{Coherence, Learner, Learning, Tally};
pub use network::TupleNetwork;
pub use self_play::Instinct;
