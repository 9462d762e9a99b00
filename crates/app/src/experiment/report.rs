//! The results of an experiment as text, CSV, JSON and a plot.

use serde::{Deserialize, Serialize};
use tesuji_play::Pentanomial;
use tesuji_play::report::layout::{columns, csv};
use tesuji_train::measure::StrengthScore;
use tesuji_train::plot::{Series, plot};

/// The results of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentResult {
    /// The title of the experiment.
    pub title: String,
    /// The keys of the grid.
    pub keys: Vec<String>,
    /// The seeds of each cell.
    pub seeds: Vec<u64>,
    /// The opponents.
    pub opponents: Vec<String>,
    /// The results of each cell against each opponent.
    pub cells: Vec<ExperimentCell>,
    /// The results at every measured step of training runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ExperimentStep>,
}

/// The result of a cell after some steps of its training runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentStep {
    /// The number of steps.
    pub step: u64,
    /// The result.
    #[serde(flatten)]
    pub cell: ExperimentCell,
}

/// The result of a cell of the grid against one opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentCell {
    /// The values of the keys.
    pub values: Vec<String>,
    /// The opponent.
    pub opponent: String,
    /// The mean score over the seeds, from 0 to 1.
    pub score: f64,
    /// Half the width of its 95 % interval over the seeds, and at least that of all games, as a few
    /// seeds may agree by chance.
    pub error: f64,
    /// Elo difference of that score; `None` when one side won every game.
    pub elo: Option<f64>,
    /// The score of each seed.
    pub scores: Vec<f64>,
    /// Games of all seeds.
    pub games: u64,
}

impl ExperimentCell {
    pub(super) fn new(
        values: Vec<String>,
        opponent: &str,
        scores: &[&StrengthScore],
    ) -> ExperimentCell {
        let each: Vec<f64> = scores.iter().map(|score| score.score).collect();
        let score = each.iter().sum::<f64>() / each.len().max(1) as f64;
        let mut pairs = Pentanomial::default();
        for (index, count) in scores.iter().flat_map(|score| score.pairs.iter().enumerate()) {
            pairs.counts[index] += count;
        }
        let rating = pairs.rating();
        let of_games = rating.as_ref().map_or(0.0, |rating| rating.score_margin);
        let error = match &each[..] {
            [] | [_] => scores.first().map_or(0.0, |score| score.error),
            _ => error_over_seeds(&each, score).max(of_games),
        };
        let elo = rating.and_then(|rating| rating.elo);
        let (opponent, games) = (opponent.to_string(), pairs.games());
        ExperimentCell { values, opponent, score, error, elo, scores: each, games }
    }
}

/// Half the 95 % interval of a mean by Student's quantile.
fn error_over_seeds(scores: &[f64], mean: f64) -> f64 {
    let count = scores.len() as f64;
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    let quantile = tesuji_play::statistics::elo::two_sided_95_of_student(count - 1.0);
    quantile * (squares / (count - 1.0) / count).sqrt()
}

