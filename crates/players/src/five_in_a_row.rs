//! Recognizes games of five in a row with one stone per turn, on any board and by any rule.

use tesuji_games::{RowGame, RowRule, SpecError};
use tesuji_search::Game;

use tesuji_play::PlayerContext;

use crate::searching::unsupported;

/// Shortest side of a board: one row of five.
const SHORTEST_SIDE: usize = 5;

/// A game of five in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiveInARow {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// The rule for winning rows.
    pub rule: RowRule,
}

impl FiveInARow {
    /// Returns the game as five in a row; `None` for other games.
    pub fn of(game: &Game) -> Option<FiveInARow> {
        let rows = game.rows().filter(RowGame::alternates)?;
        let grid = rows.grid;
        let fits = grid.k == 5 && !grid.gravity && grid.columns.min(grid.rows) >= SHORTEST_SIDE;
        fits.then_some(FiveInARow { width: grid.columns, height: grid.rows, rule: rows.rule })
    }

    /// The same for a player; otherwise an error that names supported games.
    pub fn for_player(player: &str, context: &PlayerContext) -> Result<FiveInARow, SpecError> {
        FiveInARow::of(&context.game).ok_or_else(|| {
            let expected = "five in a row on boards from 5x5 to 20x20: gomoku, caro or renju";
            unsupported(player, context, expected)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;

    #[test]
    fn five_in_a_row_is_found_under_any_name_and_nothing_else_is() {
        let look = |game: &str| FiveInARow::of(&opened(game));
        let board = |width, height, rule| Some(FiveInARow { width, height, rule });
        assert_eq!(look("gomoku"), board(15, 15, RowRule::AtLeast));
        assert_eq!(look("mnk:20x20,k=5,exact"), board(20, 20, RowRule::Exactly));
        assert_eq!(look("mnk:7x6,k=5"), board(7, 6, RowRule::AtLeast));
        assert_eq!(look("caro:5x8"), board(5, 8, RowRule::Caro));
        assert_eq!(look("renju:20x19"), board(20, 19, RowRule::Renju));
        for other in [
            "connect6",
            "mnk:10x4,k=5",
            "mnk:9x9,k=4",
            "mnk:9x9,k=5,p=2",
            "mnk:9x9,k=5,p=2,q=1",
            "mnk:9x9,k=5,q=2",
            "connect4",
            "othello",
        ] {
            assert_eq!(look(other), None, "{other}");
        }
    }

    #[test]
    fn the_error_names_the_game_and_supported_games() {
        let context = PlayerContext::new(&opened("mnk:9x9,k=4"), 1);
        let error = FiveInARow::for_player("gomoku:time=1s", &context).unwrap_err().to_string();
        for words in ["'gomoku:time=1s'", "'mnk:9x9,k=4'", "expected five in a row"] {
            assert!(error.contains(words) && !error.contains('\n'), "{error}");
        }
    }
}
