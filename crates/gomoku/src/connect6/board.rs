//! The board: the stones, whose turn it is, and how many stones lie in every window, kept while stones come and
//! go.

use std::sync::Arc;

use tesuji_games::Side;
use tesuji_games::bits::zobrist;

use super::window_counts::WindowCounts;
use super::windows::{SIX, WindowSet, Windows};
use crate::cell::{Cell, CellSet, LONGEST_SIDE};

/// Why there is no such board, or a stone cannot be put there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Connect6BoardError {
    /// A side is too long, or both are too short.
    #[error(
        "no board of {width}x{height} for six in a row: sides are 1 to {LONGEST_SIDE} cells long, one of them at least 6"
    )]
    Size {
        /// Columns asked for.
        width: usize,
        /// Rows asked for.
        height: usize,
    },
    /// The cell is not on this board.
    #[error("{0} is not on the board: choose a cell of it")]
    Outside(Cell),
    /// There is a stone.
    #[error("{0} is taken: choose an empty cell")]
    Taken(Cell),
    /// Two stones a turn, one on the first, never lead to such numbers of stones.
    #[error("{first} and {second} stones do not come from turns of two with one on the first turn")]
    Stones {
        /// Stones of the first side.
        first: usize,
        /// Stones of the second side.
        second: usize,
    },
    /// The game is over.
    #[error("the game is over: take a move back or begin a new one")]
    Over,
}

/// See the top of this file.
#[derive(Clone, Debug)]
pub struct Connect6Board {
    windows: Arc<Windows>,
    window_counts: WindowCounts,
    empty: CellSet,
    of_second: CellSet,
    key: u64,
    width: u8,
    height: u8,
    stones: u16,
    played: Vec<Cell>,
}

