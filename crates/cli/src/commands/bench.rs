//! `tesuji bench`: our speed and, beside it, the speed of other libraries where they are installed, in
//! one run, as ratios. Timings on a busy machine are noise; ratios of neighbours in time are not.

mod arena;
mod connect4;
mod critic;
mod forest;
mod peers;
mod tasks;
mod trees;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use tesuji_search::Registry;

use crate::examples;
use crate::failure::Failure;
use crate::output::{print_json, print_table};
use crate::progress::Progress;
use connect4::boards::Effort;
use connect4::peer::Peer;
use peers::{Measured, Peers};
use tasks::{TASKS, Task, Unit};

/// Measure speed, beside other libraries where they are installed
#[derive(Args)]
#[command(after_help = examples::help(examples::BENCH))]
pub(crate) struct Bench {
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
    solvers: Vec<Peer>,
    /// Draw our own sets of positions anew, write them to this folder and measure nothing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["ids", "sets", "list"])]
    make_sets: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The ids that are tables of their own.
const CONNECT4: &str = "connect4";
const BOARDS: &str = "connect4-boards";
const TREES: &str = "trees";
const FOREST: &str = "forest";
const CRITIC: &str = "critic";
const TABLES: [(&str, &str); 5] = [
    (CONNECT4, "the Connect Four solver on sets of positions, beside other solvers (--peer)"),
    (
        BOARDS,
        "Connect Four boards from 4x4 up to a minute each, only when named; longer ones one by one: connect4-boards/10x4",
    ),
    (CRITIC, "a critic: asked and taught, beside PyTorch (--python)"),
    (FOREST, "forests: their three evaluators, moves at depth 1 to 5, growing them"),
    (TREES, "growing trees of forests from samples, beside scikit-learn (--python)"),
];

impl Bench {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        if self.list {
            return list();
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
        let rows = self.measure(&chosen, &peers);
        let forest = self.wants(FOREST).then(forest::run);
        let critic = match self.wants(CRITIC) {
            true => Some(critic::run(&self.python, self.rounds)?),
            false => None,
        };
        let solver = match self.wants(CONNECT4) {
            true => connect4::run(&sets, &self.solvers, self.rounds)?,
            false => Vec::new(),
        };
        let trees = match self.wants(TREES) {
            true => trees::run(&self.python, self.rounds)?,
            false => Vec::new(),
        };
        let boards = connect4::boards::run(games, |size, effort| self.wants_board(size, effort))?;
        let solver_is_right = connect4::check(&solver).and(connect4::boards::check(&boards));
        if self.json {
            print_json(&json!({
                "peers": peers.names(),
                "tasks": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
                "forest": forest,
                "critic": critic,
                "connect4": solver.iter().map(connect4::Measured::to_json).collect::<Vec<_>>(),
                "trees": trees,
                "connect4_boards": boards,
            }))?;
            return solver_is_right;
        }
        if !rows.is_empty() {
            let heading = ["task", "tesuji", "", "peer", "its figure", "we are"].map(String::from);
            let cells = rows.iter().flat_map(Row::cells);
            print_table(&std::iter::once(heading).chain(cells).collect::<Vec<_>>())?;
            peers.explain_absence()?;
        }
        if let Some(figures) = &forest {
            forest::print(figures)?;
        }
        if let Some(figures) = &critic {
            critic::print(figures)?;
        }
        if !solver.is_empty() {
            connect4::print(&solver)?;
        }
        if !trees.is_empty() {
            trees::print(&trees)?;
        }
        if !boards.is_empty() {
            connect4::boards::print(&boards)?;
        }
        solver_is_right
    }

    /// Whether a table is to be measured.
    fn wants(&self, table: &str) -> bool {
        self.ids.is_empty() || self.ids.iter().any(|id| id == table)
    }

    /// Boards take minutes together, some of them hours: only when they are named.
    fn wants_board(&self, size: &str, effort: Effort) -> bool {
        let in_the_list = effort == Effort::UnderAMinute;
        self.ids.iter().any(|id| {
            (id == BOARDS && in_the_list) || id.strip_prefix(BOARDS) == Some(&format!("/{size}"))
        })
    }

