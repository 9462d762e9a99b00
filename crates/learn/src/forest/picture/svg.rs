//! The summary as SVG: a row for each tree, with a grid for its pattern and for each rule.

use tesuji_play::report::svg::{INK, PALE, SvgDrawing, TextAnchor};

use super::{ForestPicture, Mark, Rule, TreePicture};
use crate::forest::{CellContent, Class};

/// Sizes in pixels: a cell, the gap between grids, and the outer margin.
const CELL: usize = 16;
const GAP: usize = 28;
const MARGIN: usize = 16;
/// The height of the headline with the legend, and of the two lines of text above a tree's grids.
const HEAD: usize = 56;
const CAPTIONS: usize = 40;
/// The approximate width of a character.
const CHARACTER: usize = 8;

const PATTERN: &str = "#d6e6f5";

impl ForestPicture {
    /// Renders the summary as an SVG file.
    pub fn svg(&self) -> String {
        let row = self.window.side * CELL + CAPTIONS + GAP;
        let height = HEAD + self.trees.len() * row + MARGIN;
        let mut drawing = SvgDrawing::new(width(self) as f64, height as f64, &self.headline());
        text(&mut drawing, MARGIN, 24, INK, &self.headline());
        legend(&mut drawing, MARGIN, 44);
        for (place, tree) in self.trees.iter().enumerate() {
            tree_to(&mut drawing, self, tree, HEAD + place * row);
        }
        drawing.finish()
    }
}

fn width(picture: &ForestPicture) -> usize {
    let grids = 1 + picture.trees.iter().map(|tree| tree.rules.len()).max().unwrap_or(0);
    let lines = picture.trees.iter().map(TreePicture::headline).chain([picture.headline()]);
    let longest = lines.map(|line| line.chars().count()).max().unwrap_or(0).max(70);
    2 * MARGIN + (grids * (grid_width(picture) + GAP)).max(longest * CHARACTER)
}

/// Wide enough for the caption too.
fn grid_width(picture: &ForestPicture) -> usize {
    (picture.window.side * CELL).max(12 * CHARACTER)
}

fn tree_to(drawing: &mut SvgDrawing, picture: &ForestPicture, tree: &TreePicture, top: usize) {
    text(drawing, MARGIN, top + 14, INK, &tree.headline());
    let rules = tree.rules.iter().map(Some);
    for (place, rule) in [None].into_iter().chain(rules).enumerate() {
        let left = MARGIN + place * (grid_width(picture) + GAP);
        text(drawing, left, top + 33, ink_of(rule), &caption(rule));
        let marks = tree.marks(picture.window, rule);
        for (cell, &mark) in marks.iter().enumerate() {
            let (column, row) = (cell % picture.window.side, cell / picture.window.side);
            mark_to(drawing, mark, left + column * CELL, top + CAPTIONS + row * CELL);
        }
    }
}

fn caption(rule: Option<&Rule>) -> String {
    match rule {
        None => "pattern".to_string(),
        Some(rule) => format!("{}: 1 in {}", rule.class.name(), rule.one_in()),
    }
}

/// Blue for a win, orange for a loss: distinguishable with color blindness.
fn ink_of(rule: Option<&Rule>) -> &'static str {
    match rule.map(|rule| rule.class) {
        Some(Class::Win) => "#1f6fb2",
        Some(Class::Loss) => "#b35a00",
        _ => INK,
    }
}

fn mark_to(drawing: &mut SvgDrawing, mark: Mark, x: usize, y: usize) {
    let fill = if mark == Mark::Outside { "#ffffff" } else { PATTERN };
    let (x, y, cell) = (x as f64, y as f64, CELL as f64);
    drawing.framed([x, y, cell, cell], fill, Some((PALE, 1.0)));
    let Mark::Holds(content) = mark else { return };
    let (radius, fill) = match content {
        CellContent::Empty => (2.0, INK),
        CellContent::Mine => (6.0, INK),
        CellContent::Theirs => (6.0, "#ffffff"),
    };
    drawing.circle((x + cell / 2.0, y + cell / 2.0), radius, fill, Some((INK, 1.0)));
}

fn legend(drawing: &mut SvgDrawing, left: usize, bottom: usize) {
    let all = CellContent::ALL.map(Mark::Holds);
    let words = ["empty", "own stone", "the other's", "anything", "not in the pattern"];
    let mut left = left;
    for (mark, word) in all.into_iter().chain([Mark::Free, Mark::Outside]).zip(words) {
        mark_to(drawing, mark, left, bottom - 13);
        text(drawing, left + CELL + 6, bottom, INK, word);
        left += CELL + 20 + word.len() * CHARACTER;
    }
}

fn text(drawing: &mut SvgDrawing, x: usize, y: usize, ink: &str, text: &str) {
    drawing.text(x as f64, y as f64, TextAnchor::Start, ink, text);
}
