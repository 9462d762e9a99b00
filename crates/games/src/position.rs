//! The contract between the rules of a game and everything that plays it: two sides, perfect
//! information, no chance. A game with chance or hidden information is a
//! [`Simulator`](crate::Simulator).

use std::fmt::Debug;
use std::hash::Hash;

use crate::random::{Rng, below};
use crate::{Outcome, Side};

/// A position of a game. [`play`](Self::play) and [`undo`](Self::undo) change it in place.
///
/// Searches rely on these laws; [`conformance`](crate::conformance) tests them for every game:
/// * `undo` of `play` restores the position exactly;
/// * [`key`](Self::key) and [`outcome`](Self::outcome) are updated incrementally by `play`, never
///   computed by a scan of the board;
/// * a finished game has no moves, an unfinished one has at least one (a pass is a move);
/// * no method allocates after a position has been cloned (chess and checkers keep a list of
///   earlier positions, which grows occasionally).
///
/// The sides need not alternate: in Connect6 a side places two stones in a turn. A search therefore
/// flips the sign of a score when [`to_move`](Self::to_move) changes, not at every ply.
pub trait Position: Clone + Send + Sync + 'static {
    /// A move: small, and meaningful only together with its position. It converts to a number and
    /// back, which is how a [`State`](crate::State) stores it; the conversion back accepts any
    /// number and may fail.
    type Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + Into<u64> + TryFrom<u64> + 'static;

    /// What [`undo`](Self::undo) needs to take a move back. A game that fits into a few machine
    /// words uses the position itself; a large board stores only what the move overwrote.
    type Undo;

    /// The side to move. Unspecified after the end of the game.
    fn to_move(&self) -> Side;

    /// The result of the game, or `None` while it is in progress.
    fn outcome(&self) -> Option<Outcome>;

    /// A 64-bit hash key for tables, which includes the side to move. Equal positions have equal
    /// keys; different positions collide about as rarely as random numbers, and all bits are
    /// equally good.
    fn key(&self) -> u64;

    /// Calls `each` with every legal move in a fixed order; a finished game has none.
    fn for_each_move(&self, each: impl FnMut(Self::Move));

    /// Whether `m` is legal here; accepts moves from any source.
    fn is_legal(&self, m: Self::Move) -> bool;

    /// Plays a legal move. An illegal move results in a meaningless position or a panic; use
    /// [`try_play`](Self::try_play) for untrusted moves.
    fn play(&mut self, m: Self::Move) -> Self::Undo;

    /// Takes back the last move; `undo` is the value that `play` returned for it.
    fn undo(&mut self, m: Self::Move, undo: Self::Undo);

    /// The index of the move in history tables, RAVE statistics and policy outputs, below
    /// [`num_move_indices`](Self::num_move_indices). Two moves of a position may share an index:
    /// that makes those tables less precise, but not incorrect.
    fn move_index(&self, m: Self::Move) -> usize;

    /// One more than the largest [`move_index`](Self::move_index) of this game; at most 65,536.
    fn num_move_indices(&self) -> usize;

    /// A move that wins immediately, if the game can find one without trying every move. `None`
    /// means that there is none *or* that the game does not detect wins; see
    /// [`FINDS_WINS`](Self::FINDS_WINS).
    #[inline]
    fn winning_move(&self) -> Option<Self::Move> {
        None
    }

    /// Whether [`winning_move`](Self::winning_move) finds a winning move whenever one exists.
    const FINDS_WINS: bool = false;

    /// Whether a position can occur again later in the same game, as in chess. Its value then
    /// depends on how it was reached, and a solver with a transposition table is not exact.
    const MAY_REPEAT: bool = false;

    /// Plays an untrusted move: checks it first, and returns an error if it is not legal.
    fn try_play(&mut self, m: Self::Move) -> Result<Self::Undo, PlayError> {
        if self.outcome().is_some() {
            Err(PlayError::GameOver)
        } else if !self.is_legal(m) {
            Err(PlayError::Illegal)
        } else {
            Ok(self.play(m))
        }
    }

    /// The number of legal moves.
    #[inline]
    fn move_count(&self) -> usize {
        let mut count = 0;
        self.for_each_move(|_| count += 1);
        count
    }

    /// Appends the legal moves to a buffer, which a search reuses from node to node.
    #[inline]
    fn push_moves(&self, buffer: &mut Vec<Self::Move>) {
        self.for_each_move(|m| buffer.push(m));
    }

    /// A uniformly random legal move. The game must not be over.
    ///
    /// # Panics
    /// When there is no legal move.
    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Self::Move {
        let mut wanted = below(rng, self.move_count() as u32);
        let mut chosen = None;
        self.for_each_move(|m| {
            if wanted == 0 && chosen.is_none() {
                chosen = Some(m);
            } else {
                wanted = wanted.wrapping_sub(1);
            }
        });
        chosen.expect("random_move needs a position with legal moves")
    }
}

/// Why [`Position::try_play`] rejected a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// The rules do not allow the move in this position.
    #[error("the move is not legal here")]
    Illegal,
}

/// Plays uniformly random moves to the end of the game and returns the outcome.
#[inline]
pub fn random_playout<P: Position>(position: &mut P, rng: &mut Rng) -> Outcome {
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome;
        }
        let m = position.random_move(rng);
        position.play(m);
    }
}
