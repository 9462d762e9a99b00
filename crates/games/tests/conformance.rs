//! Every registered game keeps the laws of `tesuji_games::conformance`.

use tesuji_games::{Playable, Visitor, conformance, registry};

struct Check {
    games: usize,
}

impl Visitor for Check {
    type Output = ();
    fn visit<P: Playable>(self, start: P) {
        conformance::check(&start, self.games, 2012);
    }
}

#[test]
fn every_registered_game_keeps_the_laws() {
    for name in registry::names() {
        registry::open(name, Check { games: 12 }).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
