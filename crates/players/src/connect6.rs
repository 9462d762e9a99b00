//! The player `connect6`: the engine of `tesuji_gomoku::connect6`.

use tesuji_games::{RowGame, RowRule, SpecError, State};
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::{Connect6Board, Connect6BoardError, Connect6Engine, Connect6Options};
use tesuji_play::options::{ValueType, number, option};
use tesuji_play::{PlayerContext, PlayerKind, SearchKind, SearchProfile};
use tesuji_search::{Limits, ProgressFn, Search, SearchReport};

use crate::rows::{cell_number, engine_stones, grid_of, search_on_board};
use crate::searching::{LARGE_TABLE, NO_CHANCE, depth_and_effort, search_setup, unsupported};

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "connect6",
    former_name: None,
    summary: "the Connect6 engine: windows of six, wins by threats, turns of two stones (needs connect6)",
    options: &[
        option(
            "time",
            ValueType::Time,
            "time for the first stone of a turn, such as 500ms; the second takes none [default: 1s]",
        ),
        option("depth", number(1, 255), "search depth in stones, without answers to threats"),
        option("nodes", number(1, u64::MAX), "maximum number of positions per turn"),
        LARGE_TABLE,
        NO_CHANCE,
    ],
    read: |options| {
        let table = options.size("tt").unwrap_or(Connect6Options::default().table);
        let facts = SearchProfile::new(SearchKind::IterativeDeepening, depth_and_effort(options));
        let facts = SearchProfile { tables: table.bytes(), ..facts };
        search_setup(facts, check_game, move |(), _| {
            Ok(Box::new(Connect6Search { engine: Connect6Engine::new(Connect6Options { table }) }))
        })
    },
}];

/// Number of stones that an analysis scores.
const VALUED_STONES: usize = 10;

/// Checks that the game is six in a row with Connect6's turns, on any board.
fn check_game(player: &str, context: &PlayerContext) -> Result<(), SpecError> {
    let fits = |game: &RowGame| {
        let six = game.grid.k == 6 && !game.grid.gravity && game.rule == RowRule::AtLeast;
        six && (game.stones_per_turn, game.stones_on_first_turn) == (2, 1)
    };
    context.game.rows().filter(fits).map(drop).ok_or_else(|| {
        let expected =
            "six in a row with two stones per turn and one on the first, such as connect6";
        unsupported(player, context, expected)
    })
}

/// The engine as a [`Search`].
struct Connect6Search {
    engine: Connect6Engine,
}

impl Search<State> for Connect6Search {
    fn search(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let Ok(board) = board_of(position) else { return SearchReport::empty() };
        let grid = grid_of(position);
        let search = |tell: ProgressFn<'_, Cell>| self.engine.search(&board, limits, tell);
        search_on_board(position, |cell| cell_number(grid, cell), progress, search)
    }

    fn analyze(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let Ok(board) = board_of(position) else { return SearchReport::empty() };
        let grid = grid_of(position);
        let compare = |tell: ProgressFn<'_, Cell>| {
            self.engine.search_multi_pv(&board, limits, VALUED_STONES, tell)
        };
        search_on_board(position, |cell| cell_number(grid, cell), progress, compare)
    }

    fn forget(&mut self) {
        self.engine.forget();
    }
}

/// Converts a position to the engine's board.
fn board_of(position: &State) -> Result<Connect6Board, Connect6BoardError> {
    let grid = grid_of(position);
    Connect6Board::with_stones((grid.columns, grid.rows), &engine_stones(position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::{GameLine, Position, Side};
    use tesuji_play::{Player, Turn};

    fn after(moves: &str) -> GameLine {
        opened("connect6").line(moves).unwrap()
    }

    fn player(text: &str, game: &str) -> Result<Box<dyn Player>, SpecError> {
        crate::player(text)?.build(&PlayerContext::new(&opened(game), 1))
    }

    #[test]
    fn six_in_a_row_is_found_under_any_name_and_nothing_else_is() {
        for game in
            ["connect6", "mnk:19x19,k=6,p=2,q=1", "mnk:6x7,k=6,p=2,q=1", "mnk:20x3,k=6,p=2,q=1"]
        {
            assert!(player("connect6:tt=1M", game).is_ok(), "{game}");
        }
        for game in [
            "gomoku",
            "mnk:19x19,k=6",
            "mnk:19x19,k=6,p=2",
            "mnk:19x19,k=6,p=2,q=2",
            "mnk:19x19,k=6,p=3,q=1",
            "mnk:19x19,k=5,p=2,q=1",
            "mnk:19x19,k=6,p=2,q=1,exact",
            "mnk:19x19,k=6,p=2,q=1,caro",
            "connect4",
            "othello",
            "chess",
        ] {
            let error = player("connect6", game).err().map(|error| error.to_string());
            let error = error.unwrap_or_default();
            assert!(error.contains(&format!("does not support '{game}'")), "{game}: {error}");
            assert!(error.contains("expected six in a row") && !error.contains('\n'));
        }
    }

    #[test]
    fn cells_are_the_same_on_both_boards() {
        let line = after("a1s19b2c18j10");
        let board = board_of(&line.end).unwrap();
        for text in ["a1", "b2", "c18", "j10", "s19"] {
            let column = usize::from(text.as_bytes()[0] - b'a');
            let row: usize = text[1..].parse().unwrap();
            let side = line.end.stone_at((19 - row) * 19 + column);
            assert_eq!(board.stone(Cell::new(column, row - 1)), side);
            assert!(side.is_some(), "{text}");
        }
        assert_eq!((board.stones(), board.to_move()), (5, line.end.to_move()));
    }

    /// Both stones of a turn are searched together, and the line of the report is legal.
    #[test]
    fn a_turn_is_two_stones() {
        let mut player = player("connect6:nodes=500,tt=1M", "connect6").unwrap();
        let mut line = after("j10k10l10j12j13");
        let first = player.choose(&line, &Turn::default()).unwrap();
        let report = first.report.unwrap();
        line.play(first.m).unwrap();
        let second = player.choose(&line, &Turn::default()).unwrap();
        assert_eq!(report.line[..2], [first.m, second.m]);
        assert_eq!(second.report.unwrap().nodes, 0, "thought about before");
        for &m in &report.line[1..] {
            line.play(m).unwrap();
        }
    }

    #[test]
    fn what_wins_is_played_and_what_would_lose_stopped() {
        let mut player = player("connect6:nodes=500,tt=1M", "connect6").unwrap();
        // White to move has four in a row with open ends, and so has Black.
        let mut line = after("j10a1b1k10l10c1d1m10s19");
        for _ in 0..2 {
            let choice = player.choose(&line, &Turn::default()).unwrap();
            line.play(choice.m).unwrap();
        }
        assert_eq!(line.end.outcome().and_then(|outcome| outcome.winner()), Some(Side::Second));
        // Without its own four, White blocks Black's four at both ends.
        let mut line = after("j10a1b3k10l10c5d8m10s19");
        for _ in 0..2 {
            let choice = player.choose(&line, &Turn::default()).unwrap();
            line.play(choice.m).unwrap();
        }
        let board = board_of(&line.end).unwrap();
        assert!(!board.can_win(Side::First, 2));
    }

    #[test]
    fn options_that_cannot_be_are_refused() {
        for (text, words) in [
            ("connect6:tt=much", "invalid tt 'much'"),
            ("connect6:threads=2", "unknown option 'threads'"),
            ("connect6:depth=0", "1 to 255"),
        ] {
            let error = crate::player(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
