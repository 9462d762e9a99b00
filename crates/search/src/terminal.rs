//! The score of a finished game, counted from the root of a search.

use tesuji_games::{Outcome, Score, Side};

/// The score for `side` of a game that ends with `outcome` `ply` moves after the root.
#[inline]
pub fn terminal_score(outcome: Outcome, side: Side, ply: u32) -> Score {
    match outcome {
        Outcome::Win(winner) if winner == side => Score::win_in(ply),
        Outcome::Win(_) => Score::loss_in(ply),
        Outcome::Draw => Score::DRAW,
    }
}
