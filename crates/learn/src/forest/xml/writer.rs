//! Writing forests: one element a line, indented by one space a level.

use std::fmt::Write;

use super::definition::DEFINITION;
use super::particulars::{Particulars, TARGET};
use crate::forest::{Forest, Node, Tree, Wood};

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
    let tree = wood.tree.pruned();
    // The definition has no root without a question: a single answer is given three times.
    let (header, branches) = match tree.nodes()[0] {
        Node::Split { attribute, branches } => (usize::from(attribute), branches),
        Node::Leaf(_) => (0, [0; 3]),
    };
    let _ = write!(
        out,
        " <RandomWoods>\n  <TrainingAttributesList>\n   <TrainingAttributes attributeIndxs=\"{}\"/>\n  \
         </TrainingAttributesList>\n  <ForestTree decisionAttr=\"{}\">\n   <TreeRoot headerIndx=\"{}\">\n",
        cells.join(","),
        wood.pattern.window().cells(),
        cells[header]
    );
    branches_to(out, &tree, &cells, branches, 4);
    out.push_str("   </TreeRoot>\n  </ForestTree>\n </RandomWoods>\n");
}

fn branches_to(out: &mut String, tree: &Tree, cells: &[String], branches: [u32; 3], level: usize) {
    for (value, place) in branches.into_iter().enumerate() {
        let _ = match tree.nodes()[place as usize] {
            Node::Leaf(class) => writeln!(
                out,
                "{:level$}<TreeLeaf branchValue=\"{value}\" categoryValue=\"{}\"/>",
                "",
                class.word()
            ),
            Node::Split { attribute, branches } => {
                let header = &cells[usize::from(attribute)];
                let _ = writeln!(
                    out,
                    "{:level$}<TreeNode branchValue=\"{value}\" headerIndx=\"{header}\">",
                    ""
                );
                branches_to(out, tree, cells, branches, level + 1);
                writeln!(out, "{:level$}</TreeNode>", "")
            }
        };
    }
}
