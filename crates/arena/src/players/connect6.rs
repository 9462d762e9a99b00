//! The player `connect6`: the engine of `tesuji_gomoku::connect6`, for six in a row with two stones a turn.

use tesuji_games::registry::{self, Visitor};
use tesuji_games::{Playable, RowRule, Side, Spec, SpecError, Stones, StonesVisitor};
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::{Board, BoardError, Engine, Settings};
use tesuji_search::{Limits, Progress, Report, Search, TableSize};

use super::five_in_a_row::stones;
use super::forest::Purpose;
use super::gomoku::translated;
use super::{PlayerContext, PlayerInfo};
use crate::quantity::BYTES_EXAMPLES;

pub(super) const CONNECT6: PlayerInfo = PlayerInfo {
    name: "connect6",
    summary: "the Connect6 engine: windows of six, wins by threats, turns of two stones (needs connect6)",
    options: &[
        (
            "time=T",
            "time for the first stone of a turn, such as 500ms or 1s (default 1s); the second takes none",
        ),
        ("depth=N", "stones to look ahead, answers to threats not counted"),
        ("nodes=N", "positions a turn at most"),
        ("tt=SIZE", "memory for known positions (default 64M)"),
        ("seed=N", "taken and not needed: nothing is left to chance"),
    ],
};

/// How many stones an analysis values.
const VALUED_STONES: usize = 10;

/// The options other than limits.
#[derive(Clone, Debug)]
pub(super) struct Connect6Spec {
    table: TableSize,
}

impl Connect6Spec {
    pub(super) fn read(spec: &mut Spec) -> Result<Connect6Spec, SpecError> {
        let usual = Settings::default();
        Ok(Connect6Spec { table: spec.value("tt", BYTES_EXAMPLES)?.unwrap_or(usual.table) })
    }

    /// Bytes that the table takes.
    pub(super) fn memory(&self) -> u64 {
        self.table.bytes()
    }

    pub(super) fn build<P: Playable>(
        &self,
        player: &str,
        context: &PlayerContext,
        purpose: Purpose,
    ) -> Result<Box<dyn Search<P>>, SpecError> {
        check(player, context)?;
        let engine = Engine::new(Settings { table: self.table });
        let best = if purpose == Purpose::Analysis { VALUED_STONES } else { 1 };
        P::with_stones(AsSearch(Connect6Search { engine, best }))
            .ok_or_else(|| another_game(player, context))
    }
}

/// Whether the game is one that the engine plays.
pub(super) fn check(player: &str, context: &PlayerContext) -> Result<(), SpecError> {
    match registry::open(&context.game, IsSixInARow)? {
        true => Ok(()),
        false => Err(another_game(player, context)),
    }
}

fn another_game(player: &str, context: &PlayerContext) -> SpecError {
    SpecError::Impossible {
        owner: player.to_string(),
        why: format!(
            "it plays six in a row with two stones a turn and one on the first, and '{}' is another game; right \
             would be connect6, or mnk:15x15,k=6,p=2,q=1",
            context.game
        ),
    }
}

/// Whether a game is six in a row, with turns as Connect6 has them, on any board.
struct IsSixInARow;

impl Visitor for IsSixInARow {
    type Output = bool;

    fn visit<P: Playable>(self, start: P) -> bool {
        P::with_stones(Look(&start)).unwrap_or(false)
    }
}

struct Look<'p, P>(&'p P);

impl<P: Playable> StonesVisitor<P> for Look<'_, P> {
    type Output = bool;

    fn visit(self) -> bool
    where
        P: Stones,
    {
        let grid = self.0.grid();
        let six = grid.k == 6 && !grid.gravity && self.0.row_rule() == RowRule::AtLeast;
        six && has_turns_of_two(self.0)
    }
}

