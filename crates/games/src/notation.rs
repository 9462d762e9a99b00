//! Moves and games as text. No parser here panics on any input; errors are one line and say what
//! was expected.

use crate::{PlayError, Position, State};

/// A game whose moves can be written and parsed.
pub trait Notation: Position {
    /// The separator between the moves of a line; empty where moves are self-delimiting.
    const SEPARATOR: &'static str = "";

    /// Writes a legal move of this position.
    fn move_text(&self, m: Self::Move) -> String;

    /// Reads one move from the start of `text` and returns it with the rest of the text. The move
    /// need not be legal. `text` does not start with a space.
    fn read_move<'t>(&self, text: &'t str) -> Result<(Self::Move, &'t str), NotationError>;

    /// Reads exactly one legal move.
    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError> {
        let text = text.trim();
        let (m, rest) = self.read_move(text)?;
        if !rest.is_empty() {
            return Err(NotationError::malformed(rest, "nothing after the move"));
        }
        match self.outcome() {
            Some(_) => Err(NotationError::refused(text, PlayError::GameOver)),
            None if !self.is_legal(m) => Err(NotationError::refused(text, PlayError::Illegal)),
            None => Ok(m),
        }
    }

    /// Reads a list of moves played from this position, with or without spaces or commas between
    /// them. A game with a notation for positions (chess: FEN) also accepts a position at the start
    /// of the text and starts from it.
    fn parse_line(&self, text: &str) -> Result<GameLine<Self>, NotationError> {
        let mut line = GameLine::new(self.clone());
        line.extend(text)?;
        Ok(line)
    }

    /// Writes the position, if the game has a notation for positions.
    fn position_text(&self) -> Option<String> {
        None
    }

    /// Writes a list of moves played from this position.
    fn line_text(&self, moves: &[Self::Move]) -> String {
        let mut position = self.clone();
        let mut text = String::new();
        for (ply, &m) in moves.iter().enumerate() {
            if ply > 0 {
                text.push_str(Self::SEPARATOR);
            }
            text.push_str(&position.move_text(m));
            position.play(m);
        }
        text
    }
}

/// A game in progress: its start, its moves and its current position.
#[derive(Clone, Debug)]
pub struct GameLine<P: Position = State> {
    /// The position at the start.
    pub start: P,
    /// The moves played.
    pub moves: Vec<P::Move>,
    /// The current position.
    pub end: P,
}

impl<P: Notation> GameLine<P> {
    /// A game without moves.
    pub fn new(start: P) -> Self {
        GameLine { end: start.clone(), start, moves: Vec::new() }
    }

    /// Checks and plays one move.
    pub fn play(&mut self, m: P::Move) -> Result<(), PlayError> {
        self.end.try_play(m)?;
        self.moves.push(m);
        Ok(())
    }

    /// Takes back the last move, if there is one.
    pub fn take_back(&mut self) -> Option<P::Move> {
        let last = self.moves.pop()?;
        self.end = self.start.clone();
        for &m in &self.moves {
            self.end.play(m);
        }
        Some(last)
    }

    /// Plays a list of moves given as text.
    pub fn extend(&mut self, text: &str) -> Result<(), NotationError> {
        let mut rest = skip_separators(text);
        while !rest.is_empty() {
            let (m, after) = self.end.read_move(rest)?;
            let word = &rest[..rest.len() - after.len()];
            self.play(m).map_err(|why| NotationError::refused(word, why))?;
            rest = skip_separators(after);
        }
        Ok(())
    }

    /// The start in the game's notation for positions; `None` if it is the `usual` one or the game
    /// has no such notation.
    pub fn start_text(&self, usual: &P) -> Option<String> {
        let text = self.start.position_text()?;
        (usual.position_text().as_ref() != Some(&text)).then_some(text)
    }

    /// The moves as text.
    pub fn text(&self) -> String {
        self.start.line_text(&self.moves)
    }
}

fn skip_separators(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || c == ',')
}

/// Why a text is not a legal move or a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// The text does not have the form of a move.
    #[error("cannot read {text:?}; expected {expected}")]
    Malformed {
        /// The text, truncated.
        text: String,
        /// What was expected, with an example.
        expected: String,
    },
    /// The text is a move that cannot be played here.
    #[error("cannot play {text:?}: {why}")]
    Refused {
        /// The move.
        text: String,
        /// The reason.
        why: PlayError,
    },
}

impl NotationError {
    /// `text` does not have the `expected` form.
    pub fn malformed(text: &str, expected: impl Into<String>) -> Self {
        NotationError::Malformed { text: excerpt(text), expected: expected.into() }
    }

    /// `text` is a move that cannot be played in this position.
    pub fn refused(text: &str, why: PlayError) -> Self {
        NotationError::Refused { text: excerpt(text), why }
    }
}

/// The first few characters of a text.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 24;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Reads a cell such as `h8` from the start of `text`: a letter for the column, a number for the
/// row. Returns column and row, counted from 0. Row 1 is at the bottom of the board.
pub fn read_cell(
    text: &str,
    width: usize,
    height: usize,
) -> Result<((usize, usize), &str), NotationError> {
    let expected = || {
        let last = column_letter(width - 1);
        NotationError::malformed(text, format!("a cell from a1 to {last}{height}, such as a1"))
    };
    let letter = text.chars().next().ok_or_else(expected)?;
    let column = column_of_letter(letter).filter(|&c| c < width).ok_or_else(expected)?;
    let digits = text[1..].bytes().take(2).take_while(u8::is_ascii_digit).count();
    let row: usize = text[1..1 + digits].parse().map_err(|_| expected())?;
    if row == 0 || row > height {
        return Err(expected());
    }
    Ok(((column, row - 1), &text[1 + digits..]))
}

/// The letter of a column: `a` for 0.
pub fn column_letter(column: usize) -> char {
    char::from(b'a' + column as u8)
}

fn column_of_letter(letter: char) -> Option<usize> {
    let lower = letter.to_ascii_lowercase();
    lower.is_ascii_lowercase().then(|| lower as usize - 'a' as usize)
}

/// A cell as text: `h8` for column 7, row 7.
pub fn cell_text(column: usize, row: usize) -> String {
    format!("{}{}", column_letter(column), row + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_round_trip() {
        for column in 0..20 {
            for row in 0..20 {
                let text = cell_text(column, row) + "rest";
                assert_eq!(read_cell(&text, 20, 20), Ok(((column, row), "rest")));
            }
        }
    }

    #[test]
    fn bad_cells_are_refused_in_one_line() {
        for text in ["", "8h", "a0", "a16", "p1", "a", "é1", "a99999999999999999999"] {
            let error = read_cell(text, 15, 15).unwrap_err().to_string();
            assert!(error.contains("a1 to o15") && !error.contains('\n'), "{error}");
        }
    }
}
