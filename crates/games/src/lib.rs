//! The rules of many games behind two traits.
//!
//! * [`Position`]: two sides, perfect information:
//!
//! ```
//! use tesuji_games::{Notation, Outcome, Position, Side, rules::tictactoe::TicTacToe};
//!
//! let mut game = TicTacToe::new();
//! for text in ["b2", "a1", "c1", "a3", "a2", "c2", "b3"] {
//!     let m = game.parse_move(text)?;
//!     game.play(m);
//! }
//! let undo = { let m = game.parse_move("b1")?; (m, game.play(m)) };
//! assert_eq!(game.outcome(), None);
//! game.undo(undo.0, undo.1);
//! assert!(game.parse_move("b2").is_err());
//! # Ok::<(), tesuji_games::NotationError>(())
//! ```
//!
//! * [`Simulator`]: one agent, chance, hidden information.
//!
//! Every game implements [`Notation`] and [`Draw`]. The other capability traits are optional:
//! [`Heuristic`], [`MoveOrder`], [`Symmetry`], [`Tactics`], [`RowPosition`]. [`registry`] opens
//! every game by name.
//!
//! This crate does no input or output, reads no clock and starts no thread.

pub mod bits;
pub mod capability;
pub mod conformance;
pub mod diagram;
pub mod notation;
pub mod point;
pub mod position;
pub mod random;
pub mod registry;
pub mod row_board;
pub mod rules;
pub mod score;
pub mod side;
pub mod simulator;
pub mod spec;
pub mod state;

pub use capability::{
    ForcingMoves, Heuristic, MoveOrder, Playable, Reference, ReferenceScans, RowGame, RowGrid,
    RowPosition, RowRule, Symmetries, Symmetry, Tactics, UnknownRowRule,
};
pub use diagram::{BoardMaterial, BoardStyle, Diagram, DiagramCell, Draw};
pub use notation::{GameLine, Notation, NotationError};
pub use point::Point;
pub use position::{PlayError, Position, random_playout};
pub use random::Rng;
pub use row_board::RowBoard;
pub use score::Score;
pub use side::{Outcome, Side};
pub use simulator::{AgainstChance, Simulator};
pub use spec::{Spec, SpecError};
pub use state::{Move, State};

#[doc = include_str!("../add-a-game.md")]
pub mod add_a_game {}

/// The example of the crate's `README.md`, compiled and run as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
