//! The values of whole boards, beside those that Christophe Steininger's solver found (2021): who wins,
//! and with which stone the game ends. One thread, no book. All boards that take less than a minute are
//! also tests of the solver; longer ones are solved only when they are named.

use std::time::Instant;

use serde::Serialize;
use tesuji_games::Side;
use tesuji_games::rules::connect4::{Connect4, Fixed};
use tesuji_play::quantity::{duration_text, grouped};
use tesuji_search::exact::{Detail, Value};
use tesuji_search::{Connect4Solver, ExactOptions, Limits, OpeningBook, Registry};

use super::TABLE;
use crate::failure::Failure;
use crate::output::print_table;
use crate::progress::Progress;

/// A board as published.
struct Board {
    size: &'static str,
    result: &'static str,
    last_move: u32,
    effort: Effort,
}

/// What it takes to solve a board with one thread and a table of 64 MB.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    UnderAMinute,
    Longer,
}

const fn board(size: &'static str, result: &'static str, last_move: u32) -> Board {
    Board { size, result, last_move, effort: Effort::UnderAMinute }
}

const fn long(size: &'static str, result: &'static str, last_move: u32) -> Board {
    Board { effort: Effort::Longer, ..board(size, result, last_move) }
}

const BOARDS: &[Board] = &[
    board("4x4", "draw", 16),
    board("4x5", "draw", 20),
    board("4x6", "draw", 24),
    board("4x7", "draw", 28),
    board("4x8", "draw", 32),
    board("4x9", "draw", 36),
    board("4x10", "draw", 40),
    board("4x11", "draw", 44),
    board("4x12", "draw", 48),
    board("5x4", "draw", 20),
    board("5x5", "draw", 25),
    board("5x6", "draw", 30),
    board("5x7", "draw", 35),
    board("5x8", "draw", 40),
    board("5x9", "draw", 45),
    board("5x10", "draw", 50),
    board("6x4", "second", 24),
    board("6x5", "draw", 30),
    board("6x6", "second", 36),
    board("6x7", "first", 41),
    board("6x8", "second", 48),
    board("7x4", "draw", 28),
    board("7x5", "draw", 35),
    board("7x6", "first", 41),
    board("8x4", "second", 32),
    board("8x5", "first", 39),
    board("9x4", "second", 36),
    long("5x11", "draw", 55),
    long("5x12", "draw", 60),
    long("6x9", "first", 53),
    long("6x10", "second", 60),
    long("6x11", "first", 63),
    long("6x12", "second", 72),
    long("7x7", "draw", 49),
    long("7x8", "first", 55),
    long("7x9", "draw", 63),
    long("7x10", "first", 69),
    long("8x6", "second", 48),
    long("8x7", "first", 53),
    long("8x8", "second", 62),
    long("9x5", "first", 41),
    long("9x6", "second", 52),
    long("9x7", "first", 55),
    long("10x4", "second", 40),
    long("10x5", "first", 47),
    long("10x6", "first", 59),
    long("11x4", "second", 44),
    long("11x5", "first", 51),
    long("12x4", "second", 48),
];

/// The worth of every first move on the usual board, from left to right.
const FIRST_MOVES: [i32; 7] = [-2, -1, 0, 1, 0, -1, -2];

/// What came of one board.
#[derive(Serialize)]
pub(crate) struct Row {
    board: &'static str,
    result: String,
    last_move: u32,
    published: String,
    agrees: bool,
    nodes: u64,
    seconds: f64,
}

/// The ids of all boards, below `connect4-boards`.
pub(crate) fn sizes() -> impl Iterator<Item = &'static str> {
    BOARDS.iter().map(|board| board.size)
}

/// Solves the boards that are wanted.
pub(crate) fn run(
    games: &Registry,
    is_wanted: impl Fn(&str, Effort) -> bool,
) -> Result<Vec<Row>, Failure> {
    let chosen: Vec<&Board> =
        BOARDS.iter().filter(|board| is_wanted(board.size, board.effort)).collect();
    let progress = Progress::new(Some(chosen.len() as u64), "boards");
    let mut rows = Vec::new();
    for board in chosen {
        progress.show(rows.len() as u64, || board.size.to_string());
        rows.push(board.solved(games)?);
        if board.size == "7x6" {
            rows.push(first_moves()?);
        }
    }
    Ok(rows)
}

impl Board {
    fn solved(&self, games: &Registry) -> Result<Row, Failure> {
        let game = games.open(&format!("connect4:{}", self.size))?;
        let options =
            ExactOptions { table: TABLE, book: OpeningBook::Off, ..ExactOptions::default() };
        let detail = Detail { no_line: true, ..Detail::default() };
        let solution = game.solver(options).solve(game.start(), detail, &Limits::default());
        let worth = solution.worth.ok_or_else(|| unsolved(self.size))?;
        let last_move = worth.plies.ok_or_else(|| unsolved(self.size))?;
        let result = match worth.value {
            Value::Win => Side::First.to_string(),
            Value::Loss => Side::Second.to_string(),
            Value::Draw => "draw".to_string(),
        };
        Ok(Row {
            board: self.size,
            agrees: (result.as_str(), last_move) == (self.result, self.last_move),
            result,
            last_move,
            published: format!("{} {}", self.result, self.last_move),
            nodes: solution.nodes,
            seconds: solution.time.as_secs_f64(),
        })
    }
}

/// The usual board once more, column by column.
fn first_moves() -> Result<Row, Failure> {
    let mut solver = Connect4Solver::new(Fixed::<7, 6>, TABLE);
    let started = Instant::now();
    let scores = solver.scores(&Connect4::new(), &Limits::default());
    let scores = scores.map_err(|_| unsolved("7x6"))?;
    let scores: Vec<i32> = scores.into_iter().map(|(_, score)| score).collect();
    Ok(Row {
        board: "7x6, every column",
        result: texts(&scores),
        last_move: solver.last_ply(&Connect4::new(), scores.iter().copied().max().unwrap_or(0)),
        published: texts(&FIRST_MOVES),
        agrees: scores == FIRST_MOVES,
        nodes: solver.nodes(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

fn texts(scores: &[i32]) -> String {
    scores.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")
}

fn unsolved(size: &str) -> Failure {
    Failure::Undone(format!("{size} was not solved"))
}

/// Prints the table.
pub(crate) fn print(rows: &[Row]) -> Result<(), Failure> {
    let heading = ["board", "result", "last move", "published", "nodes", "time"].map(String::from);
    let cells = rows.iter().map(|row| {
        [
            row.board.to_string(),
            row.result.clone(),
            row.last_move.to_string(),
            format!("{}{}", row.published, if row.agrees { "" } else { " DIFFERS" }),
            grouped(row.nodes.into()),
            duration_text(std::time::Duration::from_secs_f64(row.seconds)),
        ]
    });
    print_table(&std::iter::once(heading).chain(cells).collect::<Vec<_>>())
}

/// An error when a value is not the published one.
pub(crate) fn check(rows: &[Row]) -> Result<(), Failure> {
    match rows.iter().find(|row| !row.agrees) {
        None => Ok(()),
        Some(row) => Err(Failure::Undone(format!(
            "{}: {} with move {}, but published is {}",
            row.board, row.result, row.last_move, row.published
        ))),
    }
}
