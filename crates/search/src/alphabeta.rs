//! Alpha-beta: minimax with pruning (Knuth and Moore, 1975). Alpha is the score that the root's
//! side already has, beta the most that the other side allows. Returns the value of minimax with
//! fewer nodes.

use tesuji_games::{Position, Score, Side};

use crate::terminal::terminal_score;
use crate::traversal::{RootScores, Traversal};
use crate::{Evaluator, Limits, ProgressFn, Search, SearchReport};

/// Alpha-beta to a fixed depth, with moves in the order of the rules.
#[derive(Clone, Debug)]
pub struct AlphaBeta<E> {
    evaluator: E,
}

impl<E> AlphaBeta<E> {
    /// Creates the search with this evaluator at the horizon.
    pub fn new(evaluator: E) -> Self {
        AlphaBeta { evaluator }
    }
}

impl<P: Position, E: Evaluator<P>> Search<P> for AlphaBeta<E> {
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
            |traversal, root, depth, best| value(traversal, root, depth, 1, best, Score::MAX),
        )
    }
}

/// The value of the position for the side to move at the root if it lies between alpha and beta;
/// otherwise a bound on the same side of the window.
fn value<P: Position, E: Evaluator<P>>(
    traversal: &mut Traversal<'_, P, E>,
    root: Side,
    depth: u32,
    ply: u32,
    mut alpha: Score,
    mut beta: Score,
) -> Score {
    traversal.lines.end_at(ply);
    if let Some(outcome) = traversal.position.outcome() {
        return terminal_score(outcome, root, ply);
    }
    let maximizes = traversal.position.to_move() == root;
    if depth == 0 {
        let estimate = traversal.estimate();
        return if maximizes { estimate } else { -estimate };
    }
    let moves = traversal.push_moves();
    for index in moves.clone() {
        let (m, score) = traversal.search_move(index, |traversal| {
            value(traversal, root, depth - 1, ply + 1, alpha, beta)
        });
        if traversal.is_stopped() {
            break;
        }
        let better = if maximizes { score > alpha } else { score < beta };
        if better {
            *(if maximizes { &mut alpha } else { &mut beta }) = score;
            traversal.lines.prepend(ply, m);
        }
        if alpha >= beta {
            break;
        }
    }
    traversal.pop_moves(moves);
    if maximizes { alpha } else { beta }
}
