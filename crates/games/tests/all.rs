//! The integration tests of the crate in one program: it is linked once, and tests of different
//! files run side by side.

mod checkers;
mod chess;
mod conformance;
mod connect4;
mod estimates;
mod gem_island;
mod gem_island_text;
mod mnk;
mod move_paths;
mod othello;
mod playthroughs;
mod renju;
mod row_board;
mod tictactoe_nd;
