//! What is written down about each block of games, and the curves of it.

use serde::{Deserialize, Serialize};

use super::learning::Tally;
use super::measure::Standing;
use crate::evolution::plots::{Curve, chart};
use crate::evolution::run_folder::{FolderError, RunFolder};

/// One line of `metrics.jsonl`: a block of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockMetrics {
    /// Games since the beginning of the run.
    pub games: u64,
    /// The mean absolute error of the chances learned from.
    pub error: f64,
    /// The mean length of the games, in stones.
    pub stones: f64,
    /// The share of games that the first side won,
    pub first: f64,
    /// and of drawn ones.
    pub drawn: f64,
    /// The size of a step at the end of the block.
    pub rate: f64,
    /// Games against the game's own estimate at one ply, where they were played,
    pub heuristic: Option<Standing>,
    /// against the report's alpha-beta agent,
    pub alphabeta: Option<Standing>,
    /// and against its Monte Carlo agent.
    pub playouts: Option<Standing>,
    /// Positions learned from for each second of learning alone.
    pub samples_per_second: f64,
    /// Games for each second of the block without what was measured.
    pub games_per_second: f64,
}

impl BlockMetrics {
    pub(super) fn new(games: u64, rate: f64, tally: &Tally) -> BlockMetrics {
        let played = (tally.games as f64).max(1.0);
        BlockMetrics {
            games,
            error: tally.mean_error(),
            stones: tally.stones as f64 / played,
            first: tally.first as f64 / played,
            drawn: tally.drawn as f64 / played,
            rate,
            heuristic: None,
            alphabeta: None,
            playouts: None,
            samples_per_second: 0.0,
            games_per_second: 0.0,
        }
    }

    /// One line for the log.
    pub fn line(&self) -> String {
        let against = |name: &str, standing: Option<Standing>| {
            standing.map_or(String::new(), |it| format!(", {name} {:.0} %", 100.0 * it.share()))
        };
        format!(
            "{} games: error {:.3}, {:.1} stones, {:.1} % won by the first side, {:.1} % drawn{}{}{}; {:.0} games/s",
            self.games,
            self.error,
            self.stones,
            100.0 * self.first,
            100.0 * self.drawn,
            against("heuristic", self.heuristic),
            against("report-alphabeta", self.alphabeta),
            against("report-mcts", self.playouts),
            self.games_per_second,
        )
    }
}

type Number = fn(&BlockMetrics) -> Option<f64>;

/// File, title, unit, and the curves with their names.
type Picture = (&'static str, &'static str, &'static str, &'static [(&'static str, Number)]);

const PICTURES: &[Picture] = &[
    ("error", "Error of the chances learned from", "mean error", &[("error", |m| Some(m.error))]),
    (
        "strength",
        "Points at one ply",
        "share",
        &[
            ("heuristic", |m| m.heuristic.map(|it| it.share())),
            ("report-alphabeta", |m| m.alphabeta.map(|it| it.share())),
            ("report-mcts", |m| m.playouts.map(|it| it.share())),
        ],
    ),
    ("length", "Length of the games", "stones", &[("stones", |m| Some(m.stones))]),
    (
        "results",
        "How the games ended",
        "share",
        &[("won by the first side", |m| Some(m.first)), ("drawn", |m| Some(m.drawn))],
    ),
    ("rate", "Size of a step", "rate", &[("rate", |m| Some(m.rate))]),
    (
        "speed",
        "Games per second",
        "games per second",
        &[("games per second", |m| Some(m.games_per_second))],
    ),
];

/// Draws the curves into the folder.
pub(super) fn draw(folder: &RunFolder, all: &[BlockMetrics]) -> Result<(), FolderError> {
    for (file, title, unit, curves) in PICTURES {
        let points = |number: &Number| {
            all.iter().filter_map(|m| Some((m.games as f64, number(m)?))).collect::<Vec<_>>()
        };
        let curves: Vec<Curve<'_>> =
            curves.iter().map(|(name, number)| Curve { name, points: points(number) }).collect();
        if curves.iter().any(|curve| !curve.points.is_empty()) {
            let svg = chart(title, "games", unit, &curves);
            folder.redraw(&format!("plots/{file}.svg"), svg.as_bytes())?;
        }
    }
    Ok(())
}
