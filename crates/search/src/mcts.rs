//! Monte Carlo tree search: UCT with optional RAVE, MCTS-Solver, tree reuse and two kinds of
//! parallelism. Scores of unproven moves are win rates on a scale from −500 (always lost) to 500
//! (always won): per mille minus 500. Proven scores are `win_in`, `loss_in`, or 0 for a draw.
//!
//! The tree is kept between calls: if the new position follows from the last one within a few
//! moves, its subtree is found by key and reused. (In games where the value of a position depends
//! on its history, as with repetition, a reused proof holds for the line in the tree.)

mod leaf;
mod parallel;
pub(crate) mod proven;
mod report;
mod select;
mod simulate;
mod tree;

use tesuji_games::Position;
use tesuji_games::random::{Rng, seeded};

pub(crate) use report::rate_score;

pub use leaf::{DecisiveRollout, EvaluatorLeaf, LeafValue, RandomRollout, win_chance};

use crate::{Limits, Meter, ProgressFn, Scheduler, Search, SearchReport};
use parallel::ParallelSearch;
use select::Formula;
use simulate::SimulationOptions;
use tree::Tree;

/// The options of UCT.
#[derive(Clone, Debug)]
pub struct UctOptions {
    /// The exploration weight, c in UCB1. Win rates lie between 0 and 1, so the textbook value is
    /// √2.
    pub exploration: f64,
    /// RAVE's equivalence parameter k, or `None` for plain UCT: in a node with n visits, the weight
    /// of AMAF (all moves as first) is √(k / (3n + k)).
    pub rave: Option<f64>,
    /// Whether proven wins, losses and draws are propagated up the tree (MCTS-Solver).
    pub solver: bool,
    /// Whether the next search reuses the tree.
    pub reuse: bool,
    /// The maximum number of nodes in a tree (16 bytes each, 32 with RAVE). When it is full,
    /// simulations continue without growing it.
    pub capacity: u32,
    /// The number of visits after which a leaf is expanded.
    pub expand_after: u32,
    /// The number of threads, and what they share.
    pub threads: UctThreads,
    /// The number of simulations when the limits set no number, no time and no stop flag.
    pub default_simulations: u64,
    /// The random seed. With one thread, the same seed gives the same search.
    pub seed: u64,
}

impl Default for UctOptions {
    fn default() -> Self {
        UctOptions {
            exploration: std::f64::consts::SQRT_2,
            rave: None,
            solver: true,
            reuse: true,
            capacity: 4_000_000,
            expand_after: 1,
            threads: UctThreads::One,
            default_simulations: 10_000,
            seed: 1,
        }
    }
}

/// The parallelization of a search (Chaslot, Winands and van den Herik, 2008).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UctThreads {
    /// One thread: the same seed gives the same search.
    #[default]
    One,
    /// Root parallelization: each thread grows its own tree; the results at the root are added up.
    Root(usize),
    /// Tree parallelization: all threads grow one tree, with virtual losses.
    Tree(usize),
}

impl UctThreads {
    fn count(self) -> usize {
        match self {
            UctThreads::One => 1,
            UctThreads::Root(n) | UctThreads::Tree(n) => n.max(1),
        }
    }

    /// Limits the number of threads.
    fn at_most(self, most: usize) -> UctThreads {
        match self {
            UctThreads::One => UctThreads::One,
            UctThreads::Root(n) => UctThreads::Root(n.min(most)),
            UctThreads::Tree(n) => UctThreads::Tree(n.min(most)),
        }
    }

    fn trees(self) -> usize {
        if let UctThreads::Root(n) = self { n.max(1) } else { 1 }
    }
}

/// Upper confidence bounds applied to trees (Kocsis and Szepesvári, 2006).
pub struct Uct<P: Position, L = RandomRollout> {
    options: UctOptions,
    leaf: L,
    rng: Rng,
    trees: Vec<Tree>,
    /// The position at the root of the trees.
    root: Option<P>,
    scheduler: Option<Scheduler>,
}

impl<P: Position> Uct<P> {
    /// UCT with uniformly random rollouts.
    pub fn new(options: UctOptions) -> Self {
        Uct::with_leaf(options, RandomRollout)
    }
}

impl<P: Position, L: LeafValue<P>> Uct<P, L> {
    /// UCT with any source of leaf values.
    pub fn with_leaf(options: UctOptions, leaf: L) -> Self {
        let rng = seeded(options.seed);
        Uct { options, leaf, rng, trees: Vec::new(), root: None, scheduler: None }
    }

    /// Limits the number of threads to those idle when a search begins.
    pub fn with_scheduler(mut self, scheduler: Scheduler) -> Self {
        self.scheduler = Some(scheduler);
        self
    }

    /// The number of nodes in use, over all trees.
    pub fn tree_size(&self) -> usize {
        self.trees.iter().map(Tree::len).sum()
    }

    /// Roots the trees at `position`: reuses its subtree if there is one, otherwise starts a new
    /// tree.
    fn prepare(&mut self, position: &P) {
        let old_root = self.root.take().filter(|_| self.options.reuse);
        for tree in &mut self.trees {
            match old_root.as_ref().and_then(|old| report::path_to(tree, old, position)) {
                Some(path) => tree.set_root(&path),
                None => tree.clear(),
            }
        }
        let (capacity, amaf) = (self.options.capacity, self.options.rave.is_some());
        self.trees.resize_with(self.options.threads.trees(), || Tree::new(capacity, amaf));
        for tree in &self.trees {
            report::expand_root(tree, position, self.options.solver);
        }
        self.root = Some(position.clone());
    }

    fn simulation_options(&self) -> SimulationOptions {
        SimulationOptions {
            formula: Formula {
                exploration: self.options.exploration as f32,
                rave: self.options.rave.map(|k| k as f32),
            },
            solver: self.options.solver,
            expand_after: self.options.expand_after,
        }
    }

    fn limits_or_default(&self, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        if limits.nodes.is_none() && limits.time.is_none() && limits.stop.is_none() {
            limits.nodes = Some(self.options.default_simulations);
        }
        limits
    }
}

impl<P: Position, L: LeafValue<P>> Search<P> for Uct<P, L> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        if position.outcome().is_some() {
            return SearchReport::empty();
        }
        let limits = self.limits_or_default(limits);
        let clock = Meter::start(&limits);
        self.prepare(position);
        let mut loan = self.scheduler.as_ref().map(Scheduler::loan);
        let requested = self.options.threads;
        let threads = loan
            .as_mut()
            .map_or(requested, |loan| requested.at_most(loan.renew(requested.count())));
        let trees = &self.trees;
        let search = ParallelSearch {
            trees,
            position,
            options: self.simulation_options(),
            leaf: &self.leaf,
            threads,
        };
        let mut observe = |simulations| {
            progress(&report::report(trees, position, simulations, clock.elapsed()));
        };
        let simulations = search.simulate(&limits, &mut self.rng, &mut observe);
        report::report(trees, position, simulations, clock.elapsed())
    }

    /// A search already scores its root moves.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        self.search(position, limits, progress)
    }

    fn forget(&mut self) {
        self.root = None;
    }
}
