//! The record of a self-play game as one line of JSON: all moves, and the engine's best move and
//! score in each position that it searched. The positions follow from the moves.

use serde::{Deserialize, Serialize};
use tesuji_games::notation::read_cell;
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::{Board, Cell, LONGEST_SIDE, SHORTEST_SIDE};

/// Scores with this absolute value or a larger one are proved wins or losses.
pub const DECIDED: i32 = 30_000;

/// See the top of this file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayRecord {
    /// The number of the game in its round.
    pub game: u64,
    /// The side of the board.
    pub board: usize,
    /// The number of opening moves, before which the engine did not search.
    pub opening: usize,
    /// All moves, such as `h8i9`.
    pub moves: String,
    /// The engine's best moves after the opening. One more than moves if the game ended by a proof.
    pub best: String,
    /// The scores of the same positions, for the side to move.
    pub scores: Vec<i32>,
    /// 1 if the first side won, -1 if the second did, 0 for a draw.
    pub result: i32,
}

/// Why a line is not a valid game record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SelfPlayRecordError {
    /// Malformed JSON or fields.
    #[error("not a game record: {0}")]
    Form(String),
    /// Impossible moves.
    #[error("game {game}: {what}")]
    Moves {
        /// The number of the game.
        game: u64,
        /// The problem.
        what: String,
    },
}

/// A position of a game with the engine's result.
pub struct AnalyzedPosition<'b> {
    /// The position.
    pub board: &'b mut Board,
    /// The best move.
    pub best: Cell,
    /// The score for the side to move.
    pub score: i32,
    /// The result of the game for the side to move: 1, 0 or -1.
    pub result: i32,
}

impl SelfPlayRecord {
    /// Parses a line.
    pub fn from_line(line: &str) -> Result<SelfPlayRecord, SelfPlayRecordError> {
        serde_json::from_str(line).map_err(|error| SelfPlayRecordError::Form(error.to_string()))
    }

    /// Encodes the record as a line, without a line break.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Replays the game and calls `each` with every position that the engine searched.
    pub fn replay(
        &self,
        rule: RowRule,
        mut each: impl FnMut(AnalyzedPosition<'_>),
    ) -> Result<(), SelfPlayRecordError> {
        let wrong = |what: String| SelfPlayRecordError::Moves { game: self.game, what };
        let sizes = SHORTEST_SIDE..=LONGEST_SIDE;
        if !sizes.contains(&self.board) {
            return Err(wrong(format!(
                "the board has side {}; expected {SHORTEST_SIDE} to {LONGEST_SIDE}",
                self.board
            )));
        }
        let (moves, best) = (self.cells(&self.moves)?, self.cells(&self.best)?);
        if best.len() != self.scores.len() {
            return Err(wrong(format!(
                "{} best moves and {} scores; expected as many of each",
                best.len(),
                self.scores.len()
            )));
        }
        let mut board =
            Board::new(rule, self.board, self.board).map_err(|error| wrong(error.to_string()))?;
        for ply in 0..=moves.len() {
            let index = ply.checked_sub(self.opening).filter(|&index| index < best.len());
            if let Some(index) = index {
                let sign = if board.to_move() == Side::First { 1 } else { -1 };
                let (best, score) = (best[index], self.scores[index]);
                if !board.is_empty_cell(best) || board.winner().is_some() {
                    return Err(wrong(format!("{best} cannot be the best move at ply {ply}")));
                }
                each(AnalyzedPosition {
                    board: &mut board,
                    best,
                    score,
                    result: sign * self.result,
                });
            }
            if let Some(&cell) = moves.get(ply) {
                board.try_play(cell).map_err(|error| wrong(error.to_string()))?;
            }
        }
        Ok(())
    }

    fn cells(&self, mut text: &str) -> Result<Vec<Cell>, SelfPlayRecordError> {
        let mut cells = Vec::new();
        while !text.is_empty() {
            let ((column, row), rest) =
                read_cell(text, self.board, self.board).map_err(|error| {
                    SelfPlayRecordError::Moves { game: self.game, what: error.to_string() }
                })?;
            cells.push(Cell::new(column, row));
            text = rest;
        }
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::random::{below, seeded, word};

    fn record() -> SelfPlayRecord {
        SelfPlayRecord {
            game: 7,
            board: 15,
            opening: 2,
            moves: "h8i9h9i10".to_string(),
            best: "h9j10a15".to_string(),
            scores: vec![5, -17, DECIDED],
            result: 1,
        }
    }

    #[test]
    fn records_round_trip() {
        let line = record().line();
        assert_eq!(SelfPlayRecord::from_line(&line), Ok(record()));
        let mut replayed = Vec::new();
        let each = |analyzed: AnalyzedPosition<'_>| {
            replayed.push((
                analyzed.board.stones(),
                analyzed.best,
                analyzed.score,
                analyzed.result,
            ));
        };
        record().replay(RowRule::Renju, each).unwrap();
        let cell = Cell::new;
        let expected =
            [(2, cell(7, 8), 5, 1), (3, cell(9, 9), -17, -1), (4, cell(0, 14), DECIDED, 1)];
        assert_eq!(replayed, expected);
    }

    #[test]
    fn impossible_games_are_rejected() {
        let with = |change: &dyn Fn(&mut SelfPlayRecord)| {
            let mut record = record();
            change(&mut record);
            record.replay(RowRule::AtLeast, |_| {}).unwrap_err().to_string()
        };
        for (error, words) in [
            (with(&|it| it.board = 4), "side 4"),
            (with(&|it| it.board = 1000), "side 1000"),
            (with(&|it| it.moves = "h8h8".to_string()), "h8: occupied"),
            (with(&|it| it.moves = "h8p9".to_string()), "from a1 to o15"),
            (with(&|it| it.moves = "ß".to_string()), "from a1 to o15"),
            (with(&|it| it.best = "h8j10a15".to_string()), "h8 cannot be the best"),
            (with(&|it| it.scores = vec![]), "3 best moves and 0 scores"),
        ] {
            assert!(error.contains("game 7") && error.contains(words), "{error}");
        }
    }

    #[test]
    fn arbitrary_lines_do_not_panic() {
        let (mut rng, line) = (seeded(3), record().line());
        for _ in 0..3_000 {
            let mut bytes = line.clone().into_bytes();
            let index = below(&mut rng, bytes.len() as u32) as usize;
            bytes[index] = word(&mut rng) as u8;
            if let Ok(record) = SelfPlayRecord::from_line(&String::from_utf8_lossy(&bytes)) {
                let _ = record.replay(RowRule::Exactly, |_| {});
            }
        }
    }
}
