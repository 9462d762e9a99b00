//! A simulation: selection down to an unexpanded position, evaluation by the model, and
//! backpropagation. Points are counted for the first side, so a side may move twice in a row.

use tesuji_games::{Outcome, Position, Side};

use super::node_result::{NodeResult, from_children};
use super::tree::{Node, ROOT, Tree};
use super::{PolicyValue, PuctOptions};
use crate::mcts::proven::Proven;

/// Runs simulations. All buffers are allocated once.
pub(super) struct Worker<'t, P: Position, M> {
    options: &'t PuctOptions,
    model: &'t mut M,
    tree: &'t mut Tree<P::Move>,
    position: P,
    /// The nodes on the path, starting with the root.
    path: Vec<PathStep>,
    /// The moves and tokens to undo the path.
    undos: Vec<(P::Move, P::Undo)>,
    /// The model's moves and priors.
    moves: Vec<(P::Move, f32)>,
}

/// A node on the path.
#[derive(Clone, Copy)]
struct PathStep {
    index: u32,
    /// The side to move in this node.
    side: Side,
    /// Whether it has a decided draw with a higher value than the selected child.
    prefers_draw: bool,
}

impl PathStep {
    fn to(index: u32, side: Side) -> PathStep {
        PathStep { index, side, prefers_draw: false }
    }
}

/// The selected child.
struct Choice {
    ordinal: usize,
    prefers_draw: bool,
}

