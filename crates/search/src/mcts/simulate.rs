//! The simulations of one thread: selection, expansion, leaf value and backpropagation. Results are
//! counted for the side that moved into a node, so a side may move twice in a row.

use tesuji_games::{Position, Rng, Side};

use super::leaf::{LeafValue, points_for_first};
use super::proven::{self, Proven};
use super::select::{self, Choice, Formula, InverseRoots};
use super::tree::{Node, POINT, Tree};

/// The options that all threads share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
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
    plan: Plan,
    leaf: L,
    pub(crate) rng: Rng,
    position: P,
    path: Vec<Step<'t>>,
    heard: AmafSet,
    roots: InverseRoots,
}

/// A node on the path, and the side that moved into it.
#[derive(Clone, Copy)]
struct Step<'t> {
    node: &'t Node,
    mover: Side,
    /// Its index among its siblings.
    ordinal: u16,
    /// Whether the mover has a proven draw with a higher value.
    instead_of_draw: bool,
}

impl<'t, P: Position, L: LeafValue<P>> Worker<'t, P, L> {
    pub(crate) fn new(tree: &'t Tree, root: &'t P, plan: Plan, leaf: L, rng: Rng) -> Self {
        let indices = if plan.formula.rave.is_some() { root.move_indices() } else { 0 };
        Worker {
            tree,
            root,
            plan,
            leaf,
            rng,
            position: root.clone(),
            path: Vec::with_capacity(64),
            heard: AmafSet::new(indices),
            roots: InverseRoots::new(),
        }
    }

    /// Runs one simulation. `SHARED`: other threads use the same tree.
    #[inline]
    pub(crate) fn simulate<const SHARED: bool>(&mut self) {
        let Formula { exploration, rave } = self.plan.formula;
        let points = match (rave, self.plan.solver) {
            (None, false) => self.walk::<SHARED, false>(exploration),
            (None, true) => self.walk::<SHARED, true>(exploration),
            (Some(_), _) => self.walk_with_rave::<SHARED>(),
        };
        self.back_up::<SHARED>(points);
    }

