//! `tesuji bench`: measures speed, and the speed of other libraries in the same run where they are
//! installed. Timings on a busy machine are noise; ratios of consecutive timings are not.

mod arena;
mod connect4;
mod critic;
mod forest;
mod peers;
mod tasks;
mod trees;

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use crate::prelude::*;
use connect4::boards::{self, PublishedValue};
use connect4::solver::ExternalSolver;
use peers::Peers;
use tasks::{Task, tasks};

/// Measure speed, and compare it with other libraries where they are installed
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// Run these benchmarks: ids of --list or groups such as uct [default: all but connect4-boards]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// List the benchmarks and stop
    #[arg(long)]
    list: bool,
    /// Measure each benchmark this many times and take the best
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    rounds: u16,
    /// Compare with the Rust libraries in this program, tesuji-peers (cargo xtask bench builds it)
    #[arg(long, value_name = "PROGRAM")]
    peers: Option<PathBuf>,
    /// Compare with OpenSpiel (pyspiel), scikit-learn (sklearn) and PyTorch (torch) where this
    /// Python has them
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// For connect4: use the position sets of this folder, files Test_* with lines MOVES SCORE
    #[arg(long, value_name = "FOLDER")]
    sets: Option<PathBuf>,
    /// For connect4: compare with this solver, a command that takes the path of a set as its last
    /// argument, or in place of {}, and prints 'mean X us'; may be repeated
    #[arg(long = "peer", value_name = "NAME=COMMAND")]
    solvers: Vec<ExternalSolver>,
    /// Generate the built-in position sets again, write them to this folder and stop
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["ids", "sets", "list"])]
    make_sets: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The id of the table of boards.
const BOARDS: &str = "connect4-boards";
/// The benchmarks that print a table of their own.
const TABLES: [(&str, &str); 5] = [
    ("connect4", "the Connect Four solver on position sets, compared with other solvers (--peer)"),
    (
        BOARDS,
        "Connect Four boards solved in up to a minute each; only if named; longer ones by name: \
         connect4-boards/10x4",
    ),
    ("critic", "a critic: evaluation and training, compared with PyTorch (--python)"),
    ("forest", "forests: three evaluators, moves at depths 1 to 5, training"),
    ("trees", "training of forest trees from samples, compared with scikit-learn (--python)"),
];

