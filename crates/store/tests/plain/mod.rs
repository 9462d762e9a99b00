//! Plain games, for tests that only count them.

use tesuji_games::{Outcome, Side};
use tesuji_store::{
    Ending, EndingKind, GameRecord, PlayerRecord, Record, RecordKind, Selection, Store,
};

/// A plain game; two with the same key are equal.
pub(crate) fn plain_game(key: &str) -> GameRecord {
    GameRecord {
        key: key.to_string(),
        event: "cup".to_string(),
        game: "tictactoe".to_string(),
        players: [player("ann", "random"), player("bob", "alphabeta:depth=4")],
        pair: Some(1),
        seed: 7,
        start: None,
        moves: "b2a1c3".to_string(),
        opening_plies: 1,
        outcome: Outcome::Win(Side::First),
        ending: Ending::plain(EndingKind::Rules),
        thoughts: Vec::new(),
        played_at: 1_700_000_000,
    }
}

/// A player.
pub(crate) fn player(name: &str, spec: &str) -> PlayerRecord {
    PlayerRecord { name: name.to_string(), spec: spec.to_string() }
}

/// The keys of all games.
pub(crate) fn keys(store: &dyn Store) -> Vec<String> {
    let games = store.games(&Selection::all(RecordKind::Game)).unwrap();
    games.into_iter().map(|game| game.key).collect()
}

/// A plain game as a record.
pub(crate) fn game(key: &str) -> Record {
    Record::Game(plain_game(key))
}
