//! Small networks, written by hand: dense and convolution layers, learned by gradient descent. They are made for the
//! inside of a search, one input at a time, where the overhead of a large library would be the whole cost:
//!
//! * A [`Network`] is its [`Layer`]s and one list of parameters; [`Network::predict`] works in a [`Scratch`] and
//!   allocates nothing. An [`Input`] may name the few numbers that are not zero, as planes of a board do.
//! * A [`Trainer`] lowers a [`Loss`] over mini-batches with an [`Optimizer`]. The number of threads changes no bit of
//!   the result.
//! * [`TdLambda`] learns from one position after another, by temporal differences.
//! * [`Network::to_bytes`] is a small file (`.net`) that notices whatever happened to it.
//!
//! Numbers are `f32`. A row of cells with all their channels lies together in memory, and kernels lie mirrored, so the
//! work of both layers, forwards and backwards, is adding and multiplying contiguous rows.

mod convolution;
mod dense;
mod examples;
mod file;
mod input;
mod layer;
mod loss;
mod optimizer;
mod structure;
mod temporal;
mod tensors;
mod trainer;

pub(crate) use dense::dot;
pub(crate) use examples::shuffled;
pub use examples::{Example, Examples};
pub use file::NetworkError;
pub(crate) use file::{seal, unseal};
pub use input::{Input, Shape};
pub use layer::{Activation, Layer, Padding};
pub use loss::Loss;
pub use optimizer::{Optimizer, OptimizerState, TrainerState};
pub use structure::{InvalidNetwork, Network, Scratch};
pub use temporal::{Diverged, TdLambda};
pub use trainer::Trainer;

#[cfg(test)]
mod tests;