impl Connect6Board {
    /// An empty board.
    pub fn new(width: usize, height: usize) -> Result<Connect6Board, Connect6BoardError> {
        let sides = 1..=LONGEST_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) || width.max(height) < SIX {
            return Err(Connect6BoardError::Size { width, height });
        }
        let windows = Arc::new(Windows::of(width, height));
        Ok(Connect6Board {
            window_counts: WindowCounts::empty(&windows),
            empty: (0..width * height).map(|n| Cell::new(n % width, n / width)).collect(),
            of_second: CellSet::NONE,
            key: 0,
            width: width as u8,
            height: height as u8,
            stones: 0,
            played: Vec::with_capacity(width * height),
            windows,
        })
    }

    /// A board with stones on it that were put there in no particular order. They cannot be taken back.
    pub fn with_stones(
        (width, height): (usize, usize),
        stones: &[(Side, Cell)],
    ) -> Result<Connect6Board, Connect6BoardError> {
        let mut board = Connect6Board::new(width, height)?;
        for &(side, cell) in stones {
            board.check_empty(cell)?;
            board.put(side, cell);
        }
        let second = board.of_second.len();
        let first = stones.len() - second;
        // After so many stones the turns say how many are whose.
        let of_first = (0..stones.len()).filter(|&n| side_after(n) == Side::First).count();
        if first != of_first {
            return Err(Connect6BoardError::Stones { first, second });
        }
        Ok(board)
    }

    /// Columns.
    #[inline]
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// Rows.
    #[inline]
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// Who puts the next stone.
    #[inline]
    pub fn to_move(&self) -> Side {
        side_after(usize::from(self.stones))
    }

    /// How many stones the side to move puts before the turn passes, if there is room.
    #[inline]
    pub fn left_in_turn(&self) -> usize {
        1 + usize::from(self.stones % 2)
    }

    /// Who has six in a row.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| self.window_counts.count(side, SIX) > 0)
    }

    /// How many stones there are.
    #[inline]
    pub fn stones(&self) -> usize {
        usize::from(self.stones)
    }

    /// How many cells are empty.
    #[inline]
    pub fn empty_cells(&self) -> usize {
        self.width() * self.height() - self.stones()
    }

    /// Whether every cell has a stone.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.empty_cells() == 0
    }

    /// The empty cells.
    #[inline]
    pub fn empty(&self) -> &CellSet {
        &self.empty
    }

    /// The same for equal stones, almost surely different for others.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The windows of this board.
    #[inline]
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    /// Whose stone lies on a cell of the board.
    pub fn stone(&self, cell: Cell) -> Option<Side> {
        match self.is_outside(cell) || self.empty.contains(cell) {
            true => None,
            false if self.of_second.contains(cell) => Some(Side::Second),
            false => Some(Side::First),
        }
    }

    /// Whether this is a cell of the board without a stone.
    #[inline]
    pub fn is_empty_cell(&self, cell: Cell) -> bool {
        self.empty.contains(cell)
    }

    /// How many windows there are with `stones` stones of a side, 0 to 6, and none of the other.
    #[inline]
    pub fn count(&self, side: Side, stones: usize) -> u16 {
        self.window_counts.count(side, stones)
    }

    /// The windows with `stones` stones of a side, 0 to 6, and none of the other.
    #[inline]
    pub fn windows_with(&self, side: Side, stones: usize) -> &WindowSet {
        self.window_counts.windows_with(side, stones)
    }

    /// How many stones of a side lie in a window.
    #[inline]
    pub fn stones_in(&self, side: Side, window: u16) -> usize {
        self.window_counts.stones_in(side, window)
    }

    /// What a stone of a side on an empty cell promises to it, in rows begun.
    #[inline]
    pub fn move_score(&self, side: Side, cell: Cell) -> i32 {
        self.window_counts.move_score(side, cell)
    }

    /// What a stone promises to both sides together: rows of one's own, and rows of the other side that it stops.
    #[inline]
    pub fn combined_move_score(&self, cell: Cell) -> i32 {
        self.window_counts.combined_move_score(cell)
    }

    /// Whether a side fills a window with `left` more stones.
    #[inline]
    pub fn can_win(&self, side: Side, left: usize) -> bool {
        self.count(side, 5) > 0 || left >= 2 && self.count(side, 4) > 0
    }

    /// The stones that win at once: one or two on empty cells, for a side that may put `left`.
    pub fn winning_stones(&self, side: Side, left: usize) -> Option<(Cell, Cell)> {
        let first_of = |stones: usize| {
            let mut found = None;
            self.windows_with(side, stones).for_each(|window| found = found.or(Some(window)));
            found
        };
        let window = first_of(5).or_else(|| if left >= 2 { first_of(4) } else { None })?;
        let mut empty = self.windows.cells(window).iter().filter(|&&c| self.empty.contains(c));
        let first = *empty.next()?;
        Some((first, empty.next().copied().unwrap_or(first)))
    }

    /// The stone put last.
    pub fn last_move(&self) -> Option<Cell> {
        self.played.last().copied()
    }

    /// Puts a stone of the side to move, if the rules allow it.
    pub fn try_play(&mut self, cell: Cell) -> Result<(), Connect6BoardError> {
        if self.winner().is_some() || self.is_full() {
            return Err(Connect6BoardError::Over);
        }
        self.check_empty(cell)?;
        self.play(cell);
        Ok(())
    }

    /// Puts a stone of the side to move on a cell that must be empty.
    #[inline]
    pub fn play(&mut self, cell: Cell) {
        self.put(self.to_move(), cell);
        self.played.push(cell);
    }

    /// Takes the last stone back; says where it lay.
    #[inline]
    pub fn undo(&mut self) -> Option<Cell> {
        let cell = self.played.pop()?;
        let side = side_after(usize::from(self.stones) - 1);
        self.take(side, cell);
        Some(cell)
    }

    fn check_empty(&self, cell: Cell) -> Result<(), Connect6BoardError> {
        if self.is_outside(cell) {
            Err(Connect6BoardError::Outside(cell))
        } else if !self.empty.contains(cell) {
            Err(Connect6BoardError::Taken(cell))
        } else {
            Ok(())
        }
    }

    fn is_outside(&self, cell: Cell) -> bool {
        cell.column() >= self.width() || cell.row() >= self.height()
    }

    /// Puts a stone of any side on an empty cell, whoever is to move.
    #[inline]
    pub(super) fn put(&mut self, side: Side, cell: Cell) {
        debug_assert!(self.empty.contains(cell), "{cell} is not empty");
        self.toggle_stone(side, cell);
        self.stones += 1;
        self.window_counts.put(&self.windows, side, cell);
    }

    /// Takes such a stone away.
    #[inline]
    pub(super) fn take(&mut self, side: Side, cell: Cell) {
        self.toggle_stone(side, cell);
        self.stones -= 1;
        self.window_counts.take(&self.windows, side, cell);
    }

    #[inline]
    fn toggle_stone(&mut self, side: Side, cell: Cell) {
        self.key ^= zobrist((cell.number() as u64) << 1 | side as u64);
        self.empty.toggle(cell);
        if side == Side::Second {
            self.of_second.toggle(cell);
        }
    }
}

/// Whose turn it is after so many stones.
#[inline]
fn side_after(stones: usize) -> Side {
    if stones.div_ceil(2).is_multiple_of(2) { Side::First } else { Side::Second }
}
