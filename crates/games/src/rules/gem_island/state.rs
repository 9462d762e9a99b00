//! The full state of a game, including hidden medals.

use std::sync::Arc;

use super::runs::LegalSwaps;
use super::{
    CascadeStep, GemBoard, GemCell, GemGrid, GemView, Mask, Refill, Swap, TurnObserver, TurnSummary,
};

/// The status of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum GemStatus {
    /// The game is in progress.
    Running,
    /// All medals are freed.
    Won,
    /// No moves are left.
    Lost,
    /// No swap is legal, and the rules do not shuffle: the game has no result.
    Stuck,
}

/// The full state of a game of Gem Island.
#[derive(Clone, Debug)]
pub struct GemIsland<M: Mask = u128> {
    grid: Arc<GemGrid<M>>,
    board: GemBoard<M>,
    swaps: LegalSwaps<M>,
    score: u64,
    moves_left: u16,
    moves_made: u16,
    medals_left: u8,
}

/// The stride of the published board.
pub(super) const PUBLISHED_STRIDE: u32 = 10;

/// Calls a function with the published stride as a constant if that is the grid's stride, otherwise
/// with 0.
macro_rules! by_stride {
    ($grid:expr, $($function:ident)::+ ($($argument:expr),*)) => {
        if $grid.stride == PUBLISHED_STRIDE {
            $($function)::+::<PUBLISHED_STRIDE>($($argument),*)
        } else {
            $($function)::+::<0>($($argument),*)
        }
    };
}
pub(super) use by_stride;

impl<M: Mask> GemIsland<M> {
    /// A state with this board. `medals_left` may be larger than the number of medals on the board
    /// if some are unknown.
    pub fn new(
        grid: Arc<GemGrid<M>>,
        board: GemBoard<M>,
        medals_left: u8,
        moves_left: u16,
    ) -> Self {
        let swaps = by_stride!(grid, LegalSwaps::of(&board, &grid));
        GemIsland { grid, board, swaps, score: 0, moves_left, moves_made: 0, medals_left }
    }

    /// The same state with this number of moves made and this score.
    pub fn with_past(mut self, moves_made: u16, score: u64) -> Self {
        (self.moves_made, self.score) = (moves_made, score);
        self
    }

    /// The constant data of the game.
    pub fn grid(&self) -> &Arc<GemGrid<M>> {
        &self.grid
    }

    /// The board.
    pub fn board(&self) -> &GemBoard<M> {
        &self.board
    }

    /// The number of moves left.
    pub fn moves_left(&self) -> u16 {
        self.moves_left
    }

    /// The number of moves made.
    pub fn moves_made(&self) -> u16 {
        self.moves_made
    }

    /// The number of medals that are not freed.
    pub fn medals_left(&self) -> u8 {
        self.medals_left
    }

    /// The score of all passes.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// The score with the bonus for a win: the mean score per move for every move left.
    pub fn final_score(&self) -> f64 {
        let score = self.score as f64;
        if self.status() == GemStatus::Won && self.moves_made > 0 {
            score + score / f64::from(self.moves_made) * f64::from(self.moves_left)
        } else {
            score
        }
    }

    /// The status of the game.
    #[inline]
    pub fn status(&self) -> GemStatus {
        if self.medals_left == 0 {
            GemStatus::Won
        } else if self.moves_left == 0 {
            GemStatus::Lost
        } else if self.swaps.is_empty() {
            GemStatus::Stuck
        } else {
            GemStatus::Running
        }
    }

    /// The legal swaps, even if no moves are left.
    #[inline]
    pub fn swaps(&self) -> LegalSwaps<M> {
        self.swaps
    }

    /// The `n`-th legal swap: horizontal swaps first, each group in the order of the bits.
    #[inline]
    pub fn swap_at(&self, n: u32) -> Swap {
        let across = self.swaps.across();
        let count = across.count();
        if n < count {
            self.orient(across.nth(n), self.grid.stride, self.swaps.left, self.swaps.right)
        } else {
            let index = self.swaps.down().nth(n - count);
            self.orient(index, 1, self.swaps.upper, self.swaps.lower)
        }
    }

    /// All legal swaps, in the order and orientation in which the published game lists them.
    pub fn legal_swaps(&self) -> Vec<Swap> {
        let mut swaps: Vec<Swap> = (0..self.swaps.count()).map(|n| self.swap_at(n)).collect();
        swaps.sort_by_key(|swap| self.list_key(swap.first, swap.second));
        swaps
    }

