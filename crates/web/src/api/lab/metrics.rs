//! The numbers of a run, read from its `metrics.jsonl` in bounded memory: one series of points for each number, thinned
//! while it is read, and which of them belong into one chart.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use tesuji_train::chart::STRENGTH;
use tesuji_train::{LearnerKind, Row};

use super::folders;

/// The file of a run that has a line for each step.
pub(super) const FILE: &str = "metrics.jsonl";
/// No line of metrics is longer.
const LONGEST_LINE: u64 = 64 << 10;
/// No more of a file is read.
const MOST_BYTES: u64 = 64 << 20;
/// No number with a longer name is shown.
const LONGEST_NAME: usize = 100;
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
}

/// Reads all numbers of a run, about `most` points of each at most. A run without any has none.
pub(super) fn read(folder: &Path, learner: Option<&LearnerKind>, most: usize) -> Metrics {
    let Ok(file) = folders::open(&folder.join(FILE)) else { return Metrics::default() };
    let mut lines = Lines { from: BufReader::new(file.take(MOST_BYTES)) };
    let mut last = None;
    let mut series: Vec<(String, Thinning)> = Vec::new();
    while let Some(line) = lines.next_whole() {
        let Some(step) = step_of(&line) else { continue };
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
        label: label_of(learner, &name),
        points: thinning.points(),
        name,
    };
    Metrics { series: series.into_iter().map(finished).collect(), last }
}

/// A line of the file as numbers; nothing if it is none.
pub(super) fn step_of(line: &[u8]) -> Option<Step> {
    let row: Row = serde_json::from_slice(line).ok()?;
    let named = |(name, number): (String, f64)| {
        (name.len() <= LONGEST_NAME).then(|| (name, serde_json::json!(number)))
    };
    Some(Step { x: row.step as f64, values: row.numbers().into_iter().filter_map(named).collect() })
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

/// What a number is called in a chart of a learner.
fn label_of(learner: Option<&LearnerKind>, name: &str) -> String {
    if let Some(opponent) = opponent_of(name) {
        return format!("against {opponent}");
    }
    let charts = learner.map_or(&[][..], |kind| kind.charts).iter();
    let known = charts.flat_map(|chart| chart.curves).find(|(number, _)| *number == name);
    known.map_or_else(|| name.replace('_', " "), |(_, label)| label.to_string())
}

/// The opponent of a score against one.
fn opponent_of(name: &str) -> Option<&str> {
    name.strip_prefix(STRENGTH)?.strip_suffix(".score")
}

/// The charts of a run that have something to show: its strength, those of its learner, and one for
/// each number of an unknown learner.
pub(super) fn charts(learner: Option<&LearnerKind>, metrics: &Metrics) -> Vec<Chart> {
    let names = || metrics.series.iter().map(|series| &series.name);
    let strength: Vec<String> =
        names().filter(|name| opponent_of(name).is_some()).cloned().collect();
    let strength = (!strength.is_empty()).then(|| Chart {
        title: "Score against fixed opponents".to_string(),
        unit: "share of points".to_string(),
        series: strength,
    });
    let filled = |chart: &tesuji_train::Chart| {
        let curves = chart.curves.iter().map(|(name, _)| name.to_string());
        let series: Vec<String> = curves.filter(|name| names().any(|it| it == name)).collect();
        let (title, unit) = (chart.title.to_string(), chart.unit.to_string());
        (!series.is_empty()).then_some(Chart { title, unit, series })
    };
    let own = |series: &Series| Chart {
        title: series.label.clone(),
        unit: String::new(),
        series: vec![series.name.clone()],
    };
    let charts: Vec<Chart> = match learner {
        None => metrics.series.iter().map(own).collect(),
        Some(kind) => kind.charts.iter().filter_map(filled).collect(),
    };
    strength.into_iter().chain(charts).collect()
}

/// The number that says most about a run: its score against fixed opponents, else what its learner says.
pub(super) fn main_series(learner: Option<&LearnerKind>, metrics: &Metrics) -> Option<Series> {
    let find = |name: &str| metrics.series.iter().find(|series| series.name == name);
    let named = |(name, label): (&str, &str)| {
        find(name).map(|series| Series { label: label.to_string(), ..series.clone() })
    };
    let measured = named(("score", "score against fixed opponents"));
    measured.or_else(|| named(learner?.main)).or_else(|| metrics.series.first().cloned())
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
            br#"{"step":4,"error":0.5,"name":"x","solved":null,"strength":{"start":{"score":0.4,"error":0.1,"elo":null,"elo_error":null,"games":10,"pairs":[1,1,1,1,1]}},"score":0.4,"seconds":2.0}"#,
        )
        .unwrap();
        assert_eq!(step.x, 4.0);
        assert_eq!(
            step.values,
            *serde_json::json!({
                "error": 0.5, "strength.start.score": 0.4, "strength.start.error": 0.1,
                "strength.start.games": 10.0, "score": 0.4, "seconds": 2.0
            })
            .as_object()
            .unwrap()
        );
        for nonsense in ["", "3", "[]", "{}", "{\"step\":\"many\"}", "{\"step\":1", "\u{0}"] {
            assert_eq!(step_of(nonsense.as_bytes()), None, "{nonsense}");
        }
    }

    #[test]
    fn a_line_that_is_being_written_waits() {
        let (folder, forest) = (tempfile::tempdir().unwrap(), tesuji_learn::learner("forest"));
        assert_eq!(read(folder.path(), forest, 10), Metrics::default());
        let text = "{\"step\":1,\"best\":2.5,\"games\":9,\"seconds\":1}\n{\"step\":2,\"best\":3";
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let metrics = read(folder.path(), forest, 10);
        assert_eq!(metrics.last, Some(1.0));
        assert_eq!(metrics.series[0].points, [[1.0, 2.5]]);
        assert_eq!(main_series(forest, &metrics).unwrap().name, "best");
        assert_eq!(charts(None, &metrics).len(), 3);
    }
}
