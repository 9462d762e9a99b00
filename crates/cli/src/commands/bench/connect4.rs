//! The Connect Four solver on sets of positions: one thread, no book, the table cleared before every
//! position while the clock stands still. Other solvers, where they are named, take turns with ours.

pub(crate) mod boards;
pub(crate) mod peer;
pub(crate) mod sets;

use std::time::{Duration, Instant};

use serde_json::json;
use tesuji_games::rules::connect4::{Connect4, Fixed};
use tesuji_play::quantity::{grouped, mean_text, mean_time_text};
use tesuji_search::{Connect4Solver, Limits, TableSize};

use crate::failure::Failure;
use crate::output::print_table;
use crate::progress::Progress;
use peer::Peer;
use sets::Set;

/// As much as the solver takes by default.
const TABLE: TableSize = TableSize::megabytes(64);

/// One set with the best figures of all rounds.
pub(crate) struct Measured {
    name: String,
    positions: usize,
    /// Positions whose score is not that of the set.
    wrong: usize,
    nodes: u64,
    seconds: f64,
    /// Name and mean seconds of each peer.
    peers: Vec<(String, f64)>,
}

/// Measures every set, us and the peers in turn.
pub(crate) fn run(sets: &[Set], peers: &[Peer], rounds: u16) -> Result<Vec<Measured>, Failure> {
    let total = sets.len() as u64 * u64::from(rounds);
    let progress = Progress::new(Some(total), "measurements");
    let mut measured = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        let mut best = Measured::nothing(set, peers);
        for round in 0..u64::from(rounds) {
            progress.show(index as u64 * u64::from(rounds) + round, || set.name.clone());
            best.add_round(set);
            best.add_round_of(peers, set)?;
        }
        measured.push(best);
    }
    Ok(measured)
}

impl Measured {
    fn nothing(set: &Set, peers: &[Peer]) -> Self {
        Measured {
            name: set.name.clone(),
            positions: set.positions.len(),
            wrong: 0,
            nodes: 0,
            seconds: f64::INFINITY,
            peers: peers.iter().map(|peer| (peer.name.clone(), f64::INFINITY)).collect(),
        }
    }

    fn add_round(&mut self, set: &Set) {
        let mut solver = Connect4Solver::new(Fixed::<7, 6>, TABLE);
        let mut time = Duration::ZERO;
        self.wrong = 0;
        for position in &set.positions {
            solver.forget();
            let (score, took) = timed_score(&mut solver, &position.line.end);
            time += took;
            self.wrong += usize::from(score != Some(position.score));
        }
        self.nodes = solver.nodes();
        self.seconds = self.seconds.min(time.as_secs_f64());
    }

    fn add_round_of(&mut self, peers: &[Peer], set: &Set) -> Result<(), Failure> {
        if peers.is_empty() {
            return Ok(());
        }
        let file = set.file()?;
        for (peer, (_, best)) in peers.iter().zip(&mut self.peers) {
            *best = best.min(peer.mean_seconds(file.path())?);
        }
        Ok(())
    }

    fn mean_seconds(&self) -> f64 {
        self.seconds / self.positions as f64
    }

    fn mean_nodes(&self) -> f64 {
        self.nodes as f64 / self.positions as f64
    }

    fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.seconds.max(1e-9)
    }

    fn cells(&self) -> Vec<[String; 8]> {
        let ours = [
            self.name.clone(),
            format!("{}/{}", self.positions - self.wrong, self.positions),
            mean_time_text(self.mean_seconds()),
            mean_text(self.mean_nodes()),
            grouped(self.nodes_per_second() as u128),
        ];
        let line = |head: [String; 5], tail: [String; 3]| {
            let ([a, b, c, d, e], [f, g, h]) = (head, tail);
            [a, b, c, d, e, f, g, h]
        };
        if self.peers.is_empty() {
            return vec![line(ours, Default::default())];
        }
        let rows = self.peers.iter().enumerate().map(|(n, (peer, seconds))| {
            let head = if n == 0 { ours.clone() } else { Default::default() };
            let ratio = format!("{:.2}", self.mean_seconds() / seconds);
            line(head, [peer.clone(), mean_time_text(*seconds), ratio])
        });
        rows.collect()
    }

    /// For `--json`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let peers = self.peers.iter().map(|(peer, seconds)| {
            let ratio = self.mean_seconds() / seconds;
            json!({ "peer": peer, "mean_seconds": seconds, "our_time_over_its": ratio })
        });
        json!({
            "set": self.name,
            "positions": self.positions,
            "correct": self.positions - self.wrong,
            "mean_seconds": self.mean_seconds(),
            "mean_nodes": self.mean_nodes(),
            "nodes_per_second": self.nodes_per_second(),
            "peers": peers.collect::<Vec<_>>(),
        })
    }
}

/// The score of a position, and how long it took. The score is known: without limits a search ends.
fn timed_score(
    solver: &mut Connect4Solver<Fixed<7, 6>>,
    position: &Connect4,
) -> (Option<i32>, Duration) {
    let started = Instant::now();
    let score = solver.score(position, &Limits::default());
    (score.ok(), started.elapsed())
}

/// Prints the table.
pub(crate) fn print(measured: &[Measured]) -> Result<(), Failure> {
    let mut heading =
        ["set", "correct", "mean time", "mean nodes", "nodes/s", "peer", "its time", "ours/its"];
    if measured.iter().all(|set| set.peers.is_empty()) {
        heading[5..].fill("");
    }
    let cells = measured.iter().flat_map(Measured::cells);
    print_table(&std::iter::once(heading.map(String::from)).chain(cells).collect::<Vec<_>>())
}

/// An error when a score is not that of its set.
pub(crate) fn check(measured: &[Measured]) -> Result<(), Failure> {
    match measured.iter().find(|set| set.wrong > 0) {
        None => Ok(()),
        Some(set) => {
            Err(Failure::Undone(format!("{} scores of the set {} differ", set.wrong, set.name)))
        }
    }
}
