//! An evaluator whose moves the game generates with the center first, so that the four classic
//! searches, which do not sort, can be measured with and without move ordering.

use tesuji_games::Playable;
use tesuji_search::Evaluator;

/// The estimates of another evaluator without state, with the moves in the game's order.
#[derive(Clone, Copy, Debug)]
pub(super) struct CenterFirst<E>(pub(super) E);

impl<P: Playable, E: Evaluator<P>> Evaluator<P> for CenterFirst<E> {
    #[inline]
    fn evaluate(&mut self, position: &P) -> i32 {
        self.0.evaluate(position)
    }

    #[inline]
    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        let generated = position.for_each_ordered_move(|m| each(self, m));
        debug_assert!(generated, "the game generates its moves in order");
    }
}
