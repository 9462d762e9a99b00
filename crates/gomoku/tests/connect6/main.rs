//! Properties of Connect6: the board against a reference board, threats against trying every stone,
//! wins by threats against every reply, and the engine in positions with a known best turn.

mod board;
mod engine;
mod reference_board;
mod threats;
mod vcdt;
