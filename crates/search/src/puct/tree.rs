//! The search tree: nodes in one vector, with the children of a node next to each other.
//! Independent of a game's rules.

use tesuji_games::Side;

use super::node_result::NodeResult;

/// The root's index.
pub(super) const ROOT: u32 = 0;

/// A position, and the move that leads to it from its parent.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    /// `None` at the root.
    pub(super) m: Option<M>,
    /// The prior probability of the move.
    pub(super) prior: f32,
    pub(super) visits: u32,
    /// The points of the first side, summed over all visits.
    points: f64,
    first_child: u32,
    child_count: u32,
    /// Whether the children include all moves that can matter.
    pub(super) complete: bool,
    pub(super) result: Option<NodeResult>,
}

impl<M> Node<M> {
    fn new(m: Option<M>, prior: f32) -> Self {
        Node {
            m,
            prior,
            visits: 0,
            points: 0.0,
            first_child: 0,
            child_count: 0,
            complete: false,
            result: None,
        }
    }

    /// Whether it was expanded and has children.
    #[inline]
    pub(super) fn is_expanded(&self) -> bool {
        self.child_count > 0
    }

    #[inline]
    pub(super) fn visit(&mut self, points: f64) {
        self.visits += 1;
        self.points += points;
    }

    /// The win rate of `side` from visits alone; ½ without visits.
    #[inline]
    pub(super) fn mean(&self, side: Side) -> f64 {
        let first_rate = match self.visits {
            0 => 0.5,
            n => self.points / f64::from(n),
        };
        rate_for(side, first_rate)
    }

    /// The win probability of `side`, from the decided result if there is one.
    pub(super) fn chance(&self, side: Side) -> f64 {
        self.result.map_or_else(|| self.mean(side), |result| rate_for(side, result.points()))
    }

    #[inline]
    fn children(&self) -> std::ops::Range<usize> {
        self.first_child as usize..self.first_child as usize + self.child_count as usize
    }
}

#[inline]
fn rate_for(side: Side, first_rate: f64) -> f64 {
    if side == Side::First { first_rate } else { 1.0 - first_rate }
}

pub(super) struct Tree<M> {
    nodes: Vec<Node<M>>,
    capacity: usize,
}

impl<M: Copy> Tree<M> {
    /// Creates a tree with only a root.
    pub(super) fn new(capacity: u32) -> Self {
        Tree { nodes: vec![Node::new(None, 1.0)], capacity: capacity as usize }
    }

    /// Removes all nodes except the root; keeps the memory for the next tree.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::new(None, 1.0));
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn root(&self) -> &Node<M> {
        &self.nodes[ROOT as usize]
    }

    #[inline]
    pub(super) fn node(&self, index: u32) -> &Node<M> {
        &self.nodes[index as usize]
    }

    #[inline]
    pub(super) fn node_mut(&mut self, index: u32) -> &mut Node<M> {
        &mut self.nodes[index as usize]
    }

    /// The children of a node; empty when it has not been expanded.
    #[inline]
    pub(super) fn children(&self, index: u32) -> &[Node<M>] {
        &self.nodes[self.node(index).children()]
    }

    /// The index of a child.
    #[inline]
    pub(super) fn child(&self, index: u32, ordinal: usize) -> u32 {
        self.node(index).first_child + ordinal as u32
    }

    /// Gives a node children. Does nothing when the tree is full, unless the node is the root.
    pub(super) fn set_children(&mut self, index: u32, moves: &[(M, f32)], complete: bool) {
        let first = self.nodes.len();
        let is_full = first + moves.len() > self.capacity;
        // A tree that gets no more memory is full.
        if index != ROOT && (is_full || self.nodes.try_reserve(moves.len()).is_err()) {
            return;
        }
        self.nodes.extend(moves.iter().map(|&(m, prior)| Node::new(Some(m), prior)));
        let node = self.node_mut(index);
        (node.first_child, node.child_count) = (first as u32, moves.len() as u32);
        node.complete = complete;
    }

    /// Adds children to the root, which then has all moves that can matter.
    pub(super) fn widen_root(&mut self, others: &[(M, f32)]) {
        let old = self.root().children();
        let first = self.nodes.len();
        self.nodes.extend_from_within(old);
        self.nodes.extend(others.iter().map(|&(m, prior)| Node::new(Some(m), prior)));
        let count = (self.nodes.len() - first) as u32;
        let root = self.node_mut(ROOT);
        (root.first_child, root.child_count) = (first as u32, count);
        (root.complete, root.result) = (true, None);
    }

    /// Makes a node the root and frees all nodes outside of its subtree.
    pub(super) fn set_root(&mut self, index: u32) {
        let mut kept = Vec::with_capacity(self.nodes.len());
        kept.push(Node { m: None, prior: 1.0, ..self.node(index).clone() });
        let mut next = 0;
        while next < kept.len() {
            let children = kept[next].children();
            if !children.is_empty() {
                kept[next].first_child = kept.len() as u32;
                kept.extend_from_slice(&self.nodes[children]);
            }
            next += 1;
        }
        self.nodes = kept;
    }
}
