//! A forest as the evaluator of a search: it updates its accumulators along with the position.
//!
//! A stone is written into the accumulators only when another stone follows or when the moves of
//! the position are generated. So a leaf of a search never updates them: its score is a peek.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{Playable, RowGrid, RowPosition, Score, Side};
use tesuji_search::Evaluator;
use tesuji_search::terminal::terminal_score;

use super::CellContent;
use super::evaluation::{Accumulator, ForestEvaluation};
use super::order::{LineAccumulator, LineOrder, MINE, THEIRS};

/// The cells that a search considers and their order: the settings shared by all positions of a
/// search.
#[derive(Clone, Debug)]
pub struct ForestCandidates {
    grid: RowGrid,
    order: CandidateOrder,
    lines: LineOrder,
    forced_replies: bool,
    /// The neighborhood of each cell; `None` if all legal moves are considered.
    near: Option<Vec<Cells>>,
}

/// The order in which a search tries moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateOrder {
    /// By the rows that a move makes and breaks; the opponent's rows count twice.
    #[default]
    Patterns,
    /// By the rows that a move makes and breaks, as in the thesis: the rows of both sides count the
    /// same.
    Thesis,
    /// By the forest's score after the move.
    Forest,
    /// Unordered; not a setting of a run.
    #[serde(skip)]
    Off,
}

/// A set of cells, one bit each.
type Cells = [u64; WORDS];
const WORDS: usize = 7;

impl ForestCandidates {
    /// Considers moves at most `radius` cells from a stone (Chebyshev distance); all legal moves
    /// without a radius or on boards with gravity. With forced replies, a side that must stop a win
    /// considers only the move that stops it.
    pub fn new(
        grid: &RowGrid,
        radius: Option<usize>,
        order: CandidateOrder,
        forced_replies: bool,
    ) -> Self {
        let near = radius.filter(|_| !grid.gravity && grid.cells() <= WORDS * 64);
        ForestCandidates {
            grid: *grid,
            order,
            lines: match order {
                CandidateOrder::Thesis => LineOrder::of_thesis(grid),
                _ => LineOrder::new(grid),
            },
            forced_replies,
            near: near
                .map(|radius| (0..grid.cells()).map(|c| near_cells(grid, c, radius)).collect()),
        }
    }
}

impl CandidateOrder {
    /// Whether moves are ordered by rows.
    fn is_by_rows(self) -> bool {
        matches!(self, CandidateOrder::Patterns | CandidateOrder::Thesis)
    }
}

fn near_cells(grid: &RowGrid, cell: usize, radius: usize) -> Cells {
    let mut near = [0; WORDS];
    let (x, y) = (cell % grid.columns, cell / grid.columns);
    for row in y.saturating_sub(radius)..=(y + radius).min(grid.rows - 1) {
        for column in x.saturating_sub(radius)..=(x + radius).min(grid.columns - 1) {
            let other = row * grid.columns + column;
            near[other / 64] |= 1 << (other % 64);
        }
    }
    near
}

/// Evaluates positions incrementally. `M` is a move of the game. The side to move at the start of a
/// search is the owner; the forest always evaluates from the owner's view.
#[derive(Clone, Debug)]
pub struct ForestEvaluator<M> {
    evaluation: Arc<ForestEvaluation>,
    candidates: Arc<ForestCandidates>,
    /// The side that searches.
    owner: Side,
    /// The side whose stones are [`CellContent::Mine`].
    viewer: Side,
    accumulator: Accumulator,
    lines: LineAccumulator,
    /// The last stone, if it is not in the accumulators yet.
    pending: Option<(u16, CellContent)>,
    /// The cells near the stones in the accumulators, now and before each of these stones.
    near: Cells,
    near_before: Vec<Cells>,
    /// The board at the start of the search.
    contents: Vec<CellContent>,
    /// The cell of each move that was legal at the start, by move number. This lookup is faster
    /// than the board's conversion, which would run for every legal move of a position.
    cells: Vec<u16>,
    /// Buffer for the game's forcing moves.
    forcing: Vec<M>,
}

/// Marks a move that is not in the table.
const UNKNOWN: u16 = u16::MAX;
/// Moves with larger numbers are not in the table.
const MAX_NUMBERS: u64 = 1 << 12;

