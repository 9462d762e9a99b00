//! The numbers of a run, read from its `metrics.jsonl` in bounded memory: one series of points for each number, thinned
//! while it is read, and which of them belong into one chart.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::folders;

/// The file of a run that has a line for each step.
pub(super) const FILE: &str = "metrics.jsonl";
/// What counts the steps: the first of these that a line has.
const AXES: [&str; 5] = ["iteration", "round", "passes", "blocks", "games"];
/// No line of metrics is longer.
const LONGEST_LINE: u64 = 64 << 10;
/// No more of a file is read.
const MOST_BYTES: u64 = 64 << 20;
/// No run has more numbers.
const MOST_SERIES: usize = 64;

/// A number of a run over its steps.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) points: Vec<[f64; 2]>,
}

/// All numbers of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Metrics {
    /// What is counted along the bottom of a chart.
    pub(super) axis: String,
    pub(super) series: Vec<Series>,
    /// How far it is.
    pub(super) last: Option<f64>,
}

/// Series that are looked at together.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) unit: String,
    pub(super) series: Vec<String>,
}

/// One line: where it stands, and its numbers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Step {
    pub(super) x: f64,
    pub(super) values: Map<String, Value>,
    #[serde(skip)]
    axis: &'static str,
}

/// Reads all numbers of a run, about `most` points of each at most. A run without any has none.
pub(super) fn read(folder: &Path, most: usize) -> Metrics {
    let Ok(file) = folders::open(&folder.join(FILE)) else { return Metrics::default() };
    let mut lines = Lines { from: BufReader::new(file.take(MOST_BYTES)) };
    let (mut axis, mut last) = (String::new(), None);
    let mut series: Vec<(String, Thinning)> = Vec::new();
    while let Some(line) = lines.next_whole() {
        let Some(step) = step_of(&line) else { continue };
        axis = step.axis.to_string();
        last = Some(step.x);
        for (name, value) in step.values {
            let Some(y) = value.as_f64() else { continue };
            let place = series.iter().position(|(known, _)| *known == name);
            let place = match place {
                Some(place) => place,
                None if series.len() < MOST_SERIES => {
                    series.push((name, Thinning::new(most)));
                    series.len() - 1
                }
                None => continue,
            };
            series[place].1.add([step.x, y]);
        }
    }
    let finished = |(name, thinning): (String, Thinning)| Series {
        label: label_of(&name),
        points: thinning.points(),
        name,
    };
    Metrics { axis, series: series.into_iter().map(finished).collect(), last }
}

/// A line of the file as numbers; nothing if it is none.
pub(super) fn step_of(line: &[u8]) -> Option<Step> {
    let Value::Object(fields) = serde_json::from_slice(line).ok()? else { return None };
    let axis = AXES.into_iter().find(|axis| fields.contains_key(*axis))?;
    let x = fields.get(axis)?.as_f64()?;
    let number = |(name, value): (String, Value)| {
        let known = name != axis && name.len() <= 60;
        known.then_some(())?;
        Some((name, serde_json::json!(number_of(&value)?)))
    };
    Some(Step { x, values: fields.into_iter().filter_map(number).collect(), axis })
}

/// A number, or what games against somebody came to: the share of points.
fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Object(fields) => {
            let count = |name: &str| fields.get(name).and_then(Value::as_f64);
            if let (Some(won), Some(drawn), Some(lost)) =
                (count("won"), count("drawn"), count("lost"))
            {
                return Some((won + drawn / 2.0) / (won + drawn + lost).max(1.0));
            }
            let pairs = fields.get("pairs")?.as_array()?;
            let pairs: Vec<f64> = pairs.iter().filter_map(Value::as_f64).collect();
            let halves: f64 = pairs.iter().zip(0..).map(|(n, half)| n * f64::from(half)).sum();
            Some(halves / (4.0 * pairs.iter().sum::<f64>()).max(1.0))
        }
        _ => None,
    }
}

/// Whole lines of a file, none longer than they may be.
struct Lines<R> {
    from: R,
}

