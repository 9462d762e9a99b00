//! The tuner of the Gomoku engine: it learns what cells and threats are worth, and which moves are promising, from games
//! that the engine plays against itself.
//!
//! A round plays games with the numbers that the last round left ([`self_play`]), turns them into examples
//! ([`examples`]) and fits new numbers to these ([`learning`], [`fit`]): a logistic regression for the worth, a softmax regression
//! for the order of moves. Both are convex, so there is one best answer, and a pull towards numbers put together by hand,
//! moved only by what many have in common, keeps what was seldom seen sensible. [`training`] is the learner.

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
