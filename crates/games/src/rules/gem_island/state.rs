//! The whole state of a game, hidden medals included.

use std::sync::Arc;

use super::runs::Swaps;
use super::{Board, Cell, Grid, Mask, Refill, Step, Swap, Turn, View, Witness};

/// How a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Status {
    /// It goes on.
    Running,
    /// All medals are freed.
    Won,
    /// No moves are left.
    Lost,
    /// No swap is legal, and the rules do not shuffle: it has no result.
    Stuck,
}

/// A game of Gem Island, whole.
#[derive(Clone, Debug)]
pub struct GemIsland<M: Mask = u128> {
    grid: Arc<Grid<M>>,
    board: Board<M>,
    swaps: Swaps<M>,
    score: u64,
    moves_left: u16,
    moves_made: u16,
    medals_left: u8,
}

/// The distance between columns on the board of the published game.
pub(super) const USUAL_STRIDE: u32 = 10;

/// Calls a function compiled for the usual board where that is the board, else the general one.
macro_rules! by_stride {
    ($grid:expr, $($function:ident)::+ ($($argument:expr),*)) => {
        if $grid.stride == USUAL_STRIDE {
            $($function)::+::<USUAL_STRIDE>($($argument),*)
        } else {
            $($function)::+::<0>($($argument),*)
        }
    };
}
pub(super) use by_stride;

impl<M: Mask> GemIsland<M> {
    /// Any position. `medals_left` may be more than there are on the board when some are not known.
    pub fn new(grid: Arc<Grid<M>>, board: Board<M>, medals_left: u8, moves_left: u16) -> Self {
        let swaps = by_stride!(grid, Swaps::of(&board, &grid));
        GemIsland { grid, board, swaps, score: 0, moves_left, moves_made: 0, medals_left }
    }

    /// The same position with a past.
    pub fn with_past(mut self, moves_made: u16, score: u64) -> Self {
        (self.moves_made, self.score) = (moves_made, score);
        self
    }

    /// What never changes.
    pub fn grid(&self) -> &Arc<Grid<M>> {
        &self.grid
    }

    /// What lies where.
    pub fn board(&self) -> &Board<M> {
        &self.board
    }

    /// Moves that are left.
    pub fn moves_left(&self) -> u16 {
        self.moves_left
    }

    /// Moves that were made.
    pub fn moves_made(&self) -> u16 {
        self.moves_made
    }

    /// Medals that are not freed yet.
    pub fn medals_left(&self) -> u8 {
        self.medals_left
    }

    /// What all passes scored.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// The score with what a win adds: the mean score of a move for every move left.
    pub fn final_score(&self) -> f64 {
        let score = self.score as f64;
        if self.status() == Status::Won && self.moves_made > 0 {
            score + score / f64::from(self.moves_made) * f64::from(self.moves_left)
        } else {
            score
        }
    }

    /// How it stands.
    #[inline]
    pub fn status(&self) -> Status {
        if self.medals_left == 0 {
            Status::Won
        } else if self.moves_left == 0 {
            Status::Lost
        } else if self.swaps.is_empty() {
            Status::Stuck
        } else {
            Status::Running
        }
    }

    /// The legal swaps, whether or not moves are left.
    #[inline]
    pub fn swaps(&self) -> Swaps<M> {
        self.swaps
    }

    /// The `n`-th of them: those side by side first, each in the order of the bits.
    #[inline]
    pub fn swap_at(&self, n: u32) -> Swap {
        let across = self.swaps.across();
        let count = across.count();
        if n < count {
            self.turned(across.nth(n), self.grid.stride, self.swaps.left, self.swaps.right)
        } else {
            let index = self.swaps.down().nth(n - count);
            self.turned(index, 1, self.swaps.upper, self.swaps.lower)
        }
    }

    /// All legal swaps, in the order and each the way round in which the published game lists them.
    pub fn legal_swaps(&self) -> Vec<Swap> {
        let mut swaps: Vec<Swap> = (0..self.swaps.count()).map(|n| self.swap_at(n)).collect();
        swaps.sort_by_key(|swap| self.listed(swap.first, swap.second));
        swaps
    }

    /// The swap of two cells the way round in which it is listed, if it is legal.
    pub fn oriented(&self, a: Cell, b: Cell) -> Option<Swap> {
        let (a, b) = (a.min(b), a.max(b));
        if !self.grid.holds(a) || !self.grid.holds(b) || !a.touches(b) {
            return None;
        }
        let index = self.grid.index(a);
        if a.row == b.row {
            let legal = self.swaps.across().has(index);
            legal.then(|| self.turned(index, self.grid.stride, self.swaps.left, self.swaps.right))
        } else {
            let legal = self.swaps.down().has(index);
            legal.then(|| self.turned(index, 1, self.swaps.upper, self.swaps.lower))
        }
    }