    /// The tasks that the ids name.
    fn chosen(&self) -> Result<Vec<&'static Task>, Failure> {
        let named = |task: &Task, id: &str| task.id == id || task.id.starts_with(&format!("{id}/"));
        let is_board = |id: &str| {
            let size = id.strip_prefix(BOARDS).and_then(|rest| rest.strip_prefix('/'));
            size.is_some_and(|size| connect4::boards::sizes().any(|known| known == size))
        };
        let is_known = |id: &str| {
            TABLES.iter().any(|(table, _)| *table == id)
                || is_board(id)
                || TASKS.iter().any(|task| named(task, id))
        };
        if let Some(unknown) = self.ids.iter().find(|id| !is_known(id)) {
            let tables = TABLES.iter().map(|(table, _)| *table);
            let known: Vec<&str> = TASKS.iter().map(|task| task.id).chain(tables).collect();
            let known = known.join(", ");
            return Err(Failure::BadInput(format!("no benchmark '{unknown}'; known are {known}")));
        }
        let wanted =
            |task: &&Task| self.ids.is_empty() || self.ids.iter().any(|id| named(task, id));
        Ok(TASKS.iter().filter(wanted).collect())
    }

    fn measure(&self, chosen: &[&'static Task], peers: &Peers) -> Vec<Row> {
        let total = chosen.len() as u64 * u64::from(self.rounds);
        let progress = Progress::new(Some(total), "measurements");
        let mut rows: Vec<Row> = chosen.iter().map(|task| Row::new(task)).collect();
        for (index, row) in rows.iter_mut().enumerate() {
            for round in 0..self.rounds {
                let done = index as u64 * u64::from(self.rounds) + u64::from(round);
                progress.show(done, || row.task.id.to_string());
                row.add_round((row.task.measure)(), peers.measure(row.task));
            }
        }
        rows
    }
}

fn list() -> Result<(), Failure> {
    let tables = TABLES.iter().map(|(id, what)| [*id, *what]);
    let rows = TASKS.iter().map(|task| [task.id, task.what]).chain(tables);
    print_table(&rows.map(|row| row.map(String::from)).collect::<Vec<_>>())
}

/// One task with the best figures so far.
struct Row {
    task: &'static Task,
    ours: Option<f64>,
    peers: Vec<Measured>,
}

impl Row {
    fn new(task: &'static Task) -> Self {
        Row { task, ours: None, peers: Vec::new() }
    }

    fn add_round(&mut self, ours: f64, peers: Vec<Measured>) {
        let unit = self.task.unit;
        self.ours = Some(self.ours.map_or(ours, |best| unit.better(best, ours)));
        for new in peers {
            match self.peers.iter_mut().find(|known| known.peer == new.peer) {
                Some(known) => known.figure = unit.better(known.figure, new.figure),
                None => self.peers.push(new),
            }
        }
    }

    fn figure(&self) -> f64 {
        self.ours.unwrap_or(f64::NAN)
    }

    fn cells(&self) -> Vec<[String; 6]> {
        let unit = self.task.unit;
        let ours = [self.task.id.to_string(), unit.text(self.figure()), unit.name().to_string()];
        let line = |head: [String; 3], tail: [String; 3]| {
            let [a, b, c] = head;
            let [d, e, f] = tail;
            [a, b, c, d, e, f]
        };
        if self.peers.is_empty() {
            return vec![line(ours, [String::new(), String::new(), String::new()])];
        }
        let blank = || [String::new(), String::new(), String::new()];
        let rows = self.peers.iter().enumerate().map(|(index, peer)| {
            let ratio = format!("{:.1}x as fast", unit.ratio(self.figure(), peer.figure));
            let head = if index == 0 { ours.clone() } else { blank() };
            line(head, [peer.peer.clone(), unit.text(peer.figure), ratio])
        });
        rows.collect()
    }

    fn to_json(&self) -> serde_json::Value {
        let unit = self.task.unit;
        let peers = self.peers.iter().map(|peer| {
            let ratio = unit.ratio(self.figure(), peer.figure);
            json!({ "peer": peer.peer, "figure": peer.figure, "we_are_times_as_fast": ratio })
        });
        json!({
            "id": self.task.id,
            "what": self.task.what,
            "unit": unit.name(),
            "figure": self.figure(),
            "peers": peers.collect::<Vec<_>>(),
        })
    }
}

impl Unit {
    /// The better of two figures.
    fn better(self, a: f64, b: f64) -> f64 {
        if self.is_rate() { a.max(b) } else { a.min(b) }
    }

    /// How many times as fast we are.
    fn ratio(self, ours: f64, theirs: f64) -> f64 {
        if self.is_rate() { ours / theirs } else { theirs / ours }
    }
}
