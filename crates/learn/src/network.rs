//! Small networks: dense and convolution layers, trained by gradient descent. They are designed for
//! use inside a search, one input at a time, where the overhead of a large library would dominate
//! the cost:
//!
//! * A [`Network`] is a list of [`Layer`]s and one list of parameters; [`Network::predict`] works
//!   in a [`Scratch`] and allocates nothing. A sparse [`Input`] lists the few nonzero numbers, such
//!   as those of board planes.
//! * A [`Trainer`] minimizes a [`Loss`] over mini-batches with an [`Optimizer`]. The result does
//!   not depend on the number of threads.
//! * [`TdLambda`] learns online by temporal differences.
//! * [`Network::to_bytes`] encodes a small file (`.net`) that detects any damage.
//!
//! Numbers are `f32`. The channels of a cell and the cells of a row are contiguous in memory, and
//! kernels are stored mirrored, so both layers, forward and backward, multiply and add contiguous
//! rows.

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
pub(crate) use file::{decode_file, encode_file};
pub use input::{Input, Shape};
pub use layer::{Activation, Layer, Padding};
pub use loss::Loss;
pub use optimizer::{Optimizer, OptimizerState, TrainerState};
pub use structure::{InvalidNetwork, Network, Scratch};
pub use temporal::{Diverged, TdLambda};
pub use trainer::Trainer;

#[cfg(test)]
mod tests;
