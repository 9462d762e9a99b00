//! `tesuji solve gomoku --file F`, where the file has problems: positions that a side is to win by fours alone. Every
//! win that is found is played through and checked before it is printed. Each position is searched by a searcher
//! that knows nothing yet, which is made while the clock stands still.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tesuji_games::Side;
use tesuji_gomoku::vcf::verify;
use tesuji_gomoku::{Board, Cell, Vcf, VcfOutcome, problem};
use tesuji_play::quantity::{mean_text, mean_time_text};
use tesuji_search::Limits;

use super::Solve;
use crate::failure::Failure;
use crate::output::print_json;
use crate::progress::Progress;

/// Positions to look at when nobody says how many: some minutes.
const MOST_NODES: u64 = 500_000_000;
/// Positions before the clock is looked at for the first time: about a millisecond.
const FIRST_SLICE: u64 = 1_000;

/// What came of one position.
pub(super) struct Search {
    pub(super) outcome: VcfOutcome,
    pub(super) nodes: u64,
    pub(super) time: Duration,
}

/// Looks for a win of `side` by fours and checks it.
pub(super) fn search(board: &Board, side: Side, limits: &Limits) -> Result<Search, Failure> {
    let (mut vcf, mut board) = (Vcf::new(), board.clone());
    let most = limits.nodes.unwrap_or(MOST_NODES);
    let started = Instant::now();
    let (outcome, nodes) = match limits.time {
        None => (vcf.solve(&mut board, side, most), vcf.nodes()),
        Some(time) => in_slices(&mut vcf, &mut board, side, most, time),
    };
    let found = Search { outcome, nodes, time: started.elapsed() };
    if let VcfOutcome::Win(line) = &found.outcome {
        verify(&board, side, line).map_err(|fault| {
            let line = text_of(line);
            Failure::Undone(format!("the win that was found is none: {fault} ({line})"))
        })?;
    }
    Ok(found)
}

/// The searcher counts positions and not time: so it gets a few of them again and again. What it has refuted it
/// knows the next time, and begins where it stopped.
fn in_slices(
    vcf: &mut Vcf,
    board: &mut Board,
    side: Side,
    most: u64,
    time: Duration,
) -> (VcfOutcome, u64) {
    let (started, mut nodes, mut slice) = (Instant::now(), 0, FIRST_SLICE.min(most));
    loop {
        let outcome = vcf.solve(board, side, slice);
        nodes += vcf.nodes();
        let spent = started.elapsed();
        let left = time.saturating_sub(spent);
        if outcome != VcfOutcome::Unknown || nodes >= most || left.is_zero() {
            return (outcome, nodes);
        }
        let in_time = nodes as f64 * left.as_secs_f64() / spent.as_secs_f64().max(1e-9);
        slice = (2 * slice).min(in_time as u64).min(most - nodes).max(1);
    }
}

/// One position of the file and what came of it.
struct Case {
    number: usize,
    search: Search,
}

/// Searches every position of a file.
pub(super) fn check(path: &Path, text: &str, arguments: &Solve) -> Result<(), Failure> {
    let problems = problem::read(text).map_err(|error| Failure::in_file(path, error))?;
    let progress = Progress::new(Some(problems.len() as u64), "positions");
    let mut cases = Vec::with_capacity(problems.len());
    for (done, problem) in problems.iter().enumerate() {
        let number = problem.number;
        progress.show(done as u64, || format!("line {number}"));
        let search = search(&problem.board, problem.side, &arguments.limits())?;
        cases.push(Case { number, search });
    }
    drop(progress);
    let summary = Summary::of(&cases);
    if arguments.json {
        print_json(&summary.json(&cases))?;
    } else {
        cases.iter().try_for_each(Case::print)?;
        summary.print()?;
    }
    verdict(&cases)
}

/// An error when a position was not solved.
fn verdict(cases: &[Case]) -> Result<(), Failure> {
    let unsolved = || cases.iter().filter(|case| case.line().is_none());
    let Some(first) = unsolved().next() else { return Ok(()) };
    let why = match first.search.outcome {
        VcfOutcome::None => "has no win by fours",
        _ => "is unknown within the limits; allow more with --nodes or --time",
    };
    let (count, total) = (unsolved().count(), cases.len());
    Err(Failure::Undone(format!("{count} of {total} not solved; line {} {why}", first.number)))
}

impl Case {
    fn line(&self) -> Option<&[Cell]> {
        match &self.search.outcome {
            VcfOutcome::Win(line) => Some(line),
            VcfOutcome::None | VcfOutcome::Unknown => None,
        }
    }

    fn print(&self) -> Result<(), Failure> {
        let time = mean_time_text(self.search.time.as_secs_f64());
        let found = match (&self.search.outcome, self.line()) {
            (_, Some(line)) => text_of(line),
            (VcfOutcome::None, _) => "no win by fours".to_string(),
            _ => "unknown".to_string(),
        };
        Ok(writeln!(io::stdout(), "line {:<5} {time:>9}  {found}", self.number)?)
    }

    fn json(&self) -> Json {
        let Search { outcome, nodes, time } = &self.search;
        json!({
            "line": self.number,
            "solved": match outcome {
                VcfOutcome::Win(_) => Json::Bool(true),
                VcfOutcome::None => Json::Bool(false),
                VcfOutcome::Unknown => Json::Null,
            },
            "moves": self.line().map(texts_of),
            "nodes": nodes,
            "seconds": time.as_secs_f64(),
        })
    }
}

/// A line as words.
pub(super) fn texts_of(line: &[Cell]) -> Vec<String> {
    line.iter().map(Cell::to_string).collect()
}

/// A line as text.
pub(super) fn text_of(line: &[Cell]) -> String {
    texts_of(line).join(" ")
}

/// All positions together.
struct Summary {
    solved: usize,
    total: usize,
    mean: f64,
    median: f64,
    longest: f64,
    mean_nodes: f64,
}

impl Summary {
    fn of(cases: &[Case]) -> Summary {
        let mut seconds: Vec<f64> = cases.iter().map(|c| c.search.time.as_secs_f64()).collect();
        seconds.sort_by(f64::total_cmp);
        let total = cases.len();
        let nodes: u64 = cases.iter().map(|case| case.search.nodes).sum();
        Summary {
            solved: cases.iter().filter(|case| case.line().is_some()).count(),
            total,
            mean: seconds.iter().sum::<f64>() / total as f64,
            median: (seconds[(total - 1) / 2] + seconds[total / 2]) / 2.0,
            longest: seconds[total - 1],
            mean_nodes: nodes as f64 / total as f64,
        }
    }

    fn json(&self, cases: &[Case]) -> Json {
        json!({
            "solved": self.solved,
            "total": self.total,
            "mean_seconds": self.mean,
            "median_seconds": self.median,
            "longest_seconds": self.longest,
            "mean_nodes": self.mean_nodes,
            "positions": cases.iter().map(Case::json).collect::<Vec<_>>(),
        })
    }

    fn print(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        writeln!(out, "{} of {} solved", self.solved, self.total)?;
        writeln!(out, "mean time    {}", mean_time_text(self.mean))?;
        writeln!(out, "median time  {}", mean_time_text(self.median))?;
        writeln!(out, "longest      {}", mean_time_text(self.longest))?;
        Ok(writeln!(out, "mean nodes   {}", mean_text(self.mean_nodes))?)
    }
}
