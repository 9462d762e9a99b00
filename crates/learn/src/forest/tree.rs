//! A decision tree over the cells of a pattern, and its lookup table.

use super::{CellContent, Class};

/// A decision tree. The first node is the root; a node precedes its branches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecisionTree {
    nodes: Vec<DecisionNode>,
}

/// A node of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecisionNode {
    /// A vote.
    Leaf(Vote),
    /// A test of cell `attribute` of the pattern. The branches are node indices, one for each
    /// [`CellContent`].
    Split {
        /// The cell of the pattern, counted from 0.
        attribute: u8,
        /// The nodes to continue with.
        branches: [u32; 3],
    },
}

/// The vote of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vote {
    class: Class,
    count: u8,
}

impl Vote {
    /// No vote: the samples of the leaf are too few or too divided.
    pub const NONE: Vote = Vote { class: Class::Draw, count: 0 };
    /// The largest count.
    pub const MAX_COUNT: u8 = 32;

    /// A vote for a class that counts as several votes; 0 for none.
    ///
    /// # Panics
    /// Panics if the count is larger than [`MAX_COUNT`](Self::MAX_COUNT).
    pub fn new(class: Class, count: u8) -> Vote {
        assert!(count <= Vote::MAX_COUNT, "a vote that counts {count} times");
        if count == 0 { Vote::NONE } else { Vote { class, count } }
    }

    /// The class; `None` for no vote.
    #[inline]
    pub fn class(self) -> Option<Class> {
        (self.count > 0).then_some(self.class)
    }

    /// How many votes it counts as.
    #[inline]
    pub fn count(self) -> u32 {
        self.count.into()
    }

    /// The table entry: the class in the lowest two bits and the count, less one, above them.
    pub fn entry(self) -> u8 {
        match self.count {
            0 => IGNORED,
            count => (count - 1) << 2 | self.class as u8,
        }
    }

    /// The vote of a table entry.
    pub fn of_entry(entry: u8) -> Vote {
        match Class::ALL.get(usize::from(entry & 3)) {
            Some(&class) => Vote { class, count: (entry >> 2) + 1 },
            None => Vote::NONE,
        }
    }
}

impl From<Class> for Vote {
    fn from(class: Class) -> Vote {
        Vote { class, count: 1 }
    }
}

/// The table entry of a content without a vote, such as the empty pattern.
pub const IGNORED: u8 = 3;

/// The class for every content of a pattern: entry `i` is for index `i` (see
/// [`Pattern::index`](super::Pattern::index)) and holds the [`Vote::entry`], or [`IGNORED`].
pub type LookupTable = Vec<u8>;

impl DecisionTree {
    /// Creates a tree of these nodes. `None` unless the first node is the root, every other node is
    /// a branch of exactly one earlier node, and no path tests a cell twice.
    pub fn new(nodes: Vec<DecisionNode>) -> Option<DecisionTree> {
        let mut tested: Vec<Option<u64>> = vec![None; nodes.len()];
        *tested.first_mut()? = Some(0);
        for (place, node) in nodes.iter().enumerate() {
            let before = tested[place]?;
            let DecisionNode::Split { attribute, branches } = *node else { continue };
            let question =
                1u64.checked_shl(u32::from(attribute)).filter(|bit| before & bit == 0)?;
            for branch in branches.map(|branch| branch as usize) {
                if branch <= place || tested.get(branch)?.is_some() {
                    return None;
                }
                tested[branch] = Some(before | question);
            }
        }
        Some(DecisionTree { nodes })
    }

    /// Creates a tree with a constant prediction.
    pub fn leaf(class: Class) -> DecisionTree {
        DecisionTree { nodes: vec![DecisionNode::Leaf(class.into())] }
    }

    /// The nodes, the root first.
    pub fn nodes(&self) -> &[DecisionNode] {
        &self.nodes
    }

