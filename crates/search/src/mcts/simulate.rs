//! The simulations of one thread: selection, expansion, leaf value and backpropagation. Results are
//! counted for the side that moved into a node, so a side may move twice in a row.

use tesuji_games::{Position, Rng, Side};

use super::leaf::{LeafValue, points_for_first};
use super::proven::{self, Proven};
use super::select::{self, Choice, Formula, InverseRoots};
use super::tree::{Node, POINT, Tree};

/// The options that all threads share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulationOptions {
    pub(crate) formula: Formula,
    pub(crate) solver: bool,
    /// A leaf is expanded at its first visit after this number of visits.
    pub(crate) expand_after: u32,
}

/// Runs the simulations of a thread. All buffers are allocated once; a simulation allocates
/// nothing.
pub(crate) struct Worker<'t, P: Position, L> {
    tree: &'t Tree,
    root: &'t P,
    options: SimulationOptions,
    leaf: L,
    pub(crate) rng: Rng,
    position: P,
    path: Vec<PathStep<'t>>,
    amaf_moves: AmafSet,
    roots: InverseRoots,
}

/// A node on the path, and the side that moved into it.
#[derive(Clone, Copy)]
struct PathStep<'t> {
    node: &'t Node,
    mover: Side,
    /// Its index among its siblings.
    ordinal: u16,
    /// Whether the mover has a proven draw with a higher value.
    prefers_draw: bool,
}

impl<'t, P: Position, L: LeafValue<P>> Worker<'t, P, L> {
    pub(crate) fn new(
        tree: &'t Tree,
        root: &'t P,
        options: SimulationOptions,
        leaf: L,
        rng: Rng,
    ) -> Self {
        let indices = if options.formula.rave.is_some() { root.num_move_indices() } else { 0 };
        Worker {
            tree,
            root,
            options,
            leaf,
            rng,
            position: root.clone(),
            path: Vec::with_capacity(64),
            amaf_moves: AmafSet::new(indices),
            roots: InverseRoots::new(),
        }
    }

    /// Runs one simulation. `SHARED`: other threads use the same tree.
    #[inline]
    pub(crate) fn simulate<const SHARED: bool>(&mut self) {
        let Formula { exploration, rave } = self.options.formula;
        let points = match (rave, self.options.solver) {
            (None, false) => self.descend::<SHARED, false>(exploration),
            (None, true) => self.descend::<SHARED, true>(exploration),
            (Some(_), _) => self.descend_with_rave::<SHARED>(),
        };
        self.back_propagate::<SHARED>(points);
    }

    /// Selects by UCT (Kocsis and Szepesvári, 2006), with proofs if `SOLVER`; returns the points of
    /// the first side.
    #[inline]
    fn descend<const SHARED: bool, const SOLVER: bool>(&mut self, exploration: f32) -> f32 {
        self.start();
        let mut node = self.tree.root();
        let mut visits = node.visits();
        loop {
            if let Some(outcome) = self.position.outcome() {
                if SOLVER {
                    node.set_proven(Proven::finished(outcome));
                }
                return points_for_first(outcome);
            }
            if SOLVER && let Some(proven_result) = self.proven_result(node, visits) {
                return points_for_first(proven_result.outcome);
            }
            let children = self.children_or_expand(node, visits);
            if children.is_empty() {
                return self.leaf.value(&mut self.position, &mut self.rng, &mut |_, _| {});
            }
            let choice = self.choose::<SOLVER>(exploration, visits, children);
            let m = nth_move(&self.position, choice.ordinal);
            (node, visits) = self.play_into::<SHARED>(children, choice.ordinal, m);
            if SOLVER && let Some(step) = self.path.last_mut() {
                step.prefers_draw = choice.prefers_draw;
            }
        }
    }

    /// Selects every child once, then by upper bounds.
    #[inline]
    fn choose<const SOLVER: bool>(
        &mut self,
        exploration: f32,
        visits: u32,
        children: &[Node],
    ) -> Choice {
        // A node with more visits than this has no unvisited child.
        let all_tried = children.len() as u32 + self.options.expand_after;
        if visits < all_tried
            && let Some(ordinal) = select::unvisited_child(children, &mut self.rng)
        {
            return Choice { ordinal, prefers_draw: false };
        }
        select::select_by_ucb::<SOLVER>(exploration, visits + 1, children, &self.roots)
    }

    /// Selects by RAVE; returns the points of the first side.
    fn descend_with_rave<const SHARED: bool>(&mut self) -> f32 {
        self.start();
        self.amaf_moves.clear();
        let mut node = self.tree.root();
        let mut visits = node.visits();
        loop {
            if let Some(outcome) = self.position.outcome() {
                if self.options.solver {
                    node.set_proven(Proven::finished(outcome));
                }
                return points_for_first(outcome);
            }
            if let Some(proven_result) = self.proven_result(node, visits) {
                return points_for_first(proven_result.outcome);
            }
            let children = self.children_or_expand(node, visits);
            if children.is_empty() {
                let amaf_moves = &mut self.amaf_moves;
                let mut on_move = |side, index| amaf_moves.add(side, index);
                return self.leaf.value(&mut self.position, &mut self.rng, &mut on_move);
            }
            let amaf = self.tree.amaf_of_children(node);
            let (formula, rng) = (self.options.formula, &mut self.rng);
            let choice =
                select::select_by_rave(formula, visits + 1, children, amaf, &self.roots, rng);
            // No child left: another thread has just proven the last one and will prove the node.
            let ordinal = choice.map_or(0, |c| c.ordinal);
            let m = nth_move(&self.position, ordinal);
            (node, visits) = self.play_into::<SHARED>(children, ordinal, m);
            if let (Some(choice), Some(step)) = (choice, self.path.last_mut()) {
                step.prefers_draw = choice.prefers_draw;
            }
        }
    }

