//! Files of training games: self-play of the engine, continued to the end after a win is proved.
//! Records of the tuner end at the proof, but a network must also evaluate the positions after it.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use tesuji_games::{RowRule, Side};
use tesuji_store::safe_file;
use tesuji_train::TrainError;

use crate::gomoku::record::{SelfPlayRecord, SelfPlayRecordError};
use crate::gomoku::self_play::NodeLimitedEngine;

/// The file with the games of a run.
pub const GAMES: &str = "games.jsonl";

/// The maximum length of a line with a record.
const MAX_LINE_BYTES: usize = 1 << 16;

/// Reads recorded games line by line.
pub(super) fn read_recorded_games(
    file: &str,
    each: &mut dyn FnMut(&SelfPlayRecord) -> Result<(), SelfPlayRecordError>,
) -> Result<(), TrainError> {
    let wrong = |error: &dyn Display| TrainError::settings(format!("{file}: {error}"));
    let file = safe_file::open(Path::new(file)).map_err(|error| wrong(&error))?;
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = lines.by_ref().take(MAX_LINE_BYTES as u64);
        if limited.read_until(b'\n', &mut line).map_err(|error| wrong(&error))? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&line);
        if line.len() == MAX_LINE_BYTES {
            return Err(wrong(&"not a game record: line too long; expected up to 65536 bytes"));
        }
        if !text.trim().is_empty() {
            let game = SelfPlayRecord::from_line(text.trim());
            game.and_then(|game| each(&game)).map_err(|error| wrong(&error))?;
        }
    }
}

/// No win that the engine proves takes more moves.
const MAX_PLAYOUT_MOVES: usize = 80;

/// Plays a game with a proved win to its end.
pub fn play_out(
    record: &SelfPlayRecord,
    rule: RowRule,
    engine: &mut NodeLimitedEngine,
) -> Result<SelfPlayRecord, SelfPlayRecordError> {
    let mut board = None;
    record.replay(rule, |analyzed| board = Some((analyzed.board.clone(), analyzed.best)))?;
    let mut record = record.clone();
    let Some((mut board, mut best)) = board else { return Ok(record) };
    // The game is already finished if the last searched position is followed by a move.
    let moves = record.moves.chars().filter(char::is_ascii_alphabetic).count();
    if board.stones() < moves {
        return Ok(record);
    }
    engine.forget();
    for _ in 0..MAX_PLAYOUT_MOVES {
        let wrong = |what: String| SelfPlayRecordError::Moves { game: record.game, what };
        board.try_play(best).map_err(|error| wrong(error.to_string()))?;
        record.moves.push_str(&best.to_string());
        if board.winner().is_some() || board.is_full() {
            break;
        }
        let Some(result) = engine.search(&board) else { break };
        best = result.best;
        record.best.push_str(&best.to_string());
        record.scores.push(result.score);
    }
    if let Some(winner) = board.winner() {
        record.result = if winner == Side::First { 1 } else { -1 };
    }
    Ok(record)
}