    /// The swap of two cells, oriented as in the list of legal swaps, if it is legal.
    pub fn oriented(&self, a: GemCell, b: GemCell) -> Option<Swap> {
        let (a, b) = (a.min(b), a.max(b));
        if !self.grid.holds(a) || !self.grid.holds(b) || !a.touches(b) {
            return None;
        }
        let index = self.grid.index(a);
        if a.row == b.row {
            let legal = self.swaps.across().has(index);
            legal.then(|| self.orient(index, self.grid.stride, self.swaps.left, self.swaps.right))
        } else {
            let legal = self.swaps.down().has(index);
            legal.then(|| self.orient(index, 1, self.swaps.upper, self.swaps.lower))
        }
    }

    /// Orients a pair: the cell that completes a run comes first; if both do, the one that is
    /// listed earlier.
    #[inline]
    fn orient(&self, index: u32, pace: u32, by_near: M, by_far: M) -> Swap {
        let (near, far) = (self.grid.cell(index), self.grid.cell(index + pace));
        let near_first = by_near.has(index)
            && (!by_far.has(index) || self.list_key(near, far) < self.list_key(far, near));
        if near_first {
            Swap { first: near, second: far }
        } else {
            Swap { first: far, second: near }
        }
    }

    /// The sort key of a swap whose `first` cell completes a run, in the order of the published
    /// game: it checks three cells downward and three to the right from every cell, row by row, and
    /// then the neighbors of the odd cell: left, right, above, below.
    fn list_key(&self, first: GemCell, second: GemCell) -> (u8, u8, u8, u8) {
        let kind = self.board.gem(self.grid.index(second)).kind;
        let fits = |cell: GemCell| {
            let right_kind = || self.board.gem(self.grid.index(cell)).kind == kind;
            cell == first || (cell != second && self.grid.holds(cell) && right_kind())
        };
        let section = |row: u8, column: u8, down: bool| {
            (0..3).all(|n| match down {
                true => fits(GemCell::new(row + n, column)),
                false => fits(GemCell::new(row, column + n)),
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

    /// The first pass of a swap, without changing the state.
    #[inline]
    pub fn peek(&self, swap: Swap) -> CascadeStep<M> {
        let swapped = [self.grid.index(swap.first), self.grid.index(swap.second)];
        let mut board = self.board;
        board.exchange(swapped);
        by_stride!(self.grid, CascadeStep::of(&board, &self.grid, swapped)).unwrap_or_default()
    }

    /// Plays a legal swap and its cascade. The game must be in progress.
    pub fn play<R: Refill, W: TurnObserver<M>>(
        &mut self,
        swap: Swap,
        refill: &mut R,
        observer: &mut W,
    ) -> TurnSummary {
        if self.grid.stride == PUBLISHED_STRIDE {
            self.turn::<PUBLISHED_STRIDE, R, W>(swap, refill, observer)
        } else {
            self.turn::<0, R, W>(swap, refill, observer)
        }
    }

    fn turn<const S: u32, R: Refill, W: TurnObserver<M>>(
        &mut self,
        swap: Swap,
        refill: &mut R,
        observer: &mut W,
    ) -> TurnSummary {
        let swapped = [self.grid.index(swap.first), self.grid.index(swap.second)];
        self.board.exchange(swapped);
        let mut turn = self.board.cascade::<S, R, W>(&self.grid, swapped, refill, observer);
        self.score += turn.score;
        self.medals_left = self.medals_left.saturating_sub(turn.medals_freed);
        self.moves_left = self.moves_left.saturating_sub(1);
        self.moves_made += 1;
        self.swaps = LegalSwaps::of::<S>(&self.board, &self.grid);
        if self.status() == GemStatus::Stuck && !self.grid.is_original() {
            self.shuffle(refill);
            turn.reshuffled = true;
        }
        turn
    }

    /// Replaces the board after a shuffle.
    pub(super) fn set_board(&mut self, board: GemBoard<M>) {
        self.board = board;
        self.swaps = by_stride!(self.grid, LegalSwaps::of(&self.board, &self.grid));
    }

    /// Whether there are runs, which never happens between turns.
    pub fn has_runs(&self) -> bool {
        let runs = super::runs::Runs::of::<0>(&self.board.kinds, &self.grid);
        !runs.is_empty()
    }

    /// The part of the state that an agent may know.
    pub fn view(&self) -> GemView<M> {
        GemView::of(self)
    }

    /// The state with another board and its legal swaps.
    pub(super) fn with_board(
        &self,
        board: GemBoard<M>,
        swaps: LegalSwaps<M>,
        medals_left: u8,
    ) -> Self {
        GemIsland { board, swaps, medals_left, ..self.clone() }
    }

    /// The state with these medals on the board.
    pub(super) fn with_medals(mut self, medals: M) -> Self {
        self.board.medals = medals;
        self
    }

    /// The state on another grid of the same size.
    pub(super) fn on_grid(mut self, grid: Arc<GemGrid<M>>) -> Self {
        self.grid = grid;
        self
    }
}
