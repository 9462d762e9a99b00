//! What must hold for Connect6: the board against a plain one, threats against trying every stone, wins by threats
//! against every answer, and the engine in positions whose best turn is known.

mod board;
mod engine;
mod naive;
mod threats;
mod vcdt;
