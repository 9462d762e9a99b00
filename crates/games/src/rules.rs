//! The rules, one file per game. **A new game needs one file here and three lines in this file**:
//! its module, its entry in [`BUILTIN`] and its position type in [`typed!`](crate::typed). They add
//! it to the command line, the searches, the matches, the web app and the test suites.

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

use crate::registry::{GameEntry, Puzzle};

/// The built-in games for two players, in the order of the help.
pub const BUILTIN: &[GameEntry] = &[
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

/// The built-in games for one player, in the order of the help.
pub const PUZZLES: &[Puzzle] = &[gem_island::PUZZLE];

/// Calls generic code with the typed position inside a [`State`](crate::State) of a built-in game:
/// `typed!(state, |position| laws(position))`. The expression is compiled for every position type.
/// The list includes chess, so the macro needs the feature `chess`.
#[cfg(feature = "chess")]
#[macro_export]
macro_rules! typed {
    ($state:expr, |$position:ident| $body:expr) => {
        $crate::typed! { @each $state, $position, $body;
            $crate::rules::tictactoe::TicTacToe,
            $crate::rules::tictactoe_nd::TicTacToeNd<{ $crate::rules::tictactoe_nd::FEW_LINES }>,
            $crate::rules::tictactoe_nd::TicTacToeNd<{ $crate::rules::tictactoe_nd::MAX_LINES }>,
            $crate::rules::mnk::Mnk<$crate::rules::mnk::bit_board::BitBoard>,
            $crate::rules::mnk::Mnk<$crate::rules::mnk::line_board::LineBoard>,
            $crate::rules::renju::Renju,
            $crate::rules::connect4::Connect4,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::FixedSize<7, 7>>,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::RuntimeSize<u64>>,
            $crate::rules::connect4::Connect4<$crate::rules::connect4::RuntimeSize<u128>>,
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
            unreachable!("the list of `typed!` lacks this position type")
        }
    }};
}
