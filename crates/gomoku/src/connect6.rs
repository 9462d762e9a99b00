//! Connect6: six in a row, two stones a turn (the first side begins with one). The same ideas as for five in a
//! row, through tables of their own: a board that counts stones in every window of six cells, threats (a window
//! that one turn can fill), wins by threats alone, and a search over turns.
//!
//! ```
//! use tesuji_gomoku::connect6::{Board, Engine, Settings};
//! use tesuji_search::Limits;
//!
//! let mut board = Board::new(19, 19)?;
//! let mut engine = Engine::new(Settings::default());
//! while board.stones() < 3 {
//!     let report = engine.search(&board, &Limits::nodes(1_000), &mut |_| {});
//!     board.play(report.best.expect("the game is not over"));
//! }
//! # Ok::<(), tesuji_gomoku::connect6::BoardError>(())
//! ```
//!
//! From the bottom up: the windows ([`windows`]), what lies in them ([`board`]), what must be stopped
//! ([`threats`]), wins by threats ([`vcdt`]), what a position is worth ([`weights`]), which turns are tried
//! ([`candidates`]), the search (`search`) and who calls it ([`engine`]).

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
