//! The rules of many games behind two contracts.
//!
//! * [`Position`]: two sides, perfect information. A value you hold:
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
//! Every game has a [`Notation`] and can be [drawn](Draw). What else it can do beyond its rules is
//! a capability trait, which it may lack: [`Heuristic`], [`MoveOrder`], [`Symmetry`], [`Tactics`],
//! [`Stones`]. [`registry`] knows every game by name.
//!
//! Nothing here does input or output, looks at a clock, or starts a thread.

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
    ForcingMoves, Grid, Heuristic, Images, MoveOrder, Oracle, Playable, Reference, RowGame,
    RowRule, Stones, Symmetry, Tactics, UnknownRule,
};
pub use diagram::{Cell, Diagram, Draw, Look, Material};
pub use notation::{Line, Notation, NotationError};
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

/// The example of the crate's `README.md`, compiled and run with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
