//! A table as a picture: labelled rows and columns of coloured cells. Cross tables and competitions are drawn by it.

use super::svg::{Anchor, Drawing, INK, PALE, label_width, shade};

/// A cell: what stands in it and how it is coloured.
pub(super) struct Cell {
    pub(super) text: String,
    /// −1 (all lost) to 1 (all won); `None` for no colour.
    pub(super) value: Option<f64>,
}

/// A table to draw.
pub(super) struct Matrix {
    pub(super) title: String,
    pub(super) rows: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) cells: Vec<Vec<Cell>>,
}

const ROW: f64 = 26.0;
const MARGIN: f64 = 16.0;

impl Matrix {
    /// The picture.
    pub(super) fn svg(&self) -> String {
        let texts = self.cells.iter().flatten().map(|cell| label_width(&cell.text));
        let cell = texts.fold(34.0, f64::max) + 12.0;
        let names = self.rows.iter().map(|name| label_width(name)).fold(0.0, f64::max);
        let tallest = self.columns.iter().map(|name| label_width(name)).fold(0.0, f64::max) * 0.72;
        let (left, top) = (MARGIN + names + 10.0, MARGIN + 34.0 + tallest);
        let width = left + cell * self.columns.len() as f64 + tallest + MARGIN;
        let width = width.max(2.0 * MARGIN + label_width(&self.title));
        let height = top + ROW * self.rows.len() as f64 + MARGIN;
        let mut drawing = Drawing::new(width, height, &self.title);
        drawing.text(MARGIN, MARGIN + 10.0, Anchor::Start, INK, &self.title);
        for (number, name) in self.columns.iter().enumerate() {
            drawing.slanted(left + cell * (number as f64 + 0.5), top - 8.0, INK, name);
        }
        for (number, (name, cells)) in self.rows.iter().zip(&self.cells).enumerate() {
            let y = top + ROW * number as f64;
            drawing.text(left - 10.0, y + 17.5, Anchor::End, INK, name);
            for (column, content) in cells.iter().enumerate() {
                draw_cell(&mut drawing, [left + cell * column as f64, y, cell, ROW], content);
            }
        }
        drawing.finished()
    }
}

fn draw_cell(drawing: &mut Drawing, [x, y, width, height]: [f64; 4], cell: &Cell) {
    let ground = cell.value.map_or_else(|| "#ffffff".to_string(), shade);
    drawing.rectangle([x, y, width, height], PALE);
    drawing.rectangle([x + 0.5, y + 0.5, width - 1.0, height - 1.0], &ground);
    drawing.text(x + width / 2.0, y + 17.5, Anchor::Middle, INK, &cell.text);
}
