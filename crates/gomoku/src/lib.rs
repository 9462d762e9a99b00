//! Gomoku for engines: boards that know what a stone on each empty cell would create, threat
//! searches, and engines.
//!
//! ```
//! use tesuji_gomoku::{Board, Cell, MoveClass, Vcf, VcfOutcome};
//! use tesuji_games::{RowRule, Side};
//!
//! let mut board = Board::new(RowRule::AtLeast, 15, 15)?;
//! for (column, row) in [(7, 7), (0, 0), (8, 7), (14, 0), (9, 7), (0, 14)] {
//!     board.play(Cell::new(column, row));
//! }
//! assert_eq!(board.class(Side::First, Cell::new(10, 7)), MoveClass::OpenFour);
//! assert!(matches!(Vcf::new().solve(&mut board, Side::First, 1_000), VcfOutcome::Win(_)));
//! # Ok::<(), tesuji_gomoku::BoardError>(())
//! ```
//!
//! From the bottom up: the winning condition ([`RowRule`](tesuji_games::RowRule)), patterns in one
//! line ([`pattern`], looked up in a [`line_table`]), classes of the four lines through a cell
//! ([`class`]), the board that updates both incrementally ([`board`]), the forbidden moves of renju
//! ([`forbidden`]), the cells that block a threat ([`defense`]), victory by continuous fours
//! ([`vcf`]) and by continuous threats ([`vct`]), files of problems ([`problem`]), the Gomoku
//! engine ([`engine`]), the Connect6 engine ([`connect6`]), and the agents of a published report
//! ([`fudan`]).

mod near;
mod undo;

pub mod board;
pub mod cell;
pub mod class;
pub mod connect6;
pub mod defense;
pub mod engine;
pub mod forbidden;
pub mod fudan;
pub mod line_table;
pub mod lines;
pub mod pattern;
#[cfg(feature = "serde")]
pub mod problem;
pub mod vcf;
pub mod vct;

pub use board::{Board, BoardError};
pub use cell::{Cell, CellSet, LONGEST_SIDE, SHORTEST_SIDE};
pub use class::MoveClass;
pub use defense::blocking_cells;
pub use lines::{Direction, LineBitboards};
pub use pattern::LinePattern;
#[cfg(feature = "serde")]
pub use problem::Problem;
pub use undo::CellChange;
pub use vcf::{Vcf, VcfOutcome};
pub use vct::{Vct, VctOutcome};
