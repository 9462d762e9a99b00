//! Gomoku among the games of the registry: five in a row, one stone a turn, whatever the board and the rule. Which
//! game it is, and how its cells and moves become each other.

use tesuji_games::registry::{self, Visitor};
use tesuji_games::{Playable, RowRule, Side, SpecError, Stones, StonesVisitor};

use super::PlayerContext;

/// The shortest side of a board: one row of five.
const SHORTEST_SIDE: usize = 5;

/// A game of five in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FiveInARow {
    /// Columns.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Which rows win.
    pub(crate) rule: RowRule,
}

impl FiveInARow {
    /// What a starting position says; `None` for other games.
    pub(crate) fn of<P: Playable>(start: &P) -> Option<FiveInARow> {
        P::with_stones(Look(start)).flatten()
    }

    /// The game that a player was given, or a complaint that names what would be right.
    pub(crate) fn for_player(
        player: &str,
        context: &PlayerContext,
    ) -> Result<FiveInARow, SpecError> {
        let known = registry::open(&context.game, Known)?;
        known.ok_or_else(|| FiveInARow::another_game(player, context))
    }

    /// The complaint that a game is not of this kind.
    pub(crate) fn another_game(player: &str, context: &PlayerContext) -> SpecError {
        SpecError::Impossible {
            owner: player.to_string(),
            why: format!(
                "it plays five in a row with one stone a turn on boards from 5x5 to 20x20, and '{}' is another \
                 game; right would be gomoku, gomoku:20x20,exact, caro or renju",
                context.game
            ),
        }
    }
}

struct Known;

impl Visitor for Known {
    type Output = Option<FiveInARow>;

    fn visit<P: Playable>(self, start: P) -> Self::Output {
        FiveInARow::of(&start)
    }
}

struct Look<'p, P>(&'p P);

impl<P: Playable> StonesVisitor<P> for Look<'_, P> {
    type Output = Option<FiveInARow>;

    fn visit(self) -> Self::Output
    where
        P: Stones,
    {
        let (grid, rule) = (self.0.grid(), self.0.row_rule());
        let fits = grid.k == 5
            && !grid.gravity
            && grid.columns.min(grid.rows) >= SHORTEST_SIDE
            && has_one_stone_a_turn(self.0);
        fits.then_some(FiveInARow { width: grid.columns, height: grid.rows, rule })
    }
}

/// Whether the sides take turns from the first stone on. Who puts more than one stone a turn, on the first or on later
/// turns, is found out by the third.
fn has_one_stone_a_turn<P: Stones>(start: &P) -> bool {
    let (mut position, mut moves) = (start.clone(), Vec::new());
    [Side::First, Side::Second, Side::First].into_iter().all(|side| {
        let in_turn = position.to_move() == side;
        moves.clear();
        position.push_moves(&mut moves);
        if let Some(&m) = moves.first() {
            position.play(m);
        }
        in_turn
    })
}

/// Every stone of a position, with its column and row from 0 at the lower left.
pub(super) fn stones<P: Stones>(position: &P) -> impl Iterator<Item = (Side, usize, usize)> + '_ {
    let grid = position.grid();
    (0..grid.cells()).filter_map(move |cell| {
        let side = position.stone_at(cell)?;
        Some((side, cell % grid.columns, grid.rows - 1 - cell / grid.columns))
    })
}

/// The move to a column and row from 0 at the lower left, if it is legal.
pub(super) fn move_to<P: Stones>(position: &P, column: usize, row: usize) -> Option<P::Move> {
    let grid = position.grid();
    let on_board = column < grid.columns && row < grid.rows;
    on_board.then(|| position.move_to((grid.rows - 1 - row) * grid.columns + column)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_in_a_row_is_found_under_any_name_and_nothing_else_is() {
        let look = |game: &str| registry::open(game, Known).unwrap();
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
        let context = PlayerContext::new("mnk:9x9,k=4", 1);
        let error = FiveInARow::for_player("gomoku:time=1s", &context).unwrap_err().to_string();
        for words in ["'gomoku:time=1s'", "'mnk:9x9,k=4'", "right would be gomoku"] {
            assert!(error.contains(words) && !error.contains('\n'), "{error}");
        }
    }
}
