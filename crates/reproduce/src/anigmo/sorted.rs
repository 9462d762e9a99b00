//! An evaluator that sorts the moves, so that the four classic searches, which do not sort, can be
//! measured with and without move ordering.

use tesuji_games::Position;
use tesuji_search::Evaluator;

/// Maximum number of moves in a Connect Four position.
const MOST_MOVES: usize = 7;

/// The same evaluator with sorted candidates.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortedCandidates<E>(pub(super) E);

impl<P: Position, E: Evaluator<P>> Evaluator<P> for SortedCandidates<E> {
    fn start(&mut self, position: &P) {
        self.0.start(position);
    }

    fn before_play(&mut self, position: &P, m: P::Move) {
        self.0.before_play(position, m);
    }

    fn after_undo(&mut self, position: &P, m: P::Move) {
        self.0.after_undo(position, m);
    }

    fn evaluate(&mut self, position: &P) -> i32 {
        self.0.evaluate(position)
    }

    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        let mut sorted: [Option<(i32, P::Move)>; MOST_MOVES] = [None; MOST_MOVES];
        let mut count = 0;
        self.0.for_each_candidate(position, |evaluator, m| {
            let promise = evaluator.order(position, m);
            let better = |known: &Option<(i32, P::Move)>| known.is_some_and(|k| k.0 >= promise);
            let place = sorted[..count].iter().take_while(|known| better(known)).count();
            sorted.copy_within(place..count, place + 1);
            sorted[place] = Some((promise, m));
            count += 1;
        });
        sorted.iter().flatten().for_each(|&(_, m)| each(self, m));
    }

    fn order(&self, position: &P, m: P::Move) -> i32 {
        self.0.order(position, m)
    }

    fn salt(&self) -> u64 {
        self.0.salt()
    }
}
