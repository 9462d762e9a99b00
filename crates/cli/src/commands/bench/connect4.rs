//! The Connect Four solver on position sets: one thread, no book. The table is cleared before every
//! position, which is not timed. Other solvers, if named, take turns with ours.

pub(crate) mod boards;
pub(crate) mod sets;
pub(crate) mod solver;

use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::rules::connect4::FixedSize;
use tesuji_play::quantity::{grouped, mean_text, mean_time_text};
use tesuji_search::{Connect4Solver, Limits, TableSize};

use super::{in_rounds, with_peers};
use crate::prelude::*;
use sets::PositionSet;
use solver::ExternalSolver;

/// The default size of the solver's table.
const TABLE: TableSize = TableSize::megabytes(64);

/// The best figures of all rounds of a set.
#[derive(Serialize)]
pub(crate) struct SetResult {
    set: String,
    positions: usize,
    /// Positions with the score of the set.
    correct: usize,
    mean_seconds: f64,
    mean_nodes: f64,
    nodes_per_second: f64,
    peers: Vec<PeerTime>,
}

#[derive(Serialize)]
struct PeerTime {
    peer: String,
    mean_seconds: f64,
    our_time_over_its: f64,
}

struct RoundResult {
    correct: usize,
    nodes: u64,
    seconds: f64,
    /// The mean seconds of each peer.
    peers: Vec<f64>,
}

/// Measures every set; in each round, ours first and then the peers.
pub(crate) fn run(
    sets: &[PositionSet],
    peers: &[ExternalSolver],
    rounds: u16,
) -> Result<Vec<SetResult>, Failure> {
    let round = |set: &PositionSet| Ok(RoundResult { peers: set.times(peers)?, ..solved(set) });
    let measured = in_rounds(sets, rounds, |set| &set.name, round)?;
    Ok(sets.iter().zip(measured).map(|(set, rounds)| SetResult::new(set, peers, &rounds)).collect())
}

fn solved(set: &PositionSet) -> RoundResult {
    let mut solver = Connect4Solver::new(FixedSize::<7, 6>, TABLE);
    let (mut correct, mut time) = (0, Duration::ZERO);
    for position in &set.positions {
        solver.forget();
        let started = Instant::now();
        // A search without limits finds the score.
        let score = solver.score(&position.line.end, &Limits::default());
        time += started.elapsed();
        correct += usize::from(score == Ok(position.score));
    }
    let (nodes, seconds) = (solver.nodes(), time.as_secs_f64());
    RoundResult { correct, nodes, seconds, peers: Vec::new() }
}

impl SetResult {
    fn new(set: &PositionSet, peers: &[ExternalSolver], rounds: &[RoundResult]) -> SetResult {
        let positions = set.positions.len();
        let best = |figure: &dyn Fn(&RoundResult) -> f64| {
            rounds.iter().map(figure).fold(f64::INFINITY, f64::min)
        };
        let seconds = best(&|round| round.seconds);
        let mean_seconds = seconds / positions as f64;
        let peers = peers.iter().enumerate().map(|(n, peer)| {
            let its = best(&|round| round.peers[n]);
            PeerTime {
                peer: peer.name.clone(),
                mean_seconds: its,
                our_time_over_its: mean_seconds / its,
            }
        });
        // The same in every round.
        let (correct, nodes) = rounds.last().map_or((0, 0), |round| (round.correct, round.nodes));
        SetResult {
            set: set.name.clone(),
            positions,
            correct,
            mean_seconds,
            mean_nodes: nodes as f64 / positions as f64,
            nodes_per_second: nodes as f64 / seconds.max(1e-9),
            peers: peers.collect(),
        }
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let ours = vec![
            self.set.clone(),
            format!("{}/{}", self.correct, self.positions),
            mean_time_text(self.mean_seconds),
            mean_text(self.mean_nodes),
            grouped(self.nodes_per_second as u128),
        ];
        let peers = self.peers.iter().map(|it| {
            let ratio = format!("{:.2}", it.our_time_over_its);
            [it.peer.clone(), mean_time_text(it.mean_seconds), ratio]
        });
        with_peers(ours, peers)
    }
}

pub(crate) fn print(measured: &[SetResult]) -> Result<(), Failure> {
    let titles = [
        "set",
        "correct",
        "mean time",
        "mean nodes",
        "nodes/s",
        "peer",
        "peer's time",
        "ours/peer's",
    ];
    let shown = if measured.iter().all(|set| set.peers.is_empty()) { 5 } else { 8 };
    print_titled(&titles[..shown], measured.iter().flat_map(SetResult::cells))
}

/// Returns an error if a score differs from that of its set.
pub(crate) fn check(measured: &[SetResult]) -> Result<(), Failure> {
    match measured.iter().find(|set| set.correct < set.positions) {
        None => Ok(()),
        Some(SetResult { set, correct, positions, .. }) => {
            let wrong = positions - correct;
            Err(Failure::Failed(format!("set {set}: {wrong} scores differ; expected 0")))
        }
    }
}
