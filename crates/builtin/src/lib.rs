//! The built-in games with their searches. Only this crate compiles searches for position types; no
//! crate above it uses such a type.
//!
//! ```
//! let games = tesuji_builtin::registry();
//! let connect4 = games.open("connect4")?;
//! assert_eq!(connect4.line("4453").unwrap().moves.len(), 4);
//! # Ok::<(), tesuji_games::SpecError>(())
//! ```

use tesuji_games::rules::{BUILTIN, PUZZLES};
use tesuji_games::{Playable, State, typed};
use tesuji_search::{Registry, Searches, searches};

/// The registry of all built-in games.
pub fn registry() -> Registry {
    let of_two = BUILTIN.iter().fold(Registry::empty(), |games, game| games.with(*game, compiled));
    PUZZLES.iter().fold(of_two, |games, puzzle| games.with_puzzle(*puzzle))
}

fn compiled(state: &State) -> &'static dyn Searches {
    fn of<P: Playable>(_: &P, state: &State) -> &'static dyn Searches {
        searches::of::<P>(state)
    }
    typed!(*state, |position| of(position, state))
}

/// The example of the workspace's `README.md`, compiled and run as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
