//! What another program must be told of the game that is played.

use std::any::Any;

use tesuji_games::rules::mnk::{Mnk, bit_board::BitBoard, line_board::LineBoard};
use tesuji_games::{Playable, SpecError, Visitor, registry};

/// A game, seen from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Game {
    /// As text: `connect4`, `mnk:10x10,k=5`.
    pub(crate) text: String,
    /// Its start, where it has a notation for positions.
    pub(crate) start: Option<String>,
    /// Its board, when it is one that Gomocup engines know.
    pub(crate) gomoku: Option<Gomoku>,
}

/// Five in a row, one stone a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gomoku {
    /// Columns.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Whether six in a row count for nothing.
    pub(crate) exact: bool,
}

impl Game {
    /// Opens the game that the text names, to see what it is.
    pub(crate) fn of(text: &str) -> Result<Game, SpecError> {
        let (start, gomoku) = registry::open(text, Look)?;
        Ok(Game { text: text.trim().to_string(), start, gomoku })
    }
}

struct Look;

impl Visitor for Look {
    type Output = (Option<String>, Option<Gomoku>);

    fn visit<P: Playable>(self, start: P) -> Self::Output {
        (start.position_text(), gomoku(&start))
    }
}

/// The smallest board that fits a five.
const SHORTEST_SIDE: usize = 5;

fn gomoku(start: &dyn Any) -> Option<Gomoku> {
    let small = start.downcast_ref::<Mnk<BitBoard>>().map(Mnk::rules);
    let rules = small.or_else(|| start.downcast_ref::<Mnk<LineBoard>>().map(Mnk::rules))?;
    let (width, height) = (rules.width(), rules.height());
    let fits = rules.k() == 5 && rules.turns() == (1, 1) && width.min(height) >= SHORTEST_SIDE;
    fits.then(|| Gomoku { width, height, exact: rules.exact() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_in_a_row_is_gomoku_and_nothing_else_is() {
        let gomoku = |text| Game::of(text).unwrap().gomoku;
        let board = |width, height, exact| Some(Gomoku { width, height, exact });
        assert_eq!(gomoku("gomoku"), board(15, 15, false));
        assert_eq!(gomoku("mnk:20x20,k=5,exact"), board(20, 20, true));
        assert_eq!(gomoku("mnk:7x6,k=5"), board(7, 6, false));
        for other in ["connect6", "mnk:10x4,k=5", "mnk:9x9,k=4", "mnk:9x9,k=5,p=2", "connect4"] {
            assert_eq!(gomoku(other), None, "{other}");
        }
    }

    #[test]
    fn games_with_positions_say_where_they_start() {
        assert!(Game::of("chess").unwrap().start.is_some_and(|start| start.contains('/')));
        assert_eq!(Game::of("connect4").unwrap().start, None);
        assert!(Game::of("").is_err());
    }
}
