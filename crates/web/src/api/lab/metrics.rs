//! Reads the metrics of a run from its `metrics.jsonl` in bounded memory, downsamples them, and
//! groups them into charts.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use tesuji_train::chart::STRENGTH;
use tesuji_train::{LearnerKind, MetricsRow};

use super::folders;

/// The file with a line for each step.
pub(super) const FILE: &str = "metrics.jsonl";
/// The longest line.
const MAX_LINE_BYTES: u64 = 64 << 10;
/// The most bytes of a file.
const MAX_BYTES: u64 = 64 << 20;
/// The longest name of a metric.
const MAX_NAME_LENGTH: usize = 100;
/// The most metrics of a run.
const MAX_SERIES: usize = 64;

/// A metric over the steps of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct MetricSeries {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) points: Vec<[f64; 2]>,
    /// Half the length of each point's error bar, if there are any.
    pub(super) errors: Option<Vec<f64>>,
}

impl MetricSeries {
    /// Reduces the series to about `most` points.
    pub(super) fn downsample(&mut self, most: usize) {
        let mut downsampler = Downsampler::new(most);
        let errors = self.errors.take();
        for (number, &point) in self.points.iter().enumerate() {
            let error = errors.as_ref().and_then(|errors| errors.get(number).copied());
            downsampler.add(DataPoint { point, error });
        }
        (self.points, self.errors) = downsampler.finish();
    }
}

/// The step whose model has the best score against the fixed opponents.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(super) struct BestStep {
    pub(super) step: u64,
    /// The mean score against all of them.
    pub(super) score: f64,
}

/// All metrics of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct RunMetrics {
    pub(super) series: Vec<MetricSeries>,
    /// The last step.
    pub(super) last: Option<u64>,
    /// The latest of the best steps, if any was measured.
    pub(super) best: Option<BestStep>,
}

/// Series of one chart.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct RunChart {
    pub(super) title: String,
    pub(super) unit: String,
    pub(super) series: Vec<String>,
}

/// The values of one step.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct MetricStep {
    pub(super) step: u64,
    pub(super) values: Map<String, Value>,
}

/// Reads the metrics of a run with about `most` points each. Empty without a file.
pub(super) fn read(folder: &Path, learner: Option<&LearnerKind>, most: usize) -> RunMetrics {
    let Ok(file) = folders::open(&folder.join(FILE)) else { return RunMetrics::default() };
    let mut lines = LineReader { from: BufReader::new(file.take(MAX_BYTES)) };
    let (mut last, mut best) = (None, None);
    let mut series: Vec<(String, Downsampler)> = Vec::new();
    while let Some(line) = lines.next_complete() {
        let Some(row) = row_of(&line) else { continue };
        last = Some(row.step);
        let is_better = |score: &f64| best.is_none_or(|best: BestStep| *score >= best.score);
        if let Some(score) = row.score.filter(is_better) {
            best = Some(BestStep { step: row.step, score });
        }
        for (name, y) in numbers_of(&row) {
            if error_of(&name).is_some() {
                continue;
            }
            let error = error_name(&name).and_then(|name| row.number(&name));
            let place = series.iter().position(|(known, _)| *known == name);
            let place = match place {
                Some(place) => place,
                None if series.len() < MAX_SERIES => {
                    series.push((name, Downsampler::new(most)));
                    series.len() - 1
                }
                None => continue,
            };
            series[place].1.add(DataPoint { point: [row.step as f64, y], error });
        }
    }
    let finished = |(name, downsampler): (String, Downsampler)| {
        let (points, errors) = downsampler.finish();
        MetricSeries { label: label_of(learner, &name), points, errors, name }
    };
    RunMetrics { series: series.into_iter().map(finished).collect(), last, best }
}

/// Parses a line; `None` if it is invalid.
fn row_of(line: &[u8]) -> Option<MetricsRow> {
    serde_json::from_slice(line).ok()
}

/// The displayed numbers of a row.
fn numbers_of(row: &MetricsRow) -> impl Iterator<Item = (String, f64)> {
    row.numbers().into_iter().filter(|(name, _)| name.len() <= MAX_NAME_LENGTH)
}

/// Parses a line to its numbers; `None` if it is invalid.
pub(super) fn step_of(line: &[u8]) -> Option<MetricStep> {
    let row = row_of(line)?;
    let values = numbers_of(&row).map(|(name, number)| (name, serde_json::json!(number)));
    Some(MetricStep { step: row.step, values: values.collect() })
}

