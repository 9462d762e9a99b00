//! Runs `tesuji_games::conformance` for every registered game.

use tesuji_games::{conformance, registry, typed};

#[test]
fn every_registered_game_keeps_the_laws() {
    for name in registry::names() {
        let start = registry::start(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        typed!(start, |start| conformance::check(start, 12, 2012));
    }
}
