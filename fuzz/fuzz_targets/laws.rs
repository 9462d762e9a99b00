//! Law: a game whose moves are chosen by any bytes keeps the laws of `conformance`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::{conformance, registry, typed};

fuzz_target!(|bytes: &[u8]| {
    if let Some((&game, choices)) = bytes.split_first() {
        let names: Vec<&str> = registry::names().collect();
        let name = names[usize::from(game) % names.len()];
        let start = registry::start(name).expect("a registered name opens");
        typed!(start, |start| conformance::check_choices(start, choices));
    }
});
