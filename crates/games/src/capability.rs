//! Optional capabilities of a game. Each capability is a trait; a game lists those that it
//! implements in [`capabilities!`](crate::capabilities), and generic code reaches them through
//! [`Playable`].

use std::fmt;
use std::str::FromStr;

use crate::{Draw, Notation, Outcome, Position, Side};

/// A fast static evaluation of a position.
pub trait Heuristic: Position {
    /// Estimates that differ by at most this much count as equal, in the units of
    /// [`evaluate`](Self::evaluate).
    const NEARLY_EQUAL: i32 = 12;

    /// The value of an unfinished position for the side to move; 0 is even.
    fn evaluate(&self) -> i32;
}

/// A static move ordering.
pub trait MoveOrder: Position {
    /// The ordering score of a move. Moves with a larger score are searched earlier; moves with
    /// equal scores keep the order of [`for_each_move`](Position::for_each_move).
    fn move_score(&self, m: Self::Move) -> i32;

    /// Calls `each` with every legal move, best first, and returns true, if the game can generate
    /// its moves in this order without sorting them. Otherwise returns false without a call.
    #[inline]
    fn for_each_move_in_order(&self, _each: impl FnMut(Self::Move)) -> bool {
        false
    }
}

/// Rotations and reflections that map a position to an equivalent one.
pub trait Symmetry: Position {
    /// Calls `each` with every image of this position, including itself (an image may occur twice).
    fn for_each_image(&self, each: &mut dyn FnMut(Self));

    /// The key that all images share: the smallest of their keys.
    fn canonical_key(&self) -> u64 {
        let mut least = u64::MAX;
        self.for_each_image(&mut |image| least = least.min(image.key()));
        least
    }
}

/// Moves that the depth limit must not cut off: captures, promotions, the only reply to a threat.
pub trait Tactics: Position {
    /// Appends the forcing moves; none if the position is quiet. Every sequence of forcing moves
    /// must end in a quiet position.
    fn push_forcing_moves(&self, buffer: &mut Vec<Self::Move>);

    /// Whether the side to move may decline all forcing moves and accept the estimate ("stand
    /// pat"). False in check, and when an immediate loss must be prevented.
    fn may_stand_pat(&self) -> bool;
}

/// A position of a game in which every move puts one stone on one cell of a flat board, where it
/// stays, and a row of stones wins. Cells are numbered from 0, row by row from the top left, as in
/// a [`Diagram`](crate::Diagram).
pub trait RowPosition: Position {
    /// The size of the board and the length of a winning row; constant throughout a game.
    fn grid(&self) -> RowGrid;

    /// Which rows win; constant throughout a game.
    fn row_rule(&self) -> RowRule {
        RowRule::AtLeast
    }

    /// The number of stones in a turn, and in the first turn of the game.
    fn turns(&self) -> (usize, usize) {
        (1, 1)
    }

    /// The game as data.
    fn row_game(&self) -> RowGame {
        let (stones_per_turn, stones_on_first_turn) = self.turns();
        RowGame { grid: self.grid(), rule: self.row_rule(), stones_per_turn, stones_on_first_turn }
    }

    /// The cell on which the move puts its stone.
    fn cell(&self, m: Self::Move) -> usize;

    /// The side whose stone is on a cell.
    fn stone_at(&self, cell: usize) -> Option<Side>;

    /// The move that puts a stone on this cell, if it is legal.
    fn move_to(&self, cell: usize) -> Option<Self::Move>;
}

/// The board of a game of rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RowGrid {
    /// The number of columns.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// The length of a winning row.
    pub k: usize,
    /// Whether stones fall to the lowest free cell of their column.
    pub gravity: bool,
}

/// Which rows of stones win in a game where `k` in a row are needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RowRule {
    /// `k` or more: freestyle.
    AtLeast,
    /// Exactly `k`: longer rows do not win. The standard rule of Gomoku.
    Exactly,
    /// Exactly `k`, and not with a stone of the other side at both ends. The edge of the board does
    /// not count as a stone.
    Caro,
    /// Exactly `k` for the first side, which also has forbidden points; `k` or more for the second.
    Renju,
}

/// A name that is not the name of a row rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("rule '{name}': unknown; expected freestyle, standard, renju or caro")]
pub struct UnknownRowRule {
    name: String,
}