    fn start(&mut self) {
        self.position.clone_from(self.root);
        self.path.clear();
        let root = self.tree.root();
        self.path.push(PathStep {
            node: root,
            mover: Side::Second,
            ordinal: 0,
            prefers_draw: false,
        });
    }

    #[inline]
    fn begin_visit<const SHARED: bool>(
        &mut self,
        node: &'t Node,
        mover: Side,
        ordinal: usize,
    ) -> u32 {
        self.path.push(PathStep { node, mover, ordinal: ordinal as u16, prefers_draw: false });
        node.begin_visit::<SHARED>()
    }

    #[inline]
    fn play_into<const SHARED: bool>(
        &mut self,
        children: &'t [Node],
        ordinal: usize,
        m: P::Move,
    ) -> (&'t Node, u32) {
        let mover = self.position.to_move();
        self.position.play(m);
        let child = &children[ordinal];
        (child, self.begin_visit::<SHARED>(child, mover, ordinal))
    }

    #[inline]
    fn children_or_expand(&self, node: &'t Node, visits: u32) -> &'t [Node] {
        let children = self.tree.children(node);
        if children.is_empty() && visits >= self.options.expand_after {
            self.expand(node);
            return self.tree.children(node);
        }
        children
    }

    #[inline(never)]
    fn expand(&self, node: &Node) {
        let position = &self.position;
        self.tree.expand(node, position.move_count(), |each| {
            position.for_each_move(|m| each(position.move_index(m)));
        });
    }

    /// The proven result of a node, or an immediate win.
    #[inline]
    fn proven_result(&self, node: &Node, visits: u32) -> Option<Proven> {
        if !self.options.solver {
            return None;
        }
        let is_root = self.path.len() == 1;
        if visits == 0 && !is_root && self.position.winning_move().is_some() {
            node.set_proven(Proven::win_next(self.position.to_move()));
        }
        node.proven()
    }

    fn back_propagate<const SHARED: bool>(&mut self, first: f32) {
        let mut points = Points::of_first(first);
        let rave = self.options.formula.rave.is_some();
        // Only a result just proven for the leaf can prove nodes above it.
        let leaf_proven = || self.path.last().is_some_and(|leaf| leaf.node.proven().is_some());
        let mut can_prove = self.options.solver && leaf_proven();
        for i in (0..self.path.len()).rev() {
            let PathStep { node, mover, .. } = self.path[i];
            if let Some(&next) = self.path.get(i + 1) {
                if next.prefers_draw {
                    points = Points::DRAW;
                }
                if rave {
                    self.update_amaf::<SHARED>(node, next, points);
                }
                if can_prove && node.proven().is_none() {
                    can_prove = self.prove(node, next.mover);
                }
                if can_prove && let Some(proven_result) = node.proven() {
                    points = Points::of_first(points_for_first(proven_result.outcome));
                }
            }
            match i {
                0 => node.add_visit::<SHARED>(points.of(mover)),
                _ => node.end_visit::<SHARED>(points.of(mover)),
            }
        }
    }

    /// Proves a node from its children; `false` when they do not decide it.
    fn prove(&self, node: &Node, side: Side) -> bool {
        let children = self.tree.children(node).iter().map(Node::proven);
        match proven::from_children(side, children) {
            Some(proven_result) => node.set_proven(proven_result),
            None => return false,
        }
        true
    }

    /// Updates AMAF statistics: every child of the node whose move the side to move here played at
    /// or after this point.
    fn update_amaf<const SHARED: bool>(&mut self, node: &Node, next: PathStep<'t>, points: Points) {
        let side = next.mover;
        let amaf = self.tree.amaf_of_children(node);
        if let Some(played) = amaf.get(usize::from(next.ordinal)) {
            self.amaf_moves.add(side, played.move_index());
        }
        for child in amaf {
            if self.amaf_moves.contains(side, child.move_index()) {
                child.add::<SHARED>(points.of(side));
            }
        }
    }
}

/// A result in the fixed-point representation of the nodes.
#[derive(Clone, Copy)]
struct Points(u64);

impl Points {
    const DRAW: Points = Points(POINT / 2);

    #[inline]
    fn of_first(points: f32) -> Self {
        Points((points * POINT as f32) as u64)
    }

    #[inline]
    fn of(self, side: Side) -> u64 {
        match side {
            Side::First => self.0,
            Side::Second => POINT - self.0,
        }
    }
}

/// The move with this index in the game's move order.
#[inline]
pub(crate) fn nth_move<P: Position>(position: &P, ordinal: usize) -> P::Move {
    let mut nth = None;
    let mut index = 0;
    position.for_each_move(|m| {
        if index == ordinal {
            nth = Some(m);
        }
        index += 1;
    });
    nth.expect("a node has one child for each move")
}

/// The set of moves of one simulation, by side and index. Cleared in constant time by a generation
/// counter.
struct AmafSet {
    generations: Vec<u32>,
    indices: usize,
    generation: u32,
}

impl AmafSet {
    fn new(indices: usize) -> Self {
        AmafSet { generations: vec![0; 2 * indices], indices, generation: 0 }
    }

    fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.generations.fill(0);
            self.generation = 1;
        }
    }

    #[inline]
    fn add(&mut self, side: Side, index: usize) {
        if let Some(slot) = self.generations.get_mut(side.index() * self.indices + index) {
            *slot = self.generation;
        }
    }

    #[inline]
    fn contains(&self, side: Side, index: usize) -> bool {
        self.generations[side.index() * self.indices + index] == self.generation
    }
}
