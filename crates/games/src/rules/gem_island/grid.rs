//! The mapping of cells to bits. Columns follow one another, each from its top downward, with one
//! unused bit below it: a step down is a shift by one that cannot leave its column, and gems fall
//! in all columns at once.

use super::runs::stride;
use super::{GemCell, GemRules, GemSettings, Mask};

/// Whether a rollout follows the game or the published simulator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Fidelity {
    /// As the game.
    Exact,
    /// As the published simulator: no bonus is created; the gem that would have become one stays,
    /// and so does the ice under it.
    Original,
}

/// The data of a game that is constant while it is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GemGrid<M> {
    /// The settings of the game.
    pub settings: GemSettings,
    /// Whether bonuses are created.
    pub fidelity: Fidelity,
    /// The distance in bits from a cell to its right neighbor.
    pub stride: u32,
    /// All cells.
    pub cells: M,
    /// The top cell of every column.
    pub top: M,
    /// The bottom cell of every column.
    pub bottom: M,
    /// All cells of the first column.
    pub first_column: M,
    /// Cells with a right neighbor.
    pub has_right: M,
    /// Cells with a lower neighbor.
    pub has_lower: M,
    /// Cells with three cells below them.
    pub has_three_below: M,
    /// Every other cell, like the dark squares of a chessboard.
    pub checkered: M,
    /// The upper left cells of all medals that fit on the board.
    pub medal_places: M,
}

impl<M: Mask> GemGrid<M> {
    /// The grid of these settings; `None` if the mask has too few bits.
    pub fn new(settings: GemSettings) -> Option<GemGrid<M>> {
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
        Some(GemGrid {
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

    /// Whether the rules are those of the published game.
    #[inline]
    pub fn is_original(&self) -> bool {
        self.settings.rules == GemRules::Original
    }

    /// The bit of a cell.
    #[inline]
    pub fn index(&self, cell: GemCell) -> u32 {
        u32::from(cell.column) * self.stride + u32::from(cell.row)
    }

    /// The cell of a bit.
    #[inline]
    pub fn cell(&self, index: u32) -> GemCell {
        GemCell::new((index % self.stride) as u8, (index / self.stride) as u8)
    }

    /// Whether the cell is on the board.
    pub fn holds(&self, cell: GemCell) -> bool {
        cell.row < self.settings.rows && cell.column < self.settings.columns
    }

    /// All cells, row by row.
    pub fn row_major(&self) -> impl Iterator<Item = GemCell> + use<M> {
        let (rows, columns) = (self.settings.rows, self.settings.columns);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| GemCell::new(row, column)))
    }

    /// The four cells of each medal, given their upper left cells.
    #[inline]
    pub fn medal_cells(&self, upper_left: M) -> M {
        let left = upper_left | upper_left << 1;
        left | left << self.stride
    }

    /// The medals that overlap these cells.
    #[inline]
    pub fn medals_touching(&self, upper_left: M, cells: M) -> M {
        let left = cells | cells >> self.stride;
        upper_left & (left | left >> 1)
    }

    /// The number of these medals, which may overlap, on each cell, in binary: the sum of four
    /// sets.
    #[inline]
    pub fn medals_by_cell(&self, upper_left: M) -> [M; 3] {
        let lower = upper_left << 1;
        let (ones, twos) = (upper_left ^ lower, upper_left & lower);
        let (more_ones, more_twos) = (ones << self.stride, twos << self.stride);
        let (carry, sum) = (ones & more_ones, twos ^ more_twos);
        [ones ^ more_ones, sum ^ carry, (twos & more_twos) | (sum & carry)]
    }

    /// The upper left cells of all medals that lie entirely on these cells.
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
