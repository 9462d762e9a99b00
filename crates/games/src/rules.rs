//! The rules, one file a game.

pub mod checkers;
pub mod chess;
pub mod connect4;
pub mod connect4_array;
pub mod gem_island;
pub mod mnk;
pub mod othello;
pub mod renju;
pub mod tictactoe;
pub mod tictactoe_nd;
