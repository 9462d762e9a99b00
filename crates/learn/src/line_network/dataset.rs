//! Training examples of a line network: positions with the best move and the expected result.

use tesuji_games::RowRule;
use tesuji_gomoku::Cell;
use tesuji_gomoku::engine::weights::SCALE;

use super::board::LONGEST_SIDE;
use crate::gomoku::record::{AnalyzedPosition, DECIDED, SelfPlayRecord, SelfPlayRecordError};

/// A training position.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionExample {
    /// Columns of the board.
    pub columns: usize,
    /// By cell: 0 empty, 1 of the side to move, 2 of the opponent.
    pub stones: Vec<u8>,
    /// The value target: the winning chance of the side to move; a draw is half a win.
    pub chance: f32,
    /// The policy target, if there is one.
    pub best: Option<u16>,
}

/// All positions of a game that the engine searched. `result_share` is the weight of the game's
/// result against the score of the search.
pub fn examples(
    game: &SelfPlayRecord,
    rule: RowRule,
    result_share: f32,
) -> Result<Vec<PositionExample>, SelfPlayRecordError> {
    if game.board > LONGEST_SIDE {
        let what =
            format!("the board has side {}; expected a side up to {LONGEST_SIDE}", game.board);
        return Err(SelfPlayRecordError::Moves { game: game.game, what });
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
    // In a lost position no move is better than another.
    let best = (*score > -DECIDED).then_some((best.row() * columns + best.column()) as u16);
    PositionExample { columns, stones, chance: target(result_share, *score, *result), best }
}

fn target(result_share: f32, score: i32, result: i32) -> f32 {
    if score.abs() >= DECIDED {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    let (result, chance) =
        ((result + 1) as f32 / 2.0, 1.0 / (1.0 + (-score as f32 / SCALE as f32).exp()));
    result_share * result + (1.0 - result_share) * chance
}
