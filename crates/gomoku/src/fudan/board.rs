//! A plain board: stones of two sides, blocked cells, whose turn it is. What depends on stones is kept up to
//! date move by move: the key, the lines as bits, and how many stones look at each cell.

use std::sync::LazyLock;

use tesuji_games::{Side, random};

use super::lines::{Line, LineCell, Lines, line_cells};

/// The longest side a board can have, as in the published programs.
pub const LONGEST_SIDE: usize = 20;
const CELLS: usize = LONGEST_SIDE * LONGEST_SIDE;

/// Steps to the eight neighbours.
const RAYS: [(i8, i8); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// A cell, counted from the upper left corner from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FudanCell {
    /// Rows from the top.
    pub row: u8,
    /// Columns from the left.
    pub column: u8,
}

impl FudanCell {
    /// The cell in this row and column. The name says the order, which other cells have the other way round.
    pub const fn row_column(row: u8, column: u8) -> Self {
        FudanCell { row, column }
    }

    #[inline]
    const fn index(self) -> usize {
        self.row as usize * LONGEST_SIDE + self.column as usize
    }
}

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FudanSquare {
    /// Nothing.
    Empty,
    /// A stone.
    Stone(Side),
    /// Nobody may play here.
    Wall,
}

/// How far from a stone candidates lie, along its eight rays. A cell at distance 2 need not have anything in
/// particular between it and the stone; cells a knight's move away are never candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CandidateReach {
    /// The eight neighbours.
    One,
    /// The eight neighbours and the eight cells behind them.
    Two,
}

/// Why a board cannot be made or changed so.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FudanBoardError {
    /// Too small or too large.
    #[error("a board of {rows} rows and {columns} columns: both must be 1 to {LONGEST_SIDE}")]
    Size {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// No such cell.
    #[error(
        "row {row}, column {column} (from 0) is outside a board of {rows} rows and {columns} columns"
    )]
    Outside {
        /// The row asked for.
        row: u8,
        /// The column asked for.
        column: u8,
        /// Rows of the board.
        rows: usize,
        /// Columns of the board.
        columns: usize,
    },
    /// A stone or a wall is there already.
    #[error("row {row}, column {column} (from 0) is taken: only an empty cell can be played")]
    Taken {
        /// The row asked for.
        row: u8,
        /// The column asked for.
        column: u8,
    },
}

/// Numbers of 63 bits, as in the published program: for every cell one a side and one for a wall.
static KEYS: LazyLock<[[u64; 3]; CELLS]> = LazyLock::new(|| {
    let mut rng = random::seeded(0x006f_6d6f_6b75);
    std::array::from_fn(|_| std::array::from_fn(|_| random::word(&mut rng) >> 1))
});
const WALL_KEY: usize = 2;

/// The board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FudanBoard {
    rows: usize,
    columns: usize,
    to_move: Side,
    squares: [FudanSquare; CELLS],
    /// How many stones have each cell at distance 1, and at distance 2, on their rays.
    nearby_stones: [[u8; CELLS]; 2],
    lines: Lines,
    stones: u16,
    key: u64,
}

impl FudanBoard {
    /// An empty board; the first side moves.
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
            // Boards of different sizes must not be mistaken for each other in a cache.
            key: random::derived(0, [rows as u64, columns as u64]) >> 1,
        })
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// Gives the turn to a side: positions that are set up need not alternate.
    pub fn set_to_move(&mut self, side: Side) {
        self.to_move = side;
    }

    /// How many stones stand on the board.
    pub fn stones(&self) -> u16 {
        self.stones
    }

    /// 63 bits that tell positions apart by size, stones and walls, not by whose turn it is (Zobrist, 1970).
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Every cell, row by row.
    pub fn cells(&self) -> impl Iterator<Item = FudanCell> + use<> {
        let columns = self.columns as u8;
        (0..self.rows as u8)
            .flat_map(move |row| (0..columns).map(move |column| FudanCell { row, column }))
    }

    /// What a cell holds; a wall outside the board.
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

    /// Plays a stone of the side to move; then it is the other side's turn.
    pub fn play(&mut self, cell: FudanCell) -> Result<(), FudanBoardError> {
        self.place(cell, self.to_move)?;
        self.to_move = !self.to_move;
        Ok(())
    }

    /// Takes back what [`Self::play`] did there. A cell without a stone is left as it is.
    pub fn undo(&mut self, cell: FudanCell) {
        if let FudanSquare::Stone(side) = self.at(cell) {
            self.remove_stone(cell, side);
            self.to_move = side;
        }
    }

    /// Sets up a stone of either side; whose turn it is stays as it was.
    pub fn place(&mut self, cell: FudanCell, side: Side) -> Result<(), FudanBoardError> {
        self.check_empty(cell)?;
        self.put_stone(cell, side);
        Ok(())
    }

    /// Blocks an empty cell for good.
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

    /// Empty cells within reach of a stone, row by row.
    pub fn candidates(&self, reach: CandidateReach) -> Vec<FudanCell> {
        let mut found = Vec::new();
        self.push_candidates(reach, &mut found);
        found
    }

    /// [`Self::candidates`] into a buffer that is used again.
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

    /// Puts a stone on a cell that is known to be empty.
    #[inline]
    pub(super) fn put_stone(&mut self, cell: FudanCell, side: Side) {
        self.squares[cell.index()] = FudanSquare::Stone(side);
        self.stones += 1;
        self.lines.flip_stone(self.line_cells(cell), side);
        self.key = self.key_with(cell, side);
        self.update_nearby(cell, |count| *count += 1);
    }

    /// Takes away a stone that is known to be there.
    #[inline]
    pub(super) fn remove_stone(&mut self, cell: FudanCell, side: Side) {
        self.squares[cell.index()] = FudanSquare::Empty;
        self.stones -= 1;
        self.lines.flip_stone(self.line_cells(cell), side);
        self.key = self.key_with(cell, side);
        self.update_nearby(cell, |count| *count -= 1);
    }

    /// What the key would be with this stone more.
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

    /// The cell so many rows down and columns right of this one.
    pub(super) fn offset(&self, cell: FudanCell, down: i8, right: i8) -> Option<FudanCell> {
        let row = cell.row.checked_add_signed(down)?;
        let column = cell.column.checked_add_signed(right)?;
        Some(FudanCell { row, column }).filter(|&cell| self.holds(cell))
    }

    /// Cells at distance 1 to `longest` on the eight rays.
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

    /// A line as one side sees it.
    #[inline]
    pub(super) fn line(&self, line: usize, side: Side) -> Line {
        self.lines.seen_by(line, side)
    }
}
