//! `tesuji bench`: our speed and, beside it, the speed of other libraries where they are installed, in
//! one run, as ratios. Timings on a busy machine are noise; ratios of neighbours in time are not.

mod anigmo;
mod ordered;
mod peers;
mod tasks;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::examples;
use crate::failure::Failure;
use crate::output::{print_json, print_table};
use crate::progress::Progress;
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
    /// The Python whose `pyspiel` is the peer OpenSpiel, where it has one
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The one id that is a table of its own.
const ANIGMO: &str = "anigmo";

impl Bench {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.list {
            return list();
        }
        let chosen = self.chosen()?;
        let with_anigmo = self.ids.is_empty() || self.ids.iter().any(|id| id == ANIGMO);
        let peers = Peers::look_for(self.peers.as_deref(), &self.python)?;
        let rows = self.measure(&chosen, &peers);
        let anigmo = with_anigmo.then(anigmo::run);
        if self.json {
            return print_json(&json!({
                "peers": peers.names(),
                "tasks": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
                "anigmo": anigmo,
            }));
        }
        if !rows.is_empty() {
            let heading = ["task", "tesuji", "", "peer", "its figure", "we are"].map(String::from);
            let cells = rows.iter().flat_map(Row::cells);
            print_table(&std::iter::once(heading).chain(cells).collect::<Vec<_>>())?;
            peers.explain_absence()?;
        }
        anigmo.map_or(Ok(()), |tables| anigmo::print(&tables))
    }

    /// The tasks that the ids name.
    fn chosen(&self) -> Result<Vec<&'static Task>, Failure> {
        let named = |task: &Task, id: &str| task.id == id || task.id.starts_with(&format!("{id}/"));
        let nobody = |id: &&String| *id != ANIGMO && !TASKS.iter().any(|task| named(task, id));
        if let Some(unknown) = self.ids.iter().find(nobody) {
            let known: Vec<&str> = TASKS.iter().map(|task| task.id).chain([ANIGMO]).collect();
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
    let anigmo = [ANIGMO, "the tables of the Anigmo paper's appendix, on this library"];
    let rows = TASKS.iter().map(|task| [task.id, task.what]).chain([anigmo]);
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
