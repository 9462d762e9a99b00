//! The search tree: nodes in an arena, with the children of a node next to each other. Independent
//! of a game: a child is identified by its ordinal, the index of its move in `for_each_move`'s
//! order, so a node needs no space for the move, and every field is an atomic that threads can
//! share.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU16, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use super::proven::{OUTCOME_MASK, Proven};

/// One point in the sums of the nodes. Threads can add to integer sums without a loop, and the sums
/// do not depend on the order of addition.
pub(crate) const POINT: u64 = 1 << 8;

/// Visits and points share a word: 28 bits of visits, then the points.
const VISIT_BITS: u32 = 28;
/// The maximum number of visits of a node; a search ends before its root reaches it.
pub(crate) const MAX_VISITS: u32 = (1 << VISIT_BITS) - (1 << 16);

/// The root's index in the arena.
pub(crate) const ROOT: u32 = 0;
/// `first` of a node without children. The root is not a child, so 0 is unused.
const UNEXPANDED: u32 = 0;
/// `first` of a node that a thread is currently expanding.
const EXPANDING: u32 = u32::MAX;

/// A node. It has 16 bytes, so that the seven children of a Connect Four position fit into two
/// cache lines: simulations mostly wait for memory.
#[derive(Debug, Default)]
pub(crate) struct Node {
    stats: AtomicU64,
    first: AtomicU32,
    count: AtomicU16,
    proven: AtomicU16,
}

/// The visits of a node, and the points of the side that moved *into* it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeStats(u64);

impl NodeStats {
    #[inline]
    pub(crate) fn visits(self) -> u32 {
        self.0 as u32 & ((1 << VISIT_BITS) - 1)
    }

    #[inline]
    pub(crate) fn points(self) -> u64 {
        self.0 >> VISIT_BITS
    }

    /// The mean value; ½ without visits.
    pub(crate) fn mean(self) -> f64 {
        match self.visits() {
            0 => 0.5,
            n => self.points() as f64 / (f64::from(n) * POINT as f64),
        }
    }
}

impl Node {
    #[inline]
    pub(crate) fn stats(&self) -> NodeStats {
        NodeStats(self.stats.load(Relaxed))
    }

    #[inline]
    pub(crate) fn visits(&self) -> u32 {
        self.stats().visits()
    }

    #[inline]
    pub(crate) fn proven(&self) -> Option<Proven> {
        Proven::unpack(self.proven.load(Relaxed))
    }

    /// The outcome bits of the proven result.
    #[inline]
    pub(crate) fn proven_code(&self) -> u16 {
        self.proven.load(Relaxed) & OUTCOME_MASK
    }

    #[inline]
    pub(crate) fn set_proven(&self, proven: Proven) {
        self.proven.store(proven.pack(), Relaxed);
    }

    /// Begins a visit and returns the number of earlier visits. With several threads the visit
    /// counts at once: until [`end_visit`](Self::end_visit) adds its points, it looks like a loss,
    /// which steers other threads away (virtual loss; Chaslot et al., 2008).
    #[inline]
    pub(crate) fn begin_visit<const SHARED: bool>(&self) -> u32 {
        let before = if SHARED { NodeStats(self.add::<SHARED>(1)) } else { self.stats() };
        before.visits()
    }

    /// Ends a visit that [`begin_visit`](Self::begin_visit) began.
    #[inline]
    pub(crate) fn end_visit<const SHARED: bool>(&self, points: u64) {
        self.add::<SHARED>(points << VISIT_BITS | u64::from(!SHARED));
    }

    /// Adds a complete visit: for the root, which needs no virtual loss and which all threads would
    /// otherwise update twice per simulation.
    #[inline]
    pub(crate) fn add_visit<const SHARED: bool>(&self, points: u64) {
        self.add::<SHARED>(points << VISIT_BITS | 1);
    }

    #[inline]
    fn add<const SHARED: bool>(&self, n: u64) -> u64 {
        if SHARED {
            self.stats.fetch_add(n, Relaxed)
        } else {
            // An atomic addition costs some 20 cycles, which a single thread can avoid.
            let before = self.stats.load(Relaxed);
            self.stats.store(before + n, Relaxed);
            before
        }
    }

    /// Resets the node: no visits, no children.
    fn reset(&self) {
        self.stats.store(0, Relaxed);
        self.first.store(UNEXPANDED, Relaxed);
        self.count.store(0, Relaxed);
        self.proven.store(0, Relaxed);
    }

