//! Tests with a small forest that can be drawn by hand.

use std::sync::Arc;

use super::*;
use crate::forest::{DecisionNode, DecisionTree, Pattern};

/// Win if the second cell is mine and the first is empty or mine; loss if the second is theirs.
fn example() -> Forest {
    let [win, draw, loss] = Class::ALL.map(|class| DecisionNode::Leaf(class.into()));
    let split = |attribute, branches| DecisionNode::Split { attribute, branches };
    let nodes = vec![split(1, [1, 2, 3]), draw, split(0, [4, 5, 6]), loss, win, win, loss];
    let window = PatternWindow { side: 3 };
    let pattern = Pattern::new(window, vec![8, 1, 3]).unwrap();
    let tree = PatternTree::new(pattern, DecisionTree::new(nodes).unwrap(), Some(0.25));
    let other = PatternTree { weight: 3, error: None, ..tree.clone() };
    Forest {
        game: "mnk:3x3<&".to_string(),
        window,
        spread: Spread::default(),
        formula: VoteFormula::default(),
        trees: [tree, other].map(Arc::new).to_vec(),
    }
}

#[test]
fn a_forest_as_text() {
    let expected = "\
forest for mnk:3x3<&: 2 trees in a 3x3 window, mean out-of-bag error 25.0 %
# cell of the pattern, X own stone, O the other's, . empty, ? anything, - not in the pattern

tree 1: 3 cells, 7 nodes, depth 3, out-of-bag error 25.0 %; says win 6, draw 8, loss 12
  pattern   win 1/9   win 1/9   loss 1/3   loss 1/9
  - # -     - X -     - X -     - O -      - X -
  # - -     ? - -     ? - -     ? - -      ? - -
  - - #     - - X     - - .     - - ?      - - O

1 more
";
    assert_eq!(
        ForestPicture::of(&example(), PictureOptions { trees: 1, rules: 2 }).text(),
        expected
    );
}

#[test]
fn a_forest_as_svg() {
    let svg = ForestPicture::of(&example(), PictureOptions::default()).svg();
    assert!(
        svg.contains("mnk:3x3&lt;&amp;")
            && svg.contains("weight 3")
            && svg.contains("error unknown")
    );
    // Five drawings of two trees with nine cells each, five marks in the legend, and the
    // background.
    assert_eq!(svg.matches("<rect").count(), 2 * 5 * 9 + 5 + 1);
    // The rules require 2 + 2 + 1 + 2 cells; the legend shows three.
    assert_eq!(svg.matches("<circle").count(), 2 * 7 + 3);
    let mut reader = quick_xml::Reader::from_str(&svg);
    while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
}

#[test]
fn a_forest_as_data() {
    let data =
        serde_json::to_value(ForestPicture::of(&example(), PictureOptions { trees: 9, rules: 1 }))
            .unwrap();
    assert_eq!(data["tree_count"], 2);
    assert_eq!(data["trees"][1]["weight"], 3);
    assert_eq!(
        data["trees"][0]["rules"][0],
        serde_json::json!({ "class": "win", "fields": "XX?" })
    );
    assert_eq!(data["trees"][0]["rules"][1]["fields"], "?O?");
}