impl<R: BufRead> Lines<R> {
    /// The next line that has come to its end; a line that is still being written is left for later.
    fn next_whole(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
        line.ends_with(b"\n").then_some(line)
    }
}

/// Points that are taken in one by one and never become more than about `most`.
struct Thinning {
    most: usize,
    /// Of so many points one is kept.
    stride: u64,
    seen: u64,
    kept: Vec<[f64; 2]>,
    last: Option<[f64; 2]>,
}

impl Thinning {
    fn new(most: usize) -> Thinning {
        Thinning { most: most.max(2), stride: 1, seen: 0, kept: Vec::new(), last: None }
    }

    fn add(&mut self, point: [f64; 2]) {
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(point);
        }
        self.seen += 1;
        self.last = Some(point);
        // One place is kept for the last point.
        if self.kept.len() >= self.most {
            self.stride *= 2;
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
    }

    fn points(mut self) -> Vec<[f64; 2]> {
        if self.last != self.kept.last().copied() {
            self.kept.extend(self.last);
        }
        self.kept
    }
}

/// Thins points that are there already.
pub(super) fn thin(points: &mut Vec<[f64; 2]>, most: usize) {
    let mut thinning = Thinning::new(most);
    points.drain(..).for_each(|point| thinning.add(point));
    *points = thinning.points();
}

/// What a number is called in a chart.
fn label_of(name: &str) -> String {
    let label = match name {
        "average" => "population",
        "alphabeta" => "report-alphabeta",
        "playouts" => "report-mcts",
        "first" => "won by the first side",
        "standing" => "points",
        "estimate" | "order" | "found" => "learned",
        "estimate_by_hand" | "order_by_hand" | "found_by_hand" => "by hand",
        "estimate_before" | "order_before" => "before the round",
        "value_learning" | "policy_learning" => "while learning",
        "value" | "policy" => "in games held out",
        _ => return name.replace('_', " "),
    };
    label.to_string()
}

/// Title, unit, and the numbers in it.
type Template = (&'static str, &'static str, &'static [&'static str]);

const FOREST: &[Template] = &[
    ("Score per iteration", "points", &["best", "survivors", "average"]),
    ("Out-of-bag error of the survivors' trees", "share wrong", &["error"]),
    ("Exercises solved by the survivors", "share", &["solved"]),
    ("Games per second", "games per second", &["games_per_second"]),
    ("Time per iteration", "seconds", &["seconds", "games_seconds"]),
];
const WEIGHTS: &[Template] = &[
    ("Points against others", "share", &["heuristic", "random"]),
    ("Error", "mean error", &["error"]),
    ("How the games ended", "share", &["first", "drawn"]),
    ("Length of the games", "plies", &["plies"]),
    ("Games per second", "games per second", &["games_per_second"]),
];
const CRITIC: &[Template] = &[
    ("Points at one ply", "share", &["heuristic", "alphabeta", "playouts"]),
    ("Error of the chances learned from", "mean error", &["error"]),
    ("How the games ended", "share", &["first", "drawn"]),
    ("Length of the games", "stones", &["stones"]),
    ("Size of a step", "rate", &["rate"]),
    ("Games per second", "games per second", &["games_per_second"]),
];
const GEM_ISLAND: &[Template] = &[
    ("Games won with the network", "share", &["won"]),
    ("Loss", "loss", &["loss"]),
    ("Answers on the right side", "share", &["right"]),
    ("Time per block", "seconds", &["seconds"]),
];
const GOMOKU: &[Template] = &[
    ("Loss of the estimate", "cross entropy", &["estimate", "estimate_before", "estimate_by_hand"]),
    ("Points against the numbers by hand", "share", &["standing"]),
    ("Loss of the order of moves", "cross entropy", &["order", "order_before", "order_by_hand"]),
    ("Best moves that look most promising", "share", &["found", "found_by_hand"]),
];
const LINES: &[Template] = &[
    ("Loss of the value", "cross entropy", &["value", "value_learning"]),
    ("Loss of the policy", "cross entropy", &["policy", "policy_learning"]),
    ("Best moves that look most promising", "share", &["found"]),
];

