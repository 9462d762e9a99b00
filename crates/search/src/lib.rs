//! Algorithms over the contracts of [`tesuji_games`].
//!
//! Every search is a [`Search`]: it takes a position and [`Limits`], and gives a [`Report`], with
//! the best move or ([`Search::analyze`]) with a score for each.
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
//! * The four classic searches, each as short as it can be: [`Minimax`], [`Negamax`], [`AlphaBeta`],
//!   [`NegaAlphaBeta`].
//! * [`Engine`]: alpha-beta with table, ordering, quiescence, deepening, books and threads, as
//!   [`EngineOptions`] say. Unless an option says otherwise, the value is that of [`Minimax`].
//! * [`Uct`] and [`FlatUcb`]: by simulated games. [`Puct`]: by simulations that a [`Guide`] leads.
//! * [`Exact`]: who wins with best play, and where the game's own solver counts moves how soon.
//! * [`determine`](determine()): the best move with a random choice among equals, over any search.

mod best_line;
mod huge_pages;
mod pace;
mod root_split;
mod shared_table;
mod walk;
mod worker;

pub mod alphabeta;
pub mod analysis;
pub mod book;
pub mod connect4;
pub mod determine;
pub mod ending;
pub mod engine;
pub mod envelope;
pub mod evaluator;
pub mod exact;
pub mod flat_ucb;
pub mod game;
pub mod gem_island;
pub mod knowledge;
pub mod limits;
pub mod mcts;
pub mod memory;
pub mod minimax;
pub mod nega_alphabeta;
pub mod negamax;
pub mod options;
pub mod ordering;
pub mod paths;
pub mod perft;
pub mod proof;
pub mod puct;
pub mod quiescence;
pub mod report;
pub mod searches;
pub mod solve;
pub mod statistics;
pub mod threads;
pub mod transposition;

pub use alphabeta::AlphaBeta;
pub use book::{Book, BookError, BookKeys};
pub use connect4::{Connect4Book, Connect4Solver};
pub use determine::determine;
pub use engine::Engine;
pub use evaluator::{Evaluator, Followed, GameHeuristic, Zero};
pub use exact::{Exact, ExactOptions, OpeningBook};
pub use flat_ucb::{FlatUcb, FlatUcbOptions};
pub use game::{EngineBase, EnginePlan, Game, Registry, Rollout, SearchPlan, Searches};
pub use knowledge::Knowledge;
pub use limits::{Limits, Meter};
pub use mcts::{Threads, Uct, UctOptions};
pub use minimax::Minimax;
pub use nega_alphabeta::NegaAlphaBeta;
pub use negamax::Negamax;
pub use options::{Deepening, EngineOptions, Parallel, Window};
pub use ordering::Ordering;
pub use proof::ProofSearch;
pub use puct::{Guide, Puct, PuctOptions, Unguided};
pub use quiescence::Quiescence;
pub use report::{MoveScore, Progress, Report, Search};
pub use solve::Solver;
pub use threads::Scheduler;
pub use transposition::{DepthMatch, Table, TableSize};

/// The example of `README.md`, compiled and run with the others.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
