//! The rules, one file a game.

pub mod tictactoe;
