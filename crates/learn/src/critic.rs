//! A critic: a small network that estimates from pattern counts how likely the first side wins. Its
//! inputs count how often each side has each of ten patterns. It is the learning agent of Shao
//! Yanjun and Shao Yi (report, Fudan University, 2021), who took the idea from Zhao, Zhang and Dai
//! (2012) and did not finish it in time.
//!
//! * [`PatternMatcher`]: counts the ten patterns, for rows of any length, on one board.
//! * [`PatternBoard`]: stones and pattern counts, updated incrementally.
//! * [`Critic`]: the network 81-32-1. It evaluates a position, or the position after a stone.
//! * [`CriticEvaluator`]: a critic that follows a game's position and prunes its moves by threats.
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