impl RowRule {
    /// All rules.
    pub const ALL: [RowRule; 4] =
        [RowRule::AtLeast, RowRule::Exactly, RowRule::Renju, RowRule::Caro];

    /// The rule that applies to one side. It differs from the rule of the game only for the second
    /// side in renju; for a single side, [`RowRule::Renju`] means the rule of the first side.
    #[inline]
    pub const fn of_side(self, side: Side) -> RowRule {
        match (self, side) {
            (RowRule::Renju, Side::Second) => RowRule::AtLeast,
            (rule, _) => rule,
        }
    }

    /// How many cells along a line from a stone can affect the rows through it: the rest of a row
    /// of `k`, and, where an overline or an enclosing stone matters, the cell after it.
    #[inline]
    pub const fn reach(self, k: u32) -> u32 {
        match self {
            RowRule::AtLeast => k - 1,
            _ => k,
        }
    }

    /// The usual name of the rule, as it is read and written.
    pub const fn name(self) -> &'static str {
        match self {
            RowRule::AtLeast => "freestyle",
            RowRule::Exactly => "standard",
            RowRule::Renju => "renju",
            RowRule::Caro => "caro",
        }
    }

    /// The name that opens five in a row with this rule.
    pub fn five_in_a_row(self, width: usize, height: usize) -> String {
        match self {
            RowRule::AtLeast => format!("mnk:{width}x{height},k=5"),
            RowRule::Exactly => format!("mnk:{width}x{height},k=5,exact"),
            RowRule::Caro => format!("mnk:{width}x{height},k=5,caro"),
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
    type Err = UnknownRowRule;

    fn from_str(name: &str) -> Result<Self, UnknownRowRule> {
        let known = RowRule::ALL.into_iter().find(|rule| rule.name() == name);
        known.ok_or_else(|| UnknownRowRule { name: name.chars().take(20).collect() })
    }
}

/// A game of rows of stones, as data: all that a player of such games needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RowGame {
    /// The board and the length of a winning row.
    pub grid: RowGrid,
    /// Which rows win.
    pub rule: RowRule,
    /// The number of stones in a turn.
    pub stones_per_turn: usize,
    /// The number of stones in the first turn of the game.
    pub stones_on_first_turn: usize,
}

impl RowGame {
    /// Whether the sides alternate after every stone.
    pub fn alternates(&self) -> bool {
        (self.stones_per_turn, self.stones_on_first_turn) == (1, 1)
    }

    /// The side that places the next stone when this many are on the board.
    pub fn side_after(&self, stones: usize) -> Side {
        match stones.checked_sub(self.stones_on_first_turn) {
            None => Side::First,
            Some(later) if (later / self.stones_per_turn).is_multiple_of(2) => Side::Second,
            Some(_) => Side::First,
        }
    }
}

impl RowGrid {
    /// Columns times rows.
    pub const fn cells(&self) -> usize {
        self.columns * self.rows
    }
}

/// Slow, obvious implementations that [`conformance`](crate::conformance) compares with the fast
/// ones. No algorithm uses them.
pub trait Reference: Position {
    /// The outcome, computed from the whole board (and the history, where a rule needs it).
    fn outcome_by_scan(&self) -> Option<Outcome>;

    /// The key, computed from the whole position.
    fn key_by_scan(&self) -> u64;
}

/// A game that can be registered: rules, notation and diagram, with accessors for the optional
/// capabilities.
///
/// Implemented by [`capabilities!`](crate::capabilities), never by hand.
pub trait Playable: Position + Notation + Draw {
    /// Whether the game has a [`Heuristic`].
    const HAS_HEURISTIC: bool = false;

    /// Whether the game has a [`MoveOrder`].
    const HAS_MOVE_ORDER: bool = false;

    /// [`Heuristic::NEARLY_EQUAL`].
    const NEARLY_EQUAL: i32 = 12;

    /// [`Heuristic::evaluate`]; 0 without a [`Heuristic`].
    #[inline]
    fn estimate(&self) -> i32 {
        0
    }

    /// [`MoveOrder::move_score`]; 0 without a [`MoveOrder`].
    #[inline]
    fn move_score_of(&self, _m: Self::Move) -> i32 {
        0
    }

    /// [`MoveOrder::for_each_move_in_order`]; false without a [`MoveOrder`].
    #[inline]
    fn for_each_ordered_move(&self, _each: impl FnMut(Self::Move)) -> bool {
        false
    }

