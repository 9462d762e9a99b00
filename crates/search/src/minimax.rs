//! Minimax as described by von Neumann (1928) and Shannon (1950): every score is from one side's
//! point of view; that side maximizes and the other minimizes. The reference for all other
//! searches: each must find the same value.

use tesuji_games::{Position, Score, Side};

use crate::terminal::terminal_score;
use crate::traversal::{RootScores, Traversal};
use crate::{Evaluator, Limits, ProgressFn, Search, SearchReport};

/// Plain minimax to a fixed depth. Scores every root move.
#[derive(Clone, Debug)]
pub struct Minimax<E> {
    evaluator: E,
}

impl<E> Minimax<E> {
    /// Creates the search with this evaluator at the horizon.
    pub fn new(evaluator: E) -> Self {
        Minimax { evaluator }
    }
}

impl<P: Position, E: Evaluator<P>> Search<P> for Minimax<E> {
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
            |traversal, root, depth, _| value(traversal, root, depth, 1),
        )
    }
}

/// The value of the position for the side to move at the root.
fn value<P: Position, E: Evaluator<P>>(
    traversal: &mut Traversal<'_, P, E>,
    root: Side,
    depth: u32,
    ply: u32,
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
    let mut best = if maximizes { Score::MIN } else { Score::MAX };
    let moves = traversal.push_moves();
    for index in moves.clone() {
        let (m, score) =
            traversal.search_move(index, |traversal| value(traversal, root, depth - 1, ply + 1));
        if traversal.is_stopped() {
            break;
        }
        let better = if maximizes { score > best } else { score < best };
        if better {
            best = score;
            traversal.lines.prepend(ply, m);
        }
    }
    traversal.pop_moves(moves);
    best
}
