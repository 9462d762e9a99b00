//! A simulation: selection down to an unexpanded position, evaluation by the model, and
//! backpropagation. Points are counted for the first side, so a side may move twice in a row.

use tesuji_games::{Outcome, Position, Side};

use super::node_result::{NodeResult, from_children};
use super::tree::{Node, ROOT, Tree};
use super::{PolicyValue, PuctOptions};
use crate::mcts::proven::Proven;

/// Runs simulations. All buffers are allocated once.
pub(super) struct Worker<'t, P: Position, G> {
    options: &'t PuctOptions,
    guide: &'t mut G,
    tree: &'t mut Tree<P::Move>,
    position: P,
    /// The nodes on the path, starting with the root.
    path: Vec<Step>,
    /// The moves and tokens to undo the path.
    undos: Vec<(P::Move, P::Undo)>,
    /// The model's moves and priors.
    moves: Vec<(P::Move, f32)>,
}

/// A node on the path.
#[derive(Clone, Copy)]
struct Step {
    place: u32,
    /// The side to move in this node.
    side: Side,
    /// Whether it has a decided draw with a higher value than the selected child.
    prefers_draw: bool,
}

impl Step {
    fn to(place: u32, side: Side) -> Step {
        Step { place, side, prefers_draw: false }
    }
}

/// The selected child.
struct Choice {
    ordinal: usize,
    prefers_draw: bool,
}

impl<'t, P: Position, G: PolicyValue<P>> Worker<'t, P, G> {
    pub(super) fn new(
        options: &'t PuctOptions,
        guide: &'t mut G,
        tree: &'t mut Tree<P::Move>,
        position: &P,
    ) -> Self {
        guide.start(position);
        Worker {
            options,
            guide,
            tree,
            position: position.clone(),
            path: Vec::with_capacity(64),
            undos: Vec::with_capacity(64),
            moves: Vec::with_capacity(256),
        }
    }

    pub(super) fn tree(&self) -> &Tree<P::Move> {
        self.tree
    }

    /// Expands the root if needed: a reused tree may have been full at this position, or have
    /// assumed a loss.
    pub(super) fn open_root(&mut self) {
        let wins_at_once = self.options.solver && self.position.winning_move().is_some();
        if wins_at_once || !self.tree.root().is_open() {
            // Below the root, an immediate win is expanded with its winning move alone; the report
            // of a root needs all moves.
            self.tree.clear();
            self.path.clear();
            self.path.push(Step::to(ROOT, self.position.to_move()));
            let points = self.look(ROOT);
            self.back_up(points);
        }
        self.widen_a_lost_root();
    }

    /// Whether further simulations cannot change the result of the root.
    pub(super) fn is_done(&self) -> bool {
        self.tree.root().verdict.is_some()
    }

    pub(super) fn simulate(&mut self) {
        self.path.clear();
        let points = self.walk();
        self.back_up(points);
        while let Some((m, undo)) = self.undos.pop() {
            self.position.undo(m, undo);
            self.guide.after_undo(&self.position, m);
        }
        self.widen_a_lost_root();
    }

    /// Descends the tree; returns the points of the first side.
    fn walk(&mut self) -> f64 {
        let mut place = ROOT;
        loop {
            let side = self.position.to_move();
            self.path.push(Step::to(place, side));
            if let Some(outcome) = self.position.outcome() {
                let verdict = NodeResult::certain(Proven::at_end(outcome));
                if self.options.solver {
                    self.tree.node_mut(place).verdict = Some(verdict);
                }
                return verdict.points();
            }
            let node = self.tree.node(place);
            if let Some(verdict) = node.verdict {
                return verdict.points();
            }
            if !node.is_open() {
                return self.look(place);
            }
            let Choice { ordinal, prefers_draw } = self.select(place, side);
            if let Some(step) = self.path.last_mut() {
                step.prefers_draw = prefers_draw;
            }
            place = self.tree.child(place, ordinal);
            if let Some(m) = self.tree.node(place).m {
                self.guide.before_play(&self.position, m);
                let undo = self.position.play(m);
                self.undos.push((m, undo));
            }
        }
    }

    /// Selects the child with the highest upper bound (Silver et al., 2016). Decided children need
    /// no more visits; a decided draw counts if its value is the highest.
    fn select(&self, place: u32, side: Side) -> Choice {
        let (node, children) = (self.tree.node(place), self.tree.children(place));
        let tried: f32 = children.iter().filter(|c| c.visits > 0).map(|c| c.weight).sum();
        let untried = node.mean(side) - self.options.first_play * f64::from(tried).sqrt();
        let reach = self.options.exploration * f64::from(node.visits.max(1)).sqrt();
        let (mut best, mut highest) = (Choice { ordinal: 0, prefers_draw: false }, f64::MIN);
        let mut draw_known = false;
        for (ordinal, child) in children.iter().enumerate() {
            let rate = match child.verdict {
                Some(verdict) => {
                    draw_known |= !verdict.is_loss_for(side);
                    continue;
                }
                None if child.visits == 0 => untried,
                None => child.mean(side),
            };
            let urge = reach * f64::from(child.weight) / (1.0 + f64::from(child.visits));
            if rate + urge > highest {
                highest = rate + urge;
                best = Choice { ordinal, prefers_draw: rate < 0.5 };
            }
        }
        best.prefers_draw &= draw_known;
        best
    }

