//! What must hold for the board, the forbidden points and the search for fours, against a plain version of the
//! rules.

mod board;
mod defense;
mod engine;
mod forbidden;
mod games;
mod naive;
mod vcf;
