//! The stones along lines: one word for every row, column and diagonal, two bits for each cell,
//! with walls at the ends. The key of the cells around a point takes a shift and a mask; playing a
//! stone takes four exclusive ors.

use tesuji_games::{RowRule, Side};

use crate::cell::{Cell, LONGEST_SIDE};
use crate::class::ClassTable;
use crate::line_table::LineTable;
use crate::pattern::{EMPTY, LinePattern, WALL, offset_in_key};

/// The direction of a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Along a row.
    Row,
    /// Along a column.
    Column,
    /// Along a diagonal that rises to the right.
    Rising,
    /// Along a diagonal that falls to the right.
    Falling,
}

impl Direction {
    /// All directions.
    pub const ALL: [Direction; 4] =
        [Direction::Row, Direction::Column, Direction::Rising, Direction::Falling];

    /// The difference between the numbers of neighboring cells.
    #[inline]
    pub const fn step(self) -> i32 {
        match self {
            Direction::Row => 1,
            Direction::Column => 32,
            Direction::Rising => 33,
            Direction::Falling => 31,
        }
    }

    /// The index of the cell's line among those of this direction, and the cell's position in it.
    #[inline]
    pub(crate) const fn position(self, cell: Cell) -> (usize, u32) {
        let (column, row) = (cell.column(), cell.row());
        match self {
            Direction::Row => (row, column as u32),
            Direction::Column => (column, row as u32),
            Direction::Rising => (column + LONGEST_SIDE - row, row as u32),
            Direction::Falling => (column + row, row as u32),
        }
    }
}

/// Lines of one direction, rounded up so that the compiler can drop bounds checks.
const LINES: usize = 64;
/// Wall cells before the first cell of a line.
pub(crate) const PADDING: u32 = 5;

/// A board stored along its rows, columns and diagonals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineBitboards {
    words: [[u64; LINES]; 4],
    rule: RowRule,
}

impl LineBitboards {
    /// Creates a board without stones.
    pub(crate) fn empty(rule: RowRule, width: usize, height: usize) -> LineBitboards {
        let mut lines = LineBitboards { words: [[u64::MAX; LINES]; 4], rule };
        for row in 0..height {
            for column in 0..width {
                lines.toggle(Cell::new(column, row), WALL);
            }
        }
        lines
    }

    /// The rule of the game.
    #[inline]
    pub fn rule(&self) -> RowRule {
        self.rule
    }

    #[inline]
    fn toggle(&mut self, cell: Cell, bits: u32) {
        for direction in Direction::ALL {
            let (line, position) = direction.position(cell);
            self.words[direction as usize][line % LINES] ^=
                u64::from(bits) << (2 * (position + PADDING));
        }
    }

    /// Adds a stone on an empty cell, or removes the stone of `side` on it.
    #[inline]
    pub fn toggle_stone(&mut self, side: Side, cell: Cell) {
        self.toggle(cell, side as u32 + 1);
    }

    /// The whole line through a cell; position 0 follows five wall cells.
    #[inline]
    pub(crate) fn word(&self, direction: Direction, cell: Cell) -> u64 {
        self.words[direction as usize][direction.position(cell).0 % LINES]
    }

    /// The line through a cell, shifted so that the lowest two bits are the cell five before it.
    #[inline]
    fn window(&self, direction: Direction, cell: Cell) -> u64 {
        self.word(direction, cell) >> (2 * direction.position(cell).1)
    }

    /// The line around a cell as the key of a [`LineTable`].
    #[inline]
    pub fn key(&self, direction: Direction, cell: Cell) -> u32 {
        key_of_window(self.window(direction, cell), self.rule.reach(5))
    }

    /// The side whose stone is on a cell of the board.
    #[inline]
    pub fn stone(&self, cell: Cell) -> Option<Side> {
        match self.window(Direction::Row, cell) >> (2 * PADDING) & 3 {
            1 => Some(Side::First),
            2 => Some(Side::Second),
            _ => None,
        }
    }

    /// Whether the cell is on the board and empty.
    #[inline]
    pub fn is_empty_cell(&self, cell: Cell) -> bool {
        self.window(Direction::Row, cell) >> (2 * PADDING) & 3 == u64::from(EMPTY)
    }

    /// The pattern that a stone of `side` on an empty cell creates in one line.
    #[inline]
    pub fn pattern(&self, direction: Direction, side: Side, cell: Cell) -> LinePattern {
        LineTable::of(self.rule).pattern(side, self.key(direction, cell))
    }

    /// The patterns that stones of black and of white on an empty cell create in all four lines, as
    /// codes of a [`ClassTable`].
    pub fn codes(&self, cell: Cell) -> [u16; 2] {
        let table = LineTable::of(self.rule);
        let mut codes = [0; 2];
        for direction in Direction::ALL {
            let patterns = u16::from(table.patterns(self.key(direction, cell)));
            codes[0] |= (patterns & 15) << (4 * direction as u16);
            codes[1] |= (patterns >> 4) << (4 * direction as u16);
        }
        codes
    }

    /// The class of a move of `side` on an empty cell.
    pub fn class(&self, side: Side, cell: Cell) -> crate::MoveClass {
        ClassTable::of(self.rule.of_side(side)).class(self.codes(cell)[side.index()])
    }

    /// The cell with this number in the key around `middle`; it must be on the board.
    #[inline]
    pub(crate) fn cell_in_key(&self, direction: Direction, middle: Cell, number: u32) -> Cell {
        let offset = offset_in_key(number, self.rule.reach(5)) * direction.step();
        Cell::from_number((middle.number() as i32 + offset) as usize)
    }
}

/// The key of a window, which excludes the cell in the middle.
#[inline]
pub(crate) const fn key_of_window(window: u64, reach: u32) -> u32 {
    let window = window >> (2 * (PADDING - reach));
    let low = (1 << (2 * reach)) - 1;
    (window & low | window >> 2 & low << (2 * reach)) as u32
}
