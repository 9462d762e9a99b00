//! What a game can do beyond its rules. Each capability is a trait, and none is demanded: a game
//! names those that it has ([`capabilities!`](crate::capabilities)), and [`Playable`] hands them to
//! whoever knows only that it is a game.

use std::fmt;
use std::str::FromStr;

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

    /// How many stones a turn places, and how many the first turn of the game.
    fn turns(&self) -> (usize, usize) {
        (1, 1)
    }

    /// All that makes the game what it is.
    fn row_game(&self) -> RowGame {
        let (stones_per_turn, stones_on_first_turn) = self.turns();
        RowGame { grid: self.grid(), rule: self.row_rule(), stones_per_turn, stones_on_first_turn }
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
    /// `k` or more: freestyle.
    AtLeast,
    /// Exactly `k`: longer rows count for nothing. The standard rule of Gomoku.
    Exactly,
    /// Exactly `k`, unless a stone of the other side stands at each end (caro). The edge is no stone.
    Open,
    /// Exactly `k` of the first side, which may not play everywhere; `k` or more of the second.
    Renju,
}

/// No rule has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown rule \"{name}\": it is freestyle, standard, renju or caro")]
pub struct UnknownRule {
    name: String,
}

impl RowRule {
    /// All rules.
    pub const ALL: [RowRule; 4] =
        [RowRule::AtLeast, RowRule::Exactly, RowRule::Renju, RowRule::Open];

    /// What one side needs to win. Only the second side of renju differs from the rule of the game;
    /// [`RowRule::Renju`] of one side is that of the first.
    #[inline]
    pub const fn of_side(self, side: Side) -> RowRule {
        match (self, side) {
            (RowRule::Renju, Side::Second) => RowRule::AtLeast,
            (rule, _) => rule,
        }
    }

    /// How far along a line one must look to know what a stone makes there: the rest of a row of `k`,
    /// and the cell after it where one more stone or a stone of the other side would matter.
    #[inline]
    pub const fn reach(self, k: u32) -> u32 {
        match self {
            RowRule::AtLeast => k - 1,
            _ => k,
        }
    }

    /// The name that players of five in a row use, as it is read and written.
    pub const fn name(self) -> &'static str {
        match self {
            RowRule::AtLeast => "freestyle",
            RowRule::Exactly => "standard",
            RowRule::Renju => "renju",
            RowRule::Open => "caro",
        }
    }

    /// The text that opens five in a row by this rule.
    pub fn five_in_a_row(self, width: usize, height: usize) -> String {
        match self {
            RowRule::AtLeast => format!("mnk:{width}x{height},k=5"),
            RowRule::Exactly => format!("mnk:{width}x{height},k=5,exact"),
            RowRule::Open => format!("mnk:{width}x{height},k=5,caro"),
            RowRule::Renju => format!("renju:{width}x{height}"),
        }
    }
}

impl fmt::Display for RowRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for RowRule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        let known = RowRule::ALL.into_iter().find(|rule| rule.name() == name);
        known.ok_or_else(|| UnknownRule { name: name.chars().take(20).collect() })
    }
}

/// A game of rows of stones, as data: what a player of all such games must know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RowGame {
    /// The board, and how many in a row win.
    pub grid: Grid,
    /// Which rows win.
    pub rule: RowRule,
    /// How many stones a turn places.
    pub stones_per_turn: usize,
    /// How many stones the first turn of the game places.
    pub stones_on_first_turn: usize,
}

impl RowGame {
    /// Whether the sides place one stone each in turn.
    pub fn alternates(&self) -> bool {
        (self.stones_per_turn, self.stones_on_first_turn) == (1, 1)
    }

    /// The side that places the next stone when this many lie on the board.
    pub fn side_after(&self, stones: usize) -> Side {
        match stones.checked_sub(self.stones_on_first_turn) {
            None => Side::First,
            Some(later) if (later / self.stones_per_turn).is_multiple_of(2) => Side::Second,
            Some(_) => Side::First,
        }
    }
}

impl Grid {
    /// Columns times rows.
    pub const fn cells(&self) -> usize {
        self.columns * self.rows
    }
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

    /// The game as a game of rows, if it has [`Stones`].
    fn rows(&self) -> Option<RowGame> {
        None
    }

    /// [`Stones::cell`], if the game has [`Stones`].
    fn cell_of_move(&self, _: Self::Move) -> Option<usize> {
        None
    }

    /// [`Stones::stone_at`], if the game has [`Stones`].
    fn stone_on(&self, _: usize) -> Option<Side> {
        None
    }

    /// [`Stones::move_to`], if the game has [`Stones`].
    fn move_onto(&self, _: usize) -> Option<Self::Move> {
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
        fn rows(&self) -> Option<$crate::RowGame> {
            Some($crate::Stones::row_game(self))
        }

        fn cell_of_move(&self, m: Self::Move) -> Option<usize> {
            Some($crate::Stones::cell(self, m))
        }

        fn stone_on(&self, cell: usize) -> Option<$crate::Side> {
            $crate::Stones::stone_at(self, cell)
        }

        fn move_onto(&self, cell: usize) -> Option<Self::Move> {
            $crate::Stones::move_to(self, cell)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_round_trip_and_others_are_refused() {
        for rule in RowRule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        let error = "pente".parse::<RowRule>().unwrap_err().to_string();
        assert!(error.contains("pente") && error.contains("caro"), "{error}");
    }
}