    fn copy_from(&self, other: &Node) {
        self.stats.store(other.stats.load(Relaxed), Relaxed);
        self.first.store(other.first.load(Relaxed), Relaxed);
        self.count.store(other.count.load(Relaxed), Relaxed);
        self.proven.store(other.proven.load(Relaxed), Relaxed);
    }
}

/// The AMAF statistics of a move (all moves as first): from all simulations in which it was played
/// later.
#[derive(Debug, Default)]
pub(crate) struct Amaf {
    points: AtomicU64,
    visits: AtomicU32,
    move_index: AtomicU16,
}

impl Amaf {
    /// The index of the move that leads to the node.
    #[inline]
    pub(crate) fn move_index(&self) -> usize {
        usize::from(self.move_index.load(Relaxed))
    }

    #[inline]
    pub(crate) fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    #[inline]
    pub(crate) fn points(&self) -> u64 {
        self.points.load(Relaxed)
    }

    #[inline]
    pub(crate) fn add<const SHARED: bool>(&self, points: u64) {
        if SHARED {
            self.visits.fetch_add(1, Relaxed);
            self.points.fetch_add(points, Relaxed);
        } else {
            self.visits.store(self.visits.load(Relaxed) + 1, Relaxed);
            self.points.store(self.points.load(Relaxed) + points, Relaxed);
        }
    }

    fn reset(&self, move_index: usize) {
        self.visits.store(0, Relaxed);
        self.points.store(0, Relaxed);
        self.move_index.store(move_index as u16, Relaxed);
    }

    fn copy_from(&self, other: &Amaf) {
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.points.store(other.points.load(Relaxed), Relaxed);
        self.move_index.store(other.move_index.load(Relaxed), Relaxed);
    }
}

/// The arena consists of segments, allocated on first use: a small search stays small, and a
/// growing one never moves a node. A block of siblings never crosses a segment boundary.
const SEGMENT: usize = 1 << 13;

#[derive(Debug)]
struct Segment {
    nodes: Box<[Node]>,
    /// As many as there are nodes, or none without RAVE.
    amaf: Box<[Amaf]>,
}

/// A tree of at most `capacity` nodes.
#[derive(Debug)]
pub(crate) struct Tree {
    segments: Box<[OnceLock<Segment>]>,
    /// The first free index.
    next: AtomicU32,
    capacity: u32,
    with_amaf: bool,
}

impl Tree {
    /// Creates a tree with only a root. The capacity is at least one segment, so that the root can
    /// have children.
    pub(crate) fn new(capacity: u32, with_amaf: bool) -> Self {
        let capacity = capacity.max(SEGMENT as u32);
        let segments = (capacity as usize).div_ceil(SEGMENT);
        let tree = Tree {
            segments: (0..segments).map(|_| OnceLock::new()).collect(),
            next: AtomicU32::new(1),
            capacity,
            with_amaf,
        };
        tree.segment(ROOT);
        tree
    }

    /// Removes all nodes except the root; keeps the memory for the next tree.
    pub(crate) fn clear(&mut self) {
        self.root().reset();
        *self.next.get_mut() = 1;
    }

    /// The number of nodes in use (including gaps at the ends of segments).
    pub(crate) fn len(&self) -> usize {
        self.next.load(Relaxed) as usize
    }

    #[inline]
    pub(crate) fn root(&self) -> &Node {
        self.node(ROOT)
    }

    #[inline]
    fn segment(&self, index: u32) -> &Segment {
        let slot = &self.segments[index as usize / SEGMENT];
        match slot.get() {
            Some(segment) => segment,
            None => self.allocate_segment(slot),
        }
    }

