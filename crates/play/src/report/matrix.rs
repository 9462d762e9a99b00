//! A table as an SVG picture: labeled rows and columns of colored cells. Used by cross tables and
//! competitions.

use super::svg::{INK, PALE, SvgDrawing, TextAnchor, label_width, shade};

const ROW: f64 = 26.0;
const MARGIN: f64 = 16.0;

/// Draws a table. Its first line is the heading, the first cell of each line the row's name.
/// `value` sets the background color of the cells (row, column): −1 (all lost) to 1 (all won);
/// `None` for no color.
pub(super) fn render(
    title: &str,
    lines: &[Vec<String>],
    value: impl Fn(usize, usize) -> Option<f64>,
) -> String {
    let (heading, rows) = (&lines[0][1..], &lines[1..]);
    let widest = |texts: &mut dyn Iterator<Item = &String>| {
        texts.map(|text| label_width(text)).fold(0.0, f64::max)
    };
    let cell = widest(&mut rows.iter().flat_map(|row| &row[1..])).max(34.0) + 12.0;
    let names = widest(&mut rows.iter().map(|row| &row[0]));
    let tallest = widest(&mut heading.iter()) * 0.72;
    let (left, top) = (MARGIN + names + 10.0, MARGIN + 34.0 + tallest);
    let width = left + cell * heading.len() as f64 + tallest + MARGIN;
    let width = width.max(2.0 * MARGIN + label_width(title));
    let height = top + ROW * rows.len() as f64 + MARGIN;
    let mut drawing = SvgDrawing::new(width, height, title);
    drawing.text(MARGIN, MARGIN + 10.0, TextAnchor::Start, INK, title);
    for (number, name) in heading.iter().enumerate() {
        drawing.slanted(left + cell * (number as f64 + 0.5), top - 8.0, INK, name);
    }
    for (number, row) in rows.iter().enumerate() {
        let y = top + ROW * number as f64;
        drawing.text(left - 10.0, y + 17.5, TextAnchor::End, INK, &row[0]);
        for (column, text) in row[1..].iter().enumerate() {
            let x = left + cell * column as f64;
            let ground = value(number, column).map_or_else(|| "#ffffff".to_string(), shade);
            drawing.rectangle([x, y, cell, ROW], PALE);
            drawing.rectangle([x + 0.5, y + 0.5, cell - 1.0, ROW - 1.0], &ground);
            drawing.text(x + cell / 2.0, y + 17.5, TextAnchor::Middle, INK, text);
        }
    }
    drawing.finish()
}
