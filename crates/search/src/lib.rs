//! Search algorithms over the traits of [`tesuji_games`].
//!
//! Every search implements [`Search`]: it takes a position and [`Limits`] and returns a
//! [`SearchReport`] with the best move or, from [`Search::analyze`], a score for every move.
//!
//! ```
//! use tesuji_games::{Notation, rules::connect4::Connect4};
//! use tesuji_search::{Engine, EngineOptions, GameHeuristic, Limits, Minimax, Search};
//!
//! let position = Connect4::new().parse_line("4453")?.end;
//! let depth_6 = Limits::depth(6);
//! let plain = Minimax::new(GameHeuristic).run(&position, &depth_6);
//! let fast = Engine::new(GameHeuristic, EngineOptions::exact()).run(&position, &depth_6);
//! assert_eq!(plain.score, fast.score);
//! assert!(fast.nodes * 10 < plain.nodes);
//! # Ok::<(), tesuji_games::NotationError>(())
//! ```
//!
//! * The four textbook searches, as short as possible: [`Minimax`], [`Negamax`], [`AlphaBeta`],
//!   [`NegaAlphaBeta`].
//! * [`Engine`]: alpha-beta with transposition table, move ordering, quiescence, iterative
//!   deepening, opening books and threads, configured by [`EngineOptions`]. It returns the value of
//!   [`Minimax`] unless an option documents otherwise.
//! * [`Uct`] and [`FlatUcb`]: Monte Carlo search with rollouts. [`Puct`]: tree search guided by a
//!   [`PolicyValue`] model.
//! * [`ExactSolver`]: solvers for the result of best play and, for games with a specialized solver,
//!   the number of moves to it.
//! * [`choose_randomly_among_best`]: the best move with random tie-breaks, over any search.

mod huge_pages;
mod principal_variation;
mod root_split;
mod shared_table;
mod throttle;
mod traversal;
mod worker;

pub mod alphabeta;
pub mod analysis;
pub mod book;
#[cfg(feature = "serde")]
pub mod book_file;
pub mod capabilities;
pub mod connect4;
pub mod engine;
pub mod envelope;
pub mod evaluator;
pub mod exact;
pub mod flat_ucb;
pub mod game;
pub mod gem_island;
pub mod limits;
pub mod mcts;
pub mod memory;
pub mod minimax;
pub mod nega_alphabeta;
pub mod negamax;
pub mod options;
pub mod ordering;
pub mod path_count;
pub mod perft;
pub mod proof;
pub mod puct;
pub mod quiescence;
pub mod random_tie_break;
pub mod report;
pub mod searches;
pub mod solve;
pub mod statistics;
pub mod terminal;
pub mod threads;
pub mod transposition;

pub use alphabeta::AlphaBeta;
pub use book::{Book, BookError, BookKeys};
pub use capabilities::GameCapabilities;
pub use connect4::{Connect4Book, Connect4Solver};
pub use engine::Engine;
pub use evaluator::{EvaluatedPosition, Evaluator, GameHeuristic, ZeroEvaluator};
pub use exact::{BookChoice, ExactSolver, ExactSolverOptions};
pub use flat_ucb::{FlatUcb, FlatUcbOptions};
pub use game::{EngineBase, EnginePlan, Game, LeafEvaluation, Registry, SearchPlan, Searches};
pub use limits::{Limits, Meter};
pub use mcts::{Uct, UctOptions, UctThreads};
pub use minimax::Minimax;
pub use nega_alphabeta::NegaAlphaBeta;
pub use negamax::Negamax;
pub use options::{Deepening, EngineOptions, ParallelMode, WindowMode};
pub use ordering::MoveOrdering;
pub use proof::ProofSearch;
pub use puct::{PolicyValue, Puct, PuctOptions, UniformPolicy};
pub use quiescence::Quiescence;
pub use random_tie_break::choose_randomly_among_best;
pub use report::{MoveScore, ProgressFn, Search, SearchReport};
pub use solve::AlphaBetaSolver;
pub use threads::{RunningGame, Scheduler};
pub use transposition::{DepthMatch, TableSize, TranspositionTable};

/// The example of the crate's `README.md`, compiled and run as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
