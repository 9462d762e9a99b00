//! Conversions between bit planes and other forms: arrays and snapshots.

use std::sync::Arc;

use super::reference::PlainBoard;
use super::text::{GemSnapshot, VisibleCell};
use super::{Gem, GemBoard, GemCell, GemGrid, GemIsland, GemView, Mask};

impl PlainBoard {
    /// Converts bit planes to arrays.
    pub fn of<M: Mask>(grid: &GemGrid<M>, board: &GemBoard<M>) -> PlainBoard {
        let columns = usize::from(grid.settings.columns);
        let portion = |cell| board.portion(grid, board.medals, cell).map_or(-1, |n| n as i8);
        let ice = |cell| board.layers(grid.index(cell)) as i8 - 1;
        let layer = |number: &dyn Fn(GemCell) -> i8| -> Vec<Vec<i8>> {
            let numbers: Vec<i8> = grid.row_major().map(number).collect();
            numbers.chunks(columns).map(<[i8]>::to_vec).collect()
        };
        let gems: Vec<Gem> = grid.row_major().map(|cell| board.gem(grid.index(cell))).collect();
        let gems = gems.chunks(columns).map(<[Gem]>::to_vec).collect();
        PlainBoard { gems, ice: layer(&ice), medals: layer(&portion) }
    }

    /// Converts to bit planes on a grid of the same size. Only the upper left part of a medal is
    /// used.
    pub fn board<M: Mask>(&self, grid: &GemGrid<M>) -> GemBoard<M> {
        let mut board = GemBoard::default();
        for cell in self.cells() {
            let index = grid.index(cell);
            board.set_gem(index, self.gem(cell));
            board.set_layers(index, (self.ice_on(cell) + 1) as u8);
            if self.portion(cell) == 0 {
                board.medals |= M::bit(index);
            }
        }
        board
    }
}

impl GemSnapshot {
    /// The visible state of a game: includes parts of medals on cells without ice, also of freed
    /// medals.
    pub fn of<M: Mask>(game: &GemIsland<M>) -> GemSnapshot {
        let (grid, board) = (game.grid(), game.board());
        let shown = |cell| {
            let layers = board.layers(grid.index(cell));
            let portion = board.portion(grid, board.medals | board.freed, cell);
            let portion = portion.filter(|_| layers == 0);
            VisibleCell { gem: board.gem(grid.index(cell)), layers, portion }
        };
        GemSnapshot {
            rows: grid.settings.rows,
            columns: grid.settings.columns,
            score: game.score(),
            uncovered: grid.settings.medals.saturating_sub(game.medals_left()),
            cells: grid.row_major().map(shown).collect(),
        }
    }
}

impl<M: Mask> GemView<M> {
    /// What a player knew in a recorded state with this many moves left; `None` if the game of this
    /// grid has no such state.
    pub fn of_snapshot(
        grid: &Arc<GemGrid<M>>,
        snapshot: &GemSnapshot,
        moves_left: u16,
    ) -> Option<GemView<M>> {
        let settings = &grid.settings;
        if (snapshot.rows, snapshot.columns) != (settings.rows, settings.columns) {
            return None;
        }
        let (mut board, mut seen) = (GemBoard::<M>::default(), M::default());
        for (cell, shown) in grid.row_major().zip(&snapshot.cells) {
            if shown.gem.kind >= settings.kinds {
                return None;
            }
            board.set_gem(grid.index(cell), shown.gem);
            board.set_layers(grid.index(cell), shown.layers);
            if let Some(portion) = shown.portion {
                let row = cell.row.checked_sub(portion >> 1)?;
                let column = cell.column.checked_sub(portion & 1)?;
                seen |= M::bit(grid.index(GemCell::new(row, column)));
            }
        }
        if !(seen & !grid.medals_within(grid.cells)).is_empty() {
            return None;
        }
        // A medal without ice on its four cells was freed; its parts stay visible.
        board.freed = seen & grid.medals_within(grid.cells & !board.iced());
        board.medals = seen & !board.freed;
        let medals_left = settings.medals.checked_sub(snapshot.uncovered)?;
        let hidden = u32::from(medals_left).checked_sub(board.medals.count())? as u8;
        let known = GemIsland::new(grid.clone(), board, medals_left, moves_left)
            .with_past(settings.moves.checked_sub(moves_left)?, snapshot.score);
        Some(GemView { known, hidden })
    }
}
