//! Law: any text names a game or is refused in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tesuji_games::{Playable, Visitor, registry};

struct Touch;

impl Visitor for Touch {
    type Output = usize;
    fn visit<P: Playable>(self, start: P) -> usize {
        start.diagram().cells.len() + start.move_count()
    }
}

fuzz_target!(|text: &str| {
    if let Err(error) = registry::open(text, Touch) {
        assert!(!error.to_string().contains('\n'));
    }
});
