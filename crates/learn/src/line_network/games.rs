//! Games to learn from: the engine against itself, and on to the end where a win is proved. A record ends with the proof;
//! but a search that a network leads must find its way through the proof, too.

use tesuji_games::Side;
use tesuji_gomoku::{Board, Rule};

use crate::gomoku::record::{GameRecord, RecordError};
use crate::gomoku::self_play::Thinker;

/// No win that the engine proves takes longer.
const MOST_MOVES_TO_THE_END: usize = 80;

/// The same game, played on to its end by a thinker.
pub fn played_out(
    record: &GameRecord,
    rule: Rule,
    thinker: &mut impl Thinker,
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
    thinker.forget();
    for _ in 0..MOST_MOVES_TO_THE_END {
        board.try_play(best).map_err(|error| wrong(record.game, error.to_string()))?;
        record.moves.push_str(&best.to_string());
        if is_over(&board) {
            break;
        }
        let Some(opinion) = thinker.think(&board) else { break };
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
