//! A critic: a small network that looks at how often each side has each of ten patterns and says how likely the first
//! side wins. It is the learning agent of Shao Yanjun and Shao Yi (report, Fudan University, 2021), who took the idea
//! from Zhao, Zhang and Dai (2012) and ran out of time.
//!
//! * [`PatternMatcher`]: the ten patterns for rows of any length, on one board.
//! * [`PatternBoard`]: stones, and how often each pattern occurs, kept from stone to stone.
//! * [`Critic`]: the network 81-32-1, asked about a position or about the position after a stone.
//! * [`CriticEvaluator`]: the critic beside a game's position, and the moves that threats leave.
//! * [`agents`]: who plays by it.
//! * [`CriticLearner`]: the learner, by temporal differences, as a file says ([`settings`]).
//!
//! A position is 81 numbers: ten patterns, two sides, four numbers for a count (see [`encoding`]), and whose turn it is.

pub mod agents;
mod candidates;
pub mod encoding;
mod evaluator;
mod job;
mod learning;
mod line_cache;
mod matcher;
mod model;
mod opponents;
mod pattern_board;
mod patterns;
mod self_play;
pub mod settings;
mod training;

pub use candidates::{Candidate, Candidates, Urgency};
pub use evaluator::CriticEvaluator;
pub(crate) use job::tasks;
pub use matcher::{LONGEST_SIDE, MatcherError, PatternMatcher};
pub use model::{Critic, CriticError, UNITS};
pub use pattern_board::{Counts, PatternBoard};
pub use patterns::{LONGEST_ROW, PATTERNS, SHORTEST_ROW};
pub use settings::CriticSettings;
pub use training::{CriticLearner, KIND};

#[cfg(test)]
mod tests;
