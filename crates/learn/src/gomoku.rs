//! The tuner of the Gomoku engine: it fits the values of cells and threats and the order of moves
//! to games that the engine plays against itself.
//!
//! A round plays games with the parameters of the last round ([`self_play`]), extracts examples
//! ([`examples`]) and fits new parameters ([`learning`], [`fit`]): a logistic regression for the
//! estimate, a softmax regression for the order of moves. Both are convex, so there is one optimum.
//! A prior around handcrafted parameters, whose mean moves only by terms that many parameters
//! share, regularizes rare ones. [`training`] is the learner.

pub mod examples;
pub mod fit;
pub(crate) mod game_file;
pub mod learning;
pub mod parameters;
pub mod record;
mod rounds;
pub mod self_play;
pub mod settings;
pub mod training;

pub use record::{GameRecord, RecordError};
pub(crate) use rounds::{SelfPlayRound, tasks};
pub use settings::TuneSettings;
pub use training::{EngineTuner, KIND};
