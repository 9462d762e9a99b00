//! Writes forests: one element per line, indented by one space per level.

use std::fmt::Write;

use super::NO_VOTE;
use super::definition::DEFINITION;
use super::metadata::{Metadata, TARGET};
use crate::forest::{DecisionNode, DecisionTree, Forest, PatternTree, Vote};

/// Formats a forest as a file that contains the definition. Equal forests give equal text.
/// Redundant tests are left out, which changes no prediction and makes files smaller.
pub fn write(forest: &Forest) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let metadata = Metadata::of(forest).written();
    // Writing to a string never fails.
    let _ = writeln!(out, "{DEFINITION}\n<?{TARGET} {metadata}?>\n<RandomForest>");
    for tree in &forest.trees {
        tree_to(&mut out, tree);
    }
    out.push_str("</RandomForest>\n");
    out
}

fn tree_to(out: &mut String, tree: &PatternTree) {
    let cells: Vec<String> = tree.pattern.cells().iter().map(u16::to_string).collect();
    let pruned = tree.decisions.pruned();
    // The definition has no root without a test, so a constant tree has three equal leaves.
    let (header, branches) = match pruned.nodes()[0] {
        DecisionNode::Split { attribute, branches } => (usize::from(attribute), branches),
        DecisionNode::Leaf(_) => (0, [0; 3]),
    };
    let _ = write!(
        out,
        " <RandomWoods>\n  <TrainingAttributesList>\n   <TrainingAttributes \
         attributeIndxs=\"{}\"/>\n  </TrainingAttributesList>\n  <ForestTree \
         decisionAttr=\"{}\">\n   <TreeRoot headerIndx=\"{}\">\n",
        cells.join(","),
        tree.pattern.window().cells(),
        cells[header]
    );
    branches_to(out, &pruned, &cells, branches, 4);
    out.push_str("   </TreeRoot>\n  </ForestTree>\n </RandomWoods>\n");
}

fn category(vote: Vote) -> String {
    match (vote.class(), vote.count()) {
        (None, _) => NO_VOTE.to_string(),
        (Some(class), 1) => class.name().to_string(),
        (Some(class), count) => format!("{} {count}", class.name()),
    }
}

fn branches_to(
    out: &mut String,
    tree: &DecisionTree,
    cells: &[String],
    branches: [u32; 3],
    level: usize,
) {
    for (value, place) in branches.into_iter().enumerate() {
        let _ = match tree.nodes()[place as usize] {
            DecisionNode::Leaf(vote) => writeln!(
                out,
                "{:level$}<TreeLeaf branchValue=\"{value}\" categoryValue=\"{}\"/>",
                "",
                category(vote)
            ),
            DecisionNode::Split { attribute, branches } => {
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
