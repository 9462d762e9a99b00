//! Reports as pictures: published and our values side by side, box plots, curves.

use tesuji_play::report::svg::{INK, PALE, SvgDrawing, TextAnchor, label_width};

pub use tesuji_train::plot::{Series, plot};

use crate::comparison::VerdictCounts;
use crate::report::{ComparisonRow, ComparisonTable, ReportedValue};

/// Orange and blue that color-blind people can distinguish (Okabe and Ito, 2008).
const PUBLISHED: &str = "#d55e00";
const OURS: &str = "#0072b2";
/// The same two for numbers that are not compared.
const PALE_PUBLISHED: &str = "#f0c9ad";
const PALE_OURS: &str = "#9cc9e6";

const LINE: f64 = 24.0;
const PLOT: f64 = 380.0;
const GAP: f64 = 16.0;

/// Draws every row of every table on its own line: a square for the published value, a dot for
/// ours, bars for their intervals. Each table has its own scale, logarithmic if its numbers span
/// more than two powers of ten. Rows that no summary counts have pale marks and their verdict.
pub fn of_tables(title: &str, tables: &[ComparisonTable]) -> String {
    let labels = tables.iter().flat_map(|table| table.rows.iter().map(|row| row.what.as_str()));
    let left = labels.map(label_width).fold(160.0, f64::max).min(420.0) + GAP;
    let rows = tables.iter().flat_map(|table| &table.rows);
    let right = rows.map(|row| label_width(&our_label(row))).fold(80.0, f64::max).min(420.0) + GAP;
    let lines: usize = tables.iter().map(|table| table.rows.len() + 2).sum();
    let width = left + PLOT + GAP + right;
    let mut drawing = SvgDrawing::new(width, 64.0 + LINE * lines as f64, title);
    drawing.text(GAP, 24.0, TextAnchor::Start, INK, title);
    legend(&mut drawing, GAP, 46.0);
    let counts = VerdictCounts::of_tables(tables).text();
    drawing.text(GAP + 190.0, 46.0, TextAnchor::Start, INK, &shortened(&counts, width - 220.0));
    let mut y = 64.0;
    for table in tables {
        drawing.text(GAP, y + 16.0, TextAnchor::Start, INK, &shortened(&table.title, width));
        y += LINE;
        let scale = Scale::around(&table.rows);
        for row in &table.rows {
            let label = shortened(&row.what, left - GAP);
            drawing.text(left - GAP, y + 16.0, TextAnchor::End, INK, &label);
            drawing.line([left, y + 12.0, left + PLOT, y + 12.0], PALE);
            if let Some(scale) = &scale {
                scale.draw(&mut drawing, row, left, y);
            }
            let text = shortened(&our_label(row), right);
            drawing.text(left + PLOT + GAP, y + 16.0, TextAnchor::Start, INK, &text);
            y += LINE;
        }
        y += LINE;
    }
    drawing.finish()
}

/// Our value, with the verdict where it is not a result to compare.
fn our_label(row: &ComparisonRow) -> String {
    match row.verdict.is_counted() {
        true => row.ours.text.clone(),
        false => format!("{} ({})", row.ours.text, row.verdict.word()),
    }
}

fn legend(drawing: &mut SvgDrawing, x: f64, y: f64) {
    square(drawing, x + 5.0, y - 5.0, PUBLISHED);
    drawing.text(x + 16.0, y, TextAnchor::Start, INK, "published");
    drawing.dot(x + 105.0, y - 5.0, OURS);
    drawing.text(x + 116.0, y, TextAnchor::Start, INK, "Tesuji");
}

fn square(drawing: &mut SvgDrawing, x: f64, y: f64, ink: &str) {
    drawing.rectangle([x - 4.0, y - 4.0, 8.0, 8.0], ink);
}

/// Cuts a label to a width.
fn shortened(text: &str, width: f64) -> String {
    if label_width(text) <= width {
        return text.to_string();
    }
    let fitting = text.chars().count() as f64 * width / label_width(text);
    let kept: String = text.chars().take((fitting as usize).saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The scale of a table.
struct Scale {
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

impl Scale {
    fn around(rows: &[ComparisonRow]) -> Option<Scale> {
        let figures = rows.iter().flat_map(|row| row.published.iter().chain([&row.ours]));
        let ends = |figure: &ReportedValue| [figure.value, figure.low, figure.high];
        let values: Vec<f64> = figures.flat_map(ends).flatten().filter(|v| v.is_finite()).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return None;
        }
        if low > 0.0 && high / low > 100.0 {
            return Some(Scale { low: low.log10(), high: high.log10(), is_logarithmic: true });
        }
        let low = if low >= 0.0 { 0.0 } else { low };
        let high = if high > low { high } else { low + 1.0 };
        Some(Scale { low, high, is_logarithmic: false })
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic { value.max(1e-300).log10() } else { value };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn draw(&self, drawing: &mut SvgDrawing, row: &ComparisonRow, left: f64, y: f64) {
        let at = |value: f64| left + 6.0 + (PLOT - 12.0) * self.place(value);
        let [published_ink, our_ink] = match row.verdict.is_counted() {
            true => [PUBLISHED, OURS],
            false => [PALE_PUBLISHED, PALE_OURS],
        };
        let mut bar = |figure: &ReportedValue, y: f64, ink: &str| {
            if let (Some(low), Some(high)) = (figure.low, figure.high) {
                drawing.line([at(low), y, at(high), y], ink);
            }
        };
        if let Some(published) = &row.published {
            bar(published, y + 9.0, published_ink);
        }
        bar(&row.ours, y + 15.0, our_ink);
        if let Some(value) = row.published.as_ref().and_then(|figure| figure.value) {
            square(drawing, at(value), y + 9.0, published_ink);
        }
        if let Some(value) = row.ours.value {
            drawing.dot(at(value), y + 15.0, our_ink);
        }
    }
}

/// A sample of a box plot.
pub struct Sample<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values, in any order.
    pub values: Vec<f64>,
    /// The published mean, drawn next to it.
    pub published: Option<f64>,
}

/// The five numbers of a box.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FiveNumbers {
    /// The minimum.
    pub least: f64,
    /// The first quartile.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub upper: f64,
    /// The maximum.
    pub greatest: f64,
}

/// Returns the five numbers of a sample; `None` if it is empty.
pub fn five_numbers(values: &[f64]) -> Option<FiveNumbers> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (sorted.len() - 1) as f64;
        let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
        below + (above - below) * place.fract()
    };
    (!sorted.is_empty()).then(|| FiveNumbers {
        least: at(0.0),
        lower: at(0.25),
        median: at(0.5),
        upper: at(0.75),
        greatest: at(1.0),
    })
}

