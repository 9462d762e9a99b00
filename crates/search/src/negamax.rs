//! Minimax in negamax form (Knuth and Moore, 1975): a score is from the point of view of the side
//! to move, and changing the point of view negates it.

use tesuji_games::{Position, Score, Side};

use crate::terminal::terminal_score;
use crate::traversal::{RootScores, Traversal};
use crate::{Evaluator, Limits, ProgressFn, Search, SearchReport};

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
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        Traversal::new(position, &mut self.evaluator, limits).best_move(
            limits,
            RootScores::All,
            progress,
            |traversal, side, depth, _| value_for(traversal, side, depth, 1),
        )
    }
}

/// The value of the position, finished or not, for `side`. The sign depends on the side to move: in
/// Connect6 the same side may move again.
fn value_for<P: Position, E: Evaluator<P>>(
    traversal: &mut Traversal<'_, P, E>,
    side: Side,
    depth: u32,
    ply: u32,
) -> Score {
    traversal.lines.end_at(ply);
    match traversal.position.outcome() {
        Some(outcome) => terminal_score(outcome, side, ply),
        None if traversal.position.to_move() == side => value(traversal, depth, ply),
        None => -value(traversal, depth, ply),
    }
}

/// The value of the unfinished position for the side to move.
fn value<P: Position, E: Evaluator<P>>(
    traversal: &mut Traversal<'_, P, E>,
    depth: u32,
    ply: u32,
) -> Score {
    if depth == 0 {
        return traversal.estimate();
    }
    let side = traversal.position.to_move();
    let mut best = Score::MIN;
    let moves = traversal.push_moves();
    for index in moves.clone() {
        let (m, score) = traversal
            .search_move(index, |traversal| value_for(traversal, side, depth - 1, ply + 1));
        if traversal.is_stopped() {
            break;
        }
        if score > best {
            best = score;
            traversal.lines.prepend(ply, m);
        }
    }
    traversal.pop_moves(moves);
    best
}
