//! Algorithms over the contracts of [`tesuji_games`].

pub mod evaluator;
pub mod limits;
pub mod mcts;
pub mod report;

pub use evaluator::{Evaluator, GameHeuristic, Zero};
pub use limits::{Limits, Meter};
pub use mcts::{Threads, Uct, UctOptions};
pub use report::{MoveScore, Progress, Report, Search};
