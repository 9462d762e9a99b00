//! The training input from a finished game: the cells around its last move.

use serde::{Deserialize, Serialize};
use tesuji_games::{RowGrid, RowPosition, Side};

use super::{CellContent, Class, contents_seen_by};

/// A square of cells. The thesis calls its size the radius, but the examples show the side length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PatternWindow {
    /// The side length in cells.
    pub side: usize,
}

/// The content of a window and the result of its game, from the view of the side that moved first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WindowSample {
    /// The cells, row by row from the top left.
    pub contents: Vec<CellContent>,
    /// The result of the game.
    pub class: Class,
}

impl PatternWindow {
    /// Cell numbers have 16 bits.
    pub const MAX_SIDE: usize = 255;

    /// A window of this side length, reduced to fit on the board.
    pub fn within(side: usize, grid: &RowGrid) -> PatternWindow {
        PatternWindow { side: side.min(grid.columns).min(grid.rows) }
    }

    /// The number of cells.
    pub const fn cells(self) -> usize {
        self.side * self.side
    }

    /// The cells of the board that the window covers when it is centered on `center` and then moved
    /// back onto the board where it sticks out. The window must fit on the board.
    pub fn around(self, center: usize, grid: &RowGrid) -> impl Iterator<Item = usize> + use<> {
        let columns = grid.columns;
        let start =
            |at: usize, length: usize| at.saturating_sub(self.side / 2).min(length - self.side);
        let left = start(center % columns, columns);
        let top = start(center / columns, grid.rows);
        let side = self.side;
        (0..side * side).map(move |i| (top + i / side) * columns + left + i % side)
    }

    /// The sample of a game that ended with a stone on `last`; `None` if the game is not over.
    pub fn sample<P: RowPosition>(self, end: &P, last: usize) -> Option<WindowSample> {
        self.samples(end, &[last], 0).into_iter().next()
    }

    /// The samples of a finished game with stones on these cells, in order: the window around the
    /// last stone, and, for each of up to `earlier` stones before it, the window around that stone
    /// when it was the last. Empty if the game is not over.
    pub fn samples<P: RowPosition>(
        self,
        end: &P,
        stones: &[usize],
        earlier: usize,
    ) -> Vec<WindowSample> {
        let Some(outcome) = end.outcome() else { return Vec::new() };
        let (class, grid) = (Class::of(outcome, Side::First), end.grid());
        let mut board = contents_seen_by(Side::First, end);
        let mut samples = Vec::new();
        for &stone in stones.iter().rev().take(earlier + 1) {
            let contents = self.around(stone, &grid).map(|cell| board[cell]).collect();
            samples.push(WindowSample { contents, class });
            board[stone] = CellContent::Empty;
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::rules::tictactoe::TicTacToe;
    use tesuji_games::{Notation, Position};

    const GRID: RowGrid = RowGrid { columns: 10, rows: 8, k: 5, gravity: false };

    #[test]
    fn windows_at_the_edge_are_moved_onto_the_board() {
        let corner = |center| PatternWindow { side: 7 }.around(center, &GRID).next().unwrap();
        assert_eq!(corner(0), 0);
        assert_eq!(corner(9), 3, "the upper right corner");
        assert_eq!(corner(79), 13, "the lower right corner");
        assert_eq!(corner(4 * 10 + 5), 10 + 2, "inside");
        let even = PatternWindow { side: 4 }.around(4 * 10 + 5, &GRID).next().unwrap();
        assert_eq!(even, 2 * 10 + 3);
    }

    #[test]
    fn windows_are_never_larger_than_the_board() {
        let grid = TicTacToe::new().grid();
        assert_eq!(PatternWindow::within(7, &grid).side, 3);
        assert_eq!(
            PatternWindow { side: 3 }.around(8, &grid).collect::<Vec<_>>(),
            Vec::from_iter(0..9)
        );
    }

    #[test]
    fn samples_are_from_the_first_sides_view() {
        let line = TicTacToe::new().parse_line("a1b1a2b2a3").unwrap();
        let last = line.start.cell(*line.moves.last().unwrap());
        let sample = PatternWindow { side: 3 }.sample(&line.end, last).unwrap();
        let digits: String = sample.contents.iter().map(|&f| char::from(b'0' + f as u8)).collect();
        assert_eq!((digits.as_str(), sample.class), ("100120120", Class::Win));
        assert_eq!(PatternWindow { side: 3 }.sample(&line.start, 0), None);
        // The same game with the two positions before its last stones.
        let stones = line.moves.iter().map(|&m| line.start.cell(m)).collect::<Vec<_>>();
        let text = |sample: &WindowSample| {
            sample.contents.iter().map(|&f| char::from(b'0' + f as u8)).collect::<String>()
        };
        let samples = PatternWindow { side: 3 }.samples(&line.end, &stones, 2);
        let texts: Vec<String> = samples.iter().map(text).collect();
        assert_eq!(texts, ["100120120", "000120120", "000100120"]);
        assert!(samples.iter().all(|sample| sample.class == Class::Win));
        assert_eq!(PatternWindow { side: 3 }.samples(&line.end, &stones, 9).len(), 5);
        assert!(PatternWindow { side: 3 }.samples(&line.start, &stones, 2).is_empty());
        assert!(line.end.outcome().is_some());
    }
}
