//! Generation of start boards, and shuffling of boards without a legal swap.

use std::sync::Arc;

use super::runs::Runs;
use super::{Gem, GemBoard, GemGrid, GemIsland, GemSettings, GemStatus, Mask, Refill};
use crate::random::{Rng, below};

/// The maximum number of redraws of the gems in runs. After that, gems are drawn one by one such
/// that they make no run. This never happened on the published board; with three kinds on a large
/// board it is necessary.
const MAX_REDRAWS: usize = 1000;

/// The maximum number of shuffles before other gems are drawn.
const MAX_SHUFFLES: usize = 200;

impl<M: Mask> GemIsland<M> {
    /// A new game: gems without runs, ice, and medals below it. `None` if the board has more bits
    /// than `M`. The settings must be valid ([`GemSettings::check`]).
    pub fn generate(settings: GemSettings, rng: &mut Rng) -> Option<Self> {
        let grid = Arc::new(GemGrid::new(settings)?);
        let mut board = GemBoard::default();
        draw_gems(&mut board, &grid, rng);
        lay_ice(&mut board, &grid);
        board.medals = place_medals(&grid, &settings, rng);
        let mut game = GemIsland::new(grid, board, settings.medals, settings.moves);
        if game.status() == GemStatus::Stuck && !game.grid().is_original() {
            game.shuffle(rng);
        }
        Some(game)
    }

    /// Shuffles the gems until a swap is legal and there are no runs. If that does not succeed, the
    /// gems are replaced; if that does not succeed either, the board remains without a legal swap.
    pub(super) fn shuffle<R: Refill>(&mut self, refill: &mut R) {
        let mut cells: Vec<u32> = Vec::new();
        self.grid().cells.for_each(|index| cells.push(index));
        for round in 0..2 * MAX_SHUFFLES {
            let mut board = *self.board();
            let mut gems: Vec<Gem> = cells.iter().map(|index| board.gem(*index)).collect();
            if round >= MAX_SHUFFLES {
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

/// Draws all gems at random, then redraws the gems in runs until there are no runs.
fn draw_gems<M: Mask>(board: &mut GemBoard<M>, grid: &GemGrid<M>, rng: &mut Rng) {
    let mut redraw = grid.cells;
    for _ in 0..MAX_REDRAWS {
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

/// Draws the gems in order, each from the kinds that complete no run to its left or above it.
fn draw_one_by_one<M: Mask>(board: &mut GemBoard<M>, grid: &GemGrid<M>, rng: &mut Rng) {
    for cell in grid.row_major() {
        let index = grid.index(cell);
        let pair = |board: &GemBoard<M>, far: bool, pace: u32| {
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

fn lay_ice<M: Mask>(board: &mut GemBoard<M>, grid: &GemGrid<M>) {
    let GemSettings { rows, ice_rows, ice_layers, .. } = grid.settings;
    for cell in grid.row_major().filter(|cell| cell.row >= rows - ice_rows) {
        board.set_layers(grid.index(cell), ice_layers);
    }
}

/// Places the medals one by one at random under the ice, without overlaps; starts again if the last
/// ones do not fit.
fn place_medals<M: Mask>(grid: &GemGrid<M>, settings: &GemSettings, rng: &mut Rng) -> M {
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
