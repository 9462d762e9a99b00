//! The values of empty boards, compared with those that Christophe Steininger's solver found
//! (2021): the winner, and the number of the stone that ends the game. One thread, no book. All
//! boards that take less than a minute are also tests of the solver; longer ones are solved only if
//! named.

use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::Side;
use tesuji_games::rules::connect4::{Connect4, FixedSize};
use tesuji_play::quantity::{duration_text, grouped};
use tesuji_search::exact::{GameValue, SolveOptions};
use tesuji_search::{BookChoice, Connect4Solver, ExactSolverOptions, Limits, Registry};

use super::TABLE;
use crate::prelude::*;

/// A published value: the size of the board, the winner, the number of the last stone.
pub(crate) type PublishedValue = (&'static str, &'static str, u32);

/// Boards that one thread with a table of 64 MB solves in less than a minute each.
pub(crate) const UNDER_A_MINUTE: [PublishedValue; 27] = [
    ("4x4", "draw", 16),
    ("4x5", "draw", 20),
    ("4x6", "draw", 24),
    ("4x7", "draw", 28),
    ("4x8", "draw", 32),
    ("4x9", "draw", 36),
    ("4x10", "draw", 40),
    ("4x11", "draw", 44),
    ("4x12", "draw", 48),
    ("5x4", "draw", 20),
    ("5x5", "draw", 25),
    ("5x6", "draw", 30),
    ("5x7", "draw", 35),
    ("5x8", "draw", 40),
    ("5x9", "draw", 45),
    ("5x10", "draw", 50),
    ("6x4", "second", 24),
    ("6x5", "draw", 30),
    ("6x6", "second", 36),
    ("6x7", "first", 41),
    ("6x8", "second", 48),
    ("7x4", "draw", 28),
    ("7x5", "draw", 35),
    ("7x6", "first", 41),
    ("8x4", "second", 32),
    ("8x5", "first", 39),
    ("9x4", "second", 36),
];

/// Boards that take longer.
pub(crate) const LONGER: [PublishedValue; 22] = [
    ("5x11", "draw", 55),
    ("5x12", "draw", 60),
    ("6x9", "first", 53),
    ("6x10", "second", 60),
    ("6x11", "first", 63),
    ("6x12", "second", 72),
    ("7x7", "draw", 49),
    ("7x8", "first", 55),
    ("7x9", "draw", 63),
    ("7x10", "first", 69),
    ("8x6", "second", 48),
    ("8x7", "first", 53),
    ("8x8", "second", 62),
    ("9x5", "first", 41),
    ("9x6", "second", 52),
    ("9x7", "first", 55),
    ("10x4", "second", 40),
    ("10x5", "first", 47),
    ("10x6", "first", 59),
    ("11x4", "second", 44),
    ("11x5", "first", 51),
    ("12x4", "second", 48),
];

/// The scores of all first moves on the 7x6 board, from left to right.
const FIRST_MOVES: [i32; 7] = [-2, -1, 0, 1, 0, -1, -2];

/// The result of one board.
#[derive(Serialize)]
pub(crate) struct BoardResult {
    board: &'static str,
    result: String,
    last_move: u32,
    published: String,
    agrees: bool,
    nodes: u64,
    seconds: f64,
}

pub(crate) fn run(
    games: &Registry,
    boards: &[PublishedValue],
) -> Result<Vec<BoardResult>, Failure> {
    let progress = Progress::new(Some(boards.len() as u64), "boards");
    let mut rows = Vec::new();
    for board in boards {
        progress.show(rows.len() as u64, || board.0.to_string());
        rows.push(solve(games, board)?);
        if board.0 == "7x6" {
            rows.push(first_moves()?);
        }
    }
    Ok(rows)
}

fn solve(games: &Registry, &(size, winner, last): &PublishedValue) -> Result<BoardResult, Failure> {
    let game = games.open(&format!("connect4:{size}"))?;
    let options =
        ExactSolverOptions { table: TABLE, book: BookChoice::Off, ..ExactSolverOptions::default() };
    let detail = SolveOptions { no_line: true, ..SolveOptions::default() };
    let solution = game.solver(options).solve(game.start(), detail, &Limits::default());
    let value = solution.exact_value.ok_or_else(|| unsolved(size))?;
    let last_move = value.plies.ok_or_else(|| unsolved(size))?;
    let result = match value.value {
        GameValue::Win => Side::First.to_string(),
        GameValue::Loss => Side::Second.to_string(),
        GameValue::Draw => "draw".to_string(),
    };
    Ok(BoardResult {
        board: size,
        agrees: (result.as_str(), last_move) == (winner, last),
        result,
        last_move,
        published: format!("{winner} {last}"),
        nodes: solution.nodes,
        seconds: solution.time.as_secs_f64(),
    })
}

/// Scores every column of the 7x6 board.
fn first_moves() -> Result<BoardResult, Failure> {
    let mut solver = Connect4Solver::new(FixedSize::<7, 6>, TABLE);
    let started = Instant::now();
    let scores = solver.scores(&Connect4::new(), &Limits::default());
    let scores = scores.map_err(|_| unsolved("7x6"))?;
    let scores: Vec<i32> = scores.into_iter().map(|(_, score)| score).collect();
    Ok(BoardResult {
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
    Failure::Failed(format!("{size}: not solved"))
}

pub(crate) fn print(rows: &[BoardResult]) -> Result<(), Failure> {
    let cells = rows.iter().map(|row| {
        [
            row.board.to_string(),
            row.result.clone(),
            row.last_move.to_string(),
            format!("{}{}", row.published, if row.agrees { "" } else { " DIFFERS" }),
            grouped(row.nodes.into()),
            duration_text(Duration::from_secs_f64(row.seconds)),
        ]
    });
    print_titled(&["board", "result", "last move", "published", "nodes", "time"], cells)
}

/// Returns an error if a value is not the published one.
pub(crate) fn check(rows: &[BoardResult]) -> Result<(), Failure> {
    match rows.iter().find(|row| !row.agrees) {
        None => Ok(()),
        Some(row) => Err(Failure::Failed(format!(
            "{}: {} with move {}; expected {}, as published",
            row.board, row.result, row.last_move, row.published
        ))),
    }
}
