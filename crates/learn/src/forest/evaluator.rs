//! A forest as the evaluator of a search: it keeps its accumulator beside the game's position.
//!
//! The forest hears of a stone only when another one is put on top of it, or when the moves of the
//! position are forcing for. A leaf of a search is therefore never written into the forest's
//! accumulator: its estimate is a peek.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{Grid, Playable, Score, Side, Stones};
use tesuji_search::Evaluator;
use tesuji_search::terminal::terminal_score;

use super::CellContent;
use super::evaluation::{Accumulator, Evaluation};
use super::order::{LineAccumulator, LineOrder, MINE, THEIRS};

/// Which cells a search looks at, and in which order: what is the same for all positions of a
/// search.
#[derive(Clone, Debug)]
pub struct ForestCandidates {
    grid: Grid,
    order: CandidateOrder,
    lines: LineOrder,
    forced_replies: bool,
    /// The cells near each cell; `None` when all legal moves are looked at.
    near: Option<Vec<Cells>>,
}

/// What says which move is looked at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateOrder {
    /// The rows that it makes and breaks: the thesis's sorting heuristic.
    #[default]
    Patterns,
    /// What the forest thinks of the position after it.
    Forest,
    /// Nothing; no setting of a run.
    #[serde(skip)]
    Off,
}

/// A set of cells, one bit each.
type Cells = [u64; WORDS];
const WORDS: usize = 7;

impl ForestCandidates {
    /// Moves at most `radius` cells away from a stone (in the longer of both directions), without a
    /// radius or where stones fall all legal ones. With forced replies, the only move of a side
    /// that must stop a win is to stop it.
    pub fn new(
        grid: &Grid,
        radius: Option<usize>,
        order: CandidateOrder,
        forced_replies: bool,
    ) -> Self {
        let near = radius.filter(|_| !grid.gravity && grid.cells() <= WORDS * 64);
        ForestCandidates {
            grid: *grid,
            order,
            lines: LineOrder::new(grid),
            forced_replies,
            near: near
                .map(|radius| (0..grid.cells()).map(|c| near_cells(grid, c, radius)).collect()),
        }
    }
}

fn near_cells(grid: &Grid, cell: usize, radius: usize) -> Cells {
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

/// See the top of this file. `M` is a move of the game. The side that is to move where a search
/// starts is the owner: the forest looks with its eyes, whoever is to move.
#[derive(Clone, Debug)]
pub struct ForestEvaluator<M> {
    evaluation: Arc<Evaluation>,
    candidates: Arc<ForestCandidates>,
    /// The side that searches.
    owner: Side,
    /// Whose stones are the forest's own.
    viewer: Side,
    accumulator: Accumulator,
    lines: LineAccumulator,
    /// The last stone, if the accumulators do not have it yet.
    pending: Option<(u16, CellContent)>,
    /// The cells near the stones of the accumulators, now and before each stone that they were told
    /// of.
    near: Cells,
    near_before: Vec<Cells>,
    /// The board where the search started.
    contents: Vec<CellContent>,
    /// The cells of the moves that were legal there, by the numbers of the moves. A look-up here is
    /// less work than to ask the board, which is done for every legal move of a position.
    cells: Vec<u16>,
    /// For asking the game what is forced.
    forcing: Vec<M>,
}

/// A move whose cell is not in the table.
const UNKNOWN: u16 = u16::MAX;
/// The table has no larger numbers of moves.
const MAX_NUMBERS: u64 = 1 << 12;

impl<M: Copy + Into<u64>> ForestEvaluator<M> {
    /// The evaluation and the candidates must be for the board of the game. Before a search has
    /// started there is nothing to ask.
    pub fn new(evaluation: Arc<Evaluation>, candidates: Arc<ForestCandidates>) -> Self {
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

    /// Calls `each` with the legal moves that are near enough to a stone, also where a reply is
    /// forced.
    #[inline]
    pub fn for_each_near_move<P: Stones<Move = M>>(&self, position: &P, mut each: impl FnMut(M)) {
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
        // All cells near stones are full, or the game starts with a stone on the centre.
        if none {
            position.for_each_move(each);
        }
    }

    /// What is thought of the position after a move, for the side that makes it. A forest is forcing
    /// whether or not the move ends the game; weights only where it does not. The position comes
    /// back as it was.
    pub fn value_after<P: Stones<Move = M>>(&mut self, position: &mut P, m: M) -> Score {
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

    /// The accumulators learn of the last stone.
    #[inline]
    fn apply_pending(&mut self) {
        let Some((cell, stone)) = self.pending.take() else { return };
        let cell = usize::from(cell);
        self.evaluation.make(&mut self.accumulator, cell, stone);
        if self.candidates.order == CandidateOrder::Patterns {
            self.candidates.lines.make(&mut self.lines, cell, stone);
        }
        if let Some(all) = &self.candidates.near {
            self.near_before.push(self.near);
            unite(&mut self.near, &all[cell]);
        }
    }

    /// They forget it again.
    #[inline]
    fn revert(&mut self, cell: usize, stone: CellContent) {
        self.evaluation.unmake(&mut self.accumulator, cell, stone);
        if self.candidates.order == CandidateOrder::Patterns {
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

    /// The cell that a move goes to.
    #[inline]
    fn cell_of<P: Stones<Move = M>>(&self, position: &P, m: M) -> usize {
        match self.cells.get(m.into() as usize) {
            Some(&cell) if cell != UNKNOWN => usize::from(cell),
            _ => position.cell(m),
        }
    }

    /// Notes the cells of the moves at the start of a search.
    fn cache_move_cells<P: Stones<Move = M>>(&mut self, position: &P) {
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

    /// Which cells are near the stones at the start of a search.
    fn reset_near(&mut self) {
        self.near = [0; WORDS];
        self.near_before.clear();
        let Some(all) = &self.candidates.near else { return };
        let stones =
            (0..self.contents.len()).filter(|&cell| self.contents[cell] != CellContent::Empty);
        stones.for_each(|cell| unite(&mut self.near, &all[cell]));
        // Before the first stone, the centre is the only place near anything.
        if self.near == [0; WORDS] {
            let Grid { columns, rows, .. } = self.candidates.grid;
            let centre = rows / 2 * columns + columns / 2;
            self.near[centre / 64] |= 1 << (centre % 64);
        }
    }
}

#[inline]
fn unite(near: &mut Cells, more: &Cells) {
    near.iter_mut().zip(more).for_each(|(near, more)| *near |= more);
}

/// What one side's forest thinks says nothing about what the other's would.
const OWNER_SALTS: [u64; 2] = [0x9e6c_63d0_676a_9a99, 0x6a09_e667_f3bc_c909];

impl<P: Playable + Stones> Evaluator<P> for ForestEvaluator<P::Move> {
    fn start(&mut self, position: &P) {
        self.owner = position.to_move();
        self.viewer = self.evaluation.viewer(self.owner);
        let seen = |cell| CellContent::seen_by(self.viewer, position.stone_at(cell));
        self.contents.clear();
        self.contents.extend((0..self.candidates.grid.cells()).map(seen));
        self.evaluation.reset(&mut self.accumulator, &self.contents);
        if self.candidates.order == CandidateOrder::Patterns {
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

    /// By the owner's view, whoever is to move: a forest's view of one side is not the opposite of
    /// its view of the other.
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
            CandidateOrder::Patterns => {
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