impl<M: Copy + Into<u64>> ForestEvaluator<M> {
    /// Creates an evaluator. The evaluation and the candidates must be for the board of the game.
    /// It can be queried only after a search has started.
    pub fn new(evaluation: Arc<ForestEvaluation>, candidates: Arc<ForestCandidates>) -> Self {
        ForestEvaluator {
            evaluation,
            candidates,
            owner: Side::First,
            viewer: Side::First,
            accumulator: Accumulator::default(),
            lines: LineAccumulator::default(),
            pending: None,
            near: [0; WORDS],
            near_before: Vec::new(),
            contents: Vec::new(),
            cells: Vec::new(),
            forcing: Vec::new(),
        }
    }

    /// Calls `each` with the legal moves near a stone, even where a reply is forced.
    #[inline]
    pub fn for_each_near_move<P: RowPosition<Move = M>>(
        &self,
        position: &P,
        mut each: impl FnMut(M),
    ) {
        if self.candidates.near.is_none() {
            return position.for_each_move(each);
        }
        let mut none = true;
        position.for_each_move(|m| {
            if self.is_near(self.cell_of(position, m)) {
                none = false;
                each(m);
            }
        });
        // All cells near stones are full, or the game starts with a stone on the center.
        if none {
            position.for_each_move(each);
        }
    }

    /// The score after a move, for the side that makes it. A forest also evaluates finished games;
    /// learned weights do not, so these get their exact score. The position is restored.
    pub fn value_after<P: RowPosition<Move = M>>(&mut self, position: &mut P, m: M) -> Score {
        self.apply_pending();
        let to_move = position.to_move();
        let undo = position.play(m);
        let (next, outcome) = (position.to_move(), position.outcome());
        position.undo(m, undo);
        if let Some(outcome) = outcome.filter(|_| !self.evaluation.scores_finished_games()) {
            return terminal_score(outcome, to_move, 1);
        }
        let (cell, stone) = (position.cell(m), CellContent::seen_by(self.viewer, Some(to_move)));
        let value = self.evaluation.peek(&self.accumulator, cell, stone, next);
        Score::estimate(if to_move == self.viewer { value } else { -value })
    }

    /// Writes the pending stone into the accumulators.
    #[inline]
    fn apply_pending(&mut self) {
        let Some((cell, stone)) = self.pending.take() else { return };
        let cell = usize::from(cell);
        self.evaluation.make(&mut self.accumulator, cell, stone);
        if self.candidates.order.is_by_rows() {
            self.candidates.lines.make(&mut self.lines, cell, stone);
        }
        if let Some(all) = &self.candidates.near {
            self.near_before.push(self.near);
            unite(&mut self.near, &all[cell]);
        }
    }

    /// Removes the last stone from the accumulators.
    #[inline]
    fn revert(&mut self, cell: usize, stone: CellContent) {
        self.evaluation.unmake(&mut self.accumulator, cell, stone);
        if self.candidates.order.is_by_rows() {
            self.candidates.lines.unmake(&mut self.lines, cell);
        }
        if let Some(near) = self.near_before.pop() {
            self.near = near;
        }
    }

