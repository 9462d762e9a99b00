//! The tuner of the Gomoku engine: it fits the values of cells and threats and the move order to
//! games that the engine plays against itself.
//!
//! A round plays games with the parameters of the last round ([`self_play`]), extracts examples
//! ([`examples`]) and fits new parameters ([`learning`], [`fit`]): a logistic regression for the
//! estimate, a softmax regression for the order of moves. Both are convex, so there is one optimum.
//! A Gaussian prior around the handcrafted parameters regularizes rare ones; shifts that many
//! parameters share let these generalize. [`training`] is the learner.

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

pub use record::{SelfPlayRecord, SelfPlayRecordError};
pub(crate) use rounds::{SelfPlayRound, job_kinds};
pub use settings::EngineTunerSettings;
pub use training::{EngineTuner, KIND};
