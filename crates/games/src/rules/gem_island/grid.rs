//! Where cells lie among the bits. Columns stand one after another, each from its top downwards, with one empty bit
//! below it: a step down is a shift by one that cannot leave its column, and gems fall in all columns at once.

use super::runs::stride;
use super::{Cell, Mask, Rules, Settings};

/// How a rollout plays on: as the game does, or as the published simulator did.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Fidelity {
    /// As the game does.
    Exact,
    /// No bonus is ever made; the gem that would have become one stays, and so does the ice under it.
    Original,
}

/// Everything about a game that never changes while it is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid<M> {
    /// The parameters.
    pub settings: Settings,
    /// Whether bonuses are made.
    pub fidelity: Fidelity,
    /// From a cell to its right neighbour.
    pub stride: u32,
    /// All cells.
    pub cells: M,
    /// The top cell of every column.
    pub top: M,
    /// The bottom cell of every column.
    pub bottom: M,
    /// All cells of the first column.
    pub first_column: M,
    /// Cells with a right neighbour.
    pub has_right: M,
    /// Cells with a lower neighbour.
    pub has_lower: M,
    /// Cells with three cells below them.
    pub has_three_below: M,
    /// Every other cell, as the dark squares of a chessboard.
    pub checkered: M,
    /// Places of the upper left cell of a medal such that the whole of it is on the board.
    pub medal_places: M,
}

impl<M: Mask> Grid<M> {
    /// The grid of these settings; `None` when the mask has too few bits.
    pub fn new(settings: Settings) -> Option<Grid<M>> {
        let (rows, columns) = (u32::from(settings.rows), u32::from(settings.columns));
        let stride = rows + 1;
        if stride * columns > M::BITS {
            return None;
        }
        let (mut cells, mut top, mut checkered) = (M::default(), M::default(), M::default());
        for column in 0..columns {
            top |= M::bit(column * stride);
            (0..rows).for_each(|row| cells |= M::bit(column * stride + row));
            let dark = (0..rows).filter(|row| (row + column) % 2 == 0);
            dark.for_each(|row| checkered |= M::bit(column * stride + row));
        }
        let has_lower = cells & (cells >> 1);
        Some(Grid {
            settings,
            fidelity: Fidelity::Exact,
            stride,
            cells,
            top,
            bottom: top << (rows - 1),
            first_column: M::bit(rows).minus(M::bit(0)),
            has_right: cells & (cells >> stride),
            has_lower,
            has_three_below: has_lower & (has_lower >> 1) & (has_lower >> 2),
            checkered,
            medal_places: has_lower & (has_lower >> stride),
        })
    }

    /// Whether the published game's rules hold.
    #[inline]
    pub fn is_original(&self) -> bool {
        self.settings.rules == Rules::Original
    }

    /// The bit of a cell.
    #[inline]
    pub fn index(&self, cell: Cell) -> u32 {
        u32::from(cell.column) * self.stride + u32::from(cell.row)
    }

    /// The cell of a bit.
    #[inline]
    pub fn cell(&self, index: u32) -> Cell {
        Cell::new((index % self.stride) as u8, (index / self.stride) as u8)
    }

    /// Whether there is such a cell.
    pub fn holds(&self, cell: Cell) -> bool {
        cell.row < self.settings.rows && cell.column < self.settings.columns
    }

    /// All cells, row by row.
    pub fn row_major(&self) -> impl Iterator<Item = Cell> + use<M> {
        let (rows, columns) = (self.settings.rows, self.settings.columns);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| Cell::new(row, column)))
    }

    /// The four cells of each medal, from their upper left ones.
    #[inline]
    pub fn medal_cells(&self, upper_left: M) -> M {
        let left = upper_left | upper_left << 1;
        left | left << self.stride
    }

    /// Those of the medals of which some part lies on these cells.
    #[inline]
    pub fn medals_touching(&self, upper_left: M, cells: M) -> M {
        let left = cells | cells >> self.stride;
        upper_left & (left | left >> 1)
    }

    /// How many of these medals, which may overlap, lie on each cell, in binary: four sets added up.
    #[inline]
    pub fn medals_by_cell(&self, upper_left: M) -> [M; 3] {
        let lower = upper_left << 1;
        let (ones, twos) = (upper_left ^ lower, upper_left & lower);
        let (more_ones, more_twos) = (ones << self.stride, twos << self.stride);
        let (carry, sum) = (ones & more_ones, twos ^ more_twos);
        [ones ^ more_ones, sum ^ carry, (twos & more_twos) | (sum & carry)]
    }

    /// Places where a whole medal lies on these cells: their upper left cells.
    #[inline]
    pub fn medals_within(&self, cells: M) -> M {
        self.medals_within_at::<0>(cells)
    }

    #[inline(always)]
    pub(super) fn medals_within_at<const S: u32>(&self, cells: M) -> M {
        let left = cells & (cells >> 1);
        left & (left >> stride::<M, S>(self))
    }
}
