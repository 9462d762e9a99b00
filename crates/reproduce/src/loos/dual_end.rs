//! Table 5-2: how a human beat the forest at Connect Four, 7×7. A game is reconstructed from the
//! printed boards, an exact solver finds where it was lost, and our players are asked for their
//! move there.

mod boards;

use std::collections::HashMap;

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::FixedSize;
use tesuji_games::{GameLine, Move, Outcome, Position, State};
use tesuji_play::{Player, PlayerContext, Turn};
use tesuji_search::connect4::{Connect4Solver, LimitReached};
use tesuji_search::{Limits, TableSize};

use crate::comparison::{ComparisonVerdict, Estimate};
use crate::report::{ComparisonRow, ComparisonTable, Findings, ReportedValue};
use crate::run::{ReproduceError, ReproductionRun, open_game};
use boards::{ConnectFour7, HUMAN, Orders, PrintedBoard, TURN_9, TURN_35, TURN_44, drop_stone};

const GAME: &str = "connect4:7x7";
/// The thesis's player searched six plies. The first of ours is a forest at this depth, too; the
/// others are other players.
const PLAYERS: [(&str, &str); 4] = [
    ("the forest that votes, depth 6", "forest:model=connect4-7x7,depth=6"),
    ("learned weights, depth 6", "weights:depth=6"),
    ("pvs with the game's heuristic, depth 6", "pvs:depth=6"),
    ("pvs, depth 12", "pvs:depth=12"),
];
const THE_FOREST: usize = 0;
/// The kind of input of rows on the printed boards.
const PRINTED: &str = "the printed board";
/// The human's winning turn.
const LAST_TURN: usize = 44;
/// The computer's first turn after the ninth.
const SOLVED_FROM: usize = 10;

type Solver = Connect4Solver<FixedSize<7, 7>>;

/// Runs the experiment.
pub(super) fn run(run: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let boards = PrintedBoards::read();
    let games: u64 = run.pick(40, 400);
    let mut solver = Connect4Solver::new(FixedSize, TableSize::megabytes(64));
    run.report_progress(0, games + 1, "the printed positions");
    let end = solved(&boards, &mut solver)?;
    let game = some_game(&boards, run.seed)?;
    let seen = (0..PLAYERS.len()).map(|player| first_seen(&game, player, run.seed));
    let seen = seen.collect::<Result<Vec<ComparisonRow>, _>>()?;
    let mut mistakes = Mistakes::new(run.seed)?;
    for number in 0..games {
        run.report_progress(number + 1, games + 1, "orders of the stones");
        let game = some_game(&boards, run.seed.wrapping_add(number))?;
        mistakes.look(&game, &mut solver)?;
    }
    let tables = vec![
        ComparisonTable::new("The printed boards", boards.rows()),
        ComparisonTable::new("The printed positions, by exact solution", end),
        ComparisonTable::new("When a player in the computer's place sees the loss", seen),
        ComparisonTable::new(
            format!("The computer's decisive mistake, {games} orders of the stones"),
            mistakes.rows(),
        ),
    ];
    Ok(Findings::of_all(tables).note(format!(
        "The thesis prints the boards at turns 9, 35 and 44 only. Between turns 9 and 35 many \
         orders of the stones are possible; {games} of them are drawn at random from those in \
         which no side overlooks a four. In each, the mistake is the computer's last move from a \
         position that was not lost, if there is one."
    )))
}

fn other_error(error: impl std::fmt::Display) -> ReproduceError {
    ReproduceError::Other(error.to_string())
}

/// The three boards, with the first one corrected.
struct PrintedBoards {
    turn_9_as_printed: PrintedBoard,
    turn_9: PrintedBoard,
    turn_35: PrintedBoard,
    turn_44: PrintedBoard,
}

impl PrintedBoards {
    fn read() -> PrintedBoards {
        let [turn_9_as_printed, turn_35, turn_44] =
            [TURN_9, TURN_35, TURN_44].map(PrintedBoard::read);
        let turn_9 = turn_9_as_printed.clone().with_lowest_row_moved();
        PrintedBoards { turn_9_as_printed, turn_9, turn_35, turn_44 }
    }

    fn rows(&self) -> Vec<ComparisonRow> {
        let printed = [(9, &self.turn_9_as_printed), (35, &self.turn_35), (44, &self.turn_44)];
        let counts = printed.map(|(turn, board)| {
            ComparisonRow::count(format!("stones at turn {turn}"), turn, board.stones() as u64)
                .as_input(PRINTED)
        });
        let one_game = self.game(1).is_some();
        let words = if one_game { "one is found" } else { "none is found" };
        let what = "a game leads through turns 9 (corrected), 35 and 44";
        let whole = ComparisonRow::claim(what, "yes", ReportedValue::words(words), one_game)
            .as_input(PRINTED);
        counts.into_iter().chain([self.legality(), whole]).collect()
    }

