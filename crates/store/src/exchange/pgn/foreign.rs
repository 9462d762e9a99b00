//! Games that other programs wrote: where they began, and how they ended.

use tesuji_games::rules::chess::Chess;
use tesuji_games::{GameLine, Outcome, Position, Side};

use super::super::error::excerpt;
use super::super::{ExchangeError, Reading, date, particulars};
use super::scanner::Sheet;
use super::{can_hold, replay};
use crate::{Ending, EndingKind, GameRecord};

/// The record of a game without our own line.
pub(super) fn game(sheet: &Sheet, reading: &Reading) -> Result<GameRecord, ExchangeError> {
    let malformed = |what: String| ExchangeError::malformed(sheet.line, what);
    let game = reading.game.as_deref().unwrap_or("chess");
    if !can_hold(game) {
        return Err(malformed(format!("{} is not chess, which PGN is", excerpt(game))));
    }
    check_variant(sheet).map_err(malformed)?;
    let start = sheet.tag("FEN");
    let line = replay(start, sheet)?;
    let (outcome, ending) = ending(sheet, &line).map_err(malformed)?;
    let named = |tag: &str| sheet.tag(tag).map(one_line).filter(|name| name != "?");
    let name = |tag: &str| named(tag).unwrap_or_else(|| "?".to_string());
    let mut record = GameRecord {
        event: named("Event").unwrap_or_default(),
        played_at: sheet.tag("Date").and_then(day).unwrap_or_default(),
        start: line.start_text(&Chess::new()),
        moves: line.text(),
        outcome,
        ending,
        ..particulars::foreign(game.to_string(), [name("White"), name("Black")])
    };
    record.key = particulars::content_key(&record);
    Ok(record)
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_string()
}

/// Other kinds of chess are written in PGN too.
fn check_variant(sheet: &Sheet) -> Result<(), String> {
    let variant = sheet.tag("Variant").map(str::to_ascii_lowercase).unwrap_or_default();
    match variant.as_str() {
        "" | "?" | "chess" | "normal" | "standard" | "from position" => Ok(()),
        other => Err(format!("the rules of {} are not known here", excerpt(other))),
    }
}

/// The first moment of a day such as `2024.02.29`, `2024.02.??` or `2024.??.??`.
fn day(text: &str) -> Option<u64> {
    let known: Vec<&str> = text.split('.').take_while(|part| !part.contains('?')).collect();
    date::seconds(&known.join("-"))
}

/// How it ended: by the rules, or as the file says.
fn ending(sheet: &Sheet, line: &GameLine<Chess>) -> Result<(Outcome, Ending), String> {
    let tag = sheet.tag("Result").map(result).transpose()?.flatten();
    let marker = sheet.result.as_deref().map(result).transpose()?.flatten();
    let said = match (tag, marker) {
        (Some(tag), Some(marker)) if tag != marker => {
            return Err(format!("the result is given as '{tag}' and as '{marker}'"));
        }
        _ => tag.or(marker),
    };
    match (line.end.outcome(), said) {
        (Some(outcome), said) => {
            particulars::agree(said.unwrap_or(outcome), Some(outcome))?;
            Ok((outcome, Ending::plain(EndingKind::Rules)))
        }
        (None, Some(said)) => Ok((said, reason(sheet, said))),
        (None, None) => Ok((Outcome::Draw, Ending::unfinished())),
    }
}

/// A result as it stands in the tag and after the moves; `None` where nobody knows it.
pub(super) fn result(text: &str) -> Result<Option<Outcome>, String> {
    match text.trim() {
        "1-0" => Ok(Some(Outcome::Win(Side::First))),
        "0-1" => Ok(Some(Outcome::Win(Side::Second))),
        "1/2-1/2" | "1/2" | "½-½" => Ok(Some(Outcome::Draw)),
        "*" | "?" | "" => Ok(None),
        other => Err(format!("{} is no result; expected 1-0, 0-1, 1/2-1/2 or *", excerpt(other))),
    }
}

/// What the tag `Termination` tells, where it tells more than that the game is over.
fn reason(sheet: &Sheet, said: Outcome) -> Ending {
    let word = sheet.tag("Termination").map(str::to_ascii_lowercase).unwrap_or_default();
    let decided = said.winner().is_some();
    match word.as_str() {
        "time forfeit" if decided => Ending::plain(EndingKind::Time),
        "rules infraction" if decided => Ending::plain(EndingKind::Illegal),
        "abandoned" | "adjudication" | "death" | "emergency" => {
            Ending::with(EndingKind::Unknown, word)
        }
        _ => Ending::plain(EndingKind::Unknown),
    }
}
