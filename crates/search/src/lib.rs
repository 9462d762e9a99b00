//! Algorithms over the contracts of [`tesuji_games`].

pub mod evaluator;
pub mod flat_ucb;
pub mod limits;
pub mod mcts;
pub mod paths;
pub mod perft;
pub mod report;
pub mod statistics;

pub use evaluator::{Evaluator, GameHeuristic, Zero};
pub use flat_ucb::{FlatUcb, FlatUcbOptions};
pub use limits::{Limits, Meter};
pub use mcts::{Threads, Uct, UctOptions};
pub use report::{MoveScore, Progress, Report, Search};