    fn legality(&self) -> ComparisonRow {
        let hanging = self.turn_9_as_printed.hanging();
        let words = match hanging.first() {
            Some(column) => format!("column {column} has a floating stone"),
            None => "no floating stone".to_string(),
        };
        let reason = match self.turn_9.hanging().is_empty() && self.turn_9.is_within(&self.turn_35)
        {
            true => {
                "the lowest row is printed one column too far to the left; moved back, the board is legal and fits turn 35"
            }
            false => "not even with the lowest row moved",
        };
        let holds = hanging.is_empty();
        ComparisonRow::claim(
            "turn 9 is a legal board",
            "printed",
            ReportedValue::words(words),
            holds,
        )
        .explain_difference(reason)
        .as_input(PRINTED)
    }

    /// Returns a game through these boards, with a random order of the stones.
    fn game(&self, seed: u64) -> Option<GameLine<ConnectFour7>> {
        let rng = &mut seeded(seed);
        let mut line = GameLine::new(ConnectFour7::on(FixedSize));
        for board in [&self.turn_9, &self.turn_35] {
            if !Orders::to(board, board.heights()).extend(&mut line, rng) {
                return None;
            }
        }
        for column in last_columns(&self.turn_35, &self.turn_44) {
            drop_stone(&mut line, column)?;
        }
        (line.end.outcome() == Some(Outcome::Win(HUMAN))).then_some(line)
    }
}

/// The first column is filled, then the computer has to start the last one.
fn last_columns(before: &PrintedBoard, after: &PrintedBoard) -> Vec<usize> {
    let (before, after) = (before.heights(), after.heights());
    let added = (0..before.len()).map(|column| (column, after[column] - before[column]));
    added.flat_map(|(column, count)| std::iter::repeat_n(column, count)).collect()
}

/// Returns the game after a number of turns.
fn after(game: &GameLine<ConnectFour7>, turns: usize) -> GameLine<ConnectFour7> {
    let mut line = game.clone();
    while line.moves.len() > turns {
        line.take_back();
    }
    line
}

fn some_game(boards: &PrintedBoards, seed: u64) -> Result<GameLine<ConnectFour7>, ReproduceError> {
    boards
        .game(seed)
        .ok_or_else(|| other_error("no order of the stones leads through the printed boards"))
}

/// Solves the printed positions; the human is to move in both.
fn solved(
    boards: &PrintedBoards,
    solver: &mut Solver,
) -> Result<Vec<ComparisonRow>, ReproduceError> {
    let game = some_game(boards, 1)?;
    let [early, late] = [9, 35].map(|turn| after(&game, turn).end);
    let sign = solver.sign(&early, &Limits::default()).map_err(other_error)?;
    let score = solver.score(&late, &Limits::default()).map_err(other_error)?;
    let turn = solver.last_ply(&late, score);
    let row = |turn, said: &str, score: i32| {
        ComparisonRow::claim(
            format!("after turn {turn}"),
            said,
            ReportedValue::words(who_wins(score)),
            score > 0,
        )
    };
    Ok(vec![
        row(9, "the human has made open moves", sign)
            .not_comparable("the thesis does not say who wins after turn 9"),
        row(35, "a forced end", score),
        ComparisonRow::count("the turn at which the human wins", LAST_TURN as u64, turn.into()),
    ])
}

/// Describes a score with the human to move.
fn who_wins(score: i32) -> &'static str {
    match score.signum() {
        1 => "the human wins by force",
        0 => "a draw",
        _ => "the computer wins by force",
    }
}

fn player(spec: &str, seed: u64) -> Result<Box<dyn Player>, ReproduceError> {
    Ok(tesuji_players::player(spec)?.build(&PlayerContext::new(&open_game(GAME)?, seed))?)
}

/// Finds the first of the computer's last turns at which a player sees the loss.
fn first_seen(
    game: &GameLine<ConnectFour7>,
    number: usize,
    seed: u64,
) -> Result<ComparisonRow, ReproduceError> {
    let (name, spec) = PLAYERS[number];
    let mut player = player(spec, seed)?;
    let mut first = None;
    for turn in (21..LAST_TURN).step_by(2) {
        let choice = player
            .choose(&State::line_of(&after(game, turn - 1)), &Turn::default())
            .map_err(other_error)?;
        if choice.score().is_some_and(|score| score.is_loss()) {
            first = Some(turn);
            break;
        }
    }
    let words = match first {
        Some(turn) => format!("from turn {turn} on, {} plies before the end", LAST_TURN + 1 - turn),
        None => "never".to_string(),
    };
    let (verdict, why) = match first {
        Some(turn) if turn <= 35 => (ComparisonVerdict::Better, "it looks further ahead"),
        _ => (ComparisonVerdict::Agrees, "it holds"),
    };
    let said = ReportedValue::words("after turn 35, when nothing helps");
    let row =
        ComparisonRow::from_parts(name, Some(said), ReportedValue::words(words), verdict, why);
    Ok(match number {
        THE_FOREST => row,
        _ => row.not_comparable("another player or depth than the thesis's forest at depth 6"),
    })
}

