//! A game whose rules hand out its moves best first, so that the four classic searches, which take moves
//! as they come, can be measured with and without move ordering.

use tesuji_games::{Heuristic, MoveOrder, Outcome, Position, Rng, Side};

/// Room for the moves of a Connect Four position.
const MOST_MOVES: usize = 7;

/// The same game, its moves in the order of their promise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ordered<P>(pub(super) P);

impl<P: MoveOrder> Position for Ordered<P> {
    type Move = P::Move;
    type Undo = P::Undo;
    const WIN_DETECTION: bool = P::WIN_DETECTION;

    fn for_each_move(&self, mut each: impl FnMut(P::Move)) {
        let mut sorted: [Option<(i32, P::Move)>; MOST_MOVES] = [None; MOST_MOVES];
        let mut count = 0;
        self.0.for_each_move(|m| {
            let promise = self.0.promise(m);
            let better = |known: &Option<(i32, P::Move)>| known.is_some_and(|k| k.0 >= promise);
            let place = sorted[..count].iter().take_while(|known| better(known)).count();
            sorted.copy_within(place..count, place + 1);
            sorted[place] = Some((promise, m));
            count += 1;
        });
        sorted.iter().flatten().for_each(|&(_, m)| each(m));
    }

    fn to_move(&self) -> Side {
        self.0.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn is_legal(&self, m: P::Move) -> bool {
        self.0.is_legal(m)
    }

    fn play(&mut self, m: P::Move) -> P::Undo {
        self.0.play(m)
    }

    fn undo(&mut self, m: P::Move, undo: P::Undo) {
        self.0.undo(m, undo);
    }

    fn move_index(&self, m: P::Move) -> usize {
        self.0.move_index(m)
    }

    fn move_indices(&self) -> usize {
        self.0.move_indices()
    }

    fn winning_move(&self) -> Option<P::Move> {
        self.0.winning_move()
    }

    fn random_move(&self, rng: &mut Rng) -> P::Move {
        self.0.random_move(rng)
    }
}

impl<P: MoveOrder + Heuristic> Heuristic for Ordered<P> {
    fn evaluate(&self) -> i32 {
        self.0.evaluate()
    }
}

impl<P: MoveOrder> MoveOrder for Ordered<P> {
    fn promise(&self, m: P::Move) -> i32 {
        self.0.promise(m)
    }
}
