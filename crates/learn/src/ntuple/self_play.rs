//! A board for self-play: the position, the entries of all placements, the sums of weights for both
//! sides, and the cells near stones, all updated incrementally.

use tesuji_games::random::{Rng, below, choose};
use tesuji_games::{Playable, RowGrid, RowPosition, Side};

use super::layout::{PlacementEntries, TupleLayout};

/// Which moves a one-ply player plays regardless of its weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TacticsMode {
    /// Immediate wins, and moves that block one of the opponent.
    Forced,
    /// Only immediate wins, found by trying all moves.
    None,
}

/// A game in progress.
pub(super) struct SelfPlayBoard<'a, P: RowPosition> {
    pub(super) position: P,
    layout: &'a TupleLayout,
    pub(super) contents: PlacementEntries,
    /// By side to move: the sum of the weights from its point of view.
    sums: [f32; 2],
    near: NearbyStones,
    /// Buffers for the candidate moves and the best of them.
    moves: Vec<P::Move>,
    best_moves: Vec<P::Move>,
}

impl<'a, P: Playable + RowPosition> SelfPlayBoard<'a, P> {
    /// The start of a game. Only moves within `radius` cells of a stone are candidates; 0 for all
    /// moves.
    pub(super) fn new(start: &P, layout: &'a TupleLayout, radius: usize) -> Self {
        let grid = start.grid();
        let radius = if grid.gravity { 0 } else { radius };
        SelfPlayBoard {
            position: start.clone(),
            layout,
            contents: PlacementEntries::empty(layout),
            sums: [0.0; 2],
            near: NearbyStones { grid, radius, stones: 0, count: vec![0; grid.cells()] },
            moves: Vec::new(),
            best_moves: Vec::new(),
        }
    }

    /// Resets the board to the start of a game.
    pub(super) fn restart(&mut self, start: &P) {
        self.position = start.clone();
        self.contents.clear(self.layout);
        self.sums = [0.0; 2];
        self.near.stones = 0;
        self.near.count.fill(0);
    }

    /// The sum of weights for the side to move.
    pub(super) fn sum(&self) -> f32 {
        self.sums[self.position.to_move().index()]
    }

    pub(super) fn play(&mut self, weights: &[f32], m: P::Move) {
        let (cell, side) = (self.position.cell(m), self.position.to_move());
        for viewer in Side::ALL {
            self.sums[viewer.index()] += self.gain(weights, cell, side, viewer);
        }
        self.contents.put(self.layout, cell, side);
        self.near.put(cell);
        self.position.play(m);
    }

    /// The increase of the sum of weights for `viewer` by a stone.
    #[inline]
    fn gain(&self, weights: &[f32], cell: usize, stone: Side, viewer: Side) -> f32 {
        let entries = self.contents.entries_for(viewer);
        let digit = if stone == viewer { 1 } else { 2 };
        let mut gain = 0.0;
        for cell_use in self.layout.touching(cell) {
            let entry = entries[cell_use.placement as usize] as usize;
            gain += weights[entry + (cell_use.power * digit) as usize] - weights[entry];
        }
        gain
    }

    /// The move to play regardless of the weights, if there is one.
    pub(super) fn tactical_move(&mut self, tactics: TacticsMode) -> Option<P::Move> {
        match tactics {
            TacticsMode::Forced => self.forced_move(),
            TacticsMode::None => self.winning_move(),
        }
    }

    /// The move that wins immediately, or the one that blocks the opponent's win.
    pub(super) fn forced_move(&mut self) -> Option<P::Move> {
        self.moves.clear();
        (P::tactics()?.push)(&self.position, &mut self.moves);
        self.moves.first().copied()
    }

    /// A random candidate.
    pub(super) fn random_move(&mut self, rng: &mut Rng) -> P::Move {
        self.collect_moves();
        self.moves[below(rng, self.moves.len() as u32) as usize]
    }

    /// Collects the candidates: at least one in an unfinished game.
    fn collect_moves(&mut self) {
        let SelfPlayBoard { position, near, moves, .. } = self;
        moves.clear();
        position.for_each_move(|m| {
            if near.allows(position.cell(m)) {
                moves.push(m);
            }
        });
        if moves.is_empty() {
            position.push_moves(moves);
        }
    }

    /// The best candidate, with random tie-breaks, and the sum of weights after it for the side
    /// that makes it.
    pub(super) fn best(&mut self, weights: &[f32], rng: &mut Rng) -> (P::Move, f32) {
        self.collect_moves();
        let (first, mover) = (self.moves[0], self.position.to_move());
        // In these games the next side to move does not depend on the move, unless it ends the
        // game.
        let undo = self.position.play(first);
        let next = self.position.to_move();
        self.position.undo(first, undo);
        let sign = if next == mover { 1.0 } else { -1.0 };
        let base = self.sums[next.index()];
        let mut best = f32::NEG_INFINITY;
        self.best_moves.clear();
        for n in 0..self.moves.len() {
            let m = self.moves[n];
            let cell = self.position.cell(m);
            let sum = sign * (base + self.gain(weights, cell, mover, next));
            if sum > best {
                best = sum;
                self.best_moves.clear();
            }
            if sum == best {
                self.best_moves.push(m);
            }
        }
        (choose(rng, &self.best_moves).copied().unwrap_or(first), best)
    }

    /// A move that wins immediately, found by trying all candidates.
    fn winning_move(&mut self) -> Option<P::Move> {
        self.collect_moves();
        let mover = self.position.to_move();
        let position = &mut self.position;
        self.moves.iter().copied().find(|&m| {
            let undo = position.play(m);
            let won = position.outcome().is_some_and(|end| end.winner() == Some(mover));
            position.undo(m, undo);
            won
        })
    }
}

/// Counts the stones near each cell.
struct NearbyStones {
    grid: RowGrid,
    radius: usize,
    stones: usize,
    count: Vec<u16>,
}

impl NearbyStones {
    fn put(&mut self, cell: usize) {
        self.stones += 1;
        if self.radius == 0 {
            return;
        }
        let range = |at: usize, length: usize| {
            at.saturating_sub(self.radius)..(at + self.radius + 1).min(length)
        };
        let columns = self.grid.columns;
        for row in range(cell / columns, self.grid.rows) {
            for column in range(cell % columns, columns) {
                self.count[row * columns + column] += 1;
            }
        }
    }

    /// Whether a move to this cell is a candidate. On an empty board only the center is.
    fn allows(&self, cell: usize) -> bool {
        if self.radius == 0 {
            return true;
        }
        if self.stones > 0 {
            return self.count[cell] > 0;
        }
        let RowGrid { columns, rows, .. } = self.grid;
        (cell % columns).abs_diff(columns / 2) <= 1 && (cell / columns).abs_diff(rows / 2) <= 1
    }
}
