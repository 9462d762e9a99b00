//! A simple reference implementation: stones on a grid, scanned in full.

use tesuji_games::Side;
use tesuji_games::random::{choose, seeded};
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::Connect6Board;

/// Stones on a board.
#[derive(Clone)]
pub(crate) struct ReferenceBoard {
    pub(crate) width: usize,
    pub(crate) height: usize,
    grid: Vec<Option<Side>>,
}

impl ReferenceBoard {
    pub(crate) fn of(board: &Connect6Board) -> ReferenceBoard {
        let (width, height) = (board.width(), board.height());
        let grid = cells(width, height).into_iter().map(|cell| board.stone(cell)).collect();
        ReferenceBoard { width, height, grid }
    }

    pub(crate) fn stone(&self, cell: Cell) -> Option<Side> {
        self.grid[cell.row() * self.width + cell.column()]
    }

    pub(crate) fn stones(&self) -> Vec<(Side, Cell)> {
        let stone = |cell| self.stone(cell).map(|side| (side, cell));
        cells(self.width, self.height).into_iter().filter_map(stone).collect()
    }

    pub(crate) fn empty(&self) -> Vec<Cell> {
        let mut cells = cells(self.width, self.height);
        cells.retain(|&cell| self.stone(cell).is_none());
        cells
    }

    pub(crate) fn with(&self, side: Side, more: &[Cell]) -> ReferenceBoard {
        let mut reference = self.clone();
        for cell in more {
            reference.grid[cell.row() * self.width + cell.column()] = Some(side);
        }
        reference
    }

    /// Every six cells in a row.
    pub(crate) fn windows(&self) -> Vec<[Cell; 6]> {
        let mut windows = Vec::new();
        for cell in cells(self.width, self.height) {
            for (across, up) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                let column = |n: isize| cell.column() as isize + n * across;
                let row = |n: isize| cell.row() as isize + n * up;
                let inside = (0..self.width as isize).contains(&column(5))
                    && (0..self.height as isize).contains(&row(5));
                if inside {
                    let cell = |n: usize| (column(n as isize) as usize, row(n as isize) as usize);
                    windows.push(std::array::from_fn(|n| Cell::new(cell(n).0, cell(n).1)));
                }
            }
        }
        windows
    }

    /// The number of stones of each side in a window.
    pub(crate) fn stones_in(&self, window: &[Cell; 6]) -> [usize; 2] {
        Side::ALL.map(|side| window.iter().filter(|&&cell| self.stone(cell) == Some(side)).count())
    }

    /// The number of windows with this number of stones of a side and none of the opponent.
    pub(crate) fn count(&self, side: Side, stones: usize) -> usize {
        let alone = |window: &&[Cell; 6]| {
            let counts = self.stones_in(window);
            counts[side.index()] == stones && counts[(!side).index()] == 0
        };
        self.windows().iter().filter(alone).count()
    }

    /// Whether a side can make six in a row with a turn of two stones.
    pub(crate) fn can_win(&self, side: Side) -> bool {
        (4..=6).any(|stones| self.count(side, stones) > 0)
    }
}

pub(crate) fn cells(width: usize, height: usize) -> Vec<Cell> {
    (0..width * height).map(|n| Cell::new(n % width, n / width)).collect()
}

/// Plays random stones near others, so that rows arise, until one side wins, the board is full, or
/// it has `most` stones.
pub(crate) fn play_at_random(
    board: &mut Connect6Board,
    seed: u64,
    most: usize,
    mut after_each: impl FnMut(&Connect6Board),
) {
    let mut rng = seeded(seed);
    let all = cells(board.width(), board.height());
    let mut stones: Vec<Cell> = Vec::new();
    while board.winner().is_none() && !board.is_full() && board.stones() < most {
        let apart =
            |a: Cell, b: Cell| a.column().abs_diff(b.column()).max(a.row().abs_diff(b.row()));
        let near = |&cell: &Cell| stones.iter().any(|&stone| apart(stone, cell) <= 2);
        let empty: Vec<Cell> = all.iter().copied().filter(|&c| board.is_empty_cell(c)).collect();
        let near: Vec<Cell> = empty.iter().copied().filter(near).collect();
        let choices = if near.is_empty() { &empty } else { &near };
        let cell = *choose(&mut rng, choices).expect("an empty cell");
        board.play(cell);
        stones.push(cell);
        after_each(board);
    }
}