impl ExperimentResult {
    /// The result files: names and contents.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let json = serde_json::to_string_pretty(self).unwrap_or_default();
        let mut files = vec![
            ("results.json", format!("{json}\n")),
            ("results.csv", self.csv()),
            ("results.txt", self.text()),
        ];
        files.extend(self.svg().map(|svg| ("results.svg", svg)));
        let curves = self.curves();
        if curves.iter().any(|curve| curve.points.len() > 1) {
            files.push(("curves.csv", self.curves_csv()));
            files.push(("curves.svg", plot(&self.title, "step", "share of points", &curves)));
        }
        files
    }

    /// The score over the steps, with a curve for each cell and opponent.
    pub fn curves(&self) -> Vec<Series> {
        let mut curves = Vec::<Series>::new();
        for ExperimentStep { step, cell } in &self.steps {
            let name = self.curve_name(cell, None);
            let at = curves.iter().position(|curve| curve.name == name).unwrap_or_else(|| {
                curves.push(Series::new(&name, Vec::new()));
                curves.len() - 1
            });
            curves[at].points.push((*step as f64, cell.score));
            curves[at].errors.push(cell.error);
        }
        curves
    }

    /// CSV with one line for each cell, opponent and step.
    fn curves_csv(&self) -> String {
        let heads = ["opponent", "step", "score", "error", "elo", "games"].map(str::to_string);
        let line = |ExperimentStep { step, cell }: &ExperimentStep| {
            let numbers = [
                cell.opponent.clone(),
                step.to_string(),
                cell.score.to_string(),
                cell.error.to_string(),
                cell.elo.map_or(String::new(), |elo| elo.to_string()),
                cell.games.to_string(),
            ];
            [&cell.values[..], &numbers].concat()
        };
        let head = [&self.keys[..], &heads].concat();
        csv(&[head].into_iter().chain(self.steps.iter().map(line)).collect::<Vec<_>>())
    }

    /// A readable table.
    pub fn text(&self) -> String {
        let heads = ["opponent", "score", "error", "elo", "games", "seeds"].map(str::to_string);
        let row = |cell: &ExperimentCell| {
            let numbers = [
                cell.opponent.clone(),
                format!("{:.1} %", 100.0 * cell.score),
                format!("± {:.1}", 100.0 * cell.error),
                cell.elo.map_or("-".to_string(), |elo| format!("{elo:+.0}")),
                cell.games.to_string(),
                cell.scores.len().to_string(),
            ];
            [&cell.values[..], &numbers].concat()
        };
        let head = [&self.keys[..], &heads].concat();
        let rows: Vec<Vec<String>> = [head].into_iter().chain(self.cells.iter().map(row)).collect();
        format!("{}\n\n{}", self.title, columns(&rows, 0..=self.keys.len(), 2))
    }

    /// CSV with one line for each cell and opponent, with the score of each seed.
    pub fn csv(&self) -> String {
        let heads = ["opponent", "score", "error", "elo", "games"].map(str::to_string);
        let seeds: Vec<String> = self.seeds.iter().map(|seed| format!("seed {seed}")).collect();
        let line = |cell: &ExperimentCell| {
            let numbers = [
                cell.opponent.clone(),
                cell.score.to_string(),
                cell.error.to_string(),
                cell.elo.map_or(String::new(), |elo| elo.to_string()),
                cell.games.to_string(),
            ];
            let scores: Vec<String> = cell.scores.iter().map(f64::to_string).collect();
            [&cell.values[..], &numbers, &scores].concat()
        };
        let head = [&self.keys[..], &heads, &seeds].concat();
        csv(&[head].into_iter().chain(self.cells.iter().map(line)).collect::<Vec<_>>())
    }

    /// Plots the score over the first numeric key, with a curve for each combination of the other
    /// keys and the opponents. Without a numeric key, the x axis has the values of the first key in
    /// order. Returns `None` without keys.
    pub fn plot(&self) -> Option<ParameterPlot> {
        let number = |cell: &ExperimentCell, key: usize| cell.values[key].parse::<f64>().ok();
        let is_number = |key: &usize| {
            self.cells.iter().all(|cell| number(cell, *key).is_some_and(f64::is_finite))
        };
        let numeric = (0..self.keys.len()).find(is_number);
        let key = numeric.or((!self.keys.is_empty()).then_some(0))?;
        let (mut labels, mut curves) = (Vec::<String>::new(), Vec::<Series>::new());
        let mut points = Vec::new();
        for cell in &self.cells {
            let name = self.curve_name(cell, Some(key));
            if !curves.iter().any(|curve| curve.name == name) {
                curves.push(Series::new(&name, Vec::new()));
            }
            let value = &cell.values[key];
            if numeric.is_none() && !labels.contains(value) {
                labels.push(value.clone());
            }
            let place = labels.iter().position(|label| label == value).map(|place| place as f64);
            points.push((place.or(number(cell, key))?, name, cell));
        }
        points.retain(|(.., cell)| !cell.scores.is_empty());
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (x, name, cell) in points {
            let curve = curves.iter_mut().find(|curve| curve.name == name)?;
            curve.points.push((x, cell.score));
            curve.errors.push(cell.error);
        }
        let labels = numeric.is_none().then_some(labels);
        Some(ParameterPlot { key: self.keys[key].clone(), labels, curves })
    }

    /// The values of a cell's keys other than the one on the x axis, and its opponent if there are
    /// several.
    fn curve_name(&self, cell: &ExperimentCell, x: Option<usize>) -> String {
        let others = (0..self.keys.len()).filter(|other| Some(*other) != x).map(|other| {
            let name = self.keys[other].rsplit('.').next().unwrap_or_default();
            format!("{name} {}", cell.values[other])
        });
        let opponent = (self.opponents.len() > 1).then(|| format!("vs {}", cell.opponent));
        others.chain(opponent).collect::<Vec<_>>().join(", ")
    }

    /// The plot as SVG; `None` without a numeric key.
    pub fn svg(&self) -> Option<String> {
        let found = self.plot().filter(|found| found.labels.is_none())?;
        Some(plot(&self.title, &found.key, "share of points", &found.curves))
    }
}

/// The score over the values of a key.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterPlot {
    /// The key.
    pub key: String,
    /// The values of a key that is not numeric; x = 0 is the first.
    pub labels: Option<Vec<String>>,
    /// A curve for each combination of the other keys and the opponents.
    pub curves: Vec<Series>,
}