    /// The number of nodes on the longest path.
    pub fn depth(&self) -> usize {
        let mut depths = vec![1; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            if let DecisionNode::Split { branches, .. } = node {
                branches.iter().for_each(|&branch| depths[branch as usize] = depths[place] + 1);
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The vote on a content: `content(j)` is cell j.
    #[inline]
    pub fn vote(&self, content: impl Fn(usize) -> CellContent) -> Vote {
        let mut place = 0;
        loop {
            match self.nodes[place] {
                DecisionNode::Leaf(vote) => return vote,
                DecisionNode::Split { attribute, branches } => {
                    place = branches[content(usize::from(attribute)) as usize] as usize;
                }
            }
        }
    }

    /// The same predictions without redundant tests.
    pub fn pruned(&self) -> DecisionTree {
        let mut nodes = Vec::new();
        self.prune(0, &mut nodes);
        DecisionTree { nodes }
    }

    /// Appends the pruned subtree of a node; returns its vote if all its leaves agree.
    fn prune(&self, place: usize, nodes: &mut Vec<DecisionNode>) -> Option<Vote> {
        let (here, node) = (nodes.len(), self.nodes[place]);
        nodes.push(node);
        let (attribute, mut branches) = match node {
            DecisionNode::Leaf(vote) => return Some(vote),
            DecisionNode::Split { attribute, branches } => (attribute, branches),
        };
        let [first, second, third] = branches.each_mut().map(|branch| {
            let old = std::mem::replace(branch, nodes.len() as u32);
            self.prune(old as usize, nodes)
        });
        if let Some(vote) = first.filter(|_| first == second && second == third) {
            nodes.truncate(here + 1);
            nodes[here] = DecisionNode::Leaf(vote);
            return Some(vote);
        }
        nodes[here] = DecisionNode::Split { attribute, branches };
        None
    }

    /// The votes on all contents of a pattern with `cells` cells.
    pub fn table(&self, cells: usize) -> LookupTable {
        let mut table = vec![IGNORED; 3usize.pow(cells as u32)];
        let mut indices = Vec::new();
        let mut paths = vec![(0, 0, (1u32 << cells) - 1)];
        while let Some((place, index, free)) = paths.pop() {
            match self.nodes[place] {
                DecisionNode::Leaf(vote) => {
                    indices_below(index, free, &mut indices);
                    indices.iter().for_each(|&index| table[index] = vote.entry());
                }
                DecisionNode::Split { attribute, branches } => {
                    let power = 3usize.pow(u32::from(attribute));
                    let free = free & !(1 << attribute);
                    for (digit, branch) in branches.into_iter().enumerate() {
                        paths.push((branch as usize, index + digit * power, free));
                    }
                }
            }
        }
        table[0] = IGNORED;
        table
    }
}

/// All indices that differ from this one only in the free cells, given as bits.
fn indices_below(index: usize, free: u32, indices: &mut Vec<usize>) {
    indices.clear();
    indices.push(index);
    let mut left = free;
    while left != 0 {
        let (count, power) = (indices.len(), 3usize.pow(left.trailing_zeros()));
        left &= left - 1;
        for digit in 1..3 {
            for place in 0..count {
                indices.push(indices[place] + digit * power);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(attribute: u8, branches: [u32; 3]) -> DecisionNode {
        DecisionNode::Split { attribute, branches }
    }

    #[test]
    fn lookup_tables_have_the_predictions_of_their_trees() {
        let [win, draw, loss] = Class::ALL.map(|class| DecisionNode::Leaf(class.into()));
        let tree = DecisionTree::new(vec![
            split(1, [1, 2, 3]),
            draw,
            split(0, [4, 5, 6]),
            loss,
            draw,
            win,
            loss,
        ])
        .unwrap();
        let answers = [3, 1, 1, 1, 0, 2, 2, 2, 2];
        assert_eq!(tree.table(2), answers);
        assert_eq!(tree.depth(), 3);
        assert_eq!(tree.pruned().table(2), answers);
        assert_eq!(tree.pruned().nodes().len(), 7, "every question matters");
        let same = DecisionTree::new(vec![
            split(1, [1, 2, 3]),
            draw,
            split(0, [4, 5, 6]),
            loss,
            loss,
            loss,
            loss,
        ]);
        let pruned = same.unwrap().pruned();
        assert_eq!(pruned.nodes(), [split(1, [1, 2, 3]), draw, loss, loss]);
        assert_eq!(pruned, pruned.pruned());
    }

    #[test]
    fn invalid_trees_are_rejected() {
        let leaf = DecisionNode::Leaf(Class::Win.into());
        assert_eq!(DecisionTree::new(vec![]), None);
        assert_eq!(DecisionTree::new(vec![leaf, leaf]), None, "no branch leads to the second");
        assert_eq!(DecisionTree::new(vec![split(0, [0, 1, 2]), leaf, leaf]), None, "a cycle");
        assert_eq!(
            DecisionTree::new(vec![split(0, [1, 1, 2]), leaf, leaf]),
            None,
            "one branch twice"
        );
        assert_eq!(DecisionTree::new(vec![split(0, [1, 2, 9]), leaf, leaf]), None, "leads nowhere");
        let twice = vec![split(0, [1, 2, 3]), split(0, [4, 5, 6]), leaf, leaf, leaf, leaf, leaf];
        assert_eq!(DecisionTree::new(twice), None, "tested already");
    }
}
