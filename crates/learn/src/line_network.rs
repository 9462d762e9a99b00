//! A network for five in a row that looks at lines: for every cell and each of the four directions through it, at the
//! cell and the five on each side of it. It says which moves are promising (policy) and how likely the side to move
//! wins (value), on boards of any size up to 20x20.
//!
//! ```text
//! line: two half-lines ── rows of a table, added ── ReLU ── mixed ──┐
//!                                                   four directions ┴─ added ── ReLU ── neighbors (3x3) ── ReLU ──┐
//!      value:  sum and greatest over the board ── 32 ── 32 ── chance of the side to move                        ───┤
//!      policy: a number for each cell, weighed by what the value's last layer found                             ───┘
//! ```
//!
//! * [`LineWeights`]: the numbers that are learned, and their file.
//! * [`LineNetwork`]: the same, ready to be asked: what a whole line brings is tabulated.
//! * [`NetworkBoard`]: stones, and what the lines bring to each cell, kept from stone to stone.
//! * [`Inference`]: looks at such a board; value and policy come from here.
//! * [`LineGuide`], [`line_search`]: for tree search, and alpha-beta (with a [`LineEvaluator`]).
//! * [`games`], [`dataset`], [`batch`], [`backprop`]: what is learned from, and which way is downhill.
//! * [`settings`], [`training`]: the learner.
//! * [`reference`]: all of it once more, from the stones alone and without tables.
//!
//! That a ternary index of a line leads to a row of numbers, that rows are added up and a small network follows, is the
//! idea of Rapfi's Mix networks (arXiv 2503.13178, 2025). There a row for each of 442,503 shapes is learned; here a line's row is
//! made from its two halves, of which there are 364: a file of 300 KB, and mirrored lines are the same by construction.
//! Neighbors count by distance alone, so that turning or mirroring a board changes nothing either.

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
pub use settings::LineSettings;
pub use shape::{CENTERS, FIELDS, HALVES, HalfLine, REACH};
pub use table::LineNetwork;
pub use training::{KIND, LineLearner};
pub use weights::{HIDDEN, LineWeights, MAX_WEIGHT, POOL_SHARE, POOLED, Part, UNITS, WIDTH};

#[cfg(test)]
mod tests;
