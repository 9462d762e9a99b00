//! Row games: conversion of cells, and searches on other boards as searches on states. A cell is a
//! number, counted row by row from the top left.

use tesuji_games::{
    Move, Position, RowBoard, RowGame, RowGrid, RowPosition, Side, SpecError, State,
};
use tesuji_gomoku::Cell;
use tesuji_play::PlayerContext;
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Limits, ProgressFn, Search, SearchReport};

/// Returns the game as a row game, or an error.
pub(super) fn row_game_for(
    player: &str,
    context: &PlayerContext,
    remedy: &str,
) -> Result<RowGame, SpecError> {
    context.game.rows().ok_or_else(|| SpecError::MissingCapability {
        user: player.to_string(),
        capability: "RowPosition",
        game: context.game.name().to_string(),
        remedy: remedy.to_string(),
    })
}

/// Returns the board size of a position.
///
/// # Panics
/// If the game is not a row game; callers have checked that.
pub(super) fn grid_of(position: &State) -> RowGrid {
    position.rows().expect("a game of rows").grid
}

/// Returns every stone of a position with its cell.
pub(super) fn stones(position: &State) -> impl Iterator<Item = (Side, usize)> + '_ {
    (0..grid_of(position).cells()).filter_map(|cell| Some((position.stone_at(cell)?, cell)))
}

/// Converts a cell to the engines' cell.
pub(super) fn engine_cell(grid: RowGrid, cell: usize) -> Cell {
    Cell::new(cell % grid.columns, grid.rows - 1 - cell / grid.columns)
}

/// Converts an engine's cell to a cell.
pub(super) fn cell_number(grid: RowGrid, cell: Cell) -> usize {
    (grid.rows - 1 - cell.row()) * grid.columns + cell.column()
}

/// Returns the stones of a position with the engines' cells.
pub(super) fn engine_stones(position: &State) -> Vec<(Side, Cell)> {
    let grid = grid_of(position);
    stones(position).map(|(side, cell)| (side, engine_cell(grid, cell))).collect()
}

/// Runs a search on another board, whose moves `number` converts to cells of the position. Lines in
/// reports are cut at the first illegal move.
pub(super) fn search_on_board<M: Copy>(
    position: &State,
    number: impl Fn(M) -> usize,
    progress: ProgressFn<'_>,
    search: impl FnOnce(ProgressFn<'_, M>) -> SearchReport<M>,
) -> SearchReport {
    let played_out = |moves: &[M]| {
        let mut position = position.clone();
        let legal = |&m: &M| {
            let m = position.move_to(number(m))?;
            position.play(m);
            Some(m)
        };
        moves.iter().map_while(legal).collect::<Vec<Move>>()
    };
    let translated =
        |report: &SearchReport<M>| report.map_moves(|m| position.move_to(number(m)), played_out);
    let report = search(&mut |report: &SearchReport<M>| progress(&translated(report)));
    translated(&report)
}

/// A search for all row games.
pub(super) struct RowGameSearch(Box<dyn Search<RowBoard>>);

impl RowGameSearch {
    pub(super) fn boxed(search: Box<dyn Search<RowBoard>>) -> BoxedSearch {
        Box::new(RowGameSearch(search))
    }
}

impl Search<State> for RowGameSearch {
    fn search(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let Some(board) = RowBoard::of(position) else { return SearchReport::empty() };
        let search = |tell: ProgressFn<'_, u16>| self.0.search(&board, limits, tell);
        search_on_board(position, |m| board.cell(m), progress, search)
    }

    fn analyze(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let Some(board) = RowBoard::of(position) else { return SearchReport::empty() };
        let analyze = |tell: ProgressFn<'_, u16>| self.0.analyze(&board, limits, tell);
        search_on_board(position, |m| board.cell(m), progress, analyze)
    }

    fn forget(&mut self) {
        self.0.forget();
    }
}
