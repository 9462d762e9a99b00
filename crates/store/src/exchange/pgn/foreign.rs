//! Games of other programs: their start positions and results.

use tesuji_games::rules::chess::Chess;
use tesuji_games::{GameLine, Outcome, Position, Side};

use super::super::error::excerpt;
use super::super::{ExchangeError, ReadOptions, date, metadata};
use super::scanner::ScannedGame;
use super::{can_hold, replay};
use crate::{Ending, EndingKind, GameRecord};

/// The record of a game of another program.
pub(super) fn game(
    scanned: &ScannedGame,
    options: &ReadOptions,
) -> Result<GameRecord, ExchangeError> {
    let malformed = |what: String| ExchangeError::malformed(scanned.line, what);
    let game = options.game.as_deref().unwrap_or("chess");
    if !can_hold(game) {
        return Err(malformed(format!("{} is not chess; PGN supports chess only", excerpt(game))));
    }
    check_variant(scanned).map_err(malformed)?;
    let start = scanned.tag("FEN");
    let line = replay(start, scanned)?;
    let (outcome, ending) = ending(scanned, &line).map_err(malformed)?;
    let named = |tag: &str| scanned.tag(tag).map(one_line).filter(|name| name != "?");
    let name = |tag: &str| named(tag).unwrap_or_else(|| "?".to_string());
    let mut record = GameRecord {
        event: named("Event").unwrap_or_default(),
        played_at: scanned.tag("Date").and_then(day).unwrap_or_default(),
        start: line.start_text(&Chess::new()),
        moves: line.text(),
        outcome,
        ending,
        ..metadata::foreign(game.to_string(), [name("White"), name("Black")])
    };
    record.key = metadata::content_key(&record);
    Ok(record)
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_string()
}

/// Refuses chess variants, which PGN supports too.
fn check_variant(scanned: &ScannedGame) -> Result<(), String> {
    let variant = scanned.tag("Variant").map(str::to_ascii_lowercase).unwrap_or_default();
    match variant.as_str() {
        "" | "?" | "chess" | "normal" | "standard" | "from position" => Ok(()),
        other => Err(format!("variant {}: not supported; expected chess", excerpt(other))),
    }
}

/// The start of a day such as `2024.02.29`, `2024.02.??` or `2024.??.??`.
fn day(text: &str) -> Option<u64> {
    let known: Vec<&str> = text.split('.').take_while(|part| !part.contains('?')).collect();
    date::seconds(&known.join("-"))
}

/// The result by the rules, or else by the file.
fn ending(scanned: &ScannedGame, line: &GameLine<Chess>) -> Result<(Outcome, Ending), String> {
    let tag = scanned.tag("Result").map(result).transpose()?.flatten();
    let marker = scanned.result.as_deref().map(result).transpose()?.flatten();
    let given = match (tag, marker) {
        (Some(tag), Some(marker)) if tag != marker => {
            return Err(format!("the result is given as '{tag}' and as '{marker}'"));
        }
        _ => tag.or(marker),
    };
    match (line.end.outcome(), given) {
        (Some(outcome), given) => {
            metadata::agree(given.unwrap_or(outcome), Some(outcome))?;
            Ok((outcome, Ending::plain(EndingKind::Rules)))
        }
        (None, Some(given)) => Ok((given, reason(scanned, given))),
        (None, None) => Ok((Outcome::Draw, Ending::unfinished())),
    }
}

/// Parses a result of the tag or after the moves; `None` if it is unknown.
pub(super) fn result(text: &str) -> Result<Option<Outcome>, String> {
    match text.trim() {
        "1-0" => Ok(Some(Outcome::Win(Side::First))),
        "0-1" => Ok(Some(Outcome::Win(Side::Second))),
        "1/2-1/2" | "1/2" | "½-½" => Ok(Some(Outcome::Draw)),
        "*" | "?" | "" => Ok(None),
        other => {
            Err(format!("{} is not a result; expected 1-0, 0-1, 1/2-1/2 or *", excerpt(other)))
        }
    }
}

/// The ending according to the tag `Termination`.
fn reason(scanned: &ScannedGame, given: Outcome) -> Ending {
    let word = scanned.tag("Termination").map(str::to_ascii_lowercase).unwrap_or_default();
    let decided = given.winner().is_some();
    match word.as_str() {
        "time forfeit" if decided => Ending::plain(EndingKind::Time),
        "rules infraction" if decided => Ending::plain(EndingKind::Illegal),
        "abandoned" | "adjudication" | "death" | "emergency" => {
            Ending::with(EndingKind::Unknown, word)
        }
        _ => Ending::plain(EndingKind::Unknown),
    }
}
