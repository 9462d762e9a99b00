//! The solver's view of a board: the stones of each side, the moves that do not lose at once, and
//! the results that follow from forced moves alone.

use tesuji_games::rules::connect4::{Bits, Connect4, Geometry};

/// A geometry with derived masks.
#[derive(Clone, Copy)]
pub(super) struct Board<G: Geometry> {
    pub(super) geometry: G,
    pub(super) cells: G::Bits,
    pub(super) bottom: G::Bits,
    /// The bit above each column.
    pub(super) guards: G::Bits,
    /// The cells at an even distance from the top of their column: the cells that a side gets by
    /// always replying on top of the other side's stone.
    pub(super) follow: G::Bits,
    pub(super) count: i32,
}

/// The stones of the side to move and of both sides, in a position without a winner.
#[derive(Clone, Copy)]
pub(super) struct Stones<B> {
    pub(super) own: B,
    pub(super) mask: B,
}

impl<B: Bits> Stones<B> {
    /// The stones of the side that is not to move.
    #[inline(always)]
    pub(super) fn other(self) -> B {
        self.own ^ self.mask
    }

    /// The position after a move.
    #[inline(always)]
    pub(super) fn after(self, cell: B) -> Self {
        Stones { own: self.other(), mask: self.mask | cell }
    }
}

impl<G: Geometry> Board<G> {
    pub(super) fn new(geometry: G) -> Self {
        let (cells, bottom) = (geometry.cells(), geometry.bottom());
        let mut follow = G::Bits::ZERO;
        for row in (0..geometry.height()).rev().step_by(2) {
            follow = follow | bottom << row;
        }
        Board {
            geometry,
            cells,
            bottom,
            guards: bottom << geometry.height(),
            follow,
            count: cells.count() as i32,
        }
    }

    pub(super) fn stones_of(position: &Connect4<G>) -> Stones<G::Bits> {
        Stones { own: position.own_stones(), mask: position.stones() }
    }

    /// The score of a win with stone number `ply`.
    #[inline(always)]
    pub(super) fn win_at(&self, ply: i32) -> i32 {
        (self.count + 2 - ply) >> 1
    }

    #[inline(always)]
    pub(super) fn playable(&self, mask: G::Bits) -> G::Bits {
        (mask + self.bottom) & self.cells
    }

    /// The empty cells that complete four in a row for `side`.
    #[inline(always)]
    pub(super) fn threats(&self, side: G::Bits, mask: G::Bits) -> G::Bits {
        self.geometry.fourth_cells(side) & !mask
    }

    /// Whether `side` could still complete four in a row if it got all empty cells.
    #[inline(always)]
    pub(super) fn can_win(&self, side: G::Bits, mask: G::Bits) -> bool {
        self.geometry.has_four(side | self.cells & !mask)
    }

    /// These cells and all cells above them. (Subtracting the cells of a column from its guard bit
    /// borrows upward from the lowest cell.)
    #[inline(always)]
    pub(super) fn upward(&self, cells: G::Bits) -> G::Bits {
        ((self.guards - cells) | cells) & self.cells
    }

    /// A unique code of the position, the same for both mirror images.
    #[inline(always)]
    pub(super) fn code(&self, stones: Stones<G::Bits>) -> G::Bits {
        let code = stones.own + stones.mask;
        code.min(self.geometry.mirrored(code))
    }

    /// The cells of the column that contains a bit.
    #[inline(always)]
    pub(super) fn column_of(&self, bit: u32) -> G::Bits {
        let stride = self.geometry.stride();
        let column = (G::Bits::ONE << self.geometry.height()) - G::Bits::ONE;
        column << (bit / stride * stride)
    }
}
