//! Where a search gets its estimates from: the game's own heuristic, nothing, or something learned.
//! An evaluator may keep books beside the position; the search tells it of every move that it
//! makes.

use tesuji_games::{Playable, Position};

/// An estimate of unfinished positions, and what the search should look at. Searches on several
/// threads clone it, one for each.
///
/// An evaluator that only looks at the position it is given implements [`evaluate`](Self::evaluate)
/// and nothing else. One that keeps sums from move to move (a forest, a network) also follows the
/// search: [`start`](Self::start) at the root, then [`before_play`](Self::before_play) before each move and
/// [`after_undo`](Self::after_undo) after it was taken back, always in pairs. A search may leave out the
/// pair around a move below which it asks the evaluator nothing.
pub trait Evaluator<P: Position>: Clone + Send {
    /// The search begins here. Whatever was kept belongs to another position.
    #[inline]
    fn start(&mut self, _position: &P) {}

    /// `m` will be played on `position` now.
    #[inline]
    fn before_play(&mut self, _position: &P, _m: P::Move) {}

    /// `m` was taken back, and `position` is again what [`before_play`](Self::before_play) was given.
    #[inline]
    fn after_undo(&mut self, _position: &P, _m: P::Move) {}

    /// How good the position is for the side to move; 0 is even.
    fn evaluate(&mut self, position: &P) -> i32;

    /// Calls `each` with the moves that are worth a look, all legal, at least one, in a fixed
    /// order, and with the evaluator itself, which can then be asked for their
    /// [`order`](Self::order). All legal moves unless the evaluator knows better.
    #[inline]
    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        let evaluator = &*self;
        position.for_each_move(|m| each(evaluator, m));
    }

    /// What the move promises: larger is looked at sooner, equal ones keep the order in which they
    /// came. Asked of candidates only, while they are named. All are equal unless the evaluator
    /// knows better.
    #[inline]
    fn order(&self, _position: &P, _m: P::Move) -> i32 {
        0
    }

    /// Mixed into the keys of tables, for evaluators that see one position in several ways, such as
    /// with the eyes of the side that searches. The same from [`start`](Self::start) to start.
    #[inline]
    fn salt(&self) -> u64 {
        0
    }
}

/// The game's own [`Heuristic`](tesuji_games::Heuristic) and
/// [`MoveOrder`](tesuji_games::MoveOrder), where it has them.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameHeuristic;

impl<P: Playable> Evaluator<P> for GameHeuristic {
    #[inline]
    fn evaluate(&mut self, position: &P) -> i32 {
        position.estimate()
    }

    #[inline]
    fn order(&self, position: &P, m: P::Move) -> i32 {
        position.move_score_of(m)
    }
}

/// Every position is even: a search then sees only what it can prove. Moves come in the game's own
/// order.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZeroEvaluator;

impl<P: Playable> Evaluator<P> for ZeroEvaluator {
    #[inline]
    fn evaluate(&mut self, _: &P) -> i32 {
        0
    }

    #[inline]
    fn order(&self, position: &P, m: P::Move) -> i32 {
        position.move_score_of(m)
    }
}

/// A position and the evaluator that follows it, for those who play moves on both outside of a
/// search.
#[derive(Clone, Debug)]
pub struct EvaluatedPosition<P, E> {
    position: P,
    evaluator: E,
}

impl<P: Position, E: Evaluator<P>> EvaluatedPosition<P, E> {
    /// The evaluator starts at the position.
    pub fn new(position: P, mut evaluator: E) -> Self {
        evaluator.start(&position);
        EvaluatedPosition { position, evaluator }
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> &P {
        &self.position
    }

    /// What the evaluator has kept of it.
    #[inline]
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// What the evaluator thinks of the position; the game must not be over.
    #[inline]
    pub fn evaluate(&mut self) -> i32 {
        self.evaluator.evaluate(&self.position)
    }

    /// Plays a legal move on both.
    #[inline]
    pub fn play(&mut self, m: P::Move) -> P::Undo {
        self.evaluator.before_play(&self.position, m);
        self.position.play(m)
    }

    /// Takes back the move that was played last.
    #[inline]
    pub fn undo(&mut self, m: P::Move, undo: P::Undo) {
        self.position.undo(m, undo);
        self.evaluator.after_undo(&self.position, m);
    }
}
