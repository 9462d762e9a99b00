//! What is measured in each iteration, and the pictures drawn of it.

use serde::{Deserialize, Serialize};
use tesuji_store::{Metric, Record};

use super::plots::{Curve, chart};
use super::run_folder::{FolderError, RunFolder, now};

/// One line of `metrics.jsonl`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metrics {
    /// Counted from 1.
    pub iteration: u64,
    /// Mean points of the whole population.
    pub average: f64,
    /// Mean points of those that survive.
    pub survivors: f64,
    /// Points of the best.
    pub best: f64,
    /// What decided, of the best: between 0 and 1.
    pub fitness: f64,
    /// The mean share of exercises that survivors solve, where there are any.
    pub solved: Option<f64>,
    /// Children among the survivors.
    pub new: u64,
    /// The mean out-of-bag error of the survivors' trees after training.
    pub error: Option<f64>,
    /// Distinct trees among the survivors.
    pub trees: u64,
    /// Games of the iteration.
    pub games: u64,
    /// How many of them were drawn.
    pub drawn: u64,
    /// Their mean length.
    pub plies: f64,
    /// Samples after it.
    pub samples: u64,
    /// Wall-clock time of the iteration.
    pub seconds: f64,
    /// The part of it in which games were played.
    pub games_seconds: f64,
    /// That part as a share.
    pub games_share: f64,
    /// Games for each second in which games were played.
    pub games_per_second: f64,
    /// Positions that searches visited.
    pub nodes: u64,
}

impl Metrics {
    /// The numbers as records for a store.
    pub fn records(&self, run: &str) -> Vec<Record> {
        let numbers = [
            ("average", Some(self.average)),
            ("survivors", Some(self.survivors)),
            ("best", Some(self.best)),
            ("solved", self.solved),
            ("error", self.error),
            ("games_per_second", Some(self.games_per_second)),
            ("seconds", Some(self.seconds)),
        ];
        let record = |(name, value): (&str, Option<f64>)| {
            Some(Record::Metric(Metric {
                run: run.to_string(),
                name: name.to_string(),
                step: self.iteration,
                value: value?,
                at: now(),
            }))
        };
        numbers.into_iter().filter_map(record).collect()
    }

    /// One line for the log.
    pub fn line(&self) -> String {
        let error = self.error.map(|error| format!(", error {:.1} %", 100.0 * error));
        let solved = self.solved.map(|solved| format!(", solved {:.0} %", 100.0 * solved));
        format!(
            "iteration {}: best {:.1}, average {:.2}, survivors {:.2}, {} new{}{}; {} games \
             ({} drawn) in {:.2} s, {:.0}/s, {:.0} % of {:.2} s",
            self.iteration,
            self.best,
            self.average,
            self.survivors,
            self.new,
            error.unwrap_or_default(),
            solved.unwrap_or_default(),
            self.games,
            self.drawn,
            self.games_seconds,
            self.games_per_second,
            100.0 * self.games_share,
            self.seconds,
        )
    }
}

type Number = fn(&Metrics) -> Option<f64>;

/// File, title, unit, and the curves with their names.
type Picture = (&'static str, &'static str, &'static str, &'static [(&'static str, Number)]);

const PICTURES: &[Picture] = &[
    (
        "score",
        "Score per iteration",
        "points",
        &[
            ("best", |m| Some(m.best)),
            ("survivors", |m| Some(m.survivors)),
            ("population", |m| Some(m.average)),
        ],
    ),
    (
        "time",
        "Time per iteration",
        "seconds",
        &[("all", |m| Some(m.seconds)), ("games", |m| Some(m.games_seconds))],
    ),
    ("error", "Out-of-bag error of the survivors' trees", "share wrong", &[("error", |m| m.error)]),
    (
        "speed",
        "Games per second",
        "games per second",
        &[("games per second", |m| Some(m.games_per_second))],
    ),
    ("solved", "Exercises solved by the survivors", "share", &[("solved", |m| m.solved)]),
];

/// Draws the pictures of a run anew.
pub fn draw(folder: &RunFolder, all: &[Metrics]) -> Result<(), FolderError> {
    for (file, title, unit, curves) in PICTURES {
        let points = |number: &Number| {
            let point = |m: &Metrics| Some((m.iteration as f64, number(m)?));
            all.iter().filter_map(point).collect::<Vec<_>>()
        };
        let curves: Vec<Curve<'_>> =
            curves.iter().map(|(name, number)| Curve { name, points: points(number) }).collect();
        if curves.iter().any(|curve| !curve.points.is_empty()) {
            let svg = chart(title, "iteration", unit, &curves);
            folder.redraw(&format!("plots/{file}.svg"), svg.as_bytes())?;
        }
    }
    Ok(())
}
