//! Law: any text is a line of moves that is written back, or is refused in one line. The first byte
//! chooses the game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::{Playable, conformance, registry, typed};

struct Text<'t>(&'t str);

impl Text<'_> {
    fn visit<P: Playable>(self, start: P) {
        conformance::check_text(&start, self.0);
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Some((&game, text)) = bytes.split_first() {
        let names: Vec<&str> = registry::names().collect();
        let name = names[usize::from(game) % names.len()];
        registry::start(name).map(|state| typed!(state, |start| Text(&String::from_utf8_lossy(text)).visit(Clone::clone(start)))).expect("a registered name opens");
    }
});
