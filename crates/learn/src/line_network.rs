//! A policy and value network for five in a row, on boards of any size up to 20x20. Its inputs are
//! lines: for every cell and each of the four directions, the cell and the five cells on each side
//! of it.
//!
//! ```text
//! line:   two half-lines, rows of a table ── added ── ReLU ── linear ──┐
//! cell:                         four lines ── added ── ReLU ───────────┘
//!         3x3 neighborhood ── ReLU ──┬──────────────────────────────────────────────┐
//! value:                             └ sum and maximum over the board ── 32 ── 32 ──┼── sigmoid
//! policy: a logit per cell, with weights that depend on the value's last layer ─────┘── softmax
//! ```
//!
//! * [`LineWeights`]: the parameters, and their file.
//! * [`LineNetwork`]: the network prepared for inference: the outputs of all lines are tabulated.
//! * [`NetworkBoard`]: stones, and the sums of line outputs by cell, updated incrementally.
//! * [`Inference`]: evaluates such a board: value and policy.
//! * [`LineGuide`], [`line_search`]: tree search, and alpha-beta (with a [`LineEvaluator`]).
//! * [`games`], [`dataset`], [`batch`], [`backprop`], [`trainer`]: training data, gradients,
//!   optimization.
//! * [`settings`], [`training`]: the learner.
//! * [`mod@reference`]: a reference implementation from the stones alone, without tables.
//!
//! As in Rapfi's Mix networks (arXiv 2503.13178, 2025), the ternary index of a line selects a row
//! of a table, rows are added, and a small network follows. Rapfi learns a row for each of 442,503
//! shapes; here the rows of the two halves of a line, of which there are 364, are added. So the
//! file has 300 KB, and mirrored lines are equal by construction. The weights of neighbors depend
//! only on their distance, so the outputs are invariant under rotation and reflection of the board.

pub mod backprop;
pub mod batch;
mod board;
pub mod dataset;
mod file;
pub mod games;
mod inference;
pub mod reference;
mod search;
pub mod settings;
mod shape;
mod table;
#[cfg(feature = "tensors")]
mod tensors;
pub mod trainer;
pub mod training;
mod weights;

pub use board::{LONGEST_SIDE, NetworkBoard, UnsupportedBoard};
pub use inference::Inference;
pub use search::{LineEvaluator, LineGuide, LineSearch, LineSearchOptions, line_search};
pub use settings::LineLearnerSettings;
pub use shape::{CENTERS, FIELDS, HALVES, HalfLine, REACH};
pub use table::LineNetwork;
pub use training::{KIND, LineLearner};
pub use weights::{HIDDEN, LineWeights, MAX_WEIGHT, POOL_SHARE, POOLED, Part, UNITS, WIDTH};

#[cfg(test)]
mod tests;