    /// Selects by UCT (Kocsis and Szepesvári, 2006), with proofs if `SOLVER`; returns the points of
    /// the first side.
    #[inline]
    fn walk<const SHARED: bool, const SOLVER: bool>(&mut self, exploration: f32) -> f32 {
        self.start();
        let mut node = self.tree.root();
        let mut visits = node.visits();
        loop {
            if let Some(outcome) = self.position.outcome() {
                if SOLVER {
                    node.prove(Proven::at_end(outcome));
                }
                return points_for_first(outcome);
            }
            if SOLVER && let Some(known) = self.known(node, visits) {
                return points_for_first(known.outcome);
            }
            let children = self.children_or_expand(node, visits);
            if children.is_empty() {
                return self.leaf.value(&mut self.position, &mut self.rng, &mut |_, _| {});
            }
            let choice = self.choose::<SOLVER>(exploration, visits, children);
            let m = nth_move(&self.position, choice.ordinal);
            (node, visits) = self.follow::<SHARED>(children, choice.ordinal, m);
            if SOLVER && let Some(step) = self.path.last_mut() {
                step.instead_of_draw = choice.prefers_draw;
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
        let all_tried = children.len() as u32 + self.plan.expand_after;
        if visits < all_tried
            && let Some(ordinal) = select::unvisited(children, &mut self.rng)
        {
            return Choice { ordinal, prefers_draw: false };
        }
        select::by_ucb::<SOLVER>(exploration, visits + 1, children, &self.roots)
    }

    /// Selects by RAVE; returns the points of the first side.
    fn walk_with_rave<const SHARED: bool>(&mut self) -> f32 {
        self.start();
        self.heard.clear();
        let mut node = self.tree.root();
        let mut visits = node.visits();
        loop {
            if let Some(outcome) = self.position.outcome() {
                if self.plan.solver {
                    node.prove(Proven::at_end(outcome));
                }
                return points_for_first(outcome);
            }
            if let Some(known) = self.known(node, visits) {
                return points_for_first(known.outcome);
            }
            let children = self.children_or_expand(node, visits);
            if children.is_empty() {
                let heard = &mut self.heard;
                let mut hear = |side, index| heard.add(side, index);
                return self.leaf.value(&mut self.position, &mut self.rng, &mut hear);
            }
            let amaf = self.tree.amaf_of_children(node);
            let (formula, rng) = (self.plan.formula, &mut self.rng);
            let choice =
                select::among_unproven(formula, visits + 1, children, amaf, &self.roots, rng);
            // No child left: another thread has just proven the last one and will prove the node.
            let ordinal = choice.map_or(0, |c| c.ordinal);
            let m = nth_move(&self.position, ordinal);
            (node, visits) = self.follow::<SHARED>(children, ordinal, m);
            if let (Some(choice), Some(step)) = (choice, self.path.last_mut()) {
                step.instead_of_draw = choice.prefers_draw;
            }
        }
    }

    fn start(&mut self) {
        self.position.clone_from(self.root);
        self.path.clear();
        let root = self.tree.root();
        self.path.push(Step {
            node: root,
            mover: Side::Second,
            ordinal: 0,
            instead_of_draw: false,
        });
    }

    #[inline]
    fn enter<const SHARED: bool>(&mut self, node: &'t Node, mover: Side, ordinal: usize) -> u32 {
        self.path.push(Step { node, mover, ordinal: ordinal as u16, instead_of_draw: false });
        node.enter::<SHARED>()
    }

    #[inline]
    fn follow<const SHARED: bool>(
        &mut self,
        children: &'t [Node],
        ordinal: usize,
        m: P::Move,
    ) -> (&'t Node, u32) {
        let mover = self.position.to_move();
        self.position.play(m);
        let child = &children[ordinal];
        (child, self.enter::<SHARED>(child, mover, ordinal))
    }

    #[inline]
    fn children_or_expand(&self, node: &'t Node, visits: u32) -> &'t [Node] {
        let children = self.tree.children(node);
        if children.is_empty() && visits >= self.plan.expand_after {
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
    fn known(&self, node: &Node, visits: u32) -> Option<Proven> {
        if !self.plan.solver {
            return None;
        }
        let is_root = self.path.len() == 1;
        if visits == 0 && !is_root && self.position.winning_move().is_some() {
            node.prove(Proven::win_next(self.position.to_move()));
        }
        node.proven()
    }

    fn back_up<const SHARED: bool>(&mut self, first: f32) {
        let mut points = Points::of_first(first);
        let rave = self.plan.formula.rave.is_some();
        // Only a result just proven for the leaf can prove nodes above it.
        let leaf_proven = || self.path.last().is_some_and(|leaf| leaf.node.proven().is_some());
        let mut proving = self.plan.solver && leaf_proven();
        for i in (0..self.path.len()).rev() {
            let Step { node, mover, .. } = self.path[i];
            if let Some(&below) = self.path.get(i + 1) {
                if below.instead_of_draw {
                    points = Points::DRAW;
                }
                if rave {
                    self.back_up_amaf::<SHARED>(node, below, points);
                }
                if proving && node.proven().is_none() {
                    proving = self.prove(node, below.mover);
                }
                if proving && let Some(known) = node.proven() {
                    points = Points::of_first(points_for_first(known.outcome));
                }
            }
            match i {
                0 => node.pass::<SHARED>(points.of(mover)),
                _ => node.leave::<SHARED>(points.of(mover)),
            }
        }
    }

    /// Proves a node from its children; `false` when they do not decide it.
    fn prove(&self, node: &Node, side: Side) -> bool {
        let children = self.tree.children(node).iter().map(Node::proven);
        match proven::from_children(side, children) {
            Some(known) => node.prove(known),
            None => return false,
        }
        true
    }

    /// Updates AMAF statistics: every child of the node whose move the side to move here played at
    /// or after this point.
    fn back_up_amaf<const SHARED: bool>(&mut self, node: &Node, below: Step<'t>, points: Points) {
        let side = below.mover;
        let amaf = self.tree.amaf_of_children(node);
        if let Some(played) = amaf.get(usize::from(below.ordinal)) {
            self.heard.add(side, played.move_index());
        }
        for child in amaf {
            if self.heard.contains(side, child.move_index()) {
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
    let mut place = 0;
    position.for_each_move(|m| {
        if place == ordinal {
            nth = Some(m);
        }
        place += 1;
    });
    nth.expect("a node has one child for each move")
}

/// The set of moves of one simulation, by side and index. Cleared in constant time by a generation
/// counter.
struct AmafSet {
    stamps: Vec<u32>,
    indices: usize,
    now: u32,
}

impl AmafSet {
    fn new(indices: usize) -> Self {
        AmafSet { stamps: vec![0; 2 * indices], indices, now: 0 }
    }

    fn clear(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.stamps.fill(0);
            self.now = 1;
        }
    }

    #[inline]
    fn add(&mut self, side: Side, index: usize) {
        if let Some(stamp) = self.stamps.get_mut(side.index() * self.indices + index) {
            *stamp = self.now;
        }
    }

    #[inline]
    fn contains(&self, side: Side, index: usize) -> bool {
        self.stamps[side.index() * self.indices + index] == self.now
    }
}
