//! Another player in games to learn from: the report's alpha-beta agent.

use tesuji_games::{Position, RowBoard, RowGame, RowRule, Stones};
use tesuji_gomoku::report::{AlphaBeta, Board, Cell, LONGEST_SIDE, Options, ReportAgent};
use tesuji_search::Limits;

/// Whether the report's agents know the game: five or more in a row, one stone a turn.
pub(super) fn is_free_five(start: &RowBoard) -> bool {
    let RowGame { grid, rule, .. } = start.row_game();
    grid.k == 5
        && !grid.gravity
        && rule == RowRule::AtLeast
        && grid.columns.max(grid.rows) <= LONGEST_SIDE
        && start.row_game().alternates()
}

/// The report's alpha-beta agent at its own board, which follows the game.
pub(super) struct AlphaBetaSeat {
    agent: AlphaBeta,
    board: Box<Board>,
    columns: usize,
}

impl AlphaBetaSeat {
    /// The final agent; `None` where the report's boards are too small.
    pub(super) fn at(game: &RowBoard) -> Option<AlphaBetaSeat> {
        let agent = AlphaBeta::new(Options::default());
        let grid = game.grid();
        let mut board = Box::new(Board::new(grid.rows, grid.columns).ok()?);
        for cell in 0..grid.cells() {
            if let Some(side) = game.stone_at(cell) {
                board.place(at(cell, grid.columns), side).ok()?;
            }
        }
        board.set_to_move(game.to_move());
        Some(AlphaBetaSeat { agent, board, columns: grid.columns })
    }

    /// Its move.
    pub(super) fn choose(&mut self, game: &RowBoard) -> Option<u16> {
        let cell = self.agent.choose(&self.board, &Limits::default())?;
        game.move_to(usize::from(cell.row) * self.columns + usize::from(cell.column))
    }

    /// A stone was put there by whoever's turn it is.
    pub(super) fn follow(&mut self, cell: usize) {
        let followed = self.board.play(at(cell, self.columns));
        debug_assert!(followed.is_ok(), "{followed:?}");
    }
}

fn at(cell: usize, columns: usize) -> Cell {
    Cell::row_column((cell / columns) as u8, (cell % columns) as u8)
}
