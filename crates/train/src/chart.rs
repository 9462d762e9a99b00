//! Which numbers of a run belong into one chart. Declared once by a learner, drawn as SVG into the run's folder and by
//! the laboratory of the web app.

use crate::folder::{FolderError, RunFolder};
use crate::metrics::MetricsRow;
use crate::plot::{Series, plot};

/// A chart over the steps of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chart {
    /// The name of its file in `plots/`.
    pub file: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The unit of its numbers.
    pub unit: &'static str,
    /// The numbers of a row, and what they are called in the legend.
    pub series: &'static [(&'static str, &'static str)],
}

/// The prefix of the numbers of a measurement, `strength.OPPONENT.score`.
pub const STRENGTH: &str = "strength.";

/// Draws all charts that have something to show into the folder: those of a learner, and its strength.
pub fn draw(
    folder: &RunFolder,
    charts: &[Chart],
    step: &str,
    rows: &[MetricsRow],
) -> Result<(), FolderError> {
    for chart in charts {
        let curve = |&(number, name): &(&str, &'static str)| {
            let point = |row: &MetricsRow| Some((row.step as f64, row.number(number)?));
            Series::new(name, rows.iter().filter_map(point).collect())
        };
        let curves: Vec<Series> = chart.series.iter().map(curve).collect();
        if curves.iter().any(|curve| !curve.points.is_empty()) {
            let svg = plot(chart.title, step, chart.unit, &curves);
            folder.write_unsynced(&format!("plots/{}.svg", chart.file), svg.as_bytes())?;
        }
    }
    let curves = strength(rows);
    if !curves.is_empty() {
        let svg = plot("Score against fixed opponents", step, "share of points", &curves);
        folder.write_unsynced("plots/strength.svg", svg.as_bytes())?;
    }
    Ok(())
}

/// One curve for each opponent, with error bars.
fn strength(rows: &[MetricsRow]) -> Vec<Series> {
    let mut curves: Vec<Series> = Vec::new();
    for row in rows {
        for (opponent, score) in &row.strength {
            let known = curves.iter().position(|curve| curve.name == *opponent);
            let place = known.unwrap_or_else(|| {
                curves.push(Series::new(opponent, Vec::new()));
                curves.len() - 1
            });
            curves[place].points.push((row.step as f64, score.score));
            curves[place].errors.push(score.error);
        }
    }
    curves
}
