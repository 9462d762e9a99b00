//! Tree search guided by a policy-value model (PUCT: Rosin, 2011; in this form Silver et al.,
//! 2016). The model selects the moves to search, gives their prior probabilities and estimates the
//! win probability; the search combines them with the results so far. There are no rollouts unless
//! the model runs them.
//!
//! Scores are those of [`mcts`](crate::mcts): win rates from −500 to 500, `win_in` and `loss_in`
//! where proven. A model that omits moves cannot prove a loss; a result that depends on the
//! omission is treated as assumed, not proven: the search continues elsewhere, and the score
//! remains an estimate. The root counts as lost only after every legal move was tried.
//!
//! The search itself uses no randomness: the same model and position give the same result.

mod limit_check;
mod node_result;
mod report;
mod simulate;
mod tree;

use tesuji_games::{Position, Side};

use crate::analysis::analyze_with_other_moves;
use crate::throttle::Throttle;
use crate::{Limits, ProgressFn, Search, SearchReport};
use limit_check::LimitCheck;
use simulate::Worker;
use tree::Tree;

/// A model that gives prior probabilities of moves and a win probability.
///
/// Like an [`Evaluator`](crate::Evaluator), a model may follow the search and keep incremental
/// state.
pub trait PolicyValue<P: Position>: Clone + Send {
    /// Starts a search at this position; state of an earlier position is invalid.
    #[inline]
    fn start(&mut self, _position: &P) {}

    /// Called before `m` is played on `position`.
    #[inline]
    fn before_play(&mut self, _position: &P, _m: P::Move) {}

    /// Called after `m` was undone; `position` is the one that [`before_play`](Self::before_play)
    /// received.
    #[inline]
    fn after_undo(&mut self, _position: &P, _m: P::Move) {}

    /// Adds the moves to search to the empty list, with prior probabilities that add up to 1, and
    /// returns the win probability of the side to move, from 0 to 1. The game is not over. An empty
    /// list means all legal moves with equal priors.
    fn policy_and_value(&mut self, position: &P, moves: &mut Vec<(P::Move, f32)>) -> f32;

    /// Whether every legal move that the last evaluation omitted loses, so that the search may
    /// prove a loss from the listed moves.
    fn omits_only_losses(&self) -> bool {
        false
    }

    /// Whether [`policy_and_value`](Self::policy_and_value) omits legal moves. An analysis then
    /// values them one by one.
    fn omits_moves(&self) -> bool {
        false
    }
}

/// Equal priors for all moves and an even value: the baseline for other models.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPolicy;

impl<P: Position> PolicyValue<P> for UniformPolicy {
    fn policy_and_value(&mut self, _: &P, _: &mut Vec<(P::Move, f32)>) -> f32 {
        0.5
    }
}

/// The options of PUCT.
#[derive(Clone, Debug)]
pub struct PuctOptions {
    /// The exploration weight c: a move with prior p and n of N visits gets c·p·√N / (1 + n) added
    /// to its win rate.
    pub exploration: f64,
    /// First-play urgency: the reduction of an unvisited move's value below its parent's,
    /// multiplied by the square root of the total prior of the visited moves.
    pub first_play: f64,
    /// Whether proven wins, losses and draws are propagated up the tree.
    pub solver: bool,
    /// Whether the next search reuses the tree.
    pub reuse: bool,
    /// The maximum number of nodes in the tree (about 32 bytes each). When it is full, simulations
    /// continue without growing it.
    pub capacity: u32,
    /// The number of simulations when the limits set no number, no time and no stop flag.
    pub default_simulations: u64,
}

impl PuctOptions {
    /// The default [`capacity`](Self::capacity).
    pub const CAPACITY: u32 = 4_000_000;
}

impl Default for PuctOptions {
    fn default() -> Self {
        PuctOptions {
            exploration: 1.5,
            first_play: 0.2,
            solver: true,
            reuse: true,
            capacity: PuctOptions::CAPACITY,
            default_simulations: 10_000,
        }
    }
}

/// PUCT search with a policy-value model.
pub struct Puct<P: Position, M> {
    options: PuctOptions,
    model: M,
    tree: Tree<P::Move>,
    /// The position at the root of the tree.
    root: Option<P>,
}

impl<P: Position, M: PolicyValue<P>> Puct<P, M> {
    /// Creates a search with a model.
    pub fn new(options: PuctOptions, model: M) -> Self {
        let tree = Tree::new(options.capacity);
        Puct { options, model, tree, root: None }
    }

    /// The number of nodes in use.
    pub fn tree_size(&self) -> usize {
        self.tree.len()
    }

    /// The win probability of the side to move in the position of the last search: the mean of all
    /// simulations, or the proven or assumed result if there is one.
    pub fn chance(&self) -> f64 {
        let side = self.root.as_ref().map_or(Side::First, Position::to_move);
        self.tree.root().chance(side)
    }

    /// Roots the tree at `position`: reuses its subtree if there is one, otherwise starts a new
    /// tree.
    fn prepare(&mut self, position: &P) {
        let old_root = self.root.take().filter(|_| self.options.reuse);
        match old_root.and_then(|old| report::find_root(&self.tree, old, position)) {
            Some(root_index) => self.tree.set_root(root_index),
            None => self.tree.clear(),
        }
        self.root = Some(position.clone());
    }

    fn limits_or_default(&self, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        if limits.nodes.is_none() && limits.time.is_none() && limits.stop.is_none() {
            limits.nodes = Some(self.options.default_simulations);
        }
        limits
    }
}

impl<P: Position, M: PolicyValue<P>> Search<P> for Puct<P, M> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        if position.outcome().is_some() {
            return SearchReport::empty();
        }
        let limit_check = LimitCheck::start(self.limits_or_default(limits));
        self.prepare(position);
        let mut worker = Worker::new(&self.options, &mut self.model, &mut self.tree, position);
        worker.expand_root();
        let (mut simulations, mut throttle) = (0, Throttle::new());
        while !worker.is_done() && !limit_check.is_over(simulations) {
            worker.simulate();
            simulations += 1;
            if throttle.is_due(simulations) {
                progress(&report::report(
                    worker.tree(),
                    position,
                    simulations,
                    limit_check.elapsed(),
                ));
                throttle.reported(simulations, limit_check.elapsed());
            }
        }
        report::report(&self.tree, position, simulations, limit_check.elapsed())
    }

    /// A search already scores its root moves.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        match self.model.omits_moves() {
            true => analyze_with_other_moves(self, position, limits, progress),
            false => self.search(position, limits, progress),
        }
    }

    fn forget(&mut self) {
        self.root = None;
    }
}
