//! Gomoku for engines: a board that knows, at every moment, what a stone on each empty cell would make.
//!
//! ```
//! use tesuji_gomoku::{Board, Cell, Class, Vcf, VcfOutcome};
//! use tesuji_games::{RowRule, Side};
//!
//! let mut board = Board::new(RowRule::AtLeast, 15, 15)?;
//! for (column, row) in [(7, 7), (0, 0), (8, 7), (14, 0), (9, 7), (0, 14)] {
//!     board.play(Cell::new(column, row));
//! }
//! assert_eq!(board.class(Side::First, Cell::new(10, 7)), Class::OpenFour);
//! assert!(matches!(Vcf::new().solve(&mut board, Side::First, 1_000), VcfOutcome::Win(_)));
//! # Ok::<(), tesuji_gomoku::BoardError>(())
//! ```
//!
//! From the bottom up: what wins ([`RowRule`](tesuji_games::RowRule)), what one line through a cell
//! says ([`pattern`], looked up in a [`line_table`]), what four lines say together ([`class`]), all of
//! it kept while stones come and go ([`board`]), where black may not play in renju ([`forbidden`]),
//! where a threat is stopped ([`defense`]), wins by fours alone ([`vcf`]), and files of positions that
//! have them ([`problem`]).

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
