//! A critic: a small network that looks at how often each side has each of ten patterns and says how likely the first
//! side wins. It is the learning agent of Shao Yanjun and Shao Yi (report, Fudan University, 2021), who took the idea
//! from Zhao, Zhang and Dai (2012) and ran out of time.
//!
//! * [`Scheme`]: the ten patterns for rows of any length, on one board.
//! * [`Tally`]: stones, and how often each pattern occurs, kept from stone to stone.
//! * [`Critic`]: the network 81-32-1, asked about a position or about the position after a stone.
//! * [`CriticEvaluator`]: the critic beside a game's position, and the moves that threats leave.
//! * [`agents`]: who plays by it.
//! * [`CriticLearner`]: the learner, by temporal differences, as a file says ([`settings`]).
//!
//! A position is 81 numbers: ten patterns, two sides, four numbers for a count (see [`code`]), and whose turn it is.

pub mod agents;
pub mod code;
mod evaluator;
mod judgement;
mod learning;
mod line_memory;
mod opponents;
mod patterns;
mod players;
mod prospects;
mod scheme;
mod self_play;
pub mod settings;
mod tally;
mod training;

pub use evaluator::CriticEvaluator;
pub use judgement::{Critic, CriticError, UNITS};
pub use patterns::{LONGEST_ROW, PATTERNS, SHORTEST_ROW};
pub(crate) use players::tasks;
pub use prospects::{Prospect, Prospects, Urgency};
pub use scheme::{LONGEST_SIDE, Scheme, SchemeError};
pub use settings::CriticSettings;
pub use tally::{Counts, Tally};
pub use training::{CriticLearner, KIND};

#[cfg(test)]
mod tests;
