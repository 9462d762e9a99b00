//! `tesuji solve GAME --file F`: checks a list of positions with known scores. If the game's solver
//! finds scores, they are compared; otherwise only win, draw and loss. The table is cleared before
//! each position, which is not timed.

use std::path::Path;
use std::time::Duration;

use tesuji_play::quantity::{grouped, mean_text, mean_time_text};
use tesuji_search::Game;
use tesuji_search::exact::{ExactValue, GameValue};

use super::SolveArgs;
use crate::prelude::*;
use crate::scored_positions::{self, ScoredPosition};

/// The result for all lines.
#[derive(Default)]
struct CheckResult {
    correct: usize,
    wrong: Vec<usize>,
    unknown: usize,
    nodes: u64,
    time: Duration,
}

/// Solves every position of the file with an empty table and compares.
pub(super) fn check(
    game: &Game,
    path: &Path,
    text: &str,
    arguments: &SolveArgs,
) -> Result<(), Failure> {
    let cases = scored_positions::parse(game.start(), text).in_file(path)?;
    let progress = Progress::new(Some(cases.len() as u64), "positions");
    let mut solver = arguments.solver(game)?;
    let mut result = CheckResult::default();
    for (done, case) in cases.iter().enumerate() {
        progress.show(done as u64, || format!("line {}", case.number));
        solver.forget();
        let solution = solver.solve(&case.line.end, arguments.solve_options(), &arguments.limits());
        result.nodes += solution.nodes;
        result.time += solution.time;
        match solution.exact_value {
            None => result.unknown += 1,
            Some(value) if is_right(case, value) => result.correct += 1,
            Some(_) => result.wrong.push(case.number),
        }
    }
    drop(progress);
    result.print(cases.len(), arguments.json)?;
    if result.correct == cases.len() {
        return Ok(());
    }
    let first =
        result.wrong.first().map(|n| format!(", the first on line {n}")).unwrap_or_default();
    Err(Failure::Failed(format!(
        "{} values differ{first}; {} are unknown within the limits",
        result.wrong.len(),
        result.unknown
    )))
}

fn is_right(case: &ScoredPosition, value: ExactValue) -> bool {
    match value.score {
        Some(score) => score == case.score,
        None => value.value == GameValue::of_score(case.score),
    }
}

impl CheckResult {
    fn print(&self, total: usize, as_json: bool) -> Result<(), Failure> {
        let nodes_per_second = self.nodes as f64 / self.time.as_secs_f64().max(1e-9);
        let mean_nodes = self.nodes as f64 / total as f64;
        let mean_seconds = self.time.as_secs_f64() / total as f64;
        if as_json {
            return print_json(&json!({
                "correct": self.correct,
                "total": total,
                "wrong_lines": self.wrong,
                "unknown": self.unknown,
                "mean_seconds": mean_seconds,
                "mean_nodes": mean_nodes,
                "nodes_per_second": nodes_per_second,
            }));
        }
        say!("{} of {total} correct", self.correct)?;
        say!("mean time   {}", mean_time_text(mean_seconds))?;
        say!("mean nodes  {}", mean_text(mean_nodes))?;
        say!("nodes/s     {}", grouped(nodes_per_second as u128))
    }
}
