//! The integration tests of the crate as one program, which is linked once and runs the tests of
//! different files in parallel.

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
