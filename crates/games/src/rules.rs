//! The rules, one file a game.

pub mod mnk;
pub mod tictactoe;
pub mod tictactoe_nd;
