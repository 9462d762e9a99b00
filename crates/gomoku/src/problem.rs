//! Files of problems: positions in which a side has to win by fours, one JSON object a line.
//!
//! ```text
//! {"rule": "renju", "size": 15, "side": "black", "black": ["H8", "I8"], "white": ["H9"], "vcf_len": 5}
//! ```

use serde::Deserialize;
use tesuji_games::notation::{NotationError, read_cell};
use tesuji_games::{RowRule, Side, UnknownRowRule};

use crate::board::{Board, BoardError};
use crate::cell::Cell;

/// The greatest length of a line; the largest board with a stone on every cell takes a twentieth of
/// it.
pub const MAX_LINE_BYTES: usize = 1 << 16;

/// A position and the side that has to win it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The line of the file, from 1.
    pub number: usize,
    /// The position, with `side` to move.
    pub board: Board,
    /// The side that has to win.
    pub side: Side,
    /// The length of a known win, if the file gives it. Informative only.
    pub known_length: Option<u32>,
}

/// Why a text is not a list of problems.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A line is not a problem.
    #[error("line {number}: {error}")]
    Line {
        /// The line number, from 1.
        number: usize,
        /// The problem with the line.
        error: ProblemLineError,
    },
    /// All lines are blank.
    #[error("problems: every line is blank; expected lines such as {EXAMPLE}")]
    Empty,
}

/// Why a line is not a problem.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemLineError {
    /// It is longer than [`MAX_LINE_BYTES`].
    #[error("{0} bytes; expected at most {MAX_LINE_BYTES}")]
    TooLong(usize),
    /// The JSON object is malformed.
    #[error("{0}; expected {EXAMPLE}")]
    Syntax(String),
    /// The rule is unknown.
    #[error(transparent)]
    Rule(#[from] UnknownRowRule),
    /// The side is unknown.
    #[error("side {0:?}: unknown; expected black or white")]
    Side(String),
    /// A text is not a cell of the board.
    #[error(transparent)]
    Cell(#[from] NotationError),
    /// The board size is not supported, or two stones are on one cell.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The game is already won.
    #[error("position: already won; expected a position without a winning row")]
    AlreadyWon,
}

const EXAMPLE: &str = r#"{"rule":"renju","size":15,"side":"black","black":["H8"],"white":["H9"]}"#;

/// The JSON object of a problem. Unknown fields are ignored.
#[derive(Deserialize)]
struct ProblemRecord {
    rule: String,
    size: usize,
    side: String,
    black: Vec<String>,
    white: Vec<String>,
    vcf_len: Option<u32>,
}

/// Reads every problem of a text; ignores blank lines.
pub fn read(text: &str) -> Result<Vec<Problem>, ProblemError> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let problem = |(line, number): (&str, usize)| {
        Problem::read(line, number).map_err(|error| ProblemError::Line { number, error })
    };
    let problems = lines.map(problem).collect::<Result<Vec<_>, _>>()?;
    if problems.is_empty() { Err(ProblemError::Empty) } else { Ok(problems) }
}

impl Problem {
    /// Reads one line of a file.
    pub fn read(line: &str, number: usize) -> Result<Problem, ProblemLineError> {
        if line.len() > MAX_LINE_BYTES {
            return Err(ProblemLineError::TooLong(line.len()));
        }
        let written: ProblemRecord =
            serde_json::from_str(line).map_err(|error| syntax_error(&error))?;
        let (rule, side) = (written.rule.parse::<RowRule>()?, read_side(&written.side)?);
        let size = (written.size, written.size);
        // Check the size before reading cells of the board.
        Board::new(rule, size.0, size.1)?;
        let mut stones = Vec::with_capacity(written.black.len() + written.white.len());
        for (stone_side, words) in [(Side::First, &written.black), (Side::Second, &written.white)] {
            for word in words {
                stones.push((stone_side, read_only_cell(word, size)?));
            }
        }
        let board = Board::with_stones(rule, size, &stones, side)?;
        match board.winner() {
            None => Ok(Problem { number, board, side, known_length: written.vcf_len }),
            Some(_) => Err(ProblemLineError::AlreadyWon),
        }
    }
}

fn read_side(name: &str) -> Result<Side, ProblemLineError> {
    match name {
        "black" => Ok(Side::First),
        "white" => Ok(Side::Second),
        other => Err(ProblemLineError::Side(other.chars().take(20).collect())),
    }
}

