//! Searches on the board of all games of rows, as searches on states.

use tesuji_games::{RowBoard, State, Stones};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Limits, Progress, Report, Search};

use super::five_in_a_row::played_out;

/// A search that plays every game of rows.
pub(super) struct RowSearch(Box<dyn Search<RowBoard>>);

impl RowSearch {
    pub(super) fn boxed(search: Box<dyn Search<RowBoard>>) -> BoxedSearch {
        Box::new(RowSearch(search))
    }
}

impl Search<State> for RowSearch {
    fn search(&mut self, position: &State, limits: &Limits, progress: Progress<'_>) -> Report {
        let Some(board) = RowBoard::of(position) else { return Report::empty() };
        let mut tell = |report: &Report<u16>| progress(&translated(position, &board, report));
        let report = self.0.search(&board, limits, &mut tell);
        translated(position, &board, &report)
    }

    fn analyze(&mut self, position: &State, limits: &Limits, progress: Progress<'_>) -> Report {
        let Some(board) = RowBoard::of(position) else { return Report::empty() };
        let mut tell = |report: &Report<u16>| progress(&translated(position, &board, report));
        let report = self.0.analyze(&board, limits, &mut tell);
        translated(position, &board, &report)
    }

    fn forget(&mut self) {
        self.0.forget();
    }
}

/// A report on a board as one on the position.
fn translated(position: &State, board: &RowBoard, report: &Report<u16>) -> Report {
    let line = |moves: &[u16]| played_out(position, moves.iter().map(|&m| board.cell(m)));
    report.translated(|m| position.move_to(board.cell(m)), line)
}
