//! The evaluation. A window counts for a side if the opponent has no stone in it.

use super::board::Connect6Board;

/// The move score of an empty cell for each window with this number of stones, for the side that
/// would extend a row and for the opponent, which would block one. The sum over the cell's windows
/// orders moves.
pub const MOVE_SCORES: [i32; 7] = [1, 8, 30, 60, 90, 90, 0];

/// The value of each window with this number of stones of the side to move.
const OWN: [i32; 6] = [0, 15, 65, 170, 0, 0];
/// The value of each window with this number of stones of the opponent.
const OTHER: [i32; 6] = [0, 11, 77, 182, 630, 1100];

/// The value of the turn.
const TURN: i32 = 540;

/// Evaluates a position for the side to move, which cannot win at once.
pub fn evaluate(board: &Connect6Board) -> i32 {
    let (us, them) = (board.to_move(), !board.to_move());
    let worth = |n: usize| {
        OWN[n] * i32::from(board.count(us, n)) - OTHER[n] * i32::from(board.count(them, n))
    };
    TURN + (1..6).map(worth).sum::<i32>()
}