/// Reads complete lines of bounded length.
struct LineReader<R> {
    from: R,
}

impl<R: BufRead> LineReader<R> {
    /// The next complete line; a line that is still being written is left for later.
    fn next_complete(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line).ok()?;
        line.ends_with(b"\n").then_some(line)
    }
}

/// A point with half the length of its error bar.
#[derive(Clone, Copy, PartialEq, Debug)]
struct DataPoint {
    point: [f64; 2],
    error: Option<f64>,
}

/// Keeps at most about `most` points of a stream.
struct Downsampler {
    most: usize,
    /// One in this many points is kept.
    stride: u64,
    seen: u64,
    kept: Vec<DataPoint>,
    last: Option<DataPoint>,
}

impl Downsampler {
    fn new(most: usize) -> Downsampler {
        Downsampler { most: most.max(2), stride: 1, seen: 0, kept: Vec::new(), last: None }
    }

    fn add(&mut self, point: DataPoint) {
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(point);
        }
        self.seen += 1;
        self.last = Some(point);
        // Leave room for the last point.
        if self.kept.len() >= self.most {
            self.stride *= 2;
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
    }

    /// Returns the points, and their errors if any point has one.
    fn finish(mut self) -> (Vec<[f64; 2]>, Option<Vec<f64>>) {
        if self.last != self.kept.last().copied() {
            self.kept.extend(self.last);
        }
        let has_errors = self.kept.iter().any(|point| point.error.is_some());
        let errors = || self.kept.iter().map(|point| point.error.unwrap_or(0.0)).collect();
        (self.kept.iter().map(|point| point.point).collect(), has_errors.then(errors))
    }
}

/// The label of a metric in a chart of a learner.
fn label_of(learner: Option<&LearnerKind>, name: &str) -> String {
    if let Some(opponent) = opponent_of(name) {
        return format!("against {}", opponent_name(opponent));
    }
    let charts = learner.map_or(&[][..], |kind| kind.charts).iter();
    let known = charts.flat_map(|chart| chart.series).find(|(number, _)| *number == name);
    known.map_or_else(|| name.replace('_', " "), |(_, label)| label.to_string())
}

/// The displayed name of an opponent. Two opponents are models of the run itself.
fn opponent_name(opponent: &str) -> &str {
    match opponent {
        "start" => "the first model",
        "champion" => "its previous best model",
        player => player,
    }
}

/// The opponent of a score metric.
fn opponent_of(name: &str) -> Option<&str> {
    name.strip_prefix(STRENGTH)?.strip_suffix(".score")
}

/// The name of the error metric of a score.
fn error_name(name: &str) -> Option<String> {
    opponent_of(name).map(|opponent| format!("{STRENGTH}{opponent}.error"))
}

/// The opponent of an error metric.
fn error_of(name: &str) -> Option<&str> {
    name.strip_prefix(STRENGTH)?.strip_suffix(".error")
}

/// The charts of a run: strength, the charts of its learner, or one per metric for an unknown
/// learner.
pub(super) fn charts(learner: Option<&LearnerKind>, metrics: &RunMetrics) -> Vec<RunChart> {
    let names = || metrics.series.iter().map(|series| &series.name);
    let strength: Vec<String> =
        names().filter(|name| opponent_of(name).is_some()).cloned().collect();
    let strength = (!strength.is_empty()).then(|| RunChart {
        title: "Score against fixed opponents".to_string(),
        unit: "score".to_string(),
        series: strength,
    });
    let filled = |chart: &tesuji_train::Chart| {
        let curves = chart.series.iter().map(|(name, _)| name.to_string());
        let series: Vec<String> = curves.filter(|name| names().any(|it| it == name)).collect();
        let (title, unit) = (chart.title.to_string(), chart.unit.to_string());
        (!series.is_empty()).then_some(RunChart { title, unit, series })
    };
    let own = |series: &MetricSeries| RunChart {
        title: series.label.clone(),
        unit: String::new(),
        series: vec![series.name.clone()],
    };
    let charts: Vec<RunChart> = match learner {
        None => {
            let others = metrics.series.iter().filter(|it| !it.name.starts_with(STRENGTH));
            others.map(own).collect()
        }
        Some(kind) => kind.charts.iter().filter_map(filled).collect(),
    };
    strength.into_iter().chain(charts).collect()
}

