//! The picture as SVG, written by hand: a row for each tree, a grid for its pattern and for each rule.

use std::fmt::Write;

use super::text::word;
use super::{Mark, Picture, Rule, TreePicture};
use crate::forest::{Class, Field};

/// Pixels: a cell, the space between grids, and that around everything.
const CELL: usize = 16;
const GAP: usize = 28;
const MARGIN: usize = 16;
/// Height of the headline with the legend, and of the two lines of text above the grids of a tree.
const HEAD: usize = 56;
const CAPTIONS: usize = 40;
/// Roughly how wide a character of the text is.
const CHARACTER: usize = 8;

const INK: &str = "#1f2933";
const PALE: &str = "#c3cbd3";
const PATTERN: &str = "#d6e6f5";

/// The file.
pub(super) fn svg(picture: &Picture) -> String {
    let mut body = String::new();
    text(&mut body, MARGIN, 24, INK, &picture.headline());
    legend(&mut body, MARGIN, 44);
    let row = picture.window.side * CELL + CAPTIONS + GAP;
    for (place, tree) in picture.trees.iter().enumerate() {
        tree_to(&mut body, picture, tree, HEAD + place * row);
    }
    let height = HEAD + picture.trees.len() * row + MARGIN;
    framed(picture, width(picture), height, &body)
}

fn width(picture: &Picture) -> usize {
    let grids = 1 + picture.trees.iter().map(|tree| tree.rules.len()).max().unwrap_or(0);
    let lines = picture.trees.iter().map(TreePicture::headline).chain([picture.headline()]);
    let longest = lines.map(|line| line.chars().count()).max().unwrap_or(0).max(70);
    2 * MARGIN + (grids * (grid_width(picture) + GAP)).max(longest * CHARACTER)
}

/// Wide enough for its caption too.
fn grid_width(picture: &Picture) -> usize {
    (picture.window.side * CELL).max(12 * CHARACTER)
}

fn tree_to(body: &mut String, picture: &Picture, tree: &TreePicture, top: usize) {
    text(body, MARGIN, top + 14, INK, &tree.headline());
    let rules = tree.rules.iter().map(Some);
    for (place, rule) in [None].into_iter().chain(rules).enumerate() {
        let left = MARGIN + place * (grid_width(picture) + GAP);
        text(body, left, top + 33, ink_of(rule), &caption(rule));
        let marks = tree.marks(picture.window, rule);
        for (cell, &mark) in marks.iter().enumerate() {
            let (column, row) = (cell % picture.window.side, cell / picture.window.side);
            mark_to(body, mark, left + column * CELL, top + CAPTIONS + row * CELL);
        }
    }
}

fn caption(rule: Option<&Rule>) -> String {
    match rule {
        None => "pattern".to_string(),
        Some(rule) => format!("{}: 1 in {}", word(rule.class), rule.one_in()),
    }
}

/// Blue for a win, orange for a loss: a pair that colour-blind people tell apart.
fn ink_of(rule: Option<&Rule>) -> &'static str {
    match rule.map(|rule| rule.class) {
        Some(Class::Win) => "#1f6fb2",
        Some(Class::Loss) => "#b35a00",
        _ => INK,
    }
}

fn mark_to(body: &mut String, mark: Mark, x: usize, y: usize) {
    let fill = if mark == Mark::Outside { "#ffffff" } else { PATTERN };
    let _ = writeln!(
        body,
        r#"<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="{PALE}"/>"#
    );
    let Mark::Holds(field) = mark else { return };
    let (radius, fill) = match field {
        Field::Empty => (2, INK),
        Field::Mine => (6, INK),
        Field::Theirs => (6, "#ffffff"),
    };
    let (x, y) = (x + CELL / 2, y + CELL / 2);
    let _ =
        writeln!(body, r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{INK}"/>"#);
}

fn legend(body: &mut String, left: usize, bottom: usize) {
    let all = Field::ALL.map(Mark::Holds);
    let words = ["empty", "own stone", "the other's", "anything", "not in the pattern"];
    let mut left = left;
    for (mark, word) in all.into_iter().chain([Mark::Free, Mark::Outside]).zip(words) {
        mark_to(body, mark, left, bottom - 13);
        text(body, left + CELL + 6, bottom, INK, word);
        left += CELL + 20 + word.len() * CHARACTER;
    }
}

fn text(body: &mut String, x: usize, y: usize, ink: &str, text: &str) {
    let _ = writeln!(body, r#"<text x="{x}" y="{y}" fill="{ink}">{}</text>"#, escaped(text));
}

fn framed(picture: &Picture, width: usize, height: usize, body: &str) -> String {
    let title = escaped(&picture.headline());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// Text that may stand in XML, which has no place for control characters.
fn escaped(text: &str) -> String {
    let bare =
        text.replace(|c: char| c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c), " ");
    quick_xml::escape::escape(&bare).into_owned()
}
