//! The rules, one file a game.

pub mod checkers;
pub mod chess;
pub mod othello;
pub mod tictactoe;