    /// The game's [`Reference`], if it has one. Used by tests.
    fn reference() -> Option<ReferenceScans<Self>> {
        None
    }

    /// The game's [`Symmetry`], if it has any.
    fn symmetry() -> Option<Symmetries<Self>> {
        None
    }

    /// The game's [`Tactics`], if it has any.
    fn tactics() -> Option<ForcingMoves<Self>> {
        None
    }

    /// The game as a game of rows, if it has [`RowPosition`].
    fn rows(&self) -> Option<RowGame> {
        None
    }

    /// [`RowPosition::cell`], if the game has [`RowPosition`].
    fn cell_of_move(&self, _: Self::Move) -> Option<usize> {
        None
    }

    /// [`RowPosition::stone_at`], if the game has [`RowPosition`].
    fn stone_on(&self, _: usize) -> Option<Side> {
        None
    }

    /// [`RowPosition::move_to`], if the game has [`RowPosition`].
    fn move_onto(&self, _: usize) -> Option<Self::Move> {
        None
    }
}

/// The functions of a game's [`Reference`], for generic code.
pub struct ReferenceScans<P: Position> {
    /// [`Reference::outcome_by_scan`].
    pub outcome: fn(&P) -> Option<Outcome>,
    /// [`Reference::key_by_scan`].
    pub key: fn(&P) -> u64,
}

impl<P: Position> Clone for ReferenceScans<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for ReferenceScans<P> {}

impl<P: Reference> ReferenceScans<P> {
    /// The functions of `P`.
    pub fn of() -> Self {
        ReferenceScans { outcome: P::outcome_by_scan, key: P::key_by_scan }
    }
}

/// The functions of a game's [`Symmetry`], for generic code.
pub struct Symmetries<P: Position> {
    /// [`Symmetry::for_each_image`].
    pub for_each: fn(&P, &mut dyn FnMut(P)),
    /// [`Symmetry::canonical_key`].
    pub canonical_key: fn(&P) -> u64,
}

impl<P: Position> Clone for Symmetries<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for Symmetries<P> {}

impl<P: Symmetry> Symmetries<P> {
    /// The functions of `P`.
    pub fn of() -> Self {
        Symmetries { for_each: P::for_each_image, canonical_key: P::canonical_key }
    }
}

/// The functions of a game's [`Tactics`], for generic code.
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
    /// The functions of `P`.
    pub fn of() -> Self {
        ForcingMoves { push: P::push_forcing_moves, may_stand_pat: P::may_stand_pat }
    }
}

/// Declares the optional capabilities of a game: `capabilities!(TicTacToe: Heuristic, Symmetry);`,
/// with type parameters `capabilities!([const N: usize] Othello<N>: MoveOrder);`, or none of them
/// `capabilities!(TakeAway);`. A capability that the game does not implement is a compile error.
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
        fn move_score_of(&self, m: Self::Move) -> i32 {
            $crate::MoveOrder::move_score(self, m)
        }

        #[inline]
        fn for_each_ordered_move(&self, each: impl FnMut(Self::Move)) -> bool {
            $crate::MoveOrder::for_each_move_in_order(self, each)
        }
    };
    (@accessor Symmetry) => {
        fn symmetry() -> Option<$crate::Symmetries<Self>> {
            Some($crate::Symmetries::of())
        }
    };
    (@accessor RowPosition) => {
        fn rows(&self) -> Option<$crate::RowGame> {
            Some($crate::RowPosition::row_game(self))
        }

        fn cell_of_move(&self, m: Self::Move) -> Option<usize> {
            Some($crate::RowPosition::cell(self, m))
        }

        fn stone_on(&self, cell: usize) -> Option<$crate::Side> {
            $crate::RowPosition::stone_at(self, cell)
        }

        fn move_onto(&self, cell: usize) -> Option<Self::Move> {
            $crate::RowPosition::move_to(self, cell)
        }
    };
    (@accessor Tactics) => {
        fn tactics() -> Option<$crate::ForcingMoves<Self>> {
            Some($crate::ForcingMoves::of())
        }
    };
    (@accessor Reference) => {
        fn reference() -> Option<$crate::ReferenceScans<Self>> {
            Some($crate::ReferenceScans::of())
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
