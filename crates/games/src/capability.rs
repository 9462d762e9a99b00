//! What a game can do beyond its rules. Each capability is a trait, and none is demanded: a game
//! names those that it has ([`capabilities!`](crate::capabilities)), and [`Playable`] hands them to
//! whoever knows only that it is a game.

use crate::{Draw, Notation, Outcome, Position, Side};

/// A quick estimate of a position.
pub trait Heuristic: Position {
    /// Estimates that differ by no more than this are about equally good, in the units of
    /// [`evaluate`](Self::evaluate).
    const NEARLY_EQUAL: i32 = 12;

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

/// Games in which every move puts one stone on one cell of a flat board, where it stays, and a row of
/// stones wins. Cells are counted from 0, row by row from the top left, as in a [`Diagram`](crate::Diagram).
pub trait Stones: Position {
    /// The board and what wins on it: the same throughout a game.
    fn grid(&self) -> Grid;

    /// Which rows win: the same throughout a game.
    fn row_rule(&self) -> RowRule {
        RowRule::AtLeast
    }

    /// The cell on which the move puts its stone.
    fn cell(&self, m: Self::Move) -> usize;

    /// Whose stone lies on a cell.
    fn stone_at(&self, cell: usize) -> Option<Side>;

    /// The move that puts a stone on this cell, if it is legal.
    fn move_to(&self, cell: usize) -> Option<Self::Move>;
}

/// The board of a game with [`Stones`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    /// Cells from left to right.
    pub columns: usize,
    /// Cells from top to bottom.
    pub rows: usize,
    /// How many stones in a row win.
    pub k: usize,
    /// Whether stones fall to the lowest free cell of their column.
    pub gravity: bool,
}

/// Which rows win in a game with [`Stones`], where `k` of them must stand in a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RowRule {
    /// `k` or more.
    AtLeast,
    /// Exactly `k`: longer rows count for nothing.
    Exactly,
    /// Exactly `k`, unless a stone of the other side stands at each end (caro). The edge is no stone.
    Open,
    /// Exactly `k` of the first side, which may not play everywhere; `k` or more of the second.
    Renju,
}

impl Grid {
    /// Columns times rows.
    pub const fn cells(&self) -> usize {
        self.columns * self.rows
    }
}

/// Code for games with [`Stones`], as a [`Visitor`](crate::registry::Visitor) is for all games.
pub trait StonesVisitor<P: Playable> {
    /// What comes back.
    type Output;
    /// Called once, where the game is known to have them.
    fn visit(self) -> Self::Output
    where
        P: Stones;
}

/// The slow, obvious versions that the fast ones are tested against. No algorithm asks for it; see
/// [`conformance`](crate::conformance).
pub trait Reference: Position {
    /// The outcome found by looking at the whole board (and the history, where a rule needs it).
    fn outcome_by_scan(&self) -> Option<Outcome>;

    /// The key computed from nothing.
    fn key_by_scan(&self) -> u64;
}

/// A game that can stand in the registry: its rules, its notation and its picture, and whatever
/// else it says that it has.
///
/// Implemented by [`capabilities!`](crate::capabilities), never by hand.
pub trait Playable: Position + Notation + Draw {
    /// Whether the game has a [`Heuristic`].
    const HAS_HEURISTIC: bool = false;

    /// Whether the game has a [`MoveOrder`].
    const HAS_MOVE_ORDER: bool = false;

    /// [`Heuristic::NEARLY_EQUAL`].
    const NEARLY_EQUAL: i32 = 12;

    /// [`Heuristic::evaluate`]; 0 where the game has none.
    #[inline]
    fn estimate(&self) -> i32 {
        0
    }

    /// [`MoveOrder::promise`]; 0 where the game has none.
    #[inline]
    fn promise_of(&self, _m: Self::Move) -> i32 {
        0
    }

    /// The game's [`Reference`], if it names one: for tests of every game of a registry.
    fn reference() -> Option<Oracle<Self>> {
        None
    }

    /// The game's [`Symmetry`], if it has any.
    fn symmetry() -> Option<Images<Self>> {
        None
    }

    /// The game's [`Tactics`], if it has any.
    fn tactics() -> Option<ForcingMoves<Self>> {
        None
    }

    /// Calls the visitor if the game has [`Stones`]. Unlike a table of functions, that compiles what
    /// needs stones only for games that have them.
    fn with_stones<V: StonesVisitor<Self>>(_: V) -> Option<V::Output> {
        None
    }
}

/// [`Reference`] of a game, looked up at run time.
pub struct Oracle<P: Position> {
    /// [`Reference::outcome_by_scan`].
    pub outcome: fn(&P) -> Option<Outcome>,
    /// [`Reference::key_by_scan`].
    pub key: fn(&P) -> u64,
}

impl<P: Position> Clone for Oracle<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for Oracle<P> {}

impl<P: Reference> Oracle<P> {
    /// The slow versions of `P`.
    pub fn of() -> Self {
        Oracle { outcome: P::outcome_by_scan, key: P::key_by_scan }
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

/// Declares which capabilities a game has: `capabilities!(TicTacToe: Heuristic, Symmetry);`, or
/// with parameters `capabilities!([const N: usize] Othello<N>: MoveOrder);`. A game that has none
/// but its rules says `capabilities!(TakeAway);`. Naming one that the game does not implement is a
/// compile error.
#[macro_export]
macro_rules! capabilities {
    (@accessor Heuristic) => {
        const HAS_HEURISTIC: bool = true;
        const NEARLY_EQUAL: i32 = <Self as $crate::Heuristic>::NEARLY_EQUAL;

        #[inline]
        fn estimate(&self) -> i32 {
            $crate::Heuristic::evaluate(self)
        }
    };
    (@accessor MoveOrder) => {
        const HAS_MOVE_ORDER: bool = true;

        #[inline]
        fn promise_of(&self, m: Self::Move) -> i32 {
            $crate::MoveOrder::promise(self, m)
        }
    };
    (@accessor Symmetry) => {
        fn symmetry() -> Option<$crate::Images<Self>> {
            Some($crate::Images::of())
        }
    };
    (@accessor Stones) => {
        fn with_stones<V: $crate::StonesVisitor<Self>>(visitor: V) -> Option<V::Output> {
            Some(visitor.visit())
        }
    };
    (@accessor Tactics) => {
        fn tactics() -> Option<$crate::ForcingMoves<Self>> {
            Some($crate::ForcingMoves::of())
        }
    };
    (@accessor Reference) => {
        fn reference() -> Option<$crate::Oracle<Self>> {
            Some($crate::Oracle::of())
        }
    };
    ([$($generics:tt)*] $game:ty $(: $($capability:ident),* $(,)?)?) => {
        impl<$($generics)*> $crate::Playable for $game {
            $($($crate::capabilities!(@accessor $capability);)*)?
        }
    };
    ($game:ty $(: $($capability:ident),* $(,)?)?) => {
        $crate::capabilities!([] $game $(: $($capability),*)?);
    };
}
