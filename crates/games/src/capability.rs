//! What a game can do beyond its rules. Each capability is a trait; an algorithm that needs one asks
//! for it in its bound. [`Playable`] gathers what the registry wants of every game, and the
//! capabilities that a game may lack.

use crate::{Draw, Notation, Outcome, Position};

/// A quick estimate of a position.
pub trait Heuristic: Position {
    /// How good the position is for the side to move; 0 is even. Asked of unfinished games only.
    fn evaluate(&self) -> i32;
}

/// A guess which moves are worth looking at first.
pub trait MoveOrder: Position {
    /// Larger is looked at sooner; moves with the same number keep the order of
    /// [`for_each_move`](Position::for_each_move).
    fn promise(&self, m: Self::Move) -> i32;
}

/// Positions that are the same game turned or mirrored.
pub trait Symmetry: Position {
    /// Calls `each` with every image of this position, itself included (an image may come twice).
    fn for_each_image(&self, each: &mut dyn FnMut(Self));

    /// One key for all images.
    fn canonical_key(&self) -> u64 {
        let mut least = u64::MAX;
        self.for_each_image(&mut |image| least = least.min(image.key()));
        least
    }
}

/// Moves that must not be cut off by the depth limit: captures, promotions, the only reply to a threat.
pub trait Tactics: Position {
    /// Adds the moves that keep the position unsettled; none when an estimate can be trusted. After a
    /// chain of such moves the game must come to rest by itself.
    fn push_forcing_moves(&self, buffer: &mut Vec<Self::Move>);

    /// Whether the side to move may also decline all forcing moves and take the estimate as it stands
    /// ("stand pat"). Not so in check, or when an immediate loss must be stopped.
    fn may_stand_pat(&self) -> bool;
}

/// The slow, obvious versions that the fast ones are tested against.
pub trait Reference: Position {
    /// The outcome found by looking at the whole board (and the history, where a rule needs it).
    fn outcome_by_scan(&self) -> Option<Outcome>;

    /// The key computed from nothing.
    fn key_by_scan(&self) -> u64;
}

/// A game that can stand in the registry: what every game has, and what it may have.
///
/// Implemented by [`capabilities!`](crate::capabilities), never by hand.
pub trait Playable: Position + Notation + Draw + Heuristic + MoveOrder + Reference {
    /// The game's [`Symmetry`], if it has any.
    fn symmetry() -> Option<Images<Self>> {
        None
    }

    /// The game's [`Tactics`], if it has any.
    fn tactics() -> Option<ForcingMoves<Self>> {
        None
    }
}

/// [`Symmetry`] of a game, looked up at run time.
pub struct Images<P: Position> {
    /// [`Symmetry::for_each_image`].
    pub for_each: fn(&P, &mut dyn FnMut(P)),
    /// [`Symmetry::canonical_key`].
    pub canonical_key: fn(&P) -> u64,
}

impl<P: Position> Clone for Images<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for Images<P> {}

impl<P: Symmetry> Images<P> {
    /// The symmetries of `P`.
    pub fn of() -> Self {
        Images { for_each: P::for_each_image, canonical_key: P::canonical_key }
    }
}

/// [`Tactics`] of a game, looked up at run time.
pub struct ForcingMoves<P: Position> {
    /// [`Tactics::push_forcing_moves`].
    pub push: fn(&P, &mut Vec<P::Move>),
    /// [`Tactics::may_stand_pat`].
    pub may_stand_pat: fn(&P) -> bool,
}

impl<P: Position> Clone for ForcingMoves<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for ForcingMoves<P> {}

impl<P: Tactics> ForcingMoves<P> {
    /// The tactics of `P`.
    pub fn of() -> Self {
        ForcingMoves { push: P::push_forcing_moves, may_stand_pat: P::may_stand_pat }
    }
}

/// Declares which optional capabilities a game has: `capabilities!(TicTacToe: Symmetry, Tactics);`, or
/// with parameters `capabilities!([const N: usize] Othello<N>: Symmetry);`. Naming one that the game
/// does not implement is a compile error.
#[macro_export]
macro_rules! capabilities {
    ([$($generics:tt)*] $game:ty : $($capability:ident),* $(,)?) => {
        impl<$($generics)*> $crate::Playable for $game {
            $($crate::capabilities!(@accessor $capability);)*
        }
    };
    ($game:ty : $($capability:ident),* $(,)?) => {
        $crate::capabilities!([] $game: $($capability),*);
    };
    (@accessor Symmetry) => {
        fn symmetry() -> Option<$crate::Images<Self>> {
            Some($crate::Images::of())
        }
    };
    (@accessor Tactics) => {
        fn tactics() -> Option<$crate::ForcingMoves<Self>> {
            Some($crate::ForcingMoves::of())
        }
    };
}
