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
    pub(super) weight: f32,
    pub(super) visits: u32,
    /// The points of the first side, summed over all visits.
    points: f64,
    first_child: u32,
    child_count: u32,
    /// Whether the children include all moves that can matter.
    pub(super) complete: bool,
    pub(super) verdict: Option<NodeResult>,
}

impl<M> Node<M> {
    fn new(m: Option<M>, weight: f32) -> Self {
        Node {
            m,
            weight,
            visits: 0,
            points: 0.0,
            first_child: 0,
            child_count: 0,
            complete: false,
            verdict: None,
        }
    }

    /// Whether it was expanded and has children.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
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
        let first = match self.visits {
            0 => 0.5,
            n => self.points / f64::from(n),
        };
        seen_by(side, first)
    }

    /// The win probability of `side`, from the decided result if there is one.
    pub(super) fn chance(&self, side: Side) -> f64 {
        self.verdict.map_or_else(|| self.mean(side), |verdict| seen_by(side, verdict.points()))
    }

    #[inline]
    fn children(&self) -> std::ops::Range<usize> {
        self.first_child as usize..self.first_child as usize + self.child_count as usize
    }
}

#[inline]
fn seen_by(side: Side, first: f64) -> f64 {
    if side == Side::First { first } else { 1.0 - first }
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
    pub(super) fn node(&self, place: u32) -> &Node<M> {
        &self.nodes[place as usize]
    }

    #[inline]
    pub(super) fn node_mut(&mut self, place: u32) -> &mut Node<M> {
        &mut self.nodes[place as usize]
    }

    /// The children of a node; empty when it has not been expanded.
    #[inline]
    pub(super) fn children(&self, place: u32) -> &[Node<M>] {
        &self.nodes[self.node(place).children()]
    }

    /// The index of a child.
    #[inline]
    pub(super) fn child(&self, place: u32, ordinal: usize) -> u32 {
        self.node(place).first_child + ordinal as u32
    }

    /// Gives a node children. Does nothing when the tree is full, unless the node is the root.
    pub(super) fn open(&mut self, place: u32, moves: &[(M, f32)], complete: bool) {
        let first = self.nodes.len();
        let is_full = first + moves.len() > self.capacity;
        // A tree that gets no more memory is full.
        if place != ROOT && (is_full || self.nodes.try_reserve(moves.len()).is_err()) {
            return;
        }
        self.nodes.extend(moves.iter().map(|&(m, weight)| Node::new(Some(m), weight)));
        let node = self.node_mut(place);
        (node.first_child, node.child_count) = (first as u32, moves.len() as u32);
        node.complete = complete;
    }

    /// Adds children to the root, which then has all moves that can matter.
    pub(super) fn widen_root(&mut self, others: &[(M, f32)]) {
        let old = self.root().children();
        let first = self.nodes.len();
        self.nodes.extend_from_within(old);
        self.nodes.extend(others.iter().map(|&(m, weight)| Node::new(Some(m), weight)));
        let count = (self.nodes.len() - first) as u32;
        let root = self.node_mut(ROOT);
        (root.first_child, root.child_count) = (first as u32, count);
        (root.complete, root.verdict) = (true, None);
    }

    /// Makes a node the root and frees all nodes outside of its subtree.
    pub(super) fn descend(&mut self, place: u32) {
        let mut kept = Vec::with_capacity(self.nodes.len());
        kept.push(Node { m: None, weight: 1.0, ..self.node(place).clone() });
        let mut looked = 0;
        while looked < kept.len() {
            let children = kept[looked].children();
            if !children.is_empty() {
                kept[looked].first_child = kept.len() as u32;
                kept.extend_from_slice(&self.nodes[children]);
            }
            looked += 1;
        }
        self.nodes = kept;
    }
}