/// Draws a box for each sample: the middle half, the median, whiskers to the extremes, and a square
/// for the published mean.
pub fn boxes(title: &str, axis: &str, samples: &[Sample<'_>]) -> String {
    let left = samples.iter().map(|sample| label_width(sample.name)).fold(120.0, f64::max) + GAP;
    let (row, top) = (40.0, 70.0);
    let height = top + row * samples.len() as f64 + 46.0;
    let mut drawing = SvgDrawing::new(left + PLOT + 3.0 * GAP, height, title);
    drawing.text(GAP, 24.0, TextAnchor::Start, INK, title);
    square(&mut drawing, GAP + 5.0, 41.0, PUBLISHED);
    drawing.text(GAP + 16.0, 46.0, TextAnchor::Start, INK, "published mean, of all games");
    let values = samples.iter().flat_map(|sample| sample.values.iter().chain(&sample.published));
    let high = values.copied().fold(1.0, f64::max).ceil();
    let at = |value: f64| left + PLOT * value / high;
    let bottom = top + row * samples.len() as f64;
    let step = (high / 10.0).ceil().max(1.0);
    for mark in (0..).map(|n| f64::from(n) * step).take_while(|mark| *mark <= high) {
        drawing.line([at(mark), top - 6.0, at(mark), bottom], PALE);
        drawing.text(at(mark), bottom + 16.0, TextAnchor::Middle, INK, &format!("{mark}"));
    }
    drawing.text(left + PLOT / 2.0, bottom + 36.0, TextAnchor::Middle, INK, axis);
    for (n, sample) in samples.iter().enumerate() {
        let middle = top + row * n as f64 + row / 2.0;
        drawing.text(left - GAP, middle + 4.0, TextAnchor::End, INK, sample.name);
        if let Some(five) = five_numbers(&sample.values) {
            drawing.line([at(five.least), middle, at(five.greatest), middle], INK);
            let [from, to] = [at(five.lower), at(five.upper)];
            drawing.rectangle([from, middle - 10.0, (to - from).max(1.0), 20.0], PALE_OURS);
            drawing.line([at(five.median), middle - 10.0, at(five.median), middle + 10.0], OURS);
        }
        if let Some(published) = sample.published {
            square(&mut drawing, at(published), middle, PUBLISHED);
        }
    }
    drawing.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{Better, Estimate};

    #[test]
    fn five_numbers_of_a_sample() {
        let five = five_numbers(&[4.0, 1.0, 3.0, 2.0, 5.0]).unwrap();
        assert_eq!((five.least, five.lower, five.median), (1.0, 2.0, 3.0));
        assert_eq!((five.upper, five.greatest), (4.0, 5.0));
        assert_eq!(five_numbers(&[]), None);
    }

    #[test]
    fn pictures_hold_every_row_and_nothing_that_is_no_number() {
        let rows = vec![
            ComparisonRow::percent(
                "HB",
                Estimate::percent(261.0, 300),
                Estimate::percent(88.0, 100),
                Better::Higher,
            ),
            ComparisonRow::claim("growth", "rapid", ReportedValue::words("yes <&>"), true),
            ComparisonRow::time("a move", 900.0, Estimate::exact(0.04)),
            ComparisonRow::count("wins", 12, 40).not_comparable("a stand-in"),
        ];
        let svg = of_tables(
            "A & B",
            &[ComparisonTable::new("t", rows), ComparisonTable::new("empty", Vec::new())],
        );
        assert!(svg.contains(">HB</text>") && svg.contains("yes &lt;&amp;&gt;"));
        assert!(svg.contains("40 (not comparable)") && svg.contains(PALE_OURS));
        assert!(svg.contains("2 agree, 1 better; not counted: 1 not comparable"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let sample = Sample { name: "HB", values: vec![9.0, 12.0, 14.0], published: Some(12.5) };
        let none = Sample { name: "none", values: Vec::new(), published: None };
        let svg = boxes("moves", "moves to win", &[sample, none]);
        assert!(svg.contains("HB") && !svg.contains("NaN"));
    }
}
