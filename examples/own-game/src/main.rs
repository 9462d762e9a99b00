//! `tesuji` with an additional game.

mod hex;

use std::process::ExitCode;

use hex::Hex;
use tesuji_search::searches;

fn main() -> ExitCode {
    tesuji::run(&tesuji_builtin::registry().with(hex::GAME, searches::of::<Hex>))
}
