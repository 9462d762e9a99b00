//! A decision tree over the cells of a pattern, and the table of all its answers.

use super::{Class, Field};

/// A tree. Its first node is the root; a node stands before its branches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
}

/// A node of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// An answer.
    Leaf(Class),
    /// A question: what lies on cell `attribute` of the pattern? The branches are the places of the nodes to go to
    /// for each [`Field`].
    Split {
        /// Which cell of the pattern, counted from 0.
        attribute: u8,
        /// Where to go on.
        branches: [u32; 3],
    },
}

/// The entry of a table for nothing but empty cells: such a placement does not vote.
pub const IGNORED: u8 = 3;

/// The answers of a tree to every content of its pattern: entry `i` is that for the index `i` (see
/// [`Pattern::index`](super::Pattern::index)), as the number of its [`Class`], or [`IGNORED`] for the empty pattern.
pub type Table = Vec<u8>;

impl Tree {
    /// A tree of these nodes. `None` unless the first is the root of them all, every other node is the branch of
    /// exactly one that stands before it, and no question is asked twice on a way.
    pub fn new(nodes: Vec<Node>) -> Option<Tree> {
        let mut asked: Vec<Option<u64>> = vec![None; nodes.len()];
        *asked.first_mut()? = Some(0);
        for (place, node) in nodes.iter().enumerate() {
            let before = asked[place]?;
            let Node::Split { attribute, branches } = *node else { continue };
            let question =
                1u64.checked_shl(u32::from(attribute)).filter(|bit| before & bit == 0)?;
            for branch in branches.map(|branch| branch as usize) {
                if branch <= place || asked.get(branch)?.is_some() {
                    return None;
                }
                asked[branch] = Some(before | question);
            }
        }
        Some(Tree { nodes })
    }

    /// A tree that always says the same.
    pub fn leaf(class: Class) -> Tree {
        Tree { nodes: vec![Node::Leaf(class)] }
    }

    /// The nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Questions and answers on the longest way.
    pub fn depth(&self) -> usize {
        let mut depths = vec![1; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            if let Node::Split { branches, .. } = node {
                branches.iter().for_each(|&branch| depths[branch as usize] = depths[place] + 1);
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The answer for what the cells of the pattern hold: `field(j)` is cell j.
    #[inline]
    pub fn classify(&self, field: impl Fn(usize) -> Field) -> Class {
        let mut place = 0;
        loop {
            match self.nodes[place] {
                Node::Leaf(class) => return class,
                Node::Split { attribute, branches } => {
                    place = branches[field(usize::from(attribute)) as usize] as usize;
                }
            }
        }
    }

    /// For each node the one answer that all leaves under it give, where they agree.
    pub fn unanimous(&self) -> Vec<Option<Class>> {
        let mut answers = vec![None; self.nodes.len()];
        // Branches stand behind their nodes.
        for (place, node) in self.nodes.iter().enumerate().rev() {
            answers[place] = match *node {
                Node::Leaf(class) => Some(class),
                Node::Split { branches, .. } => {
                    let [first, second, third] = branches.map(|branch| answers[branch as usize]);
                    first.filter(|_| first == second && second == third)
                }
            };
        }
        answers
    }

    /// The answers to every content of a pattern of `cells` cells.
    pub fn table(&self, cells: usize) -> Table {
        let digit = |index: usize, j: usize| Field::ALL[index / 3usize.pow(j as u32) % 3];
        let mut table: Table = (0..3usize.pow(cells as u32))
            .map(|index| self.classify(|j| digit(index, j)) as u8)
            .collect();
        table[0] = IGNORED;
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(attribute: u8, branches: [u32; 3]) -> Node {
        Node::Split { attribute, branches }
    }

    #[test]
    fn a_table_has_the_answers_of_its_tree() {
        let [win, draw, loss] = Class::ALL.map(Node::Leaf);
        let tree =
            Tree::new(vec![split(1, [1, 2, 3]), draw, split(0, [4, 5, 6]), loss, draw, win, loss])
                .unwrap();
        let answers = [3, 1, 1, 1, 0, 2, 2, 2, 2];
        assert_eq!(tree.table(2), answers);
        assert_eq!(tree.depth(), 3);
        let agreed = tree.unanimous();
        assert_eq!(agreed[..4], [None, Some(Class::Draw), None, Some(Class::Loss)]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let leaf = Node::Leaf(Class::Win);
        assert_eq!(Tree::new(vec![]), None);
        assert_eq!(Tree::new(vec![leaf, leaf]), None, "nobody leads to the second");
        assert_eq!(Tree::new(vec![split(0, [0, 1, 2]), leaf, leaf]), None, "a circle");
        assert_eq!(Tree::new(vec![split(0, [1, 1, 2]), leaf, leaf]), None, "one branch twice");
        assert_eq!(Tree::new(vec![split(0, [1, 2, 9]), leaf, leaf]), None, "leads nowhere");
        let twice = vec![split(0, [1, 2, 3]), split(0, [4, 5, 6]), leaf, leaf, leaf, leaf, leaf];
        assert_eq!(Tree::new(twice), None, "asked already");
    }
}
