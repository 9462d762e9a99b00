//! What is written down about each round, and the curves of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::learning::Learned;
use super::measure::Standing;
use super::record::GameRecord;
use crate::evolution::plots::{Curve, chart};
use crate::evolution::run_folder::{FolderError, RunFolder};

/// One line of `metrics.jsonl`: a round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RoundMetrics {
    /// Rounds since the beginning of the run.
    pub round: u64,
    /// The mean length of this round's games, in stones.
    pub stones: f64,
    /// The share of games that the first side won,
    pub first: f64,
    /// and of drawn ones.
    pub drawn: f64,
    /// Positions that the estimate was learned from,
    pub positions: usize,
    /// and the order of moves.
    pub orders: usize,
    /// The loss of the estimate in games that were held out: with the numbers by hand,
    pub estimate_by_hand: f64,
    /// with those that the games were played with,
    pub estimate_before: f64,
    /// and with the new ones.
    pub estimate: f64,
    /// The same for the order of moves.
    pub order_by_hand: f64,
    /// The same for the order of moves.
    pub order_before: f64,
    /// The same for the order of moves.
    pub order: f64,
    /// How often the best move looks most promising, by hand,
    pub found_by_hand: f64,
    /// and with the new numbers.
    pub found: f64,
    /// The match against the numbers by hand, if there was one.
    pub standing: Option<Standing>,
    /// Seconds of this round since it was last taken up.
    pub seconds: f64,
}

impl RoundMetrics {
    /// The line of a round, from its games and what was learned. Strength and time are not known yet.
    pub(super) fn new(
        round: u64,
        games: &BTreeMap<u64, GameRecord>,
        learned: &Learned,
    ) -> RoundMetrics {
        let played = games.len().max(1) as f64;
        let ended = |result| games.values().filter(|it| it.result == result).count() as f64;
        let stones: usize = games.values().map(|it| it.opening + it.scores.len()).sum();
        let Learned { estimate, order, found, .. } = learned;
        RoundMetrics {
            round,
            stones: stones as f64 / played,
            first: ended(1) / played,
            drawn: ended(0) / played,
            positions: learned.positions,
            orders: learned.orders,
            estimate_by_hand: estimate.by_hand,
            estimate_before: estimate.before,
            estimate: estimate.after,
            order_by_hand: order.by_hand,
            order_before: order.before,
            order: order.after,
            found_by_hand: found[0],
            found: found[1],
            standing: None,
            seconds: 0.0,
        }
    }

    /// One line for the log.
    pub fn line(&self) -> String {
        let standing = self.standing.map_or(String::new(), |it| format!("; by hand: {it}"));
        format!(
            "round {}: {} positions, loss of the estimate {:.4} (by hand {:.4}), of the order {:.3} ({:.3}), \
             best move first {:.1} % ({:.1} %){standing}; {:.1} s",
            self.round,
            self.positions,
            self.estimate,
            self.estimate_by_hand,
            self.order,
            self.order_by_hand,
            100.0 * self.found,
            100.0 * self.found_by_hand,
            self.seconds,
        )
    }
}

type Number = fn(&RoundMetrics) -> Option<f64>;

/// File, title, unit, and the curves with their names.
type Picture = (&'static str, &'static str, &'static str, &'static [(&'static str, Number)]);

const PICTURES: &[Picture] = &[
    (
        "estimate",
        "Loss of the estimate in games held out",
        "cross entropy",
        &[
            ("by hand", |m| Some(m.estimate_by_hand)),
            ("before the round", |m| Some(m.estimate_before)),
            ("learned", |m| Some(m.estimate)),
        ],
    ),
    (
        "order",
        "Loss of the order of moves in games held out",
        "cross entropy",
        &[
            ("by hand", |m| Some(m.order_by_hand)),
            ("before the round", |m| Some(m.order_before)),
            ("learned", |m| Some(m.order)),
        ],
    ),
    (
        "found",
        "Best moves that look most promising",
        "share",
        &[("by hand", |m| Some(m.found_by_hand)), ("learned", |m| Some(m.found))],
    ),
    (
        "strength",
        "Points against the numbers by hand",
        "share",
        &[("points", |m| m.standing.map(|standing| standing.share()))],
    ),
];

/// Draws the curves into the folder.
pub(super) fn draw(folder: &RunFolder, all: &[RoundMetrics]) -> Result<(), FolderError> {
    for (file, title, unit, curves) in PICTURES {
        let points = |number: &Number| {
            all.iter().filter_map(|m| Some((m.round as f64, number(m)?))).collect::<Vec<_>>()
        };
        let curves: Vec<Curve<'_>> =
            curves.iter().map(|(name, number)| Curve { name, points: points(number) }).collect();
        if curves.iter().any(|curve| !curve.points.is_empty()) {
            let svg = chart(title, "rounds", unit, &curves);
            folder.redraw(&format!("plots/{file}.svg"), svg.as_bytes())?;
        }
    }
    Ok(())
}
