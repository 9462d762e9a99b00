//! An opponent for training games: the report's alpha-beta agent.

use tesuji_games::{Position, RowBoard, RowGame, RowPosition, RowRule};
use tesuji_gomoku::fudan::{FudanAgent, FudanAlphaBeta, FudanBoard, FudanCell, LONGEST_SIDE};
use tesuji_search::Limits;

/// Whether the report's agents support the game: five or more in a row, one stone a turn.
pub(super) fn is_freestyle_gomoku(start: &RowBoard) -> bool {
    let RowGame { grid, rule, .. } = start.row_game();
    grid.k == 5
        && !grid.gravity
        && rule == RowRule::AtLeast
        && grid.columns.max(grid.rows) <= LONGEST_SIDE
        && start.row_game().alternates()
}

/// The agent's move; `None` if the board is too small for the report's agents.
pub(super) fn choose_move(agent: &mut FudanAlphaBeta, game: &RowBoard) -> Option<u16> {
    let grid = game.grid();
    let mut board = FudanBoard::new(grid.rows, grid.columns).ok()?;
    for cell in 0..grid.cells() {
        if let Some(side) = game.stone_at(cell) {
            let (row, column) = (cell / grid.columns, cell % grid.columns);
            board.place(FudanCell::row_column(row as u8, column as u8), side).ok()?;
        }
    }
    board.set_to_move(game.to_move());
    let cell = agent.choose(&board, &Limits::default())?;
    game.move_to(usize::from(cell.row) * grid.columns + usize::from(cell.column))
}