    /// Expands and evaluates a position; returns the points of the first side.
    fn look(&mut self, place: u32) -> f64 {
        let wins = self.position.winning_move().filter(|_| self.options.solver);
        match wins {
            Some(m) if place != ROOT => {
                self.tree.open(place, &[(m, 1.0)], true);
                self.settle_as_won(place, m)
            }
            Some(m) => {
                self.ask(place, Some(m));
                self.settle_as_won(place, m)
            }
            None => self.ask(place, None),
        }
    }

    /// Evaluates a position with the model; `also` is a move that must be among the children.
    fn ask(&mut self, place: u32, also: Option<P::Move>) -> f64 {
        self.moves.clear();
        let chance = self.guide.policy_and_value(&self.position, &mut self.moves);
        if self.moves.is_empty() {
            let moves = &mut self.moves;
            self.position.for_each_move(|m| moves.push((m, 1.0)));
        }
        self.moves.extend(
            also.filter(|m| self.moves.iter().all(|known| known.0 != *m)).map(|m| (m, 0.0)),
        );
        let all = self.moves.len() >= self.position.move_count();
        let complete = all || self.guide.omits_only_losses();
        make_weights(&mut self.moves);
        self.tree.open(place, &self.moves, complete);
        let chance = if chance.is_nan() { 0.5 } else { f64::from(chance.clamp(0.0, 1.0)) };
        if self.position.to_move() == Side::First { chance } else { 1.0 - chance }
    }

    /// Marks a node as won by this move, which is among the children unless the tree is full.
    fn settle_as_won(&mut self, place: u32, m: P::Move) -> f64 {
        let side = self.position.to_move();
        let end = NodeResult::certain(Proven::at_end(Outcome::Win(side)));
        if let Some(ordinal) = self.tree.children(place).iter().position(|c| c.m == Some(m)) {
            let child = self.tree.child(place, ordinal);
            self.tree.node_mut(child).verdict = Some(end);
        }
        self.tree.node_mut(place).verdict = Some(NodeResult::certain(Proven::win_next(side)));
        end.points()
    }

    fn back_up(&mut self, mut points: f64) {
        // Only a result just decided for the leaf can decide nodes above it.
        let mut settling = self.options.solver;
        for i in (0..self.path.len()).rev() {
            let Step { place, side, prefers_draw } = self.path[i];
            if prefers_draw {
                points = 0.5;
            }
            if settling && self.tree.node(place).verdict.is_none() {
                self.tree.node_mut(place).verdict = self.conclude(place, side);
            }
            match self.tree.node(place).verdict {
                Some(verdict) if settling => points = verdict.points(),
                _ => settling = false,
            }
            self.tree.node_mut(place).visit(points);
        }
    }

    fn conclude(&self, place: u32, side: Side) -> Option<NodeResult> {
        let complete = self.tree.node(place).complete;
        let children = self.tree.children(place);
        from_children(side, complete, children.iter().map(|child| child.verdict))
    }

    /// Before the root counts as lost, adds the moves that the model omitted.
    fn widen_a_lost_root(&mut self) {
        let (root, side) = (self.tree.root(), self.position.to_move());
        let is_lost = root.verdict.is_some_and(|verdict| verdict.is_loss_for(side));
        if !is_lost || root.complete {
            return;
        }
        let known = |m| self.tree.children(ROOT).iter().any(|child: &Node<_>| child.m == Some(m));
        let mut others = Vec::new();
        self.position.for_each_move(|m| {
            if !known(m) {
                others.push((m, 1.0));
            }
        });
        make_weights(&mut others);
        if !others.is_empty() {
            self.tree.widen_root(&others);
        }
    }
}

/// Normalizes any weights from a model to priors that add up to 1.
fn make_weights<M>(moves: &mut [(M, f32)]) {
    for (_, weight) in moves.iter_mut() {
        *weight = if weight.is_finite() { weight.max(0.0) } else { 0.0 };
    }
    let sum: f32 = moves.iter().map(|(_, weight)| weight).sum();
    let even = 1.0 / moves.len().max(1) as f32;
    for (_, weight) in moves {
        *weight = if sum > 0.0 && sum.is_finite() { *weight / sum } else { even };
    }
}
