//! Where a search gets its estimates from: the game's own heuristic, nothing, or something learned.

use tesuji_games::{Heuristic, Position};

/// An estimate of unfinished positions. Searches on several threads clone it, one for each.
pub trait Evaluator<P: Position>: Clone + Send {
    /// How good the position is for the side to move; 0 is even.
    fn evaluate(&mut self, position: &P) -> i32;
}

/// The game's own [`Heuristic`].
#[derive(Clone, Copy, Debug, Default)]
pub struct GameHeuristic;

impl<P: Heuristic> Evaluator<P> for GameHeuristic {
    #[inline]
    fn evaluate(&mut self, position: &P) -> i32 {
        position.evaluate()
    }
}

/// Every position is even: a search then sees only what it can prove.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zero;

impl<P: Position> Evaluator<P> for Zero {
    #[inline]
    fn evaluate(&mut self, _: &P) -> i32 {
        0
    }
}
