//! The rules in a tree: each way from the root to where only one answer is left is one.

use serde::{Serialize, Serializer};

use crate::forest::{CellContent, Class, DecisionNode, DecisionTree};

/// What some cells of a pattern must hold for an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rule {
    /// The answer.
    pub class: Class,
    /// For each cell of the pattern what it must hold; `None` where that does not matter. In JSON a text of `X`, `O`,
    /// `.` and `?`.
    #[serde(rename = "fields", serialize_with = "as_letters")]
    pub contents: Vec<Option<CellContent>>,
}

impl Rule {
    /// Of so many contents of the pattern one falls under the rule.
    pub fn one_in(&self) -> u64 {
        3u64.pow(self.asked() as u32)
    }

    fn asked(&self) -> usize {
        self.contents.iter().flatten().count()
    }
}

/// The rules of a tree with this answer that decide most: those that ask least, and of these the ones with most
/// stones. A tree does not remember how many samples went each way, so the size of a rule stands for how often it
/// will be met.
pub fn decisive_rules(tree: &DecisionTree, cells: usize, class: Class, count: usize) -> Vec<Rule> {
    let mut rules = all_rules(tree, cells);
    rules.retain(|rule| rule.class == class);
    let empties = |rule: &Rule| {
        rule.contents.iter().filter(|&&content| content == Some(CellContent::Empty)).count()
    };
    rules.sort_by_key(|rule| (rule.asked(), empties(rule)));
    rules.truncate(count);
    rules
}

fn all_rules(tree: &DecisionTree, cells: usize) -> Vec<Rule> {
    let tree = tree.pruned();
    let mut rules = Vec::new();
    let mut ways = vec![(0, vec![None; cells])];
    while let Some((place, contents)) = ways.pop() {
        match tree.nodes()[place] {
            DecisionNode::Leaf(class) => rules.push(Rule { class, contents }),
            DecisionNode::Split { attribute, branches } => {
                for (branch, content) in branches.into_iter().zip(CellContent::ALL).rev() {
                    let mut longer = contents.clone();
                    longer[usize::from(attribute)] = Some(content);
                    ways.push((branch as usize, longer));
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
