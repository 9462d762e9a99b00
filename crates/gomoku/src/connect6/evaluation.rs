//! What windows are worth. A window counts for a side as long as the other has no stone in it.

use super::board::Connect6Board;

/// What a stone on an empty cell of a window promises whose stones are this many: the larger the sum over all
/// windows of a cell, the sooner it is tried. Counts for the side that would have a row there and for the other,
/// which would stop one.
pub const MOVE_SCORES: [i32; 7] = [1, 8, 30, 60, 90, 90, 0];

/// What the windows with so many stones of the side to move are worth, each.
const OWN: [i32; 6] = [0, 15, 65, 170, 0, 0];
/// And those of the other side.
const OTHER: [i32; 6] = [0, 11, 77, 182, 630, 1100];

/// The right to move.
const TURN: i32 = 540;

/// How good the position is for the side to move, when it cannot win at once.
pub fn evaluate(board: &Connect6Board) -> i32 {
    let (us, them) = (board.to_move(), !board.to_move());
    let worth = |n: usize| {
        OWN[n] * i32::from(board.count(us, n)) - OTHER[n] * i32::from(board.count(them, n))
    };
    TURN + (1..6).map(worth).sum::<i32>()
}
