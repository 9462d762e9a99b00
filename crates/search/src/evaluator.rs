//! Evaluators: the estimates of a search, from the game's own heuristic, from a learned model, or
//! always 0. An evaluator may keep incremental state; the search notifies it of every move.

use tesuji_games::{Playable, Position};

/// Estimates unfinished positions and selects the moves to search. A multithreaded search clones it
/// for each thread.
///
/// An evaluator without incremental state implements only [`evaluate`](Self::evaluate). One that
/// keeps sums from move to move (a forest, a network) also implements [`start`](Self::start),
/// called at the root, [`before_play`](Self::before_play), called before each move, and
/// [`after_undo`](Self::after_undo), called after the move was undone, always in pairs. A search
/// may omit the pair around a move if it does not use the evaluator below that move.
pub trait Evaluator<P: Position>: Clone + Send {
    /// Starts a search at this position; state of an earlier position is invalid.
    #[inline]
    fn start(&mut self, _position: &P) {}

    /// Called before `m` is played on `position`.
    #[inline]
    fn before_play(&mut self, _position: &P, _m: P::Move) {}

    /// Called after `m` was undone; `position` is the one that [`before_play`](Self::before_play)
    /// received.
    #[inline]
    fn after_undo(&mut self, _position: &P, _m: P::Move) {}

    /// Returns the estimate for the side to move; 0 is even.
    fn evaluate(&mut self, position: &P) -> i32;

    /// Calls `each` with the moves to search, all legal, at least one, in a fixed order, and with
    /// the evaluator itself, so that their [`order`](Self::order) can be read. By default these are
    /// all legal moves.
    #[inline]
    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        let evaluator = &*self;
        position.for_each_move(|m| each(evaluator, m));
    }

    /// Calls `each` as [`for_each_candidate`](Self::for_each_candidate) does, but in the order of
    /// [`order`](Self::order), and returns true, if that needs no sorting. Otherwise returns false
    /// without a call.
    #[inline]
    fn for_each_candidate_in_order(
        &mut self,
        _position: &P,
        _each: impl FnMut(&Self, P::Move),
    ) -> bool {
        false
    }

    /// Returns the move-ordering score: moves with a higher score are searched first, equal ones in
    /// the order of generation. Called only for candidates, inside
    /// [`for_each_candidate`](Self::for_each_candidate). By default all moves are equal.
    #[inline]
    fn order(&self, _position: &P, _m: P::Move) -> i32 {
        0
    }

    /// Returns a number to mix into table keys, for evaluators whose value of a position depends on
    /// more than the position, such as the side that searches. Constant from one
    /// [`start`](Self::start) to the next.
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
    fn for_each_candidate_in_order(
        &mut self,
        position: &P,
        mut each: impl FnMut(&Self, P::Move),
    ) -> bool {
        position.for_each_ordered_move(|m| each(self, m))
    }

    #[inline]
    fn order(&self, position: &P, m: P::Move) -> i32 {
        position.move_score_of(m)
    }
}

/// An evaluator for which every position is even, so that a search finds only forced results. Moves
/// are in the game's own order.
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

/// A position and an evaluator that follows it, for playing moves on both outside of a search.
#[derive(Clone, Debug)]
pub struct EvaluatedPosition<P, E> {
    position: P,
    evaluator: E,
}

impl<P: Position, E: Evaluator<P>> EvaluatedPosition<P, E> {
    /// Starts the evaluator at the position.
    pub fn new(position: P, mut evaluator: E) -> Self {
        evaluator.start(&position);
        EvaluatedPosition { position, evaluator }
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> &P {
        &self.position
    }

    /// The evaluator with its current state.
    #[inline]
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// The estimate of the position; the game must not be over.
    #[inline]
    pub fn evaluate(&mut self) -> i32 {
        self.evaluator.evaluate(&self.position)
    }

    /// Plays a legal move on the position and the evaluator.
    #[inline]
    pub fn play(&mut self, m: P::Move) -> P::Undo {
        self.evaluator.before_play(&self.position, m);
        self.position.play(m)
    }

    /// Undoes the last move.
    #[inline]
    pub fn undo(&mut self, m: P::Move, undo: P::Undo) {
        self.position.undo(m, undo);
        self.evaluator.after_undo(&self.position, m);
    }
}
