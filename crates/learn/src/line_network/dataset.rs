//! What a line network learns from: positions, with the move that should be played and how the game should end.

use tesuji_games::RowRule;
use tesuji_gomoku::Cell;
use tesuji_gomoku::engine::weights::SCALE;

use super::board::LONGEST_SIDE;
use crate::gomoku::record::{AnalyzedPosition, DECIDED, GameRecord, RecordError};

/// A position to learn from.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionExample {
    /// Columns of the board.
    pub columns: usize,
    /// By cell: 0 empty, 1 of the side to move, 2 of the other side.
    pub stones: Vec<u8>,
    /// The chance of the side to move, a drawn game being half a win.
    pub chance: f32,
    /// The move to be played, where there is one to be learned.
    pub best: Option<u16>,
}

/// All positions of a game in which the engine was asked. `result_share` is how much the end of the game counts beside
/// the score of the search.
pub fn examples(
    game: &GameRecord,
    rule: RowRule,
    result_share: f32,
) -> Result<Vec<PositionExample>, RecordError> {
    if game.board > LONGEST_SIDE {
        let what =
            format!("its board has side {}; line networks learn up to {LONGEST_SIDE}", game.board);
        return Err(RecordError::Moves { game: game.game, what });
    }
    let mut examples = Vec::new();
    game.replay(rule, |analyzed| examples.push(example(&analyzed, result_share)))?;
    Ok(examples)
}

fn example(analyzed: &AnalyzedPosition<'_>, result_share: f32) -> PositionExample {
    let AnalyzedPosition { board, best, score, result } = analyzed;
    let (columns, own) = (board.width(), board.to_move());
    let stone = |cell| match board.stone(Cell::new(cell % columns, cell / columns)) {
        None => 0,
        Some(stone) if stone == own => 1,
        Some(_) => 2,
    };
    let stones = (0..columns * columns).map(stone).collect();
    // Where all is lost, one move is as good as another.
    let best = (*score > -DECIDED).then_some((best.row() * columns + best.column()) as u16);
    PositionExample { columns, stones, chance: target(result_share, *score, *result), best }
}

fn target(result_share: f32, score: i32, result: i32) -> f32 {
    if score.abs() >= DECIDED {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    let (ended, analyzed) =
        ((result + 1) as f32 / 2.0, 1.0 / (1.0 + (-score as f32 / SCALE as f32).exp()));
    result_share * ended + (1.0 - result_share) * analyzed
}
