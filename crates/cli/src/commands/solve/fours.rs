//! `tesuji solve gomoku --file F` for files of problems: positions that a side wins by continuous
//! fours. Every win is verified move by move before it is printed. Each position gets a new search,
//! whose creation is not timed.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tesuji_games::Side;
use tesuji_gomoku::problem::{self, Problem};
use tesuji_gomoku::vcf::verify;
use tesuji_gomoku::{Board, Cell, Vcf, VcfOutcome};
use tesuji_play::quantity::{mean_text, mean_time_text};
use tesuji_search::Limits;

use super::SolveArgs;
use crate::prelude::*;

/// The default node limit: some minutes.
const DEFAULT_NODES: u64 = 500_000_000;
/// Nodes before the first check of the clock: about a millisecond.
const FIRST_SLICE: u64 = 1_000;

/// The result of one problem.
struct ProblemResult {
    number: usize,
    outcome: VcfOutcome,
    nodes: u64,
    time: Duration,
}

/// Searches for a win by fours and verifies it.
fn search(problem: &Problem, limits: &Limits) -> Result<ProblemResult, Failure> {
    let (mut vcf, mut board, side) = (Vcf::new(), problem.board.clone(), problem.side);
    let node_limit = limits.nodes.unwrap_or(DEFAULT_NODES);
    let started = Instant::now();
    let (outcome, nodes) = match limits.time {
        None => (vcf.solve(&mut board, side, node_limit), vcf.nodes()),
        Some(time) => in_slices(&mut vcf, &mut board, side, node_limit, time),
    };
    let result = ProblemResult { number: problem.number, outcome, nodes, time: started.elapsed() };
    if let Some(line) = result.line() {
        verify(&board, side, line).map_err(|fault| {
            let line = texts_of(line).join(" ");
            Failure::Failed(format!(
                "line {}: the solution is not a win: {fault} ({line})",
                problem.number
            ))
        })?;
    }
    Ok(result)
}

/// Searches with a time limit. The search counts only nodes, so it runs in slices of nodes; its
/// table keeps refuted positions, so a slice continues where the previous one stopped.
fn in_slices(
    vcf: &mut Vcf,
    board: &mut Board,
    side: Side,
    node_limit: u64,
    time: Duration,
) -> (VcfOutcome, u64) {
    let (started, mut nodes, mut slice) = (Instant::now(), 0, FIRST_SLICE.min(node_limit));
    loop {
        let outcome = vcf.solve(board, side, slice);
        nodes += vcf.nodes();
        let spent = started.elapsed();
        let left = time.saturating_sub(spent);
        if outcome != VcfOutcome::Unknown || nodes >= node_limit || left.is_zero() {
            return (outcome, nodes);
        }
        let in_time = nodes as f64 * left.as_secs_f64() / spent.as_secs_f64().max(1e-9);
        slice = (2 * slice).min(in_time as u64).min(node_limit - nodes).max(1);
    }
}

/// Searches every position of a file.
pub(super) fn check(path: &Path, text: &str, arguments: &SolveArgs) -> Result<(), Failure> {
    let problems = problem::read(text).in_file(path)?;
    let progress = Progress::new(Some(problems.len() as u64), "positions");
    let mut cases = Vec::with_capacity(problems.len());
    for (done, problem) in problems.iter().enumerate() {
        progress.show(done as u64, || format!("line {}", problem.number));
        cases.push(search(problem, &arguments.limits())?);
    }
    drop(progress);
    if !arguments.json {
        cases.iter().try_for_each(ProblemResult::print)?;
    }
    print_summary(&cases, arguments.json)?;
    check_all_solved(&cases)
}

/// Returns an error if a problem was not solved.
fn check_all_solved(cases: &[ProblemResult]) -> Result<(), Failure> {
    let unsolved = || cases.iter().filter(|case| case.line().is_none());
    let Some(first) = unsolved().next() else { return Ok(()) };
    let why = match first.outcome {
        VcfOutcome::None => "has no win by fours",
        _ => "is unknown within the limits; expected a higher --nodes or --time",
    };
    let (count, total) = (unsolved().count(), cases.len());
    Err(Failure::Failed(format!("{count} of {total} not solved; line {} {why}", first.number)))
}

impl ProblemResult {
    fn line(&self) -> Option<&[Cell]> {
        match &self.outcome {
            VcfOutcome::Win(line) => Some(line),
            VcfOutcome::None | VcfOutcome::Unknown => None,
        }
    }

    fn print(&self) -> Result<(), Failure> {
        let time = mean_time_text(self.time.as_secs_f64());
        let found = match &self.outcome {
            VcfOutcome::Win(line) => texts_of(line).join(" "),
            VcfOutcome::None => "no win by fours".to_string(),
            VcfOutcome::Unknown => "unknown".to_string(),
        };
        say!("line {:<5} {time:>9}  {found}", self.number)
    }

    fn json(&self) -> Json {
        json!({
            "line": self.number,
            "solved": match self.outcome {
                VcfOutcome::Win(_) => Json::Bool(true),
                VcfOutcome::None => Json::Bool(false),
                VcfOutcome::Unknown => Json::Null,
            },
            "moves": self.line().map(texts_of),
            "nodes": self.nodes,
            "seconds": self.time.as_secs_f64(),
        })
    }
}

fn texts_of(line: &[Cell]) -> Vec<String> {
    line.iter().map(Cell::to_string).collect()
}

fn print_summary(cases: &[ProblemResult], json: bool) -> Result<(), Failure> {
    let mut seconds: Vec<f64> = cases.iter().map(|case| case.time.as_secs_f64()).collect();
    seconds.sort_by(f64::total_cmp);
    let total = cases.len();
    let solved = cases.iter().filter(|case| case.line().is_some()).count();
    let mean = seconds.iter().sum::<f64>() / total as f64;
    let median = (seconds[(total - 1) / 2] + seconds[total / 2]) / 2.0;
    let longest = seconds[total - 1];
    let mean_nodes = cases.iter().map(|case| case.nodes).sum::<u64>() as f64 / total as f64;
    if json {
        return print_json(&json!({
            "solved": solved,
            "total": total,
            "mean_seconds": mean,
            "median_seconds": median,
            "longest_seconds": longest,
            "mean_nodes": mean_nodes,
            "positions": cases.iter().map(ProblemResult::json).collect::<Vec<_>>(),
        }));
    }
    say!("{solved} of {total} solved")?;
    say!("mean time    {}", mean_time_text(mean))?;
    say!("median time  {}", mean_time_text(median))?;
    say!("longest      {}", mean_time_text(longest))?;
    say!("mean nodes   {}", mean_text(mean_nodes))
}
