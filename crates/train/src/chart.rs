//! Charts: which metrics of a run share a chart. A learner declares them once; they are drawn as
//! SVG into the run's folder and by the laboratory of the web app.

use crate::folder::{FolderError, RunFolder};
use crate::metrics::MetricsRow;
use crate::plot::{Series, plot};

/// A chart over the steps of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chart {
    /// The name of its file in `plots/`, without extension.
    pub file: &'static str,
    /// The title.
    pub title: &'static str,
    /// The unit of the vertical axis.
    pub unit: &'static str,
    /// The metrics and their names in the legend.
    pub series: &'static [(&'static str, &'static str)],
}

/// The prefix of the metrics of a measurement, `strength.OPPONENT.score`.
pub const STRENGTH: &str = "strength.";

/// Draws all non-empty charts into the folder: those of the learner, and the strength of the model.
pub fn draw(
    folder: &RunFolder,
    charts: &[Chart],
    step: &str,
    rows: &[MetricsRow],
) -> Result<(), FolderError> {
    for chart in charts {
        let series = |&(number, name): &(&str, &'static str)| {
            let point = |row: &MetricsRow| Some((row.step as f64, row.number(number)?));
            Series::new(name, rows.iter().filter_map(point).collect())
        };
        let series: Vec<Series> = chart.series.iter().map(series).collect();
        if series.iter().any(|series| !series.points.is_empty()) {
            let svg = plot(chart.title, step, chart.unit, &series);
            folder.write_unsynced(&format!("plots/{}.svg", chart.file), svg.as_bytes())?;
        }
    }
    let series = strength(rows);
    if !series.is_empty() {
        let svg = plot("Score against fixed opponents", step, "share of points", &series);
        folder.write_unsynced("plots/strength.svg", svg.as_bytes())?;
    }
    Ok(())
}

/// One series per opponent, with error bars.
fn strength(rows: &[MetricsRow]) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for row in rows {
        for (opponent, score) in &row.strength {
            let known = series.iter().position(|series| series.name == *opponent);
            let index = known.unwrap_or_else(|| {
                series.push(Series::new(opponent, Vec::new()));
                series.len() - 1
            });
            series[index].points.push((row.step as f64, score.score));
            series[index].errors.push(score.error);
        }
    }
    series
}
