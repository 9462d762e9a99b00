//! Gomoku among the games of the registry: five in a row, one stone a turn, whatever the board and the rule. Which
//! game it is, and how its cells and moves become each other.

use tesuji_games::{Grid, Move, Position, RowGame, RowRule, Side, SpecError, State};
use tesuji_search::Game;

use tesuji_play::PlayerContext;

/// The shortest side of a board: one row of five.
const SHORTEST_SIDE: usize = 5;

/// A game of five in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiveInARow {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Which rows win.
    pub rule: RowRule,
}

impl FiveInARow {
    /// What a game is as five in a row; `None` for other games.
    pub fn of(game: &Game) -> Option<FiveInARow> {
        let rows = game.rows().filter(RowGame::alternates)?;
        let grid = rows.grid;
        let fits = grid.k == 5 && !grid.gravity && grid.columns.min(grid.rows) >= SHORTEST_SIDE;
        fits.then_some(FiveInARow { width: grid.columns, height: grid.rows, rule: rows.rule })
    }

    /// The game that a player was given, or a complaint that names what would be right.
    pub fn for_player(player: &str, context: &PlayerContext) -> Result<FiveInARow, SpecError> {
        let known = FiveInARow::of(&context.game);
        known.ok_or_else(|| FiveInARow::another_game(player, context))
    }

    /// The complaint that a game is not of this kind.
    pub fn another_game(player: &str, context: &PlayerContext) -> SpecError {
        SpecError::Impossible {
            owner: player.to_string(),
            why: format!(
                "it plays five in a row with one stone a turn on boards from 5x5 to 20x20, and '{}' is another \
                 game; right would be gomoku, gomoku:20x20,exact, caro or renju",
                context.game.name()
            ),
        }
    }
}

/// Every stone of a position, with its column and row from 0 at the lower left.
pub fn stones(position: &State) -> impl Iterator<Item = (Side, usize, usize)> + '_ {
    let grid = grid_of(position);
    (0..grid.cells()).filter_map(move |cell| {
        let side = position.stone_at(cell)?;
        Some((side, cell % grid.columns, grid.rows - 1 - cell / grid.columns))
    })
}

/// The move to a column and row from 0 at the lower left, if it is legal.
pub fn move_to(position: &State, column: usize, row: usize) -> Option<Move> {
    let grid = grid_of(position);
    let on_board = column < grid.columns && row < grid.rows;
    on_board.then(|| position.move_to((grid.rows - 1 - row) * grid.columns + column)).flatten()
}

/// A line of cells, counted from the top left, as moves, as far as they are legal one after the
/// other.
pub fn played_out(position: &State, cells: impl Iterator<Item = usize>) -> Vec<Move> {
    let mut position = position.clone();
    let mut moves = Vec::new();
    for cell in cells {
        let Some(m) = position.move_to(cell) else { break };
        position.play(m);
        moves.push(m);
    }
    moves
}

/// The board of a position.
///
/// # Panics
/// When the game is not one of rows: who plays such games has looked before.
pub fn grid_of(position: &State) -> Grid {
    position.rows().expect("a game of rows").grid
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
        assert_eq!(look("caro:5x8"), board(5, 8, RowRule::Open));
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
    fn the_complaint_names_the_game_and_what_would_be_right() {
        let context = PlayerContext::new(&opened("mnk:9x9,k=4"), 1);
        let error = FiveInARow::for_player("gomoku:time=1s", &context).unwrap_err().to_string();
        for words in ["'gomoku:time=1s'", "'mnk:9x9,k=4'", "right would be gomoku"] {
            assert!(error.contains(words) && !error.contains('\n'), "{error}");
        }
    }
}
