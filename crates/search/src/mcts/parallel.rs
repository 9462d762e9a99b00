//! The threads of one search: each runs its share of the simulations, and all stop together.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tesuji_games::Position;
use tesuji_games::random::{Rng, seeded, word};

use super::UctThreads;
use super::leaf::LeafValue;
use super::simulate::{SimulationOptions, Worker};
use super::tree::{MAX_VISITS, Tree};
use crate::threads::{ScopedTask, run_in_parallel};
use crate::throttle::Throttle;
use crate::{Limits, Meter};

/// The data that the threads share.
pub(crate) struct ParallelSearch<'t, P, L> {
    pub(crate) trees: &'t [Tree],
    pub(crate) position: &'t P,
    pub(crate) options: SimulationOptions,
    pub(crate) leaf: &'t L,
    pub(crate) threads: UctThreads,
}

/// Called from time to time with the number of simulations so far.
type Observer<'a> = &'a mut dyn FnMut(u64);

impl<'t, P: Position, L: LeafValue<P>> ParallelSearch<'t, P, L> {
    /// Simulates within the limits; returns the number of simulations.
    pub(crate) fn simulate(&self, limits: &Limits, rng: &mut Rng, observe: Observer<'_>) -> u64 {
        match self.threads {
            UctThreads::One => self.run_single(limits, rng, observe),
            UctThreads::Root(_) => self.run_parallel::<false>(limits, rng, observe),
            UctThreads::Tree(_) => self.run_parallel::<true>(limits, rng, observe),
        }
    }

    fn run_single(&self, limits: &Limits, rng: &mut Rng, observe: Observer<'_>) -> u64 {
        let tree = &self.trees[0];
        let leaf = self.leaf.clone();
        let worker = Worker::new(tree, self.position, self.options, leaf, rng.clone());
        let done = AtomicBool::new(false);
        let mut task = ThreadTask { tree, worker, limits: limits.clone(), done: &done };
        let simulations = task.run::<false>(observe);
        *rng = task.worker.rng;
        simulations
    }

    /// Runs all threads; the calling thread is the first and the only one that reports progress.
    fn run_parallel<const SHARED: bool>(
        &self,
        limits: &Limits,
        rng: &mut Rng,
        observe: Observer<'_>,
    ) -> u64 {
        let threads = self.threads.count();
        let done = AtomicBool::new(false);
        let mut tasks = (0..threads).map(|thread| {
            let tree = &self.trees[thread % self.trees.len()];
            let rng = seeded(word(rng));
            let worker = Worker::new(tree, self.position, self.options, self.leaf.clone(), rng);
            ThreadTask { tree, worker, limits: thread_limits(limits, thread, threads), done: &done }
        });
        let Some(mut own_task) = tasks.next() else { return 0 };
        let simulations = AtomicU64::new(0);
        let add_simulations = |done| {
            simulations.fetch_add(done, Ordering::Relaxed);
        };
        let add_simulations = &add_simulations;
        // All tasks are created before the first starts.
        let mut others: Vec<ScopedTask<'_>> = Vec::new();
        for mut task in tasks {
            others.push(Box::new(move || add_simulations(task.run::<SHARED>(&mut |_| {}))));
        }
        run_in_parallel(
            &mut || add_simulations(own_task.run::<SHARED>(&mut |n| observe(n * threads as u64))),
            others,
        );
        simulations.into_inner()
    }
}

/// A thread's share of the limits.
fn thread_limits(limits: &Limits, thread: usize, threads: usize) -> Limits {
    let (thread, threads) = (thread as u64, threads as u64);
    let nodes = limits.nodes.map(|n| n / threads + u64::from(thread < n % threads));
    Limits { nodes, ..limits.clone() }
}

/// The simulations of one thread.
struct ThreadTask<'t, P: Position, L> {
    tree: &'t Tree,
    worker: Worker<'t, P, L>,
    limits: Limits,
    done: &'t AtomicBool,
}

impl<P: Position, L: LeafValue<P>> ThreadTask<'_, P, L> {
    /// Simulates until a limit is reached, the root is proven (by any thread), or the root is full.
    fn run<const SHARED: bool>(&mut self, observe: Observer<'_>) -> u64 {
        let mut meter = Meter::start_simulations(&self.limits);
        let mut throttle = Throttle::new();
        if self.limits.nodes == Some(0) {
            return 0;
        }
        loop {
            let root = self.tree.root();
            if root.proven().is_some() || root.visits() >= MAX_VISITS {
                self.done.store(true, Ordering::Relaxed);
            }
            if self.done.load(Ordering::Relaxed) {
                return meter.nodes();
            }
            self.worker.simulate::<SHARED>();
            if meter.tick() {
                return meter.nodes();
            }
            if throttle.is_due(meter.nodes()) {
                observe(meter.nodes());
                throttle.reported(meter.nodes(), meter.elapsed());
            }
        }
    }
}
