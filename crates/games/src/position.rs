//! The contract between the rules of a game and everything that plays it: two sides, perfect
//! information, no chance. A game with chance or hidden parts is a [`Simulator`](crate::Simulator).

use std::fmt::Debug;
use std::hash::Hash;

use crate::random::{Rng, below};
use crate::{Outcome, Side};

/// A position of a game: a value you hold, play on and take back on.
///
/// Searches rely on these laws; [`conformance`](crate::conformance) tests them for every game:
/// * `undo` of `play` restores the position exactly;
/// * [`key`](Self::key) and [`outcome`](Self::outcome) are kept up to date by `play`, never found by
///   scanning the board;
/// * a finished game has no moves, an unfinished one has at least one (a pass is a move);
/// * nothing here allocates once a position has been cloned (chess and checkers keep a list of
///   earlier positions, which grows now and then).
///
/// The side to move need not alternate: at Connect6 a side places two stones in a row. A search
/// therefore flips the sign of a score when [`to_move`](Self::to_move) changes, not at every ply.
pub trait Position: Clone + Send + Sync + 'static {
    /// A move: small, and meaningful only together with the position it is played in. It converts to a
    /// number and back, which is how a [`State`](crate::State) knows it; any number may be tried.
    type Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + Into<u64> + TryFrom<u64> + 'static;

    /// What [`undo`](Self::undo) needs to take a move back. A game that fits in a few words uses the
    /// position itself; a big board keeps just what the move destroyed.
    type Undo;

    /// The side whose turn it is. Unspecified once the game is over.
    fn to_move(&self) -> Side;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// A 64-bit key for tables, side to move included. Equal positions have equal keys; different ones
    /// collide about as rarely as random numbers do, and every bit is as good as any other.
    fn key(&self) -> u64;

    /// Calls `each` with every legal move, in a fixed order; with none when the game is over.
    fn for_each_move(&self, each: impl FnMut(Self::Move));

    /// Whether `m`, from whatever source, may be played here.
    fn is_legal(&self, m: Self::Move) -> bool;

    /// Plays a move that is known to be legal. An illegal one gives a meaningless position or a panic;
    /// moves from outside go through [`try_play`](Self::try_play).
    fn play(&mut self, m: Self::Move) -> Self::Undo;

    /// Takes back the move that was played last; `undo` is what `play` returned for it.
    fn undo(&mut self, m: Self::Move, undo: Self::Undo);

    /// A small number for the move, below [`move_indices`](Self::move_indices): the place of the move in
    /// history tables, RAVE statistics and policy outputs. Should two moves of a position share a
    /// number, that costs those tables sharpness, never correctness.
    fn move_index(&self, m: Self::Move) -> usize;

    /// One more than the largest [`move_index`](Self::move_index) of this game; at most 65,536.
    fn move_indices(&self) -> usize;

    /// A move that wins at once, when the game can tell without trying each one. `None` means that
    /// there is none *or* that the game does not look; [`WIN_DETECTION`](Self::WIN_DETECTION) says which.
    #[inline]
    fn winning_move(&self) -> Option<Self::Move> {
        None
    }

    /// Whether [`winning_move`](Self::winning_move) finds a winning move whenever there is one.
    const WIN_DETECTION: bool = false;

    /// Whether a position can come back later in the same game, as at chess. Its value then depends on how
    /// it was reached, and an exact solver that remembers positions cannot be trusted.
    const REPEATS: bool = false;

    /// Plays a move from outside: checked first, and refused with a reason.
    fn try_play(&mut self, m: Self::Move) -> Result<Self::Undo, PlayError> {
        if self.outcome().is_some() {
            Err(PlayError::GameOver)
        } else if !self.is_legal(m) {
            Err(PlayError::Illegal)
        } else {
            Ok(self.play(m))
        }
    }

    /// How many legal moves there are.
    #[inline]
    fn move_count(&self) -> usize {
        let mut count = 0;
        self.for_each_move(|_| count += 1);
        count
    }

    /// Adds the legal moves to a buffer, which a search reuses from node to node.
    #[inline]
    fn push_moves(&self, buffer: &mut Vec<Self::Move>) {
        self.for_each_move(|m| buffer.push(m));
    }

    /// A legal move, each as likely as any other. The game must not be over.
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
        chosen.expect("random_move is asked of a position with legal moves")
    }
}

/// Why a move from outside was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayError {
    /// Nothing may be played any more.
    #[error("the game is over")]
    GameOver,
    /// The rules forbid the move here.
    #[error("the move is not legal here")]
    Illegal,
}

/// Plays uniformly random moves to the end of the game and says how it ended.
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