impl BenchArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        if self.list {
            let tables = TABLES.map(|(id, about)| [id, about].map(String::from));
            let rows = tasks().into_iter().map(|task| [task.id, task.about]).chain(tables);
            return print_table(&rows.collect::<Vec<_>>());
        }
        if let Some(folder) = &self.make_sets {
            return connect4::sets::make(folder);
        }
        let chosen = self.chosen_tasks()?;
        let sets = match &self.sets {
            Some(folder) => connect4::sets::of_folder(folder)?,
            None => connect4::sets::built_in()?,
        };
        let peers = Peers::find(self.peers.as_deref(), &self.python)?;
        let mut report = json!({
            "peers": peers.names(),
            "tasks": [],
            "forest": null,
            "critic": null,
            "connect4": [],
            "trees": [],
            "connect4_boards": [],
        });
        let mut check = Ok(());
        if !chosen.is_empty() {
            let rows = tasks::run(&chosen, &peers, self.rounds)?;
            self.output(&mut report["tasks"], &rows, |rows| tasks::print(rows, &peers))?;
        }
        if self.is_chosen("forest") {
            self.output(&mut report["forest"], &forest::run(), forest::print)?;
        }
        if self.is_chosen("critic") {
            let figures = critic::run(&self.python, self.rounds)?;
            self.output(&mut report["critic"], &figures, critic::print)?;
        }
        if self.is_chosen("connect4") {
            let measured = connect4::run(&sets, &self.solvers, self.rounds)?;
            self.output(&mut report["connect4"], &measured, |measured| connect4::print(measured))?;
            check = connect4::check(&measured);
        }
        if self.is_chosen("trees") {
            let rows = trees::run(&self.python, self.rounds)?;
            self.output(&mut report["trees"], &rows, |rows| trees::print(rows))?;
        }
        let boards = self.boards();
        if !boards.is_empty() {
            let rows = boards::run(games, &boards)?;
            self.output(&mut report["connect4_boards"], &rows, |rows| boards::print(rows))?;
            check = check.and(boards::check(&rows));
        }
        if self.json {
            print_json(&report)?;
        }
        check
    }

    /// Prints figures, or stores them for the JSON.
    fn output<T: Serialize>(
        &self,
        target: &mut Value,
        figures: &T,
        print: impl FnOnce(&T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if !self.json {
            return print(figures);
        }
        *target = json!(figures);
        Ok(())
    }

    /// Whether to measure a table.
    fn is_chosen(&self, table: &str) -> bool {
        self.ids.is_empty() || self.ids.iter().any(|id| id == table)
    }

    /// The boards to solve: only those that are named, as they take minutes to hours.
    fn boards(&self) -> Vec<PublishedValue> {
        let all = self.ids.iter().any(|id| id == BOARDS);
        let named = |board: &&PublishedValue| self.ids.iter().any(|id| is_board(id, board));
        let quick = boards::UNDER_A_MINUTE.iter().filter(|board| all || named(board));
        quick.chain(boards::LONGER.iter().filter(named)).copied().collect()
    }

    /// The tasks that the ids name; all without an id.
    fn chosen_tasks(&self) -> Result<Vec<Task>, Failure> {
        let named = |task: &Task, id: &str| task.id == id || task.id.starts_with(&format!("{id}/"));
        let mut tasks = tasks();
        let is_known = |id: &str| {
            TABLES.iter().any(|(table, _)| *table == id)
                || boards::UNDER_A_MINUTE
                    .iter()
                    .chain(&boards::LONGER)
                    .any(|board| is_board(id, board))
                || tasks.iter().any(|task| named(task, id))
        };
        if let Some(unknown) = self.ids.iter().find(|id| !is_known(id)) {
            let tables = TABLES.iter().map(|(table, _)| *table);
            let expected: Vec<&str> = tasks.iter().map(|task| &*task.id).chain(tables).collect();
            let expected = expected.join(", ");
            return Err(Failure::BadInput(format!(
                "benchmark '{unknown}': unknown; expected {expected}"
            )));
        }
        tasks.retain(|task| self.ids.is_empty() || self.ids.iter().any(|id| named(task, id)));
        Ok(tasks)
    }
}

fn is_board(id: &str, (size, ..): &PublishedValue) -> bool {
    id.strip_prefix(BOARDS) == Some(&format!("/{size}"))
}

/// Calls `round` the given number of times for each item, and shows the progress.
fn in_rounds<T, R>(
    items: &[T],
    rounds: u16,
    name: impl Fn(&T) -> &str,
    mut round: impl FnMut(&T) -> Result<R, Failure>,
) -> Result<Vec<Vec<R>>, Failure> {
    let total = items.len() as u64 * u64::from(rounds);
    let progress = Progress::new(Some(total), "measurements");
    let mut done = 0..;
    let mut measured = |item| {
        progress.show(done.next().unwrap_or_default(), || name(item).to_string());
        round(item)
    };
    items.iter().map(|item| (0..rounds).map(|_| measured(item)).collect()).collect()
}

/// Rows of a table: our cells, followed by those of the first peer; the other peers follow in rows
/// of their own.
fn with_peers(ours: Vec<String>, peers: impl Iterator<Item = [String; 3]>) -> Vec<Vec<String>> {
    let blank = vec![String::new(); ours.len()];
    let mut rows: Vec<_> = peers.map(|peer| [&blank, &peer[..]].concat()).collect();
    match rows.first_mut() {
        Some(first) => first[..ours.len()].clone_from_slice(&ours),
        None => rows.push(ours),
    }
    rows
}
