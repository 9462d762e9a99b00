//! A plain board of stones and blocked cells. It updates incrementally: the key, the lines as bits,
//! and the number of nearby stones of each cell.

use std::sync::LazyLock;

use tesuji_games::{Side, random};

use super::lines::{Line, LineCell, Lines, line_cells};

/// The longest side of a board, as in the published programs.
pub const LONGEST_SIDE: usize = 20;
const CELLS: usize = LONGEST_SIDE * LONGEST_SIDE;

/// Steps to the eight neighbors.
const RAYS: [(i8, i8); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// A cell, by row and column from 0 at the upper left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FudanCell {
    /// Rows from the top.
    pub row: u8,
    /// Columns from the left.
    pub column: u8,
}

impl FudanCell {
    /// Creates a cell. The name states the order of the arguments, because other cell types have
    /// the reverse order.
    pub const fn row_column(row: u8, column: u8) -> Self {
        FudanCell { row, column }
    }

    #[inline]
    const fn index(self) -> usize {
        self.row as usize * LONGEST_SIDE + self.column as usize
    }
}

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FudanSquare {
    /// No stone.
    Empty,
    /// A stone.
    Stone(Side),
    /// A blocked cell.
    Wall,
}

/// The distance of candidates from a stone along its eight rays. The cells between them do not
/// matter; cells a knight's move away are never candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CandidateReach {
    /// The eight neighbors.
    One,
    /// The eight neighbors and the eight cells behind them.
    Two,
}

/// Why a board cannot be created or changed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FudanBoardError {
    /// The board is too small or too large.
    #[error(
        "board of {rows} rows and {columns} columns: unsupported size; expected 1 to {LONGEST_SIDE} of each"
    )]
    Size {
        /// Requested rows.
        rows: usize,
        /// Requested columns.
        columns: usize,
    },
    /// The cell is not on the board.
    #[error(
        "row {row}, column {column} (from 0): not on the board; expected {rows} rows and {columns} columns"
    )]
    Outside {
        /// The requested row.
        row: u8,
        /// The requested column.
        column: u8,
        /// Rows of the board.
        rows: usize,
        /// Columns of the board.
        columns: usize,
    },
    /// The cell has a stone or a wall.
    #[error("row {row}, column {column} (from 0): occupied; expected an empty cell")]
    Taken {
        /// The requested row.
        row: u8,
        /// The requested column.
        column: u8,
    },
}

/// Zobrist keys of 63 bits, as in the published program: for every cell one for each side and one
/// for a wall.
static KEYS: LazyLock<[[u64; 3]; CELLS]> = LazyLock::new(|| {
    let mut rng = random::seeded(0x006f_6d6f_6b75);
    std::array::from_fn(|_| std::array::from_fn(|_| random::word(&mut rng) >> 1))
});
const WALL_KEY: usize = 2;

/// A position of the agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FudanBoard {
    rows: usize,
    columns: usize,
    to_move: Side,
    squares: [FudanSquare; CELLS],
    /// For each cell, the number of stones at distance 1 and at distance 2 on its rays.
    nearby_stones: [[u8; CELLS]; 2],
    lines: Lines,
    stones: u16,
    key: u64,
}

