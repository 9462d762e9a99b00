//! Quiescence search: follows forcing moves beyond the horizon while the position is not quiet.
//! Where the rules of the game allow it, a side may decline all of them and take the estimate.
//! (Proposed by Shannon, 1950; the form with "stand pat" is by Harris, 1975.)

use tesuji_games::{ForcingMoves, Position, Score};

use crate::terminal::terminal_score;
use crate::{Evaluator, Meter};

/// The search of forcing moves below a leaf.
#[derive(Clone)]
pub struct Quiescence<P: Position> {
    forcing: ForcingMoves<P>,
    max_depth: u32,
    stack: Vec<P::Move>,
}

impl<P: Position> Quiescence<P> {
    /// Creates a search that follows forcing moves for at most `max_depth` plies.
    pub fn new(forcing: ForcingMoves<P>, max_depth: u32) -> Self {
        Quiescence { forcing, max_depth, stack: Vec::new() }
    }

    /// The value of the unfinished position for the side to move, `ply` moves from the root, if it
    /// lies between alpha and beta; otherwise a bound on the same side of the window. The evaluator
    /// must be at this position.
    pub fn value<E: Evaluator<P>>(
        &mut self,
        position: &mut P,
        evaluator: &mut E,
        meter: &mut Meter,
        ply: u32,
        window: (Score, Score),
    ) -> Score {
        QuiescenceSearch { quiescence: self, evaluator, meter }.value(position, ply, 0, window)
    }
}

struct QuiescenceSearch<'a, P: Position, E> {
    quiescence: &'a mut Quiescence<P>,
    evaluator: &'a mut E,
    meter: &'a mut Meter,
}

impl<P: Position, E: Evaluator<P>> QuiescenceSearch<'_, P, E> {
    fn value(
        &mut self,
        position: &mut P,
        ply: u32,
        depth: u32,
        (mut alpha, beta): (Score, Score),
    ) -> Score {
        let at_max_depth = depth == self.quiescence.max_depth;
        let mut best = Score::MIN;
        if at_max_depth || (self.quiescence.forcing.may_stand_pat)(position) {
            best = Score::estimate(self.evaluator.evaluate(position));
            alpha = alpha.max(best);
        }
        if at_max_depth || alpha >= beta || self.meter.is_stopped() {
            return best;
        }
        let (side, base) = (position.to_move(), self.quiescence.stack.len());
        (self.quiescence.forcing.push)(position, &mut self.quiescence.stack);
        for index in base..self.quiescence.stack.len() {
            let m = self.quiescence.stack[index];
            self.evaluator.before_play(position, m);
            let undo = position.play(m);
            self.meter.tick();
            let (ply, depth) = (ply + 1, depth + 1);
            let score = match position.outcome() {
                Some(outcome) => terminal_score(outcome, side, ply),
                None if position.to_move() == side => {
                    self.value(position, ply, depth, (alpha, beta))
                }
                None => -self.value(position, ply, depth, (-beta, -alpha)),
            };
            position.undo(m, undo);
            self.evaluator.after_undo(position, m);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.quiescence.stack.truncate(base);
        best
    }
}
