//! Algorithms over the contracts of [`tesuji_games`].

mod best_line;
mod root_split;
mod shared_table;
mod walk;
mod worker;

pub mod alphabeta;
pub mod book;
pub mod determine;
pub mod ending;
pub mod engine;
pub mod evaluator;
pub mod flat_ucb;
pub mod limits;
pub mod mcts;
pub mod minimax;
pub mod nega_alphabeta;
pub mod negamax;
pub mod options;
pub mod ordering;
pub mod paths;
pub mod perft;
pub mod quiescence;
pub mod report;
pub mod statistics;
pub mod threads;
pub mod transposition;

pub use alphabeta::AlphaBeta;
pub use book::{Book, BookError, BookKeys};
pub use determine::determine;
pub use engine::Engine;
pub use evaluator::{Evaluator, GameHeuristic, Zero};
pub use flat_ucb::{FlatUcb, FlatUcbOptions};
pub use limits::{Limits, Meter};
pub use mcts::{Threads, Uct, UctOptions};
pub use minimax::Minimax;
pub use nega_alphabeta::NegaAlphaBeta;
pub use negamax::Negamax;
pub use options::{Deepening, EngineOptions, Parallel, Window};
pub use ordering::Ordering;
pub use quiescence::Quiescence;
pub use report::{MoveScore, Progress, Report, Search};
pub use threads::Scheduler;
pub use transposition::{DepthMatch, Table, TableSize};