    #[cold]
    fn allocate_segment<'t>(&self, slot: &'t OnceLock<Segment>) -> &'t Segment {
        let amaf = if self.with_amaf { SEGMENT } else { 0 };
        slot.get_or_init(|| Segment {
            nodes: (0..SEGMENT).map(|_| Node::default()).collect(),
            amaf: (0..amaf).map(|_| Amaf::default()).collect(),
        })
    }

    /// Whether there is a segment for this index; allocates it unless the system refuses the
    /// memory.
    #[inline]
    fn has_segment(&self, index: u32) -> bool {
        let slot = &self.segments[index as usize / SEGMENT];
        slot.get().is_some() || self.try_allocate_segment(slot)
    }

    #[cold]
    fn try_allocate_segment(&self, slot: &OnceLock<Segment>) -> bool {
        let bytes = SEGMENT * (size_of::<Node>() + size_of::<Amaf>());
        // Another thread may take this memory first; then the program aborts, as it would without
        // the check.
        let has_room = Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
        if has_room {
            self.allocate_segment(slot);
        }
        has_room
    }

    #[inline]
    pub(crate) fn node(&self, index: u32) -> &Node {
        &self.segment(index).nodes[index as usize % SEGMENT]
    }

    /// The children of a node; empty when it has not been expanded.
    #[inline]
    pub(crate) fn children(&self, node: &Node) -> &[Node] {
        match self.block(node) {
            Some((first, count)) => self.nodes(first, count),
            None => &[],
        }
    }

    /// The AMAF statistics of the children; empty without RAVE.
    #[inline]
    pub(crate) fn amaf_of_children(&self, node: &Node) -> &[Amaf] {
        match self.block(node) {
            Some((first, count)) if self.with_amaf => {
                let start = first as usize % SEGMENT;
                &self.segment(first).amaf[start..start + usize::from(count)]
            }
            _ => &[],
        }
    }

    #[inline]
    fn block(&self, node: &Node) -> Option<(u32, u16)> {
        // Acquire: a thread that sees the index of the children also sees the children.
        match node.first.load(Acquire) {
            UNEXPANDED | EXPANDING => None,
            first => Some((first, node.count.load(Relaxed))),
        }
    }

    #[inline]
    fn nodes(&self, first: u32, count: u16) -> &[Node] {
        let start = first as usize % SEGMENT;
        &self.segment(first).nodes[start..start + usize::from(count)]
    }

    /// Gives the node `count` children with the move indices from `for_each_index`. Does nothing
    /// when the tree is full or another thread is expanding the node.
    #[inline]
    pub(crate) fn expand(
        &self,
        node: &Node,
        count: usize,
        for_each_index: impl FnOnce(&mut dyn FnMut(usize)),
    ) {
        if node.first.compare_exchange(UNEXPANDED, EXPANDING, Acquire, Relaxed).is_err() {
            return;
        }
        let Some(first) = self.allocate(count) else {
            node.first.store(UNEXPANDED, Release);
            return;
        };
        self.nodes(first, count as u16).iter().for_each(Node::reset);
        node.count.store(count as u16, Relaxed);
        if self.with_amaf {
            let mut node_index = first;
            for_each_index(&mut |move_index| {
                self.amaf(node_index).reset(move_index);
                node_index += 1;
            });
        }
        node.first.store(first, Release);
    }

    /// Allocates `count` siblings.
    fn allocate(&self, count: usize) -> Option<u32> {
        let mut next = self.next.load(Relaxed);
        loop {
            let first = fit_block(next, count)?;
            let end = first + count as u32;
            // A tree that gets no more memory is full.
            if end > self.capacity || !self.has_segment(first) {
                return None;
            }
            match self.next.compare_exchange_weak(next, end, Relaxed, Relaxed) {
                Ok(_) => return Some(first),
                Err(now) => next = now,
            }
        }
    }

    /// Makes the node at the path `ordinals` the new root and frees all nodes outside of its
    /// subtree. The remaining blocks move to the front in their old order: a block is created after
    /// its parent's, so a parent always moves before its children.
    pub(crate) fn set_root(&mut self, ordinals: &[usize]) {
        let mut new_root = self.root();
        for &ordinal in ordinals {
            new_root = &self.children(new_root)[ordinal];
        }
        let kept_blocks = self.blocks_below(new_root);
        self.root().copy_from(new_root);
        let mut next = 1;
        let mut moved_to = Vec::with_capacity(kept_blocks.len());
        for block in &kept_blocks {
            let first =
                fit_block(next, usize::from(block.count)).expect("a smaller prefix fits too");
            self.move_block(block.first, first, block.count);
            let parent = match block.parent {
                None => self.root(),
                Some((parent, ordinal)) => self.node(moved_to[parent] + ordinal),
            };
            parent.first.store(first, Relaxed);
            moved_to.push(first);
            next = first + u32::from(block.count);
        }
        *self.next.get_mut() = next;
    }

    /// The blocks of children below a node, sorted by index.
    fn blocks_below(&self, top: &Node) -> Vec<Block> {
        let mut found: Vec<Block> = Vec::new();
        if let Some((first, count)) = self.block(top) {
            found.push(Block { first, count, parent: None });
        }
        let mut next_block = 0;
        while next_block < found.len() {
            let Block { first, count, .. } = found[next_block];
            for (ordinal, child) in self.nodes(first, count).iter().enumerate() {
                if let Some((first, count)) = self.block(child) {
                    found.push(Block { first, count, parent: Some((next_block, ordinal as u32)) });
                }
            }
            next_block += 1;
        }
        sorted_by_index(found)
    }

    fn move_block(&self, from: u32, to: u32, count: u16) {
        if from == to {
            return;
        }
        for (new, old) in self.nodes(to, count).iter().zip(self.nodes(from, count)) {
            new.copy_from(old);
        }
        if self.with_amaf {
            for step in 0..u32::from(count) {
                self.amaf(to + step).copy_from(self.amaf(from + step));
            }
        }
    }

    fn amaf(&self, index: u32) -> &Amaf {
        &self.segment(index).amaf[index as usize % SEGMENT]
    }
}