/// The main metric of a run: the score against fixed opponents, or else that of its learner.
pub(super) fn main_series(
    learner: Option<&LearnerKind>,
    metrics: &RunMetrics,
) -> Option<MetricSeries> {
    let find = |name: &str| metrics.series.iter().find(|series| series.name == name);
    let named = |(name, label): (&str, &str)| {
        find(name).map(|series| MetricSeries { label: label.to_string(), ..series.clone() })
    };
    let measured = named(("score", "score against fixed opponents"));
    measured.or_else(|| named(learner?.main_metric)).or_else(|| metrics.series.first().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_downsampled_and_end_with_the_last_step() {
        for steps in [1u32, 2, 7, 100, 199, 200, 201, 999, 12_345] {
            let mut downsampler = Downsampler::new(200);
            let point =
                |step| DataPoint { point: [f64::from(step), 0.5], error: Some(f64::from(step)) };
            (1..=steps).for_each(|step| downsampler.add(point(step)));
            let (points, errors) = downsampler.finish();
            let mut series = MetricSeries {
                name: String::new(),
                label: String::new(),
                points: points.clone(),
                errors: errors.clone(),
            };
            series.downsample(10);
            assert!(series.points.len() <= 10);
            for (points, errors) in [(&points, errors), (&series.points, series.errors)] {
                let own: Vec<f64> = points.iter().map(|point| point[0]).collect();
                assert_eq!(errors, Some(own), "every point keeps its error");
            }
            assert!(points.len() <= 200 && points.len() as u32 >= steps.min(90), "{steps}");
            assert_eq!((points[0][0], points[points.len() - 1][0]), (1.0, f64::from(steps)));
            assert!(points.is_sorted_by(|a, b| a[0] < b[0]));
        }
    }

    #[test]
    fn valid_lines_become_numbers() {
        let step = step_of(
            br#"{"step":4,"error":0.5,"name":"x","solved":null,"strength":{"start":{"score":0.4,"error":0.1,"elo":null,"elo_error":null,"games":10,"pairs":[1,1,1,1,1]}},"score":0.4,"seconds":2.0}"#,
        )
        .unwrap();
        assert_eq!(step.step, 4);
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
    fn an_incomplete_line_is_left_for_later() {
        let (folder, forest) = (tempfile::tempdir().unwrap(), tesuji_learn::learner("forest"));
        assert_eq!(read(folder.path(), forest, 10), RunMetrics::default());
        let text = "{\"step\":1,\"best\":2.5,\"games\":9,\"seconds\":1}\n{\"step\":2,\"best\":3";
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let metrics = read(folder.path(), forest, 10);
        assert_eq!((metrics.last, metrics.best), (Some(1), None));
        assert_eq!(metrics.series[0].points, [[1.0, 2.5]]);
        assert_eq!(main_series(forest, &metrics).unwrap().name, "best");
        assert_eq!(charts(None, &metrics).len(), 3);
    }

    #[test]
    fn scores_have_errors_and_the_latest_of_the_best_steps_counts() {
        let folder = tempfile::tempdir().unwrap();
        let line = |step: u64, score: f64| {
            let against = serde_json::json!({"score": score, "error": 0.1, "elo": null, "elo_error": null, "games": 10, "pairs": [1, 1, 1, 1, 1]});
            let row = serde_json::json!({"step": step, "best": 1, "strength": {"heuristic": against}, "score": score, "seconds": 1.0});
            format!("{row}\n")
        };
        let text = [line(10, 0.4), line(20, 0.6), line(30, 0.6), line(40, 0.5)].concat();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let metrics = read(folder.path(), tesuji_learn::learner("forest"), 10);
        assert_eq!(metrics.best, Some(BestStep { step: 30, score: 0.6 }));
        let of = |name: &str| metrics.series.iter().find(|series| series.name == name);
        let score = of("strength.heuristic.score").unwrap();
        assert_eq!(score.errors, Some(vec![0.1; 4]));
        assert_eq!(score.label, "against heuristic");
        assert!(of("strength.heuristic.error").is_none());
        let charts = charts(tesuji_learn::learner("forest"), &metrics);
        assert_eq!(charts[0].series, ["strength.heuristic.score"]);
    }
}
