//! Minimax as described by von Neumann (1928) and Shannon (1950): every score is from one side's
//! point of view; that side maximizes and the other minimizes. The reference for all other
//! searches: each must find the same value.

use tesuji_games::{Position, Score, Side};

use crate::terminal::terminal_score;
use crate::walk::{RootScores, Walk};
use crate::{Evaluator, Limits, Progress, Report, Search};

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
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        Walk::new(position, &mut self.evaluator, limits).best_move(
            limits,
            RootScores::All,
            progress,
            |walk, root, depth, _| value(walk, root, depth, 1),
        )
    }
}

/// The value of the position for the side to move at the root.
fn value<P: Position, E: Evaluator<P>>(
    walk: &mut Walk<'_, P, E>,
    root: Side,
    depth: u32,
    ply: u32,
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
    let mut best = if maximizes { Score::MIN } else { Score::MAX };
    let moves = walk.push_moves();
    for index in moves.clone() {
        let (m, score) = walk.try_move(index, |walk| value(walk, root, depth - 1, ply + 1));
        if walk.is_stopped() {
            break;
        }
        let better = if maximizes { score > best } else { score < best };
        if better {
            best = score;
            walk.lines.prepend(ply, m);
        }
    }
    walk.pop_moves(moves);
    best
}