impl FudanBoard {
    /// Creates an empty board; the first side moves.
    pub fn new(rows: usize, columns: usize) -> Result<Self, FudanBoardError> {
        let fits = 1..=LONGEST_SIDE;
        if !fits.contains(&rows) || !fits.contains(&columns) {
            return Err(FudanBoardError::Size { rows, columns });
        }
        Ok(FudanBoard {
            rows,
            columns,
            to_move: Side::First,
            squares: [FudanSquare::Empty; CELLS],
            nearby_stones: [[0; CELLS]; 2],
            lines: Lines::new(rows, columns),
            stones: 0,
            // Distinguishes boards of different sizes in a cache.
            key: random::derived(0, [rows as u64, columns as u64]) >> 1,
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// Sets the side to move: the stones of a set-up position need not alternate.
    pub fn set_to_move(&mut self, side: Side) {
        self.to_move = side;
    }

    /// The number of stones.
    pub fn stones(&self) -> u16 {
        self.stones
    }

    /// A key of 63 bits for size, stones and walls, but not the side to move (Zobrist, 1970).
    pub fn key(&self) -> u64 {
        self.key
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = FudanCell> + use<> {
        let columns = self.columns as u8;
        (0..self.rows as u8)
            .flat_map(move |row| (0..columns).map(move |column| FudanCell { row, column }))
    }

    /// The content of a cell; cells outside the board are walls.
    pub fn at(&self, cell: FudanCell) -> FudanSquare {
        if self.holds(cell) { self.squares[cell.index()] } else { FudanSquare::Wall }
    }

    /// Whether a cell is on the board and empty.
    #[inline]
    pub fn is_empty(&self, cell: FudanCell) -> bool {
        self.holds(cell) && self.squares[cell.index()] == FudanSquare::Empty
    }

    #[inline]
    fn holds(&self, cell: FudanCell) -> bool {
        (cell.row as usize) < self.rows && (cell.column as usize) < self.columns
    }

    /// Plays a stone of the side to move.
    pub fn play(&mut self, cell: FudanCell) -> Result<(), FudanBoardError> {
        self.place(cell, self.to_move)?;
        self.to_move = !self.to_move;
        Ok(())
    }

    /// Takes back a move of [`Self::play`]. Without a stone on the cell it does nothing.
    pub fn undo(&mut self, cell: FudanCell) {
        if let FudanSquare::Stone(side) = self.at(cell) {
            self.remove_stone(cell, side);
            self.to_move = side;
        }
    }

    /// Sets up a stone of either side without changing the side to move.
    pub fn place(&mut self, cell: FudanCell, side: Side) -> Result<(), FudanBoardError> {
        self.check_empty(cell)?;
        self.put_stone(cell, side);
        Ok(())
    }

    /// Blocks an empty cell permanently.
    pub fn block(&mut self, cell: FudanCell) -> Result<(), FudanBoardError> {
        self.check_empty(cell)?;
        self.squares[cell.index()] = FudanSquare::Wall;
        self.lines.add_wall(self.line_cells(cell));
        self.key ^= KEYS[cell.index()][WALL_KEY];
        Ok(())
    }

    fn check_empty(&self, cell: FudanCell) -> Result<(), FudanBoardError> {
        let FudanCell { row, column } = cell;
        if !self.holds(cell) {
            return Err(FudanBoardError::Outside {
                row,
                column,
                rows: self.rows,
                columns: self.columns,
            });
        }
        if !self.is_empty(cell) {
            return Err(FudanBoardError::Taken { row, column });
        }
        Ok(())
    }

    /// The empty cells within reach of a stone, row by row.
    pub fn candidates(&self, reach: CandidateReach) -> Vec<FudanCell> {
        let mut found = Vec::new();
        self.push_candidates(reach, &mut found);
        found
    }

    /// Same as [`Self::candidates`], into a reusable buffer.
    pub(super) fn push_candidates(&self, reach: CandidateReach, found: &mut Vec<FudanCell>) {
        found.clear();
        for row in 0..self.rows {
            let cells = row * LONGEST_SIDE..row * LONGEST_SIDE + self.columns;
            for (column, index) in cells.enumerate() {
                let count = match reach {
                    CandidateReach::One => self.nearby_stones[0][index],
                    CandidateReach::Two => {
                        self.nearby_stones[0][index] | self.nearby_stones[1][index]
                    }
                };
                if count != 0 && self.squares[index] == FudanSquare::Empty {
                    found.push(FudanCell { row: row as u8, column: column as u8 });
                }
            }
        }
    }

    /// Adds a stone on a cell that must be empty.
    #[inline]
    pub(super) fn put_stone(&mut self, cell: FudanCell, side: Side) {
        self.squares[cell.index()] = FudanSquare::Stone(side);
        self.stones += 1;
        self.lines.flip_stone(self.line_cells(cell), side);
        self.key = self.key_with(cell, side);
        self.update_nearby(cell, |count| *count += 1);
    }

    /// Removes a stone that must be on the cell.
    #[inline]
    pub(super) fn remove_stone(&mut self, cell: FudanCell, side: Side) {
        self.squares[cell.index()] = FudanSquare::Empty;
        self.stones -= 1;
        self.lines.flip_stone(self.line_cells(cell), side);
        self.key = self.key_with(cell, side);
        self.update_nearby(cell, |count| *count -= 1);
    }

    /// The key after adding a stone.
    #[inline]
    pub(super) fn key_with(&self, cell: FudanCell, side: Side) -> u64 {
        self.key ^ KEYS[cell.index()][side.index()]
    }

    fn update_nearby(&mut self, cell: FudanCell, mut change: impl FnMut(&mut u8)) {
        for (down, right) in RAYS {
            for distance in [1i8, 2] {
                if let Some(count) = self.offset(cell, down * distance, right * distance) {
                    change(&mut self.nearby_stones[distance as usize - 1][count.index()]);
                }
            }
        }
    }

    /// The cell at this offset, if it is on the board.
    pub(super) fn offset(&self, cell: FudanCell, down: i8, right: i8) -> Option<FudanCell> {
        let row = cell.row.checked_add_signed(down)?;
        let column = cell.column.checked_add_signed(right)?;
        Some(FudanCell { row, column }).filter(|&cell| self.holds(cell))
    }

    /// The cells at distance 1 to `longest` on the eight rays.
    pub(super) fn around(
        &self,
        cell: FudanCell,
        longest: i8,
    ) -> impl Iterator<Item = FudanCell> + '_ {
        RAYS.into_iter().flat_map(move |(down, right)| {
            (1..=longest).filter_map(move |n| self.offset(cell, down * n, right * n))
        })
    }

    #[inline]
    pub(super) fn line_cells(&self, cell: FudanCell) -> [LineCell; 4] {
        line_cells(cell, self.columns)
    }

    /// A line as seen by one side.
    #[inline]
    pub(super) fn line(&self, line: usize, side: Side) -> Line {
        self.lines.seen_by(line, side)
    }
}