/// Whether the first side begins with one stone and two are put from then on. Who does otherwise is found out by the
/// sixth.
fn has_turns_of_two<P: Stones>(start: &P) -> bool {
    use Side::{First, Second};
    let (mut position, mut moves) = (start.clone(), Vec::new());
    [First, Second, Second, First, First, Second].into_iter().all(|side| {
        let in_turn = position.to_move() == side;
        moves.clear();
        position.push_moves(&mut moves);
        if let Some(&m) = moves.first() {
            position.play(m);
        }
        in_turn
    })
}

struct AsSearch(Connect6Search);

impl<P: Playable> StonesVisitor<P> for AsSearch {
    type Output = Box<dyn Search<P>>;

    fn visit(self) -> Self::Output
    where
        P: Stones,
    {
        Box::new(self.0)
    }
}

/// The engine among the searches.
struct Connect6Search {
    engine: Engine,
    /// How many stones get a value.
    best: usize,
}

impl<P: Playable + Stones> Search<P> for Connect6Search {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        let Ok(board) = board_of(position) else { return Report::empty() };
        let mut tell = |report: &Report<Cell>| progress(&translated(position, report));
        let report = match self.best {
            1 => self.engine.search(&board, limits, &mut tell),
            best => self.engine.compare(&board, limits, best, &mut tell),
        };
        translated(position, &report)
    }

    fn forget(&mut self) {
        self.engine.forget();
    }
}

/// The engine's board with the stones of a position.
fn board_of<P: Stones>(position: &P) -> Result<Board, BoardError> {
    let stones: Vec<(Side, Cell)> =
        stones(position).map(|(side, column, row)| (side, Cell::new(column, row))).collect();
    let grid = position.grid();
    Board::with_stones((grid.columns, grid.rows), &stones)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Player, PlayerSpec, Turn};
    use tesuji_games::rules::mnk::line_board::LineBoard;
    use tesuji_games::rules::mnk::{Mnk, Rules};
    use tesuji_games::{Notation, Position};

    type Connect6 = Mnk<LineBoard>;

    fn start(width: usize, height: usize) -> Connect6 {
        Mnk::new(Rules::new(width, height, 6).and_then(|rules| rules.with_turns(2, 1)).unwrap())
    }

    fn player(text: &str, game: &str) -> Result<Box<dyn Player<Connect6>>, SpecError> {
        text.parse::<PlayerSpec>()?.build::<Connect6>(&PlayerContext::new(game, 1))
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
            assert!(error.contains(&format!("'{game}' is another game")), "{game}: {error}");
            assert!(error.contains("right would be connect6") && !error.contains('\n'));
        }
    }

    #[test]
    fn cells_are_the_same_on_both_boards() {
        let line = start(19, 19).parse_line("a1s19b2c18j10").unwrap();
        let board = board_of(&line.end).unwrap();
        for text in ["a1", "b2", "c18", "j10", "s19"] {
            let column = usize::from(text.as_bytes()[0] - b'a');
            let row: usize = text[1..].parse().unwrap();
            assert_eq!(board.stone(Cell::new(column, row - 1)), line.end.side_at(column, row - 1));
        }
        assert_eq!((board.stones(), board.to_move()), (5, line.end.to_move()));
    }

    /// Both stones of a turn go together, and the line of the report is legal.
    #[test]
    fn a_turn_is_two_stones() {
        let mut player = player("connect6:nodes=500,tt=1M", "connect6").unwrap();
        let mut line = start(19, 19).parse_line("j10k10l10j12j13").unwrap();
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
        // White to move has four in a row with open ends, and so has black.
        let mut line = start(19, 19).parse_line("j10a1b1k10l10c1d1m10s19").unwrap();
        for _ in 0..2 {
            let choice = player.choose(&line, &Turn::default()).unwrap();
            line.play(choice.m).unwrap();
        }
        assert_eq!(line.end.outcome().and_then(|outcome| outcome.winner()), Some(Side::Second));
        // Without its own, white stops black's four at both ends.
        let mut line = start(19, 19).parse_line("j10a1b3k10l10c5d8m10s19").unwrap();
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
            ("connect6:tt=much", "cannot take tt 'much'"),
            ("connect6:threads=2", "has no option 'threads'"),
            ("connect6:depth=0", "1 to 255"),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
