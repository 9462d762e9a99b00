//! Between bit planes and the forms that people and files use: plain arrays and snapshots.

use super::reference::Plain;
use super::text::{Shown, Snapshot};
use super::{Board, Cell, Gem, GemIsland, Grid, Mask};

impl Plain {
    /// The layers of a board.
    pub fn of<M: Mask>(grid: &Grid<M>, board: &Board<M>) -> Plain {
        let columns = usize::from(grid.settings.columns);
        let portion = |cell| board.portion(grid, board.medals, cell).map_or(-1, |n| n as i8);
        let ice = |cell| board.layers(grid.index(cell)) as i8 - 1;
        let layer = |number: &dyn Fn(Cell) -> i8| -> Vec<Vec<i8>> {
            let numbers: Vec<i8> = grid.row_major().map(number).collect();
            numbers.chunks(columns).map(<[i8]>::to_vec).collect()
        };
        let gems: Vec<Gem> = grid.row_major().map(|cell| board.gem(grid.index(cell))).collect();
        let gems = gems.chunks(columns).map(<[Gem]>::to_vec).collect();
        Plain { gems, ice: layer(&ice), medals: layer(&portion) }
    }

    /// The same as bit planes, on a grid of the same size. Of a medal its upper left part counts.
    pub fn board<M: Mask>(&self, grid: &Grid<M>) -> Board<M> {
        let mut board = Board::default();
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

impl Snapshot {
    /// What can be seen of a game: parts of medals where there is no ice, those of freed ones too.
    pub fn of<M: Mask>(game: &GemIsland<M>) -> Snapshot {
        let (grid, board) = (game.grid(), game.board());
        let shown = |cell| {
            let layers = board.layers(grid.index(cell));
            let portion = board.portion(grid, board.medals | board.freed, cell);
            let portion = portion.filter(|_| layers == 0);
            Shown { gem: board.gem(grid.index(cell)), layers, portion }
        };
        Snapshot {
            rows: grid.settings.rows,
            columns: grid.settings.columns,
            score: game.score(),
            uncovered: grid.settings.medals.saturating_sub(game.medals_left()),
            cells: grid.row_major().map(shown).collect(),
        }
    }
}
