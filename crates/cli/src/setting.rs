//! Arguments that several verbs share, and how they are read.

use std::time::Duration;

use tesuji_games::{GameLine, Move, Notation, NotationError, Position, State};
use tesuji_play::quantity::{HumanCount, HumanDuration};
use tesuji_search::TableSize;

use crate::examples;
use crate::failure::Failure;

/// clap's reader of `500ms`, `1s`, `2m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    text.parse::<HumanDuration>().map(|span| span.0)
}

/// clap's reader of `500000`, `500k`, `20M`.
pub(crate) fn amount(text: &str) -> Result<u64, String> {
    text.parse::<HumanCount>().map(|amount| amount.0)
}

/// The store that the environment names, for verbs where that is no option of their own.
pub(crate) fn store_of_environment() -> Option<String> {
    std::env::var("TESUJI_STORE").ok().filter(|store| !store.is_empty())
}

/// Refuses a table that does not fit into memory.
pub(crate) fn check_memory(tt: TableSize) -> Result<(), Failure> {
    tt.check().map_err(|error| Failure::BadInput(format!("--tt: {error}")))
}

/// Reads a position: moves from the start, or the game's own notation for positions. On the command
/// line it may be one word or several.
pub(crate) fn position(start: &State, words: &[String]) -> Result<GameLine, NotationError> {
    start.parse_line(&words.join(" "))
}

/// The same for a verb that has nothing to do when the game is over.
pub(crate) fn unfinished(start: &State, words: &[String], verb: &str) -> Result<GameLine, Failure> {
    let line = position(start, words)?;
    match line.end.outcome() {
        None => Ok(line),
        Some(outcome) => Err(Failure::BadInput(format!(
            "nothing to {verb}: the game is over {} ({outcome}); example: {}",
            position_label(start, &line),
            examples::of_command(verb)
        ))),
    }
}

/// A position as text that [`position`] reads: the notation of where the line began, if that is not the
/// start of the game, and the moves since.
pub(crate) fn position_text(start: &State, line: &GameLine) -> String {
    let moves = line.text();
    match line.start_text(start) {
        Some(beginning) => format!("{beginning} {moves}").trim_end().to_string(),
        None => moves,
    }
}

/// The moves of a line as texts, one by one.
pub(crate) fn move_texts(position: &State, moves: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let text = |&m: &Move| {
        let text = position.move_text(m);
        position.play(m);
        text
    };
    moves.iter().map(text).collect()
}

/// `after b2a1` or `at the start`, for headings.
pub(crate) fn position_label(start: &State, line: &GameLine) -> String {
    match position_text(start, line) {
        text if text.is_empty() => "at the start".to_string(),
        text => format!("after {text}"),
    }
}
