//! Writing forests: one element a line, indented by one space a level.

use std::fmt::Write;

use super::definition::DEFINITION;
use super::particulars::{Particulars, TARGET};
use crate::forest::{Class, Forest, Node, Pattern, Tree, Wood};

/// The forest as a file, with the definition in it. The same forest gives the same text. Where all answers below a
/// question are the same, the question is left out: no answer changes, and files are smaller.
pub fn write(forest: &Forest) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let particulars = Particulars::of(forest).written();
    // Writing to a string never fails.
    let _ = writeln!(out, "{DEFINITION}\n<?{TARGET} {particulars}?>\n<RandomForest>");
    for wood in &forest.woods {
        wood_to(&mut out, wood);
    }
    out.push_str("</RandomForest>\n");
    out
}

fn wood_to(out: &mut String, wood: &Wood) {
    let cells: Vec<String> = wood.pattern.cells().iter().map(u16::to_string).collect();
    let decision = wood.pattern.window().cells();
    let _ = write!(
        out,
        " <RandomWoods>\n  <TrainingAttributesList>\n   <TrainingAttributes attributeIndxs=\"{}\"/>\n  \
         </TrainingAttributesList>\n  <ForestTree decisionAttr=\"{decision}\">\n",
        cells.join(",")
    );
    let writing =
        Writing { tree: &wood.tree, pattern: &wood.pattern, agreed: wood.tree.unanimous() };
    writing.root(out);
    out.push_str("  </ForestTree>\n </RandomWoods>\n");
}

struct Writing<'a> {
    tree: &'a Tree,
    pattern: &'a Pattern,
    agreed: Vec<Option<Class>>,
}

impl Writing<'_> {
    /// The definition has no root without a question: a single answer is given three times.
    fn root(&self, out: &mut String) {
        let (header, branches) = match (self.agreed[0], self.tree.nodes()[0]) {
            (None, Node::Split { attribute, branches }) => (usize::from(attribute), branches),
            _ => (0, [0; 3]),
        };
        let _ = writeln!(out, "   <TreeRoot headerIndx=\"{}\">", self.pattern.cells()[header]);
        self.branches(out, branches, 4);
        out.push_str("   </TreeRoot>\n");
    }

    fn branches(&self, out: &mut String, branches: [u32; 3], level: usize) {
        for (value, place) in branches.into_iter().enumerate() {
            self.branch(out, value, place as usize, level);
        }
    }

    fn branch(&self, out: &mut String, value: usize, place: usize, level: usize) {
        match (self.agreed[place], self.tree.nodes()[place]) {
            (Some(class), _) | (None, Node::Leaf(class)) => {
                let category = category(class);
                let _ = writeln!(
                    out,
                    "{:level$}<TreeLeaf branchValue=\"{value}\" categoryValue=\"{category}\"/>",
                    ""
                );
            }
            (None, Node::Split { attribute, branches }) => {
                let header = self.pattern.cells()[usize::from(attribute)];
                let _ = writeln!(
                    out,
                    "{:level$}<TreeNode branchValue=\"{value}\" headerIndx=\"{header}\">",
                    ""
                );
                self.branches(out, branches, level + 1);
                let _ = writeln!(out, "{:level$}</TreeNode>", "");
            }
        }
    }
}

/// The word for a class.
pub(super) const fn category(class: Class) -> &'static str {
    match class {
        Class::Win => "win",
        Class::Draw => "draw",
        Class::Loss => "loss",
    }
}
