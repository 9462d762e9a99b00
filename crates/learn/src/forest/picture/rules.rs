//! The rules in a tree: one for each path from the root to a leaf of the pruned tree.

use serde::{Serialize, Serializer};

use crate::forest::{CellContent, Class, DecisionNode, DecisionTree};

/// The contents of some cells of a pattern that imply a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rule {
    /// The class.
    pub class: Class,
    /// The required content of each cell of the pattern; `None` if any. In JSON a string of `X`,
    /// `O`, `.` and `?`.
    #[serde(rename = "fields", serialize_with = "as_letters")]
    pub contents: Vec<Option<CellContent>>,
}

impl Rule {
    /// One in how many contents of the pattern matches the rule.
    pub fn one_in(&self) -> u64 {
        3u64.pow(self.tested() as u32)
    }

    fn tested(&self) -> usize {
        self.contents.iter().flatten().count()
    }
}

/// The most important rules of a tree for a class: those with the fewest required cells, and among
/// them those with the most stones. A tree does not store how many samples took each path, so the
/// size of a rule approximates its frequency.
pub fn decisive_rules(tree: &DecisionTree, cells: usize, class: Class, count: usize) -> Vec<Rule> {
    let mut rules = all_rules(tree, cells);
    rules.retain(|rule| rule.class == class);
    let empties = |rule: &Rule| {
        rule.contents.iter().filter(|&&content| content == Some(CellContent::Empty)).count()
    };
    rules.sort_by_key(|rule| (rule.tested(), empties(rule)));
    rules.truncate(count);
    rules
}

fn all_rules(tree: &DecisionTree, cells: usize) -> Vec<Rule> {
    let tree = tree.pruned();
    let mut rules = Vec::new();
    let mut paths = vec![(0, vec![None; cells])];
    while let Some((place, contents)) = paths.pop() {
        match tree.nodes()[place] {
            DecisionNode::Leaf(vote) => {
                rules.extend(vote.class().map(|class| Rule { class, contents }));
            }
            DecisionNode::Split { attribute, branches } => {
                for (branch, content) in branches.into_iter().zip(CellContent::ALL).rev() {
                    let mut longer = contents.clone();
                    longer[usize::from(attribute)] = Some(content);
                    paths.push((branch as usize, longer));
                }
            }
        }
    }
    rules
}

fn as_letters<S: Serializer>(
    contents: &[Option<CellContent>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let letters = contents.iter().map(|content| content.map_or('?', CellContent::letter));
    serializer.collect_str(&letters.collect::<String>())
}
