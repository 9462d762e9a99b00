//! Law: in every game that can be played, what is kept incrementally equals what a scan finds, moves are
//! legal and reversible, and texts read back. The first byte chooses the game, the others the moves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::{Playable, conformance, registry, typed};

struct Choices<'c>(&'c [u8]);

impl Choices<'_> {
    fn visit<P: Playable>(self, start: P) {
        conformance::check_choices(&start, self.0);
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Some((&game, choices)) = bytes.split_first() {
        let names: Vec<&str> = registry::names().collect();
        let name = names[usize::from(game) % names.len()];
        registry::start(name).map(|state| typed!(state, |start| Choices(choices).visit(Clone::clone(start)))).expect("a registered name opens");
    }
});
