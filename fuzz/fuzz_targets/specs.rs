//! Law: any text names a game or is refused in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::{Playable, registry, typed};

struct Touch;

impl Touch {
    fn visit<P: Playable>(self, start: P) -> usize {
        start.diagram().cells.len() + start.move_count()
    }
}

fuzz_target!(|text: &str| {
    if let Err(error) = registry::start(text).map(|state| typed!(state, |start| Touch.visit(Clone::clone(start)))) {
        assert!(!error.to_string().contains('\n'));
    }
});
