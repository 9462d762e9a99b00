//! The rules in a tree: each way from the root to where only one answer is left is one.

use serde::{Serialize, Serializer};

use crate::forest::{Class, Field, Node, Tree};

/// What some cells of a pattern must hold for an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rule {
    /// The answer.
    pub class: Class,
    /// For each cell of the pattern what it must hold; `None` where that does not matter. In JSON a text of `X`, `O`,
    /// `.` and `?`.
    #[serde(serialize_with = "as_letters")]
    pub fields: Vec<Option<Field>>,
}

impl Rule {
    /// Of so many contents of the pattern one falls under the rule.
    pub fn one_in(&self) -> u64 {
        3u64.pow(self.asked() as u32)
    }

    fn asked(&self) -> usize {
        self.fields.iter().flatten().count()
    }
}

/// The rules of a tree with this answer that decide most: those that ask least, and of these the ones with most
/// stones. A tree does not remember how many samples went each way, so the size of a rule stands for how often it
/// will be met.
pub fn decisive_rules(tree: &Tree, cells: usize, class: Class, count: usize) -> Vec<Rule> {
    let mut rules = all_rules(tree, cells);
    rules.retain(|rule| rule.class == class);
    let empties =
        |rule: &Rule| rule.fields.iter().filter(|&&field| field == Some(Field::Empty)).count();
    rules.sort_by_key(|rule| (rule.asked(), empties(rule)));
    rules.truncate(count);
    rules
}

fn all_rules(tree: &Tree, cells: usize) -> Vec<Rule> {
    let tree = tree.pruned();
    let mut rules = Vec::new();
    let mut ways = vec![(0, vec![None; cells])];
    while let Some((place, fields)) = ways.pop() {
        match tree.nodes()[place] {
            Node::Leaf(class) => rules.push(Rule { class, fields }),
            Node::Split { attribute, branches } => {
                for (branch, field) in branches.into_iter().zip(Field::ALL).rev() {
                    let mut longer = fields.clone();
                    longer[usize::from(attribute)] = Some(field);
                    ways.push((branch as usize, longer));
                }
            }
        }
    }
    rules
}

fn as_letters<S: Serializer>(fields: &[Option<Field>], serializer: S) -> Result<S::Ok, S::Error> {
    let letters = fields.iter().map(|field| field.map_or('?', Field::letter));
    serializer.collect_str(&letters.collect::<String>())
}
