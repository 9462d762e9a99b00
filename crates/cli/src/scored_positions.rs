//! Lists of positions with known scores, one per line as `MOVES SCORE`. A positive score is a win
//! for the side to move, 0 a draw, a negative one a loss.

use std::path::Path;

use tesuji_games::{GameLine, Notation, Position, State};

use crate::failure::{Failure, InFile};
use crate::input;

/// A line of the list.
pub(crate) struct ScoredPosition<P: Position = State> {
    pub(crate) number: usize,
    pub(crate) line: GameLine<P>,
    pub(crate) score: i32,
}

/// Reads a file; empty lines are skipped.
pub(crate) fn read<P: Notation>(start: &P, path: &Path) -> Result<Vec<ScoredPosition<P>>, Failure> {
    parse(start, &input::read_text(path)?).in_file(path)
}

/// Reads a text; an error names the line.
pub(crate) fn parse<P: Notation>(start: &P, text: &str) -> Result<Vec<ScoredPosition<P>>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let positions: Vec<ScoredPosition<P>> = lines
        .map(|(index, line)| {
            position(start, index + 1, line)
                .map_err(|problem| format!("line {}: {problem}", index + 1))
        })
        .collect::<Result<_, _>>()?;
    if positions.is_empty() {
        return Err("no positions; expected lines such as '4455 0'".to_string());
    }
    Ok(positions)
}

fn position<P: Notation>(
    start: &P,
    number: usize,
    text: &str,
) -> Result<ScoredPosition<P>, String> {
    let expected =
        || format!("cannot read {:?}; expected MOVES SCORE, such as '4455 0'", text.trim());
    let (moves, score) = text.trim().rsplit_once(char::is_whitespace).ok_or_else(expected)?;
    let score: i32 = score.parse().map_err(|_| expected())?;
    let line = start.parse_line(moves).map_err(|error| error.to_string())?;
    match line.end.outcome() {
        Some(outcome) => Err(format!(
            "game over after {} ({outcome}); expected an unfinished game",
            moves.trim()
        )),
        None => Ok(ScoredPosition { number, line, score }),
    }
}
