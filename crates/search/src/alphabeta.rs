//! Alpha-beta: minimax with pruning (Knuth and Moore, 1975). Alpha is the score that the root's
//! side already has, beta the most that the other side allows. Returns the value of minimax with
//! fewer nodes.

use tesuji_games::{Position, Score, Side};

use crate::terminal::terminal_score;
use crate::walk::{RootScores, Walk};
use crate::{Evaluator, Limits, Progress, Report, Search};

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
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        Walk::new(position, &mut self.evaluator, limits).best_move(
            limits,
            RootScores::BestOnly,
            progress,
            |walk, root, depth, best| value(walk, root, depth, 1, best, Score::MAX),
        )
    }
}

/// The value of the position for the side to move at the root if it lies between alpha and beta;
/// otherwise a bound on the same side of the window.
fn value<P: Position, E: Evaluator<P>>(
    walk: &mut Walk<'_, P, E>,
    root: Side,
    depth: u32,
    ply: u32,
    mut alpha: Score,
    mut beta: Score,
) -> Score {
    walk.lines.end_at(ply);
    if let Some(outcome) = walk.position.outcome() {
        return terminal_score(outcome, root, ply);
    }
    let maximizes = walk.position.to_move() == root;
    if depth == 0 {
        let estimate = walk.estimate();
        return if maximizes { estimate } else { -estimate };
    }
    let moves = walk.push_moves();
    for index in moves.clone() {
        let (m, score) =
            walk.try_move(index, |walk| value(walk, root, depth - 1, ply + 1, alpha, beta));
        if walk.is_stopped() {
            break;
        }
        let better = if maximizes { score > alpha } else { score < beta };
        if better {
            *(if maximizes { &mut alpha } else { &mut beta }) = score;
            walk.lines.prepend(ply, m);
        }
        if alpha >= beta {
            break;
        }
    }
    walk.pop_moves(moves);
    if maximizes { alpha } else { beta }
}