/// The turns at which the computer lost the game, over many orders of the stones, and which players
/// avoid the mistake.
struct Mistakes {
    turns: Vec<f64>,
    players: Vec<Box<dyn Player>>,
    kept: Vec<u64>,
    /// The solver's results, since orders share positions.
    known: HashMap<ConnectFour7, i32>,
    seed: u64,
}

impl Mistakes {
    fn new(seed: u64) -> Result<Mistakes, ReproduceError> {
        let players = PLAYERS.iter().map(|(_, spec)| player(spec, seed));
        Ok(Mistakes {
            turns: Vec::new(),
            players: players.collect::<Result<_, _>>()?,
            kept: vec![0; PLAYERS.len()],
            known: HashMap::new(),
            seed,
        })
    }

    /// Finds the mistake in one game, and asks the players there.
    fn look(
        &mut self,
        game: &GameLine<ConnectFour7>,
        solver: &mut Solver,
    ) -> Result<(), ReproduceError> {
        let own_turns = (SOLVED_FROM..35).rev().filter(|stones| stones.is_multiple_of(2));
        for stones in own_turns {
            let line = after(game, stones);
            if self.sign(&line.end, solver).map_err(other_error)? >= 0 {
                self.turns.push(stones as f64 + 1.0);
                return self.ask(&line, solver);
            }
        }
        Ok(())
    }

    fn sign(&mut self, position: &ConnectFour7, solver: &mut Solver) -> Result<i32, LimitReached> {
        if let Some(sign) = self.known.get(position) {
            return Ok(*sign);
        }
        let sign = solver.sign(position, &Limits::default())?;
        self.known.insert(*position, sign);
        Ok(sign)
    }

    fn ask(
        &mut self,
        line: &GameLine<ConnectFour7>,
        solver: &mut Solver,
    ) -> Result<(), ReproduceError> {
        let signs = solver.signs(&line.end, &Limits::default()).map_err(other_error)?;
        let untyped = State::line_of(line);
        for (player, kept) in self.players.iter_mut().zip(&mut self.kept) {
            player.new_game(self.seed);
            let chosen = player.choose(&untyped, &Turn::default()).map_err(other_error)?.m;
            *kept += u64::from(signs.iter().any(|(m, sign)| Move::of(*m) == chosen && *sign >= 0));
        }
        Ok(())
    }

    fn rows(&self) -> Vec<ComparisonRow> {
        let found = self.turns.len() as u64;
        let mean = Estimate::mean(&self.turns);
        let text = format!("{}, in {found} orders", ReportedValue::number(mean, 1, "").text);
        let turn = ComparisonRow::unpublished(
            "the last turn at which it was not lost",
            ReportedValue::of(mean, text),
            "the thesis does not name the mistake",
        );
        let kept = PLAYERS.iter().zip(&self.kept).map(|((name, _), kept)| {
            let ours = Estimate::percent(*kept as f64, found);
            ComparisonRow::unpublished(
                format!("does not make the mistake: {name}"),
                ReportedValue::percent(ours),
                "the thesis's forest made one mistake in one game, whose moves are not printed",
            )
        });
        std::iter::once(turn).chain(kept).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_boards_are_of_one_game() {
        let boards = PrintedBoards::read();
        assert_eq!(boards.turn_9_as_printed.hanging(), [4]);
        assert!(boards.turn_9.hanging().is_empty() && boards.turn_35.is_within(&boards.turn_44));
        for seed in 0..20 {
            let game = boards.game(seed).unwrap();
            assert_eq!(game.moves.len(), LAST_TURN);
            assert!(after(&game, LAST_TURN - 1).end.outcome().is_none());
            assert_eq!(after(&game, LAST_TURN).end.outcome(), Some(Outcome::Win(HUMAN)));
        }
    }

    #[test]
    fn the_human_wins_at_turn_44_by_force() {
        let mut solver = Connect4Solver::new(FixedSize, TableSize::megabytes(1));
        let position = after(&some_game(&PrintedBoards::read(), 1).unwrap(), 35).end;
        let score = solver.score(&position, &Limits::default()).unwrap();
        assert_eq!(
            (who_wins(score), solver.last_ply(&position, score)),
            ("the human wins by force", 44)
        );
    }
}
