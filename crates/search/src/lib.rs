//! Algorithms over the contracts of [`tesuji_games`].

pub mod evaluator;
pub mod limits;
pub mod report;

pub use evaluator::{Evaluator, GameHeuristic, Zero};
pub use limits::{Limits, Meter};
pub use report::{MoveScore, Progress, Report, Search};
