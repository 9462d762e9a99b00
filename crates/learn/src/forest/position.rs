//! A position that knows what a forest thinks of it. It wraps the position of a game, so that the searches for
//! games also search with forests.
//!
//! The forest hears of a stone only when another one is put on top of it, or when the moves of the position are
//! asked for. A leaf of a search is therefore never written into the forest's standing: its estimate is a peek.

use std::sync::Arc;

use tesuji_games::{Grid, Heuristic, MoveOrder, Outcome, Playable, Position, Score, Side, Stones};
use tesuji_search::ending::score_at_end;

use super::Field;
use super::evaluation::{Evaluation, Standing, fields_seen_by};
use super::order::{LineOrder, LineStanding, MINE, THEIRS};

/// Which cells a search looks at, and in which order: what is the same for all positions of a search.
#[derive(Clone, Debug)]
pub struct Candidates {
    grid: Grid,
    order: Order,
    lines: LineOrder,
    forced_replies: bool,
    /// The cells near each cell; `None` when all legal moves are looked at.
    near: Option<Vec<Cells>>,
}

/// What says which move is looked at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The rows that it makes and breaks: the thesis's sorting heuristic.
    #[default]
    Patterns,
    /// What the forest thinks of the position after it.
    Forest,
    /// Nothing.
    Off,
}

/// A set of cells, one bit each.
type Cells = [u64; WORDS];
const WORDS: usize = 7;