impl<'t, P: Position, M: PolicyValue<P>> Worker<'t, P, M> {
    pub(super) fn new(
        options: &'t PuctOptions,
        model: &'t mut M,
        tree: &'t mut Tree<P::Move>,
        position: &P,
    ) -> Self {
        model.start(position);
        Worker {
            options,
            model,
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
    pub(super) fn expand_root(&mut self) {
        let wins_at_once = self.options.solver && self.position.winning_move().is_some();
        if wins_at_once || !self.tree.root().is_expanded() {
            // Below the root, an immediate win is expanded with its winning move alone; the report
            // of a root needs all moves.
            self.tree.clear();
            self.path.clear();
            self.path.push(PathStep::to(ROOT, self.position.to_move()));
            let points = self.expand(ROOT);
            self.back_propagate(points);
        }
        self.widen_lost_root();
    }

    /// Whether further simulations cannot change the result of the root.
    pub(super) fn is_done(&self) -> bool {
        self.tree.root().result.is_some()
    }

    pub(super) fn simulate(&mut self) {
        self.path.clear();
        let points = self.descend();
        self.back_propagate(points);
        while let Some((m, undo)) = self.undos.pop() {
            self.position.undo(m, undo);
            self.model.after_undo(&self.position, m);
        }
        self.widen_lost_root();
    }

    /// Descends the tree; returns the points of the first side.
    fn descend(&mut self) -> f64 {
        let mut index = ROOT;
        loop {
            let side = self.position.to_move();
            self.path.push(PathStep::to(index, side));
            if let Some(outcome) = self.position.outcome() {
                let result = NodeResult::certain(Proven::finished(outcome));
                if self.options.solver {
                    self.tree.node_mut(index).result = Some(result);
                }
                return result.points();
            }
            let node = self.tree.node(index);
            if let Some(result) = node.result {
                return result.points();
            }
            if !node.is_expanded() {
                return self.expand(index);
            }
            let Choice { ordinal, prefers_draw } = self.select(index, side);
            if let Some(step) = self.path.last_mut() {
                step.prefers_draw = prefers_draw;
            }
            index = self.tree.child(index, ordinal);
            if let Some(m) = self.tree.node(index).m {
                self.model.before_play(&self.position, m);
                let undo = self.position.play(m);
                self.undos.push((m, undo));
            }
        }
    }

    /// Selects the child with the highest upper bound (Silver et al., 2016). Decided children need
    /// no more visits; a decided draw counts if its value is the highest.
    fn select(&self, index: u32, side: Side) -> Choice {
        let (node, children) = (self.tree.node(index), self.tree.children(index));
        let visited_prior: f32 = children.iter().filter(|c| c.visits > 0).map(|c| c.prior).sum();
        let first_play_value =
            node.mean(side) - self.options.first_play * f64::from(visited_prior).sqrt();
        let exploration = self.options.exploration * f64::from(node.visits.max(1)).sqrt();
        let (mut best, mut highest) = (Choice { ordinal: 0, prefers_draw: false }, f64::MIN);
        let mut has_draw = false;
        for (ordinal, child) in children.iter().enumerate() {
            let rate = match child.result {
                Some(result) => {
                    has_draw |= !result.is_loss_for(side);
                    continue;
                }
                None if child.visits == 0 => first_play_value,
                None => child.mean(side),
            };
            let bonus = exploration * f64::from(child.prior) / (1.0 + f64::from(child.visits));
            if rate + bonus > highest {
                highest = rate + bonus;
                best = Choice { ordinal, prefers_draw: rate < 0.5 };
            }
        }
        best.prefers_draw &= has_draw;
        best
    }

    /// Expands and evaluates a position; returns the points of the first side.
    fn expand(&mut self, index: u32) -> f64 {
        let winning_move = self.position.winning_move().filter(|_| self.options.solver);
        match winning_move {
            Some(m) if index != ROOT => {
                self.tree.set_children(index, &[(m, 1.0)], true);
                self.mark_won(index, m)
            }
            Some(m) => {
                self.expand_with_model(index, Some(m));
                self.mark_won(index, m)
            }
            None => self.expand_with_model(index, None),
        }
    }

    /// Evaluates a position with the model; `required` is a move that must be among the children.
    fn expand_with_model(&mut self, index: u32, required: Option<P::Move>) -> f64 {
        self.moves.clear();
        let chance = self.model.policy_and_value(&self.position, &mut self.moves);
        if self.moves.is_empty() {
            let moves = &mut self.moves;
            self.position.for_each_move(|m| moves.push((m, 1.0)));
        }
        self.moves.extend(
            required.filter(|m| self.moves.iter().all(|listed| listed.0 != *m)).map(|m| (m, 0.0)),
        );
        let all = self.moves.len() >= self.position.move_count();
        let complete = all || self.model.omits_only_losses();
        normalize_priors(&mut self.moves);
        self.tree.set_children(index, &self.moves, complete);
        let chance = if chance.is_nan() { 0.5 } else { f64::from(chance.clamp(0.0, 1.0)) };
        if self.position.to_move() == Side::First { chance } else { 1.0 - chance }
    }

    /// Marks a node as won by this move, which is among the children unless the tree is full.
    fn mark_won(&mut self, index: u32, m: P::Move) -> f64 {
        let side = self.position.to_move();
        let end = NodeResult::certain(Proven::finished(Outcome::Win(side)));
        if let Some(ordinal) = self.tree.children(index).iter().position(|c| c.m == Some(m)) {
            let child = self.tree.child(index, ordinal);
            self.tree.node_mut(child).result = Some(end);
        }
        self.tree.node_mut(index).result = Some(NodeResult::certain(Proven::win_next(side)));
        end.points()
    }

    fn back_propagate(&mut self, mut points: f64) {
        // Only a result just decided for the leaf can decide nodes above it.
        let mut can_decide = self.options.solver;
        for i in (0..self.path.len()).rev() {
            let PathStep { index, side, prefers_draw } = self.path[i];
            if prefers_draw {
                points = 0.5;
            }
            if can_decide && self.tree.node(index).result.is_none() {
                self.tree.node_mut(index).result = self.result_from_children(index, side);
            }
            match self.tree.node(index).result {
                Some(result) if can_decide => points = result.points(),
                _ => can_decide = false,
            }
            self.tree.node_mut(index).visit(points);
        }
    }

    fn result_from_children(&self, index: u32, side: Side) -> Option<NodeResult> {
        let complete = self.tree.node(index).complete;
        let children = self.tree.children(index);
        from_children(side, complete, children.iter().map(|child| child.result))
    }

    /// Before the root counts as lost, adds the moves that the model omitted.
    fn widen_lost_root(&mut self) {
        let (root, side) = (self.tree.root(), self.position.to_move());
        let is_lost = root.result.is_some_and(|result| result.is_loss_for(side));
        if !is_lost || root.complete {
            return;
        }
        let contains =
            |m| self.tree.children(ROOT).iter().any(|child: &Node<_>| child.m == Some(m));
        let mut others = Vec::new();
        self.position.for_each_move(|m| {
            if !contains(m) {
                others.push((m, 1.0));
            }
        });
        normalize_priors(&mut others);
        if !others.is_empty() {
            self.tree.widen_root(&others);
        }
    }
}

/// Normalizes any weights from a model to priors that add up to 1.
fn normalize_priors<M>(moves: &mut [(M, f32)]) {
    for (_, prior) in moves.iter_mut() {
        *prior = if prior.is_finite() { prior.max(0.0) } else { 0.0 };
    }
    let sum: f32 = moves.iter().map(|(_, prior)| prior).sum();
    let even = 1.0 / moves.len().max(1) as f32;
    for (_, prior) in moves {
        *prior = if sum > 0.0 && sum.is_finite() { *prior / sum } else { even };
    }
}
