//! Minimax in negamax form (Knuth and Moore, 1975): a score is from the point of view of the side
//! to move, and changing the point of view negates it.

use tesuji_games::{Position, Score, Side};

use crate::terminal::terminal_score;
use crate::walk::{RootScores, Walk};
use crate::{Evaluator, Limits, Progress, Report, Search};

/// Plain negamax to a fixed depth. Scores every root move.
#[derive(Clone, Debug)]
pub struct Negamax<E> {
    evaluator: E,
}

impl<E> Negamax<E> {
    /// Creates the search with this evaluator at the horizon.
    pub fn new(evaluator: E) -> Self {
        Negamax { evaluator }
    }
}

impl<P: Position, E: Evaluator<P>> Search<P> for Negamax<E> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        Walk::new(position, &mut self.evaluator, limits).best_move(
            limits,
            RootScores::All,
            progress,
            |walk, side, depth, _| value_for(walk, side, depth, 1),
        )
    }
}

/// The value of the position, finished or not, for `side`. The sign depends on the side to move: in
/// Connect6 the same side may move again.
fn value_for<P: Position, E: Evaluator<P>>(
    walk: &mut Walk<'_, P, E>,
    side: Side,
    depth: u32,
    ply: u32,
) -> Score {
    walk.lines.end_at(ply);
    match walk.position.outcome() {
        Some(outcome) => terminal_score(outcome, side, ply),
        None if walk.position.to_move() == side => value(walk, depth, ply),
        None => -value(walk, depth, ply),
    }
}

/// The value of the unfinished position for the side to move.
fn value<P: Position, E: Evaluator<P>>(walk: &mut Walk<'_, P, E>, depth: u32, ply: u32) -> Score {
    if depth == 0 {
        return walk.estimate();
    }
    let side = walk.position.to_move();
    let mut best = Score::MIN;
    let moves = walk.push_moves();
    for index in moves.clone() {
        let (m, score) = walk.try_move(index, |walk| value_for(walk, side, depth - 1, ply + 1));
        if walk.is_stopped() {
            break;
        }
        if score > best {
            best = score;
            walk.lines.prepend(ply, m);
        }
    }
    walk.pop_moves(moves);
    best
}
