//! The rows, columns and diagonals of a board as bits. Bit 0 and the bit after the last cell are
//! walls, so that shapes at the edge match like all others. Every line has its own walls.

use tesuji_games::Side;

use super::board::{FudanCell, LONGEST_SIDE};

const DIAGONALS: usize = 2 * LONGEST_SIDE - 1;
/// Rows, columns, and diagonals in both directions.
pub(super) const LINES: usize = 2 * LONGEST_SIDE + 2 * DIAGONALS;

/// A cell's place on a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineCell {
    pub(super) line: usize,
    /// The bit in the line's words; 0 is the wall before the first cell.
    pub(super) bit: u32,
}

/// The four lines through a cell: row, column, diagonal to the lower right, diagonal to the lower left.
#[inline]
pub(super) fn line_cells(cell: FudanCell, columns: usize) -> [LineCell; 4] {
    let (row, column) = (cell.row as usize, cell.column as usize);
    let rising = row + column;
    let rising_start = rising.saturating_sub(columns - 1);
    [
        LineCell { line: row, bit: column as u32 + 1 },
        LineCell { line: LONGEST_SIDE + column, bit: row as u32 + 1 },
        LineCell {
            line: 2 * LONGEST_SIDE + (LONGEST_SIDE - 1) + row - column,
            bit: row.min(column) as u32 + 1,
        },
        LineCell {
            line: 2 * LONGEST_SIDE + DIAGONALS + rising,
            bit: (row - rising_start) as u32 + 1,
        },
    ]
}

/// A line as seen by one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) own: u32,
    pub(super) empty: u32,
    /// Stones of the opponent.
    pub(super) other: u32,
    /// Blocked cells and both ends of the line.
    pub(super) walls: u32,
}

impl Line {
    /// The line with a stone added on an empty cell.
    #[inline]
    pub(super) fn with_stone(self, bit: u32, stone: Stone) -> Line {
        let bit = 1 << bit;
        let line = Line { empty: self.empty & !bit, ..self };
        match stone {
            Stone::Own => Line { own: line.own | bit, ..line },
            Stone::Other => Line { other: line.other | bit, ..line },
        }
    }
}

/// The owner of a stone, relative to the side that sees a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stone {
    Own,
    Other,
}

/// All lines of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lines {
    stones: [[u32; 2]; LINES],
    walls: [u32; LINES],
    /// The cells of a line, without its ends.
    inside: [u32; LINES],
}

impl Lines {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        let mut inside = [0u32; LINES];
        for row in 0..rows as u8 {
            for column in 0..columns as u8 {
                for line_cell in line_cells(FudanCell { row, column }, columns) {
                    inside[line_cell.line] |= 1 << line_cell.bit;
                }
            }
        }
        let ends = |cells: &u32| 1 | (2u32 << cells.count_ones());
        let walls = std::array::from_fn(|line| ends(&inside[line]));
        Lines { stones: [[0; 2]; LINES], walls, inside }
    }

    #[inline]
    pub(super) fn flip_stone(&mut self, line_cells: [LineCell; 4], side: Side) {
        for line_cell in line_cells {
            self.stones[line_cell.line][side.index()] ^= 1 << line_cell.bit;
        }
    }

    pub(super) fn add_wall(&mut self, line_cells: [LineCell; 4]) {
        for line_cell in line_cells {
            self.walls[line_cell.line] |= 1 << line_cell.bit;
        }
    }

    #[inline]
    pub(super) fn seen_by(&self, line: usize, side: Side) -> Line {
        let [first, second] = self.stones[line];
        let walls = self.walls[line];
        let empty = self.inside[line] & !(first | second | walls);
        let (own, other) = match side {
            Side::First => (first, second),
            Side::Second => (second, first),
        };
        Line { own, empty, other, walls }
    }
}
