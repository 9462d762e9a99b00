//! Boards to start from, and dead boards brought back to life.

use std::sync::Arc;

use super::runs::Runs;
use super::{Board, Gem, GemIsland, Grid, Mask, Refill, Settings, Status};
use crate::random::{Rng, below};

/// After so many redraws of whatever stands in a row, gems are drawn one by one such that nothing can. Never seen on
/// the published board; with three kinds on a large one it is the only way.
const MOST_REDRAWS: usize = 1000;

/// Shuffles of one set of gems, before other gems are drawn.
const MOST_SHUFFLES: usize = 200;

impl<M: Mask> GemIsland<M> {
    /// A new game: gems with nothing in a row, ice, medals beneath it. `None` when the board has more bits than `M`.
    /// The settings must be possible ([`Settings::check`]).
    pub fn generate(settings: Settings, rng: &mut Rng) -> Option<Self> {
        let grid = Arc::new(Grid::new(settings)?);
        let mut board = Board::default();
        draw_gems(&mut board, &grid, rng);
        lay_ice(&mut board, &grid);
        board.medals = place_medals(&grid, &settings, rng);
        let mut game = GemIsland::new(grid, board, settings.medals, settings.moves);
        if game.status() == Status::Stuck && !game.grid().is_original() {
            game.shuffle(rng);
        }
        Some(game)
    }

    /// Shuffles the gems until a swap is legal and nothing stands in a row. Gems with which that does not succeed are
    /// replaced; a board on which nothing succeeds stays dead.
    pub(super) fn shuffle<R: Refill>(&mut self, refill: &mut R) {
        let mut cells: Vec<u32> = Vec::new();
        self.grid().cells.for_each(|index| cells.push(index));
        for round in 0..2 * MOST_SHUFFLES {
            let mut board = *self.board();
            let mut gems: Vec<Gem> = cells.iter().map(|index| board.gem(*index)).collect();
            if round >= MOST_SHUFFLES {
                let kinds = self.grid().settings.kinds;
                gems.iter_mut().for_each(|gem| gem.kind = refill.kind(kinds));
            }
            for last in (1..gems.len()).rev() {
                gems.swap(last, refill.number(last as u32 + 1) as usize);
            }
            cells.iter().zip(gems).for_each(|(index, gem)| board.set_gem(*index, gem));
            if Runs::of::<0>(&board.kinds, self.grid()).is_empty() {
                self.set_board(board);
                if !self.swaps().is_empty() {
                    return;
                }
            }
        }
    }
}

/// All cells at random, then again whatever stands in a row, until nothing does.
fn draw_gems<M: Mask>(board: &mut Board<M>, grid: &Grid<M>, rng: &mut Rng) {
    let mut redraw = grid.cells;
    for _ in 0..MOST_REDRAWS {
        for cell in grid.row_major() {
            let index = grid.index(cell);
            if redraw.has(index) {
                board.set_gem(index, Gem { kind: rng.kind(grid.settings.kinds), bonus: None });
            }
        }
        let runs = Runs::of::<0>(&board.kinds, grid);
        redraw = runs.horizontal::<0>(grid) | runs.vertical();
        if redraw.is_empty() {
            return;
        }
    }
    draw_one_by_one(board, grid, rng);
}

/// Each gem again until it completes no run to its left or above it.
fn draw_one_by_one<M: Mask>(board: &mut Board<M>, grid: &Grid<M>, rng: &mut Rng) {
    for cell in grid.row_major() {
        let index = grid.index(cell);
        let pair = |board: &Board<M>, far: bool, pace: u32| {
            let kinds = far.then(|| [1, 2].map(|n| board.gem(index - n * pace).kind));
            kinds.filter(|[near, next]| near == next).map(|[kind, _]| kind)
        };
        let banned = [pair(board, cell.column >= 2, grid.stride), pair(board, cell.row >= 2, 1)];
        let free: Vec<u8> =
            (0..grid.settings.kinds).filter(|kind| !banned.contains(&Some(*kind))).collect();
        let kind = free[below(rng, free.len() as u32) as usize];
        board.set_gem(index, Gem { kind, bonus: None });
    }
}

fn lay_ice<M: Mask>(board: &mut Board<M>, grid: &Grid<M>) {
    let Settings { rows, ice_rows, ice_layers, .. } = grid.settings;
    for cell in grid.row_major().filter(|cell| cell.row >= rows - ice_rows) {
        board.set_layers(grid.index(cell), ice_layers);
    }
}

/// One medal after another, each anywhere under the ice, again where one lies already; all of them again when the last
/// ones find no place.
fn place_medals<M: Mask>(grid: &Grid<M>, settings: &Settings, rng: &mut Rng) -> M {
    let first_row = u32::from(settings.rows - settings.ice_rows);
    let (rows, columns) = (u32::from(settings.ice_rows) - 1, u32::from(settings.columns) - 1);
    loop {
        let mut medals = M::default();
        for _ in 0..1000 {
            let (row, column) = (first_row + below(rng, rows), below(rng, columns));
            let place = M::bit(column * grid.stride + row);
            if !grid.medal_cells(place).meets(grid.medal_cells(medals)) {
                medals |= place;
            }
            if medals.count() == u32::from(settings.medals) {
                return medals;
            }
        }
    }
}
