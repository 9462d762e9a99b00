//! Moves as points of a flat board, `x` columns from the left and `y` rows from the top, both from
//! 0. Gomocup engines and SGF files use this form for games in which a move is one cell.

use crate::Draw;

/// A cell of a flat board, counted from the top left corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// Columns from the left.
    pub x: usize,
    /// Rows from the top.
    pub y: usize,
}

/// The columns and rows of the board; `None` for a board of more than two dimensions.
pub fn board_size<P: Draw>(position: &P) -> Option<(usize, usize)> {
    let diagram = position.diagram();
    (diagram.layers.len() == 1).then_some((diagram.columns.len(), diagram.rows.len()))
}

/// Whether a point identifies a move: the board is flat, and no two legal moves of the start
/// position have the same destination. False for chess and checkers.
pub fn moves_are_points<P: Draw>(start: &P) -> bool {
    let mut seen = std::collections::HashSet::new();
    let mut distinct = board_size(start).is_some();
    start.for_each_move(|m| {
        distinct &= start.cells_of(m).last().is_some_and(|&cell| seen.insert(cell));
    });
    distinct
}

/// The destination of a move; `None` for a pass.
pub fn point_of<P: Draw>(position: &P, m: P::Move) -> Option<Point> {
    let (width, _) = board_size(position)?;
    position.cells_of(m).last().map(|&cell| Point { x: cell % width, y: cell / width })
}

/// The legal move with this destination; `None` stands for the pass.
pub fn move_at<P: Draw>(position: &P, point: Option<Point>) -> Option<P::Move> {
    let (width, height) = board_size(position)?;
    if point.is_some_and(|point| point.x >= width || point.y >= height) {
        return None;
    }
    let wanted = point.map(|point| point.y * width + point.x);
    let mut found = None;
    position.for_each_move(|m| {
        if position.cells_of(m).last().copied() == wanted {
            found = Some(m);
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Notation, Position, State, registry};

    /// Checks the conversion of every move of a random game; false if moves are not points.
    fn random_game_converts(mut position: State) -> bool {
        if !moves_are_points(&position) {
            return false;
        }
        let mut rng = crate::random::seeded(3);
        while position.outcome().is_none() {
            position.for_each_move(|m| {
                assert!(move_at(&position, point_of(&position, m)) == Some(m));
            });
            let m = position.random_move(&mut rng);
            position.play(m);
        }
        true
    }

    #[test]
    fn points_and_moves_convert_to_each_other() {
        for (game, expected) in [
            ("tictactoe", true),
            ("connect4", true),
            ("gomoku", true),
            ("connect6", true),
            ("othello:4x4", true),
            ("othello", true),
            ("tictactoe-nd", false),
            ("checkers", false),
            ("chess", false),
        ] {
            assert_eq!(random_game_converts(registry::start(game).unwrap()), expected, "{game}");
        }
    }

    #[test]
    fn the_origin_is_the_top_left_corner() {
        let start = crate::rules::tictactoe::TicTacToe::new();
        let text = |x, y| move_at(&start, Some(Point { x, y })).map(|m| start.move_text(m));
        assert_eq!(text(0, 0).as_deref(), Some("a3"));
        assert_eq!(text(2, 2).as_deref(), Some("c1"));
        assert_eq!(text(3, 0), None);
        assert_eq!(move_at(&start, None), None);
    }
}