/// The index of a block when everything before `next` is used; `None` when no segment can hold it.
fn fit_block(next: u32, count: usize) -> Option<u32> {
    if count > SEGMENT {
        return None;
    }
    let room = SEGMENT - next as usize % SEGMENT;
    Some(if count <= room { next } else { next + room as u32 })
}

/// A block of siblings and their parent: a node of another block in the list, or the root.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: u32,
    count: u16,
    parent: Option<(usize, u32)>,
}

/// Sorts by index, and renumbers the parents accordingly.
fn sorted_by_index(blocks: Vec<Block>) -> Vec<Block> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_unstable_by_key(|&b| blocks[b].first);
    let mut rank = vec![0; blocks.len()];
    for (new, &old) in order.iter().enumerate() {
        rank[old] = new;
    }
    let renamed = |block: Block| Block {
        parent: block.parent.map(|(parent, ordinal)| (rank[parent], ordinal)),
        ..block
    };
    order.into_iter().map(|b| renamed(blocks[b])).collect()
}

#[cfg(test)]
mod tests {
    use tesuji_games::random::{Rng, below, seeded};

    use super::*;

    /// A tree of random shape with different data in every node.
    fn random_tree(rng: &mut Rng, with_amaf: bool) -> Tree {
        let tree = Tree::new(100_000, with_amaf);
        for n in 0..6_000 {
            let mut node = tree.root();
            node.add_visit::<false>(0);
            while let children @ [_, ..] = tree.children(node) {
                let ordinal = below(rng, children.len() as u32) as usize;
                if let Some(amaf) = tree.amaf_of_children(node).get(ordinal) {
                    amaf.add::<false>(n);
                }
                node = &children[ordinal];
                node.add_visit::<false>(n % POINT);
            }
            let count = 1 + below(rng, 30) as usize;
            tree.expand(node, count, |each| (0..count).for_each(each));
        }
        tree
    }

    /// All visible data of a node and its subtree.
    fn contents(tree: &Tree, node: &Node, data: &mut Vec<u64>) {
        let children = tree.children(node);
        data.extend([node.stats().0, children.len() as u64]);
        for amaf in tree.amaf_of_children(node) {
            data.extend([amaf.points(), u64::from(amaf.visits()), amaf.move_index() as u64]);
        }
        children.iter().for_each(|child| contents(tree, child, data));
    }

    #[test]
    fn a_subtree_survives_becoming_the_tree() {
        let mut rng = seeded(11);
        for with_amaf in [false, true] {
            let mut tree = random_tree(&mut rng, with_amaf);
            while !tree.children(tree.root()).is_empty() {
                let size = tree.len();
                let ordinal = below(&mut rng, tree.children(tree.root()).len() as u32) as usize;
                let (mut before, mut after) = (Vec::new(), Vec::new());
                contents(&tree, &tree.children(tree.root())[ordinal], &mut before);
                tree.set_root(&[ordinal]);
                contents(&tree, tree.root(), &mut after);
                assert_eq!(before, after);
                assert!(tree.len() < size, "memory is freed");
            }
        }
    }

    #[test]
    fn a_full_tree_refuses_to_grow() {
        let tree = Tree::new(1, false);
        tree.expand(tree.root(), SEGMENT - 1, |_| {});
        let child = &tree.children(tree.root())[5];
        tree.expand(child, 1, |_| {});
        assert!(tree.children(child).is_empty());
        assert_eq!(tree.len(), SEGMENT);
    }
}
