//! Parsers of arguments that several commands share, and texts of positions.

use std::time::Duration;

use tesuji_games::{GameLine, Move, Notation, NotationError, Position, State};
use tesuji_play::quantity::{HumanCount, HumanDuration};
use tesuji_search::TableSize;

use crate::examples;
use crate::failure::Failure;

/// Parses `500ms`, `1s`, `2m` for clap.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    text.parse::<HumanDuration>().map(|span| span.0)
}

/// Parses `500000`, `500k`, `20M` for clap.
pub(crate) fn amount(text: &str) -> Result<u64, String> {
    text.parse::<HumanCount>().map(|amount| amount.0)
}

/// The store named by the environment, for commands that do not read it with clap.
pub(crate) fn store_of_environment() -> Option<String> {
    std::env::var("TESUJI_STORE").ok().filter(|store| !store.is_empty())
}

/// Returns an error if a table does not fit into memory.
pub(crate) fn check_memory(tt: TableSize) -> Result<(), Failure> {
    tt.check().map_err(|error| Failure::BadInput(format!("--tt: {error}")))
}

/// Parses a position: moves from the start, or the game's notation for positions. It may be one
/// argument or several.
pub(crate) fn position(start: &State, words: &[String]) -> Result<GameLine, NotationError> {
    start.parse_line(&words.join(" "))
}

/// Parses a position; an error if the game is over.
pub(crate) fn unfinished(
    start: &State,
    words: &[String],
    command: &str,
) -> Result<GameLine, Failure> {
    let line = position(start, words)?;
    match line.end.outcome() {
        None => Ok(line),
        Some(outcome) => Err(Failure::BadInput(format!(
            "{command}: the game is over {} ({outcome}); expected an unfinished game; example: {}",
            position_label(start, &line),
            examples::of_command(command)
        ))),
    }
}

/// A position as text that [`position`] parses: the moves of the line, after the notation of its
/// first position if that is not the start of the game.
pub(crate) fn position_text(start: &State, line: &GameLine) -> String {
    let moves = line.text();
    match line.start_text(start) {
        Some(first) => format!("{first} {moves}").trim_end().to_string(),
        None => moves,
    }
}

/// The texts of the moves of a line.
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
