//! Properties of the board, the forbidden moves, the solvers and the engine, checked against a
//! reference board.

mod board;
mod defense;
mod engine;
mod forbidden;
mod games;
mod reference_board;
mod vcf;
