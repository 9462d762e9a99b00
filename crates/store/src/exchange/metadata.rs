//! Data of a record that other formats do not support, written as one line of JSON: the record
//! without its moves. And defaults for files of other programs.

use tesuji_games::Outcome;

use crate::{Ending, EndingKind, GameRecord, PlayerRecord};

/// The record as one line of JSON, without its moves and with these search records.
pub(super) fn text(
    record: &GameRecord,
    thoughts: &[crate::SearchRecord],
) -> Result<String, String> {
    let metadata =
        GameRecord { moves: String::new(), thoughts: thoughts.to_vec(), ..record.clone() };
    serde_json::to_string(&metadata).map_err(|error| error.to_string())
}

/// Parses such a text.
pub(super) fn read(text: &str) -> Result<GameRecord, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// A record of a game of another program, of which only the game and the players are known.
pub(super) fn foreign(game: String, names: [String; 2]) -> GameRecord {
    let players = names.map(|name| PlayerRecord { name, spec: String::new() });
    GameRecord {
        key: String::new(),
        event: String::new(),
        game,
        players,
        pair: None,
        seed: 0,
        start: None,
        moves: String::new(),
        opening_plies: 0,
        outcome: Outcome::Draw,
        ending: Ending::plain(EndingKind::Unknown),
        thoughts: Vec::new(),
        played_at: 0,
    }
}

/// Checks that the given result agrees with the outcome of the moves.
pub(super) fn agree(given: Outcome, replayed: Option<Outcome>) -> Result<(), String> {
    match replayed {
        Some(outcome) if outcome != given => {
            Err(format!("the result is given as '{given}', but the moves end with '{outcome}'"))
        }
        _ => Ok(()),
    }
}

/// A key for a game without one: a digest of the whole record, so that the same file gives the same
/// keys.
pub(super) fn content_key(record: &GameRecord) -> String {
    let content = serde_json::to_string(record).unwrap_or_default();
    format!("import:{:032x}", fingerprint(content.as_bytes()))
}

/// FNV-1a with 128 bits (Fowler, Noll and Vo, 1991): accidental collisions are practically
/// impossible, and deliberate ones have no benefit.
fn fingerprint(bytes: &[u8]) -> u128 {
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(START, |sum, &byte| (sum ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_the_published_one() {
        assert_eq!(fingerprint(b""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(fingerprint(b"a"), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(fingerprint(b"foobar"), 0x343e1662793c64bf6f0d3597ba446f18);
    }
}
