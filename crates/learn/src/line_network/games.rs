//! Games to learn from, in files: the engine against itself, and on to the end where a win is proved. A record ends with the proof;
//! but a search that a network leads must find its way through the proof, too.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use tesuji_games::{RowRule, Side};
use tesuji_gomoku::Board;
use tesuji_store::safe_file;

use crate::gomoku::record::{GameRecord, RecordError};
use crate::gomoku::self_play::NodeLimited;

/// The games of a run, in its folder.
pub const GAMES: &str = "games.jsonl";

/// No record of a game has a longer line.
const LONGEST_LINE: usize = 1 << 16;

/// Why there are no games to learn from.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// A record cannot be understood.
    #[error("{file}: {error}")]
    Record {
        /// In which file.
        file: String,
        /// What is wrong.
        error: RecordError,
    },
    /// A file cannot be read or written.
    #[error("{file}: {error}")]
    File {
        /// Which.
        file: String,
        /// What is wrong.
        error: io::Error,
    },
}

impl GamesError {
    fn in_file(file: &str, error: RecordError) -> GamesError {
        GamesError::Record { file: file.to_string(), error }
    }

    fn of_file(file: &str, error: io::Error) -> GamesError {
        GamesError::File { file: file.to_string(), error }
    }
}

/// Reads games that were recorded earlier, line by line.
pub(super) fn recorded_games(
    file: &str,
    each: &mut dyn FnMut(&GameRecord) -> Result<(), RecordError>,
) -> Result<(), GamesError> {
    let failed = |error| GamesError::of_file(file, error);
    let wrong = |error| GamesError::in_file(file, error);
    let mut lines = BufReader::new(safe_file::open(Path::new(file)).map_err(failed)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = io::Read::take(&mut lines, LONGEST_LINE as u64);
        if limited.read_until(b'\n', &mut line).map_err(failed)? == 0 {
            return Ok(());
        }
        if line.len() == LONGEST_LINE {
            return Err(wrong(RecordError::Form("a line is longer than any record".to_string())));
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            GameRecord::from_line(text.trim()).and_then(|game| each(&game)).map_err(wrong)?;
        }
    }
}

/// No win that the engine proves takes longer.
const MOST_MOVES_TO_THE_END: usize = 80;

/// The same game, played on to its end by an engine.
pub fn played_out(
    record: &GameRecord,
    rule: RowRule,
    engine: &mut NodeLimited,
) -> Result<GameRecord, RecordError> {
    let mut board = None;
    record.replay(rule, |thought| board = Some((thought.board.clone(), thought.best)))?;
    let mut record = record.clone();
    let Some((mut board, mut best)) = board else { return Ok(record) };
    let wrong = |game: u64, what: String| RecordError::Moves { game, what };
    // Where the last answer was played, or another move instead of it, the game is over.
    let moves = record.moves.chars().filter(char::is_ascii_alphabetic).count();
    if board.stones() < moves {
        return Ok(record);
    }
    engine.forget();
    for _ in 0..MOST_MOVES_TO_THE_END {
        board.try_play(best).map_err(|error| wrong(record.game, error.to_string()))?;
        record.moves.push_str(&best.to_string());
        if is_over(&board) {
            break;
        }
        let Some(opinion) = engine.think(&board) else { break };
        best = opinion.best;
        record.best.push_str(&best.to_string());
        record.scores.push(opinion.score);
    }
    if let Some(winner) = board.winner() {
        record.result = if winner == Side::First { 1 } else { -1 };
    }
    Ok(record)
}

fn is_over(board: &Board) -> bool {
    board.winner().is_some() || board.is_full()
}