    /// A pair the way round in which it is listed: the cell that completes a run is the first. Where both do, the one
    /// that is listed earlier.
    #[inline]
    fn turned(&self, index: u32, pace: u32, by_near: M, by_far: M) -> Swap {
        let (near, far) = (self.grid.cell(index), self.grid.cell(index + pace));
        let near_first = by_near.has(index)
            && (!by_far.has(index) || self.listed(near, far) < self.listed(far, near));
        if near_first {
            Swap { first: near, second: far }
        } else {
            Swap { first: far, second: near }
        }
    }

    /// Where the published game lists a swap of which `first` completes a run: it looks at three cells downwards and
    /// three to the right from every cell, row by row, and then at the neighbours of the odd one, left, right, above,
    /// below.
    fn listed(&self, first: Cell, second: Cell) -> (u8, u8, u8, u8) {
        let kind = self.board.gem(self.grid.index(second)).kind;
        let fits = |cell: Cell| {
            let right_kind = || self.board.gem(self.grid.index(cell)).kind == kind;
            cell == first || (cell != second && self.grid.holds(cell) && right_kind())
        };
        let section = |row: u8, column: u8, down: bool| {
            (0..3).all(|n| match down {
                true => fits(Cell::new(row + n, column)),
                false => fits(Cell::new(row, column + n)),
            })
        };
        let side = match (second.row.cmp(&first.row), second.column.cmp(&first.column)) {
            (std::cmp::Ordering::Equal, std::cmp::Ordering::Less) => 0,
            (std::cmp::Ordering::Equal, _) => 1,
            (std::cmp::Ordering::Less, _) => 2,
            _ => 3,
        };
        let mut earliest = (u8::MAX, 0, 0, 0);
        for back in 0..3 {
            if let Some(row) =
                first.row.checked_sub(back).filter(|r| section(*r, first.column, true))
            {
                earliest = earliest.min((row, first.column, 0, side));
            }
            let column = first.column.checked_sub(back);
            if let Some(column) = column.filter(|c| section(first.row, *c, false)) {
                earliest = earliest.min((first.row, column, 1, side));
            }
        }
        earliest
    }

    /// The first pass of a swap. Nothing is changed.
    #[inline]
    pub fn peek(&self, swap: Swap) -> Step<M> {
        let swapped = [self.grid.index(swap.first), self.grid.index(swap.second)];
        let mut board = self.board;
        board.exchange(swapped);
        by_stride!(self.grid, Step::of(&board, &self.grid, swapped)).unwrap_or_default()
    }

    /// Plays a swap and all that comes of it. It must be legal, and the game running.
    pub fn play<R: Refill, W: Witness<M>>(
        &mut self,
        swap: Swap,
        refill: &mut R,
        witness: &mut W,
    ) -> Turn {
        if self.grid.stride == USUAL_STRIDE {
            self.turn::<USUAL_STRIDE, R, W>(swap, refill, witness)
        } else {
            self.turn::<0, R, W>(swap, refill, witness)
        }
    }

    fn turn<const S: u32, R: Refill, W: Witness<M>>(
        &mut self,
        swap: Swap,
        refill: &mut R,
        witness: &mut W,
    ) -> Turn {
        let swapped = [self.grid.index(swap.first), self.grid.index(swap.second)];
        self.board.exchange(swapped);
        let mut turn = self.board.cascade::<S, R, W>(&self.grid, swapped, refill, witness);
        self.score += turn.score;
        self.medals_left = self.medals_left.saturating_sub(turn.medals_freed);
        self.moves_left = self.moves_left.saturating_sub(1);
        self.moves_made += 1;
        self.swaps = Swaps::of::<S>(&self.board, &self.grid);
        if self.status() == Status::Stuck && !self.grid.is_original() {
            self.shuffle(refill);
            turn.reshuffled = true;
        }
        turn
    }

    /// Replaces the board; for what shuffles.
    pub(super) fn set_board(&mut self, board: Board<M>) {
        self.board = board;
        self.swaps = by_stride!(self.grid, Swaps::of(&self.board, &self.grid));
    }

    /// Whether gems stand in a row, as they never do between turns.
    pub fn has_runs(&self) -> bool {
        let runs = super::runs::Runs::of::<0>(&self.board.kinds, &self.grid);
        !runs.is_empty()
    }

    /// What an agent may know.
    pub fn view(&self) -> View<M> {
        View::of(self)
    }

    /// The state with another board, of which these swaps are legal.
    pub(super) fn imagined(&self, board: Board<M>, swaps: Swaps<M>, medals_left: u8) -> Self {
        GemIsland { board, swaps, medals_left, ..self.clone() }
    }

    /// The state with these medals instead, whatever is known of them.
    pub(super) fn with_medals(mut self, medals: M) -> Self {
        self.board.medals = medals;
        self
    }

    /// The state on another grid of the same size.
    pub(super) fn on_grid(mut self, grid: Arc<Grid<M>>) -> Self {
        self.grid = grid;
        self
    }
}