/// The charts of a learner that have something to show; what a run measured and no chart knows gets one of its own.
pub(super) fn charts(learner: &str, metrics: &Metrics) -> Vec<Chart> {
    let templates = match learner {
        "forest" => FOREST,
        "weights" => WEIGHTS,
        "critic" => CRITIC,
        "gem-outcome" | "gem-utility" => GEM_ISLAND,
        "gomoku-eval" => GOMOKU,
        "line-network" => LINES,
        _ => &[],
    };
    let has = |name: &str| metrics.series.iter().any(|series| series.name == name);
    let filled = |(title, unit, names): &Template| {
        let series: Vec<String> =
            names.iter().filter(|name| has(name)).map(ToString::to_string).collect();
        (!series.is_empty()).then(|| Chart {
            title: title.to_string(),
            unit: unit.to_string(),
            series,
        })
    };
    let own = |series: &Series| Chart {
        title: series.label.clone(),
        unit: String::new(),
        series: vec![series.name.clone()],
    };
    match templates {
        [] => metrics.series.iter().map(own).collect(),
        _ => templates.iter().filter_map(filled).collect(),
    }
}

/// The number that says most about a run. A forest's points are won from its own population, so the best has no more of
/// them later on; what the survivors have on the whole is what rises.
pub(super) fn main_series(learner: &str, metrics: &Metrics) -> Option<Series> {
    let find = |name: &str| metrics.series.iter().find(|series| series.name == name);
    let known = match learner {
        "forest" => find("survivors").map(|series| (series, "mean points of the survivors")),
        "weights" | "critic" => {
            find("heuristic").map(|series| (series, "points against the heuristic"))
        }
        _ => None,
    };
    if let Some((series, label)) = known {
        return Some(Series { label: label.to_string(), ..series.clone() });
    }
    let chart = charts(learner, metrics).into_iter().next()?;
    let series = find(chart.series.first()?)?;
    Some(Series { label: chart.title, ..series.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_thinned_and_end_where_the_run_is() {
        for steps in [1u32, 2, 7, 100, 199, 200, 201, 999, 12_345] {
            let mut thinning = Thinning::new(200);
            (1..=steps).for_each(|step| thinning.add([f64::from(step), 0.5]));
            let points = thinning.points();
            assert!(points.len() <= 200 && points.len() as u32 >= steps.min(90), "{steps}");
            assert_eq!((points[0][0], points[points.len() - 1][0]), (1.0, f64::from(steps)));
            assert!(points.is_sorted_by(|a, b| a[0] < b[0]));
        }
    }

    #[test]
    fn lines_become_numbers_and_nonsense_becomes_nothing() {
        let step = step_of(
            br#"{"games":40,"error":0.5,"name":"x","heuristic":{"won":3,"drawn":2,"lost":5},"playouts":null}"#,
        )
        .unwrap();
        assert_eq!((step.x, step.axis), (40.0, "games"));
        assert_eq!(
            step.values,
            *serde_json::json!({"error": 0.5, "heuristic": 0.4}).as_object().unwrap()
        );
        let pairs = step_of(br#"{"round":1,"standing":{"pairs":[0,0,1,0,1]}}"#).unwrap();
        assert_eq!(pairs.values["standing"], 0.75);
        for nonsense in ["", "3", "[]", "{}", "{\"games\":\"many\"}", "{\"games\":1", "\u{0}"] {
            assert_eq!(step_of(nonsense.as_bytes()), None, "{nonsense}");
        }
    }

    #[test]
    fn a_line_that_is_being_written_waits() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path(), 10), Metrics::default());
        let text = "{\"iteration\":1,\"best\":2.5,\"games\":9}\n{\"iteration\":2,\"best\":3";
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let metrics = read(folder.path(), 10);
        assert_eq!((metrics.axis.as_str(), metrics.last), ("iteration", Some(1.0)));
        assert_eq!(metrics.series[0].points, [[1.0, 2.5]]);
        assert_eq!(main_series("forest", &metrics).unwrap().name, "best");
        assert_eq!(charts("another", &metrics).len(), 2);
    }
}
