//! Connect6: six in a row, two stones a turn (the first side begins with one). It has its own data
//! structures: a board that counts stones in every window of six cells, threats (windows that one
//! turn can fill), victory by continuous double threats, and a search over turns.
//!
//! ```
//! use tesuji_gomoku::connect6::{Connect6Board, Connect6Engine, Connect6Options};
//! use tesuji_search::Limits;
//!
//! let mut board = Connect6Board::new(19, 19)?;
//! let mut engine = Connect6Engine::new(Connect6Options::default());
//! while board.stones() < 3 {
//!     let report = engine.search(&board, &Limits::nodes(1_000), &mut |_| {});
//!     board.play(report.best.expect("the game is not over"));
//! }
//! # Ok::<(), tesuji_gomoku::connect6::Connect6BoardError>(())
//! ```
//!
//! From the bottom up: the windows ([`windows`]), their contents ([`board`]), threats and their
//! blocks ([`threats`]), victory by continuous double threats ([`vcdt`]), the evaluation
//! ([`evaluation`]), candidate turns ([`candidates`]), the search (`search`) and the engine
//! ([`engine`]).

mod limit_meter;
mod search;
mod window_counts;

pub mod board;
pub mod candidates;
pub mod engine;
pub mod evaluation;
pub mod threats;
pub mod vcdt;
pub mod windows;

pub use board::{Connect6Board, Connect6BoardError};
pub use engine::{Connect6Engine, Connect6Options};
pub use threats::{Threat, ThreatCount};
pub use vcdt::{ReplyMode, Vcdt, VcdtOutcome};
pub use windows::{WindowSet, Windows};
