//! Law: any text opens a game or is rejected in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::{Draw, Position, registry};

fuzz_target!(|text: &str| {
    match registry::start(text) {
        Ok(start) => assert!(!start.diagram().cells.is_empty() || start.move_count() == 0),
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
});
