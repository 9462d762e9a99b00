//! The board of Connect6 with incremental counts of the stones in every window.

use std::sync::Arc;

use tesuji_games::Side;
use tesuji_games::bits::zobrist;

use super::window_counts::WindowCounts;
use super::windows::{SIX, WindowSet, Windows};
use crate::cell::{Cell, CellSet, LONGEST_SIDE};

/// Why a board cannot be created or a stone cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Connect6BoardError {
    /// A side is too long, or both are too short.
    #[error(
        "board {width}x{height}: unsupported size; expected sides of 1 to {LONGEST_SIDE}, one of them at least 6"
    )]
    Size {
        /// Requested columns.
        width: usize,
        /// Requested rows.
        height: usize,
    },
    /// The cell is not on the board.
    #[error("{0}: not on the board; expected a cell of the board")]
    Outside(Cell),
    /// The cell has a stone.
    #[error("{0}: occupied; expected an empty cell")]
    Taken(Cell),
    /// Turns of two stones, after one on the first turn, cannot lead to these numbers of stones.
    #[error(
        "{first} and {second} stones: not from turns of two stones; expected one stone on the first turn, then two"
    )]
    Stones {
        /// Stones of the first side.
        first: usize,
        /// Stones of the second side.
        second: usize,
    },
    /// The game is over.
    #[error("move: the game is over; expected an unfinished game")]
    Over,
}

/// A position of Connect6 with incremental window counts.
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
    /// Creates an empty board.
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

    /// Creates a board from stones in no particular order. These stones cannot be undone.
    pub fn with_stones(
        (width, height): (usize, usize),
        stones: &[(Side, Cell)],
    ) -> Result<Connect6Board, Connect6BoardError> {
        let mut board = Connect6Board::new(width, height)?;
        for &(side, cell) in stones {
            board.check_empty(cell)?;
            board.add_stone(side, cell);
        }
        let second = board.of_second.len();
        let first = stones.len() - second;
        // The turns determine how many of the stones belong to the first side.
        let of_first = (0..stones.len()).filter(|&n| side_after(n) == Side::First).count();
        if first != of_first {
            return Err(Connect6BoardError::Stones { first, second });
        }
        Ok(board)
    }

    /// The number of columns.
    #[inline]
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// The number of rows.
    #[inline]
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// The side that plays the next stone.
    #[inline]
    pub fn to_move(&self) -> Side {
        side_after(usize::from(self.stones))
    }

    /// The number of stones that the side to move still has in this turn, if there is room.
    #[inline]
    pub fn left_in_turn(&self) -> usize {
        1 + usize::from(self.stones % 2)
    }

    /// The side that has six in a row.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| self.window_counts.count(side, SIX) > 0)
    }

    /// The number of stones.
    #[inline]
    pub fn stones(&self) -> usize {
        usize::from(self.stones)
    }

    /// The number of empty cells.
    #[inline]
    pub fn empty_cells(&self) -> usize {
        self.width() * self.height() - self.stones()
    }

    /// Whether no cell is empty.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.empty_cells() == 0
    }

    /// The empty cells.
    #[inline]
    pub fn empty(&self) -> &CellSet {
        &self.empty
    }

    /// The Zobrist key of the stones.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The windows of the board.
    #[inline]
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    /// The side whose stone is on a cell of the board.
    pub fn stone(&self, cell: Cell) -> Option<Side> {
        match self.is_outside(cell) || self.empty.contains(cell) {
            true => None,
            false if self.of_second.contains(cell) => Some(Side::Second),
            false => Some(Side::First),
        }
    }

    /// Whether the cell is on the board and empty.
    #[inline]
    pub fn is_empty_cell(&self, cell: Cell) -> bool {
        self.empty.contains(cell)
    }

    /// The number of windows with `stones` stones of a side (0 to 6) and none of the opponent.
    #[inline]
    pub fn count(&self, side: Side, stones: usize) -> u16 {
        self.window_counts.count(side, stones)
    }

    /// The windows with `stones` stones of a side (0 to 6) and none of the opponent.
    #[inline]
    pub fn windows_with(&self, side: Side, stones: usize) -> &WindowSet {
        self.window_counts.windows_with(side, stones)
    }

    /// The number of stones of a side in a window.
    #[inline]
    pub fn stones_in(&self, side: Side, window: u16) -> usize {
        self.window_counts.stones_in(side, window)
    }

    /// The move score of a cell for one side: the value of the rows that a stone there extends.
    #[inline]
    pub fn move_score(&self, side: Side, cell: Cell) -> i32 {
        self.window_counts.move_score(side, cell)
    }

    /// The move score of a cell for both sides: own rows extended plus opponent's rows blocked.
    #[inline]
    pub fn combined_move_score(&self, cell: Cell) -> i32 {
        self.window_counts.combined_move_score(cell)
    }

    /// Whether a side can complete six in a row with `left` more stones.
    #[inline]
    pub fn can_win(&self, side: Side, left: usize) -> bool {
        self.count(side, 5) > 0 || left >= 2 && self.count(side, 4) > 0
    }

    /// The one or two stones that win at once, for a side with `left` stones in its turn.
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

    /// The cell of the last stone.
    pub fn last_move(&self) -> Option<Cell> {
        self.played.last().copied()
    }

    /// Plays a stone of the side to move if the move is legal.
    pub fn try_play(&mut self, cell: Cell) -> Result<(), Connect6BoardError> {
        if self.winner().is_some() || self.is_full() {
            return Err(Connect6BoardError::Over);
        }
        self.check_empty(cell)?;
        self.play(cell);
        Ok(())
    }

    /// Plays a stone of the side to move on a cell that must be empty.
    #[inline]
    pub fn play(&mut self, cell: Cell) {
        self.add_stone(self.to_move(), cell);
        self.played.push(cell);
    }

    /// Takes back the last stone and returns its cell.
    #[inline]
    pub fn undo(&mut self) -> Option<Cell> {
        let cell = self.played.pop()?;
        let side = side_after(usize::from(self.stones) - 1);
        self.remove_stone(side, cell);
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

    /// Adds a stone of either side on an empty cell, regardless of the turn.
    #[inline]
    pub(super) fn add_stone(&mut self, side: Side, cell: Cell) {
        debug_assert!(self.empty.contains(cell), "{cell} is not empty");
        self.toggle_stone(side, cell);
        self.stones += 1;
        self.window_counts.put(&self.windows, side, cell);
    }

    /// Removes a stone added by [`add_stone`](Self::add_stone).
    #[inline]
    pub(super) fn remove_stone(&mut self, side: Side, cell: Cell) {
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

/// The side to move after this number of stones.
#[inline]
fn side_after(stones: usize) -> Side {
    if stones.div_ceil(2).is_multiple_of(2) { Side::First } else { Side::Second }
}
