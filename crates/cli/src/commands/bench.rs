//! `tesuji bench`: our speed and, beside it, the speed of other libraries where they are installed, in
//! one run, as ratios. Timings on a busy machine are noise; ratios of neighbors in time are not.

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

/// Measure speed, beside other libraries where they are installed
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// What to measure: names from the list that --list prints, or their beginnings; nothing for all
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// List what can be measured
    #[arg(long)]
    list: bool,
    /// How often each is measured; the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    rounds: u16,
    /// The program `tesuji-peers`, which `cargo xtask bench` builds
    #[arg(long, value_name = "PROGRAM")]
    peers: Option<PathBuf>,
    /// The Python whose `pyspiel` is the peer OpenSpiel, and whose `sklearn` is scikit-learn, and whose `torch`
    /// is PyTorch, where it has them
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// For `connect4`: sets of positions to use instead of our own, files Test_* with lines MOVES SCORE
    #[arg(long, value_name = "FOLDER")]
    sets: Option<PathBuf>,
    /// For `connect4`: another solver, a command that takes the path of a set as its last word, or
    /// wherever {} stands, and prints 'mean X us'; may be repeated
    #[arg(long = "peer", value_name = "NAME=COMMAND")]
    solvers: Vec<ExternalSolver>,
    /// Draw our own sets of positions anew, write them to this folder and measure nothing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["ids", "sets", "list"])]
    make_sets: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The ids that are tables of their own.
const BOARDS: &str = "connect4-boards";
const TABLES: [(&str, &str); 5] = [
    ("connect4", "the Connect Four solver on sets of positions, beside other solvers (--peer)"),
    (
        BOARDS,
        "Connect Four boards from 4x4 up to a minute each, only when named; longer ones one by one: connect4-boards/10x4",
    ),
    ("critic", "a critic: asked and taught, beside PyTorch (--python)"),
    ("forest", "forests: their three evaluators, moves at depth 1 to 5, growing them"),
    ("trees", "growing trees of forests from samples, beside scikit-learn (--python)"),
];

impl BenchArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        if self.list {
            let tables = TABLES.map(|(id, what)| [id, what].map(String::from));
            let rows = tasks().into_iter().map(|task| [task.id, task.what]).chain(tables);
            return print_table(&rows.collect::<Vec<_>>());
        }
        if let Some(folder) = &self.make_sets {
            return connect4::sets::make(folder);
        }
        let chosen = self.chosen()?;
        let sets = match &self.sets {
            Some(folder) => connect4::sets::of_folder(folder)?,
            None => connect4::sets::built_in()?,
        };
        let peers = Peers::look_for(self.peers.as_deref(), &self.python)?;
        let mut report = json!({
            "peers": peers.names(),
            "tasks": [],
            "forest": null,
            "critic": null,
            "connect4": [],
            "trees": [],
            "connect4_boards": [],
        });
        let mut is_right = Ok(());
        if !chosen.is_empty() {
            let rows = tasks::run(&chosen, &peers, self.rounds)?;
            self.tell(&mut report["tasks"], &rows, |rows| tasks::print(rows, &peers))?;
        }
        if self.wants("forest") {
            self.tell(&mut report["forest"], &forest::run(), forest::print)?;
        }
        if self.wants("critic") {
            let figures = critic::run(&self.python, self.rounds)?;
            self.tell(&mut report["critic"], &figures, critic::print)?;
        }
        if self.wants("connect4") {
            let measured = connect4::run(&sets, &self.solvers, self.rounds)?;
            self.tell(&mut report["connect4"], &measured, |measured| connect4::print(measured))?;
            is_right = connect4::check(&measured);
        }
        if self.wants("trees") {
            let rows = trees::run(&self.python, self.rounds)?;
            self.tell(&mut report["trees"], &rows, |rows| trees::print(rows))?;
        }
        let wanted = self.boards();
        if !wanted.is_empty() {
            let rows = boards::run(games, &wanted)?;
            self.tell(&mut report["connect4_boards"], &rows, |rows| boards::print(rows))?;
            is_right = is_right.and(boards::check(&rows));
        }
        if self.json {
            print_json(&report)?;
        }
        is_right
    }

    /// Prints figures, or keeps them for the JSON.
    fn tell<T: Serialize>(
        &self,
        place: &mut Value,
        figures: &T,
        print: impl FnOnce(&T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if !self.json {
            return print(figures);
        }
        *place = json!(figures);
        Ok(())
    }

    /// Whether a table is to be measured.
    fn wants(&self, table: &str) -> bool {
        self.ids.is_empty() || self.ids.iter().any(|id| id == table)
    }

    /// Boards take minutes together, some of them hours: only when they are named.
    fn boards(&self) -> Vec<PublishedValue> {
        let all = self.ids.iter().any(|id| id == BOARDS);
        let named = |board: &&PublishedValue| self.ids.iter().any(|id| is_board(id, board));
        let quick = boards::UNDER_A_MINUTE.iter().filter(|board| all || named(board));
        quick.chain(boards::LONGER.iter().filter(named)).copied().collect()
    }

    /// The tasks that the ids name.
    fn chosen(&self) -> Result<Vec<Task>, Failure> {
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
            let known: Vec<&str> = tasks.iter().map(|task| &*task.id).chain(tables).collect();
            let known = known.join(", ");
            return Err(Failure::BadInput(format!("no benchmark '{unknown}'; known are {known}")));
        }
        tasks.retain(|task| self.ids.is_empty() || self.ids.iter().any(|id| named(task, id)));
        Ok(tasks)
    }
}

fn is_board(id: &str, (size, ..): &PublishedValue) -> bool {
    id.strip_prefix(BOARDS) == Some(&format!("/{size}"))
}

/// Calls `round` so many times for each item, and shows how far that is.
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

/// Our cells, with those of each peer behind them in lines of their own.
fn with_peers(ours: Vec<String>, peers: impl Iterator<Item = [String; 3]>) -> Vec<Vec<String>> {
    let blank = vec![String::new(); ours.len()];
    let mut rows: Vec<_> = peers.map(|peer| [&blank, &peer[..]].concat()).collect();
    match rows.first_mut() {
        Some(first) => first[..ours.len()].clone_from_slice(&ours),
        None => rows.push(ours),
    }
    rows
}
