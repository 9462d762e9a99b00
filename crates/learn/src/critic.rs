//! A critic: a small network that estimates the winning chance of the first side from the counts of
//! ten patterns of each side. It is the learning agent that Shao Yanjun and Shao Yi (report, Fudan
//! University, 2021) based on Zhao, Zhang and Dai (2012), but did not finish in time.
//!
//! * [`PatternMatcher`]: counts the ten patterns on one board, for rows of any length.
//! * [`PatternBoard`]: stones and pattern counts, updated incrementally.
//! * [`Critic`]: the network 81-32-1. It evaluates a position, or the position after a stone.
//! * [`CriticEvaluator`]: evaluates positions and moves of a game, and prunes its moves by threats.
//! * [`agents`]: the searches that use a critic.
//! * [`CriticLearner`]: the learner, by temporal differences, configured by [`settings`].
//!
//! A position is 81 inputs: ten patterns, two sides, four inputs for a count (see [`encoding`]),
//! and the side to move.

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
pub(crate) use job::job_kinds;
pub use matcher::{LONGEST_SIDE, MatcherError, PatternMatcher};
pub use model::{Critic, CriticError, UNITS};
pub use pattern_board::{CriticPatternCounts, PatternBoard};
pub use patterns::{LONGEST_ROW, PATTERNS, SHORTEST_ROW};
pub use settings::CriticLearnerSettings;
pub use training::{CriticLearner, KIND};

#[cfg(test)]
mod tests;
