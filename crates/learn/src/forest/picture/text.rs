//! The summary as text: grids of letters next to each other.

use super::{ForestPicture, Mark, TreePicture};
use crate::forest::PatternWindow;

const LEGEND: &str =
    "# cell of the pattern, X own stone, O the other's, . empty, ? anything, - not in the pattern";

/// Columns between two grids.
const GAP: usize = 3;

impl ForestPicture {
    /// Renders the summary as text, tree by tree.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{LEGEND}\n", self.headline());
        for tree in &self.trees {
            text.push_str(&format!("\n{}\n{}", tree.headline(), grids(tree, self.window)));
        }
        let hidden = self.tree_count - self.trees.len();
        if hidden > 0 {
            text.push_str(&format!("\n{hidden} more\n"));
        }
        text
    }
}

/// The pattern and its rules next to each other, each under its caption.
fn grids(tree: &TreePicture, window: PatternWindow) -> String {
    let mut columns = vec![column("pattern".to_string(), &tree.marks(window, None), window, '#')];
    for rule in &tree.rules {
        let caption = format!("{} 1/{}", rule.class.name(), rule.one_in());
        columns.push(column(caption, &tree.marks(window, Some(rule)), window, '?'));
    }
    let width = |column: &Vec<String>| column.iter().map(String::len).max().unwrap_or(0) + GAP;
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let mut text = String::new();
    for row in 0..=window.side {
        let line: String =
            columns.iter().zip(&widths).map(|(c, width)| format!("{:<width$}", c[row])).collect();
        text.push_str(&format!("  {}\n", line.trim_end()));
    }
    text
}

/// A caption and the rows of a grid.
fn column(caption: String, marks: &[Mark], window: PatternWindow, free: char) -> Vec<String> {
    let mark = |mark: &Mark| match *mark {
        Mark::Outside => "-".to_string(),
        Mark::Free => free.to_string(),
        Mark::Holds(content) => content.letter().to_string(),
    };
    let rows =
        marks.chunks(window.side).map(|row| row.iter().map(mark).collect::<Vec<_>>().join(" "));
    [caption].into_iter().chain(rows).collect()
}
