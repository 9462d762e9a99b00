//! Alpha-beta in negamax form: the window is negated together with the score. The configurable
//! [`Engine`](crate::Engine) is this search with all optimizations.

use tesuji_games::{Position, Score, Side};

use crate::terminal::terminal_score;
use crate::traversal::{RootScores, Traversal};
use crate::{Evaluator, Limits, ProgressFn, Search, SearchReport};

/// Alpha-beta in negamax form to a fixed depth, with moves in the order of the rules.
#[derive(Clone, Debug)]
pub struct NegaAlphaBeta<E> {
    evaluator: E,
}

impl<E> NegaAlphaBeta<E> {
    /// Creates the search with this evaluator at the horizon.
    pub fn new(evaluator: E) -> Self {
        NegaAlphaBeta { evaluator }
    }
}

impl<P: Position, E: Evaluator<P>> Search<P> for NegaAlphaBeta<E> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        Traversal::new(position, &mut self.evaluator, limits).best_move(
            limits,
            RootScores::BestOnly,
            progress,
            |traversal, side, depth, best| value_for(traversal, side, depth, 1, best, Score::MAX),
        )
    }
}

/// The value of the position, finished or not, for `side`, within `side`'s window.
fn value_for<P: Position, E: Evaluator<P>>(
    traversal: &mut Traversal<'_, P, E>,
    side: Side,
    depth: u32,
    ply: u32,
    alpha: Score,
    beta: Score,
) -> Score {
    traversal.lines.end_at(ply);
    match traversal.position.outcome() {
        Some(outcome) => terminal_score(outcome, side, ply),
        None if traversal.position.to_move() == side => value(traversal, depth, ply, alpha, beta),
        None => -value(traversal, depth, ply, -beta, -alpha),
    }
}

/// The value of the unfinished position for the side to move if it lies between alpha and beta;
/// otherwise a bound on the same side of the window.
fn value<P: Position, E: Evaluator<P>>(
    traversal: &mut Traversal<'_, P, E>,
    depth: u32,
    ply: u32,
    mut alpha: Score,
    beta: Score,
) -> Score {
    if depth == 0 {
        return traversal.estimate();
    }
    let side = traversal.position.to_move();
    let mut best = Score::MIN;
    let moves = traversal.push_moves();
    for index in moves.clone() {
        let (m, score) = traversal.search_move(index, |traversal| {
            value_for(traversal, side, depth - 1, ply + 1, alpha, beta)
        });
        if traversal.is_stopped() {
            break;
        }
        best = best.max(score);
        if score > alpha {
            alpha = score;
            traversal.lines.prepend(ply, m);
        }
        if alpha >= beta {
            break;
        }
    }
    traversal.pop_moves(moves);
    best
}
