//! Tree search led by a guide: a guide names the moves worth looking at, how likely each is to be right, and who is
//! ahead; the search goes where the guide's word and what was found so far point together (PUCT: Rosin, 2011; in this
//! form Silver et al., 2016). No game is played to its end unless the guide does so.
//!
//! Scores are those of [`mcts`](crate::mcts): win rates from −500 to 500, `win_in` and `loss_in` where proven. A guide
//! that leaves moves out can prove no loss; what follows from its word alone is believed, not proven: the search goes
//! on elsewhere, and the score stays an estimate. At the root nothing is lost before every legal move was tried.
//!
//! The search itself leaves nothing to chance: with the same guide the same position gives the same answer.

mod clock;
mod node_result;
mod report;
mod simulate;
mod tree;

use tesuji_games::{Position, Side};

use crate::analysis::analyze_with_other_moves;
use crate::throttle::Throttle;
use crate::{Limits, Progress, Report, Search};
use clock::Clock;
use simulate::Worker;
use tree::Tree;

/// Someone who knows which moves are worth looking at.
///
/// Like an [`Evaluator`](crate::Evaluator), a guide may follow the search and keep books beside the
/// position.
pub trait PolicyValue<P: Position>: Clone + Send {
    /// The search begins here. Whatever was kept belongs to another position.
    #[inline]
    fn start(&mut self, _position: &P) {}

    /// `m` will be played on `position` now.
    #[inline]
    fn before_play(&mut self, _position: &P, _m: P::Move) {}

    /// `m` was taken back, and `position` is again what [`before_play`](Self::before_play) was given.
    #[inline]
    fn after_undo(&mut self, _position: &P, _m: P::Move) {}

    /// Adds the moves worth looking at to the empty list, with weights that add up to 1, and says how likely the side
    /// to move wins, from 0 to 1. The game is not over. No move at all means all of them, equally.
    fn policy_and_value(&mut self, position: &P, moves: &mut Vec<(P::Move, f32)>) -> f32;

    /// Whether every legal move that the last look left out is lost, so that the search may prove a loss from the
    /// others alone.
    fn omits_only_losses(&self) -> bool {
        false
    }

    /// Whether `look` leaves legal moves out, which an analysis then values one by one.
    fn omits_moves(&self) -> bool {
        false
    }
}

/// All moves equally, and nobody ahead: what a guide's word is measured against.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPolicy;

impl<P: Position> PolicyValue<P> for UniformPolicy {
    fn policy_and_value(&mut self, _: &P, _: &mut Vec<(P::Move, f32)>) -> f32 {
        0.5
    }
}

/// What the search can be told.
#[derive(Clone, Debug)]
pub struct PuctOptions {
    /// The weight of the guide's word on moves, c: a move of weight p that was tried n times of N gets c·p·√N / (1 + n)
    /// on top of its win rate.
    pub exploration: f64,
    /// First-play urgency: how much worse than its parent a move counts that was never tried, when all the weight of
    /// the moves is on others; by the root of that weight when less is.
    pub first_play: f64,
    /// Whether wins, losses and draws that are certain go up the tree.
    pub solver: bool,
    /// Whether the tree is kept for the next search.
    pub reuse: bool,
    /// The most nodes a tree may have (some 32 bytes each). When it is full, simulations go on without growing it.
    pub capacity: u32,
    /// Simulations when the limits name neither a number nor a time nor a stop sign.
    pub default_simulations: u64,
}

impl PuctOptions {
    /// The usual [`capacity`](Self::capacity).
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

/// See the top of this file.
pub struct Puct<P: Position, G> {
    options: PuctOptions,
    guide: G,
    tree: Tree<P::Move>,
    /// The position at the root of the tree.
    root: Option<P>,
}

impl<P: Position, G: PolicyValue<P>> Puct<P, G> {
    /// A search with a guide.
    pub fn new(options: PuctOptions, guide: G) -> Self {
        let tree = Tree::new(options.capacity);
        Puct { options, guide, tree, root: None }
    }

    /// Nodes in use.
    pub fn tree_size(&self) -> usize {
        self.tree.len()
    }

    /// How likely the side to move wins in the position of the last search, over all its simulations; what is certain
    /// or believed of it instead, where there is such.
    pub fn chance(&self) -> f64 {
        let side = self.root.as_ref().map_or(Side::First, Position::to_move);
        self.tree.root().chance(side)
    }

    /// Makes the tree start at `position`: the old one cut down to it where it contains it.
    fn prepare(&mut self, position: &P) {
        let old_root = self.root.take().filter(|_| self.options.reuse);
        match old_root.and_then(|old| report::place_of(&self.tree, old, position)) {
            Some(place) => self.tree.descend(place),
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

impl<P: Position, G: PolicyValue<P>> Search<P> for Puct<P, G> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        if position.outcome().is_some() {
            return Report::empty();
        }
        let clock = Clock::start(self.limits_or_default(limits));
        self.prepare(position);
        let mut worker = Worker::new(&self.options, &mut self.guide, &mut self.tree, position);
        worker.open_root();
        let (mut simulations, mut pace) = (0, Throttle::new());
        while !worker.is_done() && !clock.is_over(simulations) {
            worker.simulate();
            simulations += 1;
            if pace.is_due(simulations) {
                progress(&report::report(worker.tree(), position, simulations, clock.elapsed()));
                pace.told(simulations, clock.elapsed());
            }
        }
        report::report(&self.tree, position, simulations, clock.elapsed())
    }

    /// A search values its root moves anyway.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        match self.guide.omits_moves() {
            true => analyze_with_other_moves(self, position, limits, progress),
            false => self.search(position, limits, progress),
        }
    }

    fn forget(&mut self) {
        self.root = None;
    }
}