    /// The only reply to a threat, if there is one: a game's forcing moves are wins and such
    /// replies.
    fn forced_reply<P: Playable<Move = M>>(&mut self, position: &P) -> Option<M> {
        let tactics = P::tactics().filter(|_| self.candidates.forced_replies)?;
        self.forcing.clear();
        (tactics.push)(position, &mut self.forcing);
        match self.forcing[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The cell of a move.
    #[inline]
    fn cell_of<P: RowPosition<Move = M>>(&self, position: &P, m: M) -> usize {
        match self.cells.get(m.into() as usize) {
            Some(&cell) if cell != UNKNOWN => usize::from(cell),
            _ => position.cell(m),
        }
    }

    /// Stores the cells of the moves at the start of a search.
    fn cache_move_cells<P: RowPosition<Move = M>>(&mut self, position: &P) {
        self.cells.clear();
        position.for_each_move(|m| {
            let number = m.into();
            if number < MAX_NUMBERS {
                let number = number as usize;
                let len = self.cells.len().max(number + 1);
                self.cells.resize(len, UNKNOWN);
                self.cells[number] = position.cell(m) as u16;
            }
        });
    }

    #[inline]
    fn is_near(&self, cell: usize) -> bool {
        self.near[cell / 64 % WORDS] >> (cell % 64) & 1 != 0
    }

    /// Recomputes the cells near stones at the start of a search.
    fn reset_near(&mut self) {
        self.near = [0; WORDS];
        self.near_before.clear();
        let Some(all) = &self.candidates.near else { return };
        let stones =
            (0..self.contents.len()).filter(|&cell| self.contents[cell] != CellContent::Empty);
        stones.for_each(|cell| unite(&mut self.near, &all[cell]));
        // Before the first stone, only the center counts as near.
        if self.near == [0; WORDS] {
            let RowGrid { columns, rows, .. } = self.candidates.grid;
            let center = rows / 2 * columns + columns / 2;
            self.near[center / 64] |= 1 << (center % 64);
        }
    }
}

#[inline]
fn unite(near: &mut Cells, more: &Cells) {
    near.iter_mut().zip(more).for_each(|(near, more)| *near |= more);
}

/// Separates the owners in a shared table: one side's evaluation is not the negation of the
/// other's.
const OWNER_SALTS: [u64; 2] = [0x9e6c_63d0_676a_9a99, 0x6a09_e667_f3bc_c909];

impl<P: Playable + RowPosition> Evaluator<P> for ForestEvaluator<P::Move> {
    fn start(&mut self, position: &P) {
        self.owner = position.to_move();
        self.viewer = self.evaluation.viewer(self.owner);
        let seen = |cell| CellContent::seen_by(self.viewer, position.stone_at(cell));
        self.contents.clear();
        self.contents.extend((0..self.candidates.grid.cells()).map(seen));
        self.evaluation.reset(&mut self.accumulator, &self.contents);
        if self.candidates.order.is_by_rows() {
            self.candidates.lines.reset(&mut self.lines, &self.contents);
        }
        self.pending = None;
        self.cache_move_cells(position);
        self.reset_near();
    }

    #[inline]
    fn before_play(&mut self, position: &P, m: P::Move) {
        self.apply_pending();
        let stone = CellContent::seen_by(self.viewer, Some(position.to_move()));
        self.pending = Some((self.cell_of(position, m) as u16, stone));
    }

    #[inline]
    fn after_undo(&mut self, position: &P, m: P::Move) {
        if self.pending.take().is_none() {
            let stone = CellContent::seen_by(self.viewer, Some(position.to_move()));
            self.revert(self.cell_of(position, m), stone);
        }
    }

    /// Evaluates from the owner's view, whichever side is to move: a forest's score for one side is
    /// not the negation of its score for the other.
    #[inline]
    fn evaluate(&mut self, position: &P) -> i32 {
        let to_move = position.to_move();
        let value = match self.pending {
            Some((cell, stone)) => {
                self.evaluation.peek(&self.accumulator, usize::from(cell), stone, to_move)
            }
            None => self.evaluation.score(&self.accumulator, to_move),
        };
        if to_move == self.viewer { value } else { -value }
    }

    #[inline]
    fn for_each_candidate(&mut self, position: &P, mut each: impl FnMut(&Self, P::Move)) {
        self.apply_pending();
        if let Some(forced) = self.forced_reply(position) {
            return each(self, forced);
        }
        self.for_each_near_move(position, |m| each(self, m));
    }

    #[inline]
    fn order(&self, position: &P, m: P::Move) -> i32 {
        let (cell, to_move) = (self.cell_of(position, m), position.to_move());
        let mine = to_move == self.viewer;
        match self.candidates.order {
            CandidateOrder::Off => 0,
            CandidateOrder::Patterns | CandidateOrder::Thesis => {
                let side = if mine { MINE } else { THEIRS };
                self.candidates.lines.change_at(&self.lines, cell, side)
            }
            CandidateOrder::Forest => {
                let stone = CellContent::seen_by(self.viewer, Some(to_move));
                let value = self.evaluation.peek(&self.accumulator, cell, stone, !to_move);
                if mine { value } else { -value }
            }
        }
    }

    #[inline]
    fn salt(&self) -> u64 {
        OWNER_SALTS[self.owner.index()]
    }
}
