//! Cells and sets of cells. A row takes 32 numbers for every board size, so a set has one word for
//! each row and the step to the next cell of a line is constant.

use std::fmt;

use tesuji_games::bits::for_each_bit;
use tesuji_games::notation::cell_text;
use tesuji_games::state::InvalidMove;

/// The shortest side of a board: one row of five.
pub const SHORTEST_SIDE: usize = 5;
/// The longest side of a board: with five wall cells at each end, a line has 32 cells of two bits.
pub const LONGEST_SIDE: usize = 22;

/// The number of possible cell numbers.
pub(crate) const CELL_NUMBERS: usize = LONGEST_SIDE * 32;

/// A cell of a board, by column and row from 0 at the lower left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cell(u16);

impl Cell {
    /// Creates the cell in a column and row.
    ///
    /// # Panics
    /// If either is [`LONGEST_SIDE`] or more.
    #[inline]
    pub const fn new(column: usize, row: usize) -> Cell {
        assert!(
            column < LONGEST_SIDE && row < LONGEST_SIDE,
            "column and row must be below LONGEST_SIDE"
        );
        Cell((row << 5 | column) as u16)
    }

    /// The cell with this [`number`](Cell::number).
    #[inline]
    pub(crate) const fn from_number(number: usize) -> Cell {
        Cell(number as u16)
    }

    /// The column, from 0.
    #[inline]
    pub const fn column(self) -> usize {
        self.0 as usize & 31
    }

    /// The row, from 0.
    #[inline]
    pub const fn row(self) -> usize {
        self.0 as usize >> 5
    }

    /// 32 times the row plus the column.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

impl From<Cell> for u64 {
    fn from(cell: Cell) -> u64 {
        u64::from(cell.0)
    }
}

impl TryFrom<u64> for Cell {
    type Error = InvalidMove;
    fn try_from(number: u64) -> Result<Cell, InvalidMove> {
        let known = (number as usize) < CELL_NUMBERS && (number as usize & 31) < LONGEST_SIDE;
        if known { Ok(Cell(number as u16)) } else { Err(InvalidMove) }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&cell_text(self.column(), self.row()))
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of cells, one word a row.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CellSet {
    pub(crate) rows: [u32; LONGEST_SIDE],
}

impl CellSet {
    /// No cells.
    pub const NONE: CellSet = CellSet { rows: [0; LONGEST_SIDE] };

    /// Whether the cell is in the set.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        self.rows[cell.row()] >> cell.column() & 1 == 1
    }

    /// Adds a cell that is not in the set, or removes one that is.
    #[inline]
    pub fn toggle(&mut self, cell: Cell) {
        self.rows[cell.row()] ^= 1 << cell.column();
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// Whether the set has no cells.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&row| row == 0)
    }

    /// The cell with the lowest number.
    #[inline]
    pub fn first(&self) -> Option<Cell> {
        let row = self.rows.iter().position(|&row| row != 0)?;
        Some(Cell::new(self.rows[row].trailing_zeros() as usize, row))
    }

    /// The intersection of both sets.
    pub fn and(&self, other: &CellSet) -> CellSet {
        CellSet { rows: std::array::from_fn(|row| self.rows[row] & other.rows[row]) }
    }

    /// The union of both sets.
    pub fn or(&self, other: &CellSet) -> CellSet {
        CellSet { rows: std::array::from_fn(|row| self.rows[row] | other.rows[row]) }
    }

    /// Calls `each` with every cell, row by row.
    #[inline]
    pub fn for_each(&self, mut each: impl FnMut(Cell)) {
        for (row, &bits) in self.rows.iter().enumerate() {
            for_each_bit(u64::from(bits), |column| each(Cell::new(column as usize, row)));
        }
    }
}

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut set = CellSet::NONE;
        for cell in cells {
            set.rows[cell.row()] |= 1 << cell.column();
        }
        set
    }
}
