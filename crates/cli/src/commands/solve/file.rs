//! `tesuji solve GAME --file F`: a list of positions with known values, one a line as `MOVES SCORE`. A
//! positive score means that the side to move wins, 0 a draw, a negative one that it loses. Where the
//! game's solver finds scores they are compared, elsewhere only who wins.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tesuji_arena::quantity::{duration_text, grouped};
use tesuji_games::{Line, Playable, Position};
use tesuji_search::Search;
use tesuji_search::exact::{Exact, Value, Worth};

use super::Solve;
use crate::failure::Failure;
use crate::output::print_json;
use crate::progress::Progress;

/// One line of the file.
struct Case<P: Position> {
    number: usize,
    line: Line<P>,
    score: i32,
}

/// What became of all lines.
#[derive(Default)]
struct Tally {
    correct: usize,
    wrong: Vec<usize>,
    unknown: usize,
    nodes: u64,
    time: Duration,
}

/// Solves every position of the file from an empty table and compares.
pub(super) fn check<P: Playable>(start: &P, path: &Path, arguments: &Solve) -> Result<(), Failure> {
    let cases = read(start, path)?;
    let progress = Progress::new(Some(cases.len() as u64), "positions");
    let mut solver = arguments.solver(start)?;
    let mut tally = Tally::default();
    for (done, case) in cases.iter().enumerate() {
        progress.show(done as u64, || format!("line {}", case.number));
        solver.forget();
        let solution = solver.solve(&case.line.end, arguments.detail(), &arguments.limits());
        tally.nodes += solution.nodes;
        tally.time += solution.time;
        match solution.worth {
            None => tally.unknown += 1,
            Some(worth) if case.is_right(worth) => tally.correct += 1,
            Some(_) => tally.wrong.push(case.number),
        }
    }
    drop(progress);
    tally.print(cases.len(), arguments.json)?;
    if tally.correct == cases.len() {
        return Ok(());
    }
    let first = tally.wrong.first().map(|n| format!(", the first on line {n}")).unwrap_or_default();
    Err(Failure::Undone(format!(
        "{} values differ{first}; {} are unknown within the limits",
        tally.wrong.len(),
        tally.unknown
    )))
}

fn read<P: Playable>(start: &P, path: &Path) -> Result<Vec<Case<P>>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::in_file(path, error))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cases: Vec<Case<P>> = lines
        .map(|(index, line)| {
            case(start, index + 1, line)
                .map_err(|what| Failure::in_file(path, format!("line {}: {what}", index + 1)))
        })
        .collect::<Result<_, _>>()?;
    if cases.is_empty() {
        return Err(Failure::in_file(path, "no positions; expected lines such as '4455 0'"));
    }
    Ok(cases)
}

fn case<P: Playable>(start: &P, number: usize, text: &str) -> Result<Case<P>, String> {
    let expected =
        || format!("cannot read {:?}; expected MOVES SCORE, such as '4455 0'", text.trim());
    let (moves, score) = text.trim().rsplit_once(char::is_whitespace).ok_or_else(expected)?;
    let score: i32 = score.parse().map_err(|_| expected())?;
    let line = start.parse_line(moves).map_err(|error| error.to_string())?;
    match line.end.outcome() {
        Some(outcome) => Err(format!("the game is over after {} ({outcome})", moves.trim())),
        None => Ok(Case { number, line, score }),
    }
}

impl<P: Position> Case<P> {
    fn is_right(&self, worth: Worth) -> bool {
        match worth.score {
            Some(score) => score == self.score,
            None => worth.value == Value::of_score(self.score),
        }
    }
}

impl Tally {
    fn print(&self, total: usize, as_json: bool) -> Result<(), Failure> {
        let count = total as u32;
        let nodes_per_second = self.nodes as f64 / self.time.as_secs_f64().max(1e-9);
        let mean_nodes = self.nodes as f64 / f64::from(count);
        if as_json {
            return print_json(&json!({
                "correct": self.correct,
                "total": total,
                "wrong_lines": self.wrong,
                "unknown": self.unknown,
                "mean_seconds": self.time.as_secs_f64() / f64::from(count),
                "mean_nodes": mean_nodes,
                "nodes_per_second": nodes_per_second,
            }));
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{} of {total} correct", self.correct)?;
        writeln!(out, "mean time   {}", duration_text(self.time / count))?;
        writeln!(out, "mean nodes  {}", grouped(mean_nodes as u128))?;
        Ok(writeln!(out, "nodes/s     {}", grouped(nodes_per_second as u128))?)
    }
}
