//! The rules, one file a game. **A new game is one file here and its lines in this file**: its module,
//! its entry among the built-in games, and its type of position. They give it the command line, the
//! searches, the matches, the web app and the test suites.

pub mod checkers;
#[cfg(feature = "chess")]
pub mod chess;
pub mod connect4;
pub mod connect4_array;
pub mod gem_island;
pub mod mnk;
pub mod othello;
pub mod renju;
pub mod tictactoe;
pub mod tictactoe_nd;

use crate::registry::{Entry, Puzzle};

/// Every game of two players that comes with this crate, in the order of the help.
pub const BUILTIN: &[Entry] = &[
    tictactoe::GAME,
    tictactoe_nd::GAME,
    mnk::GAME,
    renju::GAME,
    connect4::GAME,
    connect4_array::GAME,
    othello::GAME,
    checkers::GAME,
    #[cfg(feature = "chess")]
    chess::GAME,
];

/// Every game of one player, in the order of the help.
pub const PUZZLES: &[Puzzle] = &[gem_island::PUZZLE];

/// Gives the position inside a [`State`](crate::State) of a built-in game its type back:
/// `typed!(state, |position| laws(position))`. What follows the type is compiled for each of them.
/// It lists chess, so it needs the feature of that name.
#[cfg(feature = "chess")]
#[macro_export]
macro_rules! typed {
    ($state:expr, |$position:ident| $body:expr) => {
        $crate::typed! { @each $state, $position, $body;
            $crate::rules::tictactoe::TicTacToe,
            $crate::rules::tictactoe_nd::TicTacToeNd<{ $crate::rules::tictactoe_nd::FEW_LINES }>,
            $crate::rules::tictactoe_nd::TicTacToeNd<{ $crate::rules::tictactoe_nd::MOST_LINES }>,
            $crate::rules::mnk::Mnk<$crate::rules::mnk::bit_board::BitBoard>,
            $crate::rules::mnk::Mnk<$crate::rules::mnk::line_board::LineBoard>,
            $crate::rules::renju::Renju,
            $crate::rules::connect4::Connect4,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::Fixed<7, 7>>,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::AnySize<u64>>,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::AnySize<u128>>,
            $crate::rules::connect4_array::Connect4Array,
            $crate::rules::othello::Othello<8>,
            $crate::rules::othello::Othello<6>,
            $crate::rules::othello::Othello<4>,
            $crate::rules::checkers::Checkers,
            $crate::rules::chess::Chess,
        }
    };
    (@each $state:expr, $position:ident, $body:expr; $($type:ty),* $(,)?) => {{
        let state: &$crate::State = &$state;
        'typed: {
            $(if let Some($position) = state.downcast_ref::<$type>() {
                break 'typed $body;
            })*
            unreachable!("a position of a type that is not in the list of `typed!`")
        }
    }};
}