fn read_only_cell(word: &str, (width, height): (usize, usize)) -> Result<Cell, NotationError> {
    let ((column, row), rest) = read_cell(word, width, height)?;
    match rest.is_empty() {
        true => Ok(Cell::new(column, row)),
        false => Err(NotationError::malformed(word, "a cell and nothing after it, such as h8")),
    }
}

/// The message of the JSON parser without its line number, which is always 1.
fn syntax_error(error: &serde_json::Error) -> ProblemLineError {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or_default();
    ProblemLineError::Syntax(format!("{what} (column {})", error.column()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::MoveClass;
    use tesuji_games::random::{below, seeded};

    #[test]
    fn a_line_is_a_position() {
        let line = r#"{"rule":"renju","size":15,"side":"black","black":["H8","h9","H10","H11"],"white":["A1","o15"],"vcf_len":0}"#;
        let problem = Problem::read(line, 7).unwrap();
        assert_eq!((problem.number, problem.side), (7, Side::First));
        assert_eq!(problem.known_length, Some(0));
        let board = &problem.board;
        assert_eq!((board.rule(), board.width(), board.stones()), (RowRule::Renju, 15, 6));
        assert_eq!(board.to_move(), Side::First);
        assert_eq!(board.class(Side::First, Cell::new(7, 6)), MoveClass::Five);
        assert_eq!(board.stone(Cell::new(14, 14)), Some(Side::Second));
    }

    #[test]
    fn errors_name_the_line_and_the_problem() {
        let with = |rule: &str, size: &str, side: &str, black: &str| {
            format!(
                r#"{{"rule":"{rule}","size":{size},"side":"{side}","black":[{black}],"white":["B2"]}}"#
            )
        };
        for (line, words) in [
            (with("pente", "15", "black", ""), "pente"),
            (with("renju", "99", "black", ""), "line 3: board 99x99: unsupported size"),
            (with("renju", "0", "black", "\"A1\""), "line 3: board 0x0: unsupported size"),
            (with("renju", "-1", "black", ""), "invalid value: integer `-1`"),
            (with("renju", "15", "grey", ""), "side \"grey\": unknown; expected black or white"),
            (with("renju", "15", "white", "\"P1\""), "a1 to o15"),
            (with("renju", "15", "white", "\"A16\""), "A16"),
            (with("renju", "15", "white", "\"A1A2\""), "a cell and nothing after it"),
            (with("renju", "15", "white", "\"B2\""), "b2: occupied"),
            (with("caro", "15", "white", r#""A1","A2","A3","A4","A5""#), "already won"),
            ("{}".to_string(), "line 3: missing field `rule` (column 2)"),
            ("b2a1 3".to_string(), "line 3: expected value (column 1); expected {\"rule\""),
            ("{\"rule\":".to_string(), "line 3: EOF while parsing"),
            (" ".repeat(MAX_LINE_BYTES) + "x", "line 3: 65537 bytes; expected at most 65536"),
        ] {
            let error = read(&format!("\n  \n{line}\n")).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{line}: {error}");
        }
        assert_eq!(read(" \n\n").unwrap_err(), ProblemError::Empty);
    }

    #[test]
    fn arbitrary_text_does_not_panic() {
        let pieces = [
            "{",
            "}",
            "\"rule\":",
            "\"renju\"",
            "\"caro\"",
            ",",
            "\"size\":",
            "15",
            "5",
            "-1",
            "\"side\":\"black\"",
            "\"black\":",
            "\"white\":",
            "[\"A1\"]",
            "[]",
            "[\"H8\",\"É\"]",
            "\n",
            "\u{0}",
            "null",
            "1e99",
        ];
        let mut rng = seeded(11);
        for _ in 0..20_000 {
            let count = below(&mut rng, 16);
            let text: String =
                (0..count).map(|_| pieces[below(&mut rng, pieces.len() as u32) as usize]).collect();
            let _ = read(&text);
        }
        let most = 22 * 22;
        let full: Vec<String> =
            (0..most).map(|n| format!("\"{}\"", Cell::new(n % 22, n / 22))).collect();
        let line = format!(
            r#"{{"rule":"freestyle","size":22,"side":"white","black":[],"white":[{}]}}"#,
            full.join(",")
        );
        assert_eq!(Problem::read(&line, 1).unwrap_err(), ProblemLineError::AlreadyWon);
        assert!(line.len() * 15 < MAX_LINE_BYTES, "the largest board fits");
    }
}