impl Candidates {
    /// Moves at most `radius` cells away from a stone (in the longer of both directions), without a radius or where
    /// stones fall all legal ones. With forced replies, the only move of a side that must stop a win is to
    /// stop it.
    pub fn new(grid: &Grid, radius: Option<usize>, order: Order, forced_replies: bool) -> Self {
        let near = radius.filter(|_| !grid.gravity && grid.cells() <= WORDS * 64);
        Candidates {
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

/// See the top of this file.
pub struct ForestPosition<P: Position> {
    game: P,
    evaluation: Arc<Evaluation>,
    candidates: Arc<Candidates>,
    /// The side that searches.
    owner: Side,
    /// Whose stones are the forest's own.
    viewer: Side,
    standing: Standing,
    lines: LineStanding,
    /// The last stone, if the standings do not have it yet.
    pending: Option<(u16, Field)>,
    near: Cells,
    forced: Option<P::Move>,
    /// For asking the game what is forced.
    asked: Vec<P::Move>,
}

impl<P: Position> Clone for ForestPosition<P> {
    fn clone(&self) -> Self {
        ForestPosition {
            game: self.game.clone(),
            evaluation: self.evaluation.clone(),
            candidates: self.candidates.clone(),
            owner: self.owner,
            viewer: self.viewer,
            standing: self.standing.clone(),
            lines: self.lines.clone(),
            pending: self.pending,
            near: self.near,
            forced: self.forced,
            asked: Vec::new(),
        }
    }

    /// Without allocating: a search does this with every position that it is given.
    fn clone_from(&mut self, other: &Self) {
        self.game.clone_from(&other.game);
        self.evaluation.clone_from(&other.evaluation);
        self.candidates.clone_from(&other.candidates);
        (self.owner, self.viewer) = (other.owner, other.viewer);
        self.standing.clone_from(&other.standing);
        self.lines.clone_from(&other.lines);
        (self.pending, self.near, self.forced) = (other.pending, other.near, other.forced);
    }
}

/// What a move changed besides the standings.
pub struct Undo<P: Position> {
    game: P::Undo,
    near: Cells,
    forced: Option<P::Move>,
}

impl<P: Playable + Stones> ForestPosition<P> {
    /// The game as the forest of `owner` sees it. The evaluation and the candidates must be for its board.
    pub fn new(
        game: P,
        evaluation: Arc<Evaluation>,
        candidates: Arc<Candidates>,
        owner: Side,
    ) -> Self {
        let viewer = evaluation.viewer(owner);
        let fields = fields_seen_by(viewer, &game);
        let mut near = [0; WORDS];
        if let Some(all) = &candidates.near {
            let stones = (0..fields.len()).filter(|&cell| fields[cell] != Field::Empty);
            stones.for_each(|cell| join(&mut near, &all[cell]));
            // Before the first stone, the centre is the only place near anything.
            if near == [0; WORDS] {
                let centre = candidates.grid.rows / 2 * candidates.grid.columns
                    + candidates.grid.columns / 2;
                near[centre / 64] |= 1 << (centre % 64);
            }
        }
        ForestPosition {
            standing: evaluation.standing(&fields),
            lines: candidates.lines.standing(&fields),
            game,
            evaluation,
            candidates,
            owner,
            viewer,
            pending: None,
            near,
            forced: None,
            asked: Vec::new(),
        }
    }

    /// The position of the game.
    pub fn game(&self) -> &P {
        &self.game
    }

    /// What is thought of the position after a move, for the side that makes it. A forest is asked whether or not
    /// the move ends the game; weights only where it does not.
    pub fn value_after(&mut self, m: P::Move) -> Score {
        self.settle();
        let to_move = self.game.to_move();
        let undo = self.game.play(m);
        let (next, outcome) = (self.game.to_move(), self.game.outcome());
        self.game.undo(m, undo);
        if let Some(outcome) = outcome.filter(|_| !self.evaluation.judges_finished_games()) {
            return score_at_end(outcome, to_move, 1);
        }
        let (cell, stone) = (self.game.cell(m), Field::seen_by(self.viewer, Some(to_move)));
        let value = self.evaluation.peek(&self.standing, cell, stone, next);
        Score::estimate(if to_move == self.viewer { value } else { -value })
    }

    /// The standings learn of the last stone.
    #[inline]
    fn settle(&mut self) {
        let Some((cell, stone)) = self.pending.take() else { return };
        self.evaluation.make(&mut self.standing, usize::from(cell), stone);
        if self.candidates.order == Order::Patterns {
            self.candidates.lines.make(&mut self.lines, usize::from(cell), stone);
        }
    }

    /// They forget it again.
    #[inline]
    fn unsettle(&mut self, cell: usize, stone: Field) {
        self.evaluation.unmake(&mut self.standing, cell, stone);
        if self.candidates.order == Order::Patterns {
            self.candidates.lines.unmake(&mut self.lines, cell);
        }
    }

    /// The only reply to a threat, if there is one: a game's forcing moves are wins and such replies.
    fn find_forced_reply(&mut self) {
        self.forced = None;
        let Some(tactics) = P::tactics().filter(|_| self.candidates.forced_replies) else { return };
        self.asked.clear();
        (tactics.push)(&self.game, &mut self.asked);
        if let [only] = self.asked[..] {
            self.forced = Some(only);
        }
    }

    #[inline]
    fn is_near(&self, m: P::Move) -> bool {
        let cell = self.game.cell(m);
        self.near[cell / 64 % WORDS] >> (cell % 64) & 1 != 0
    }
}

#[inline]
fn join(near: &mut Cells, more: &Cells) {
    near.iter_mut().zip(more).for_each(|(near, more)| *near |= more);
}

impl<P: Playable + Stones> Position for ForestPosition<P> {
    type Move = P::Move;
    type Undo = Undo<P>;
    const WIN_DETECTION: bool = P::WIN_DETECTION;
    const REPEATS: bool = P::REPEATS;

    #[inline]
    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// What one side's forest thinks says nothing about what the other's would.
    #[inline]
    fn key(&self) -> u64 {
        self.game.key() ^ OWNER_KEYS[self.owner.index()]
    }

    #[inline]
    fn for_each_move(&self, mut each: impl FnMut(P::Move)) {
        if let Some(forced) = self.forced {
            return each(forced);
        }
        if self.candidates.near.is_none() {
            return self.game.for_each_move(each);
        }
        let mut none = true;
        self.game.for_each_move(|m| {
            if self.is_near(m) {
                none = false;
                each(m);
            }
        });
        // All cells near stones are full, or the game starts with a stone on the centre.
        if none {
            self.game.for_each_move(each);
        }
    }

    #[inline]
    fn is_legal(&self, m: P::Move) -> bool {
        self.game.is_legal(m)
    }

    #[inline]
    fn play(&mut self, m: P::Move) -> Undo<P> {
        self.settle();
        let (cell, side) = (self.game.cell(m), self.game.to_move());
        let undo = Undo { game: self.game.play(m), near: self.near, forced: self.forced.take() };
        if let Some(all) = &self.candidates.near {
            join(&mut self.near, &all[cell]);
        }
        self.pending = Some((cell as u16, Field::seen_by(self.viewer, Some(side))));
        undo
    }

    #[inline]
    fn undo(&mut self, m: P::Move, undo: Undo<P>) {
        self.game.undo(m, undo.game);
        if self.pending.take().is_none() {
            let stone = Field::seen_by(self.viewer, Some(self.game.to_move()));
            self.unsettle(self.game.cell(m), stone);
        }
        self.near = undo.near;
        self.forced = undo.forced;
    }

    #[inline]
    fn move_index(&self, m: P::Move) -> usize {
        self.game.move_index(m)
    }

    #[inline]
    fn move_indices(&self) -> usize {
        self.game.move_indices()
    }

    #[inline]
    fn winning_move(&self) -> Option<P::Move> {
        self.game.winning_move()
    }
}

const OWNER_KEYS: [u64; 2] = [0x9e6c_63d0_676a_9a99, 0x6a09_e667_f3bc_c909];

/// Of the side that searches, whoever is to move: a forest's view of one side is not the opposite of its view of
/// the other.
impl<P: Playable + Stones> Heuristic for ForestPosition<P> {
    #[inline]
    fn evaluate(&self) -> i32 {
        let to_move = self.game.to_move();
        let value = match self.pending {
            Some((cell, stone)) => {
                self.evaluation.peek(&self.standing, usize::from(cell), stone, to_move)
            }
            None => self.evaluation.score(&self.standing, to_move),
        };
        if to_move == self.viewer { value } else { -value }
    }
}

impl<P: Playable + Stones> MoveOrder for ForestPosition<P> {
    #[inline]
    fn promise(&self, m: P::Move) -> i32 {
        let (cell, to_move) = (self.game.cell(m), self.game.to_move());
        let mine = to_move == self.viewer;
        match self.candidates.order {
            Order::Off => 0,
            Order::Patterns => {
                let side = if mine { MINE } else { THEIRS };
                self.candidates.lines.standing_change(&self.lines, cell, side)
            }
            Order::Forest => {
                let stone = Field::seen_by(self.viewer, Some(to_move));
                let value = self.evaluation.peek(&self.standing, cell, stone, !to_move);
                if mine { value } else { -value }
            }
        }
    }

    #[inline]
    fn before_moves(&mut self) {
        self.settle();
        self.find_forced_reply();
    }
}
