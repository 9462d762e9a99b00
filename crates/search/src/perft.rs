//! Perft: counts move paths, the standard test of a game's rules.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tesuji_games::Position;

use crate::threads::{ScopedTask, run_in_parallel};

/// The options of [`perft`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PerftOptions {
    /// How to count games that end before the requested length.
    pub early_end: EarlyEnd,
    /// The number of threads; 0 means 1.
    pub threads: usize,
}

/// How to count games that end early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EarlyEnd {
    /// Count only paths of the full length: the convention of chess and Connect Four.
    #[default]
    Dropped,
    /// Count a finished game once: the convention of Othello.
    Counted,
}

/// Counts the move paths of `depth` plies from `position`.
pub fn perft<P: Position>(position: &P, depth: u32, options: PerftOptions) -> u64 {
    if depth < 3 || options.threads < 2 {
        return count(&mut position.clone(), depth, options.early_end);
    }
    divide(position, depth, options).into_iter().map(|(_, paths)| paths).sum::<u64>()
        + early_end_count(position, options.early_end)
}

/// Counts move paths separately for each root move. `depth` includes the root move and must be at
/// least 1.
pub fn divide<P: Position>(position: &P, depth: u32, options: PerftOptions) -> Vec<(P::Move, u64)> {
    let mut roots = Vec::new();
    position.push_moves(&mut roots);
    let subtrees = subtrees(position, depth, options.early_end);
    let counts = count_in_parallel(&subtrees, options.threads.max(1), |subtree| {
        count(&mut subtree.position.clone(), subtree.depth, options.early_end)
    });
    let mut paths = vec![0; roots.len()];
    for (subtree, n) in subtrees.iter().zip(counts) {
        paths[subtree.root] += n;
    }
    roots.into_iter().zip(paths).collect()
}

fn early_end_count<P: Position>(position: &P, early_end: EarlyEnd) -> u64 {
    u64::from(early_end == EarlyEnd::Counted && position.outcome().is_some())
}

/// Counts by playing and undoing moves; the moves of all plies share one buffer.
struct Counter<'p, P: Position> {
    position: &'p mut P,
    moves: Vec<P::Move>,
    early_end: EarlyEnd,
}

/// The number of paths from a position.
fn count<P: Position>(position: &mut P, depth: u32, early_end: EarlyEnd) -> u64 {
    Counter { position, moves: Vec::new(), early_end }.count(depth)
}

impl<P: Position> Counter<'_, P> {
    /// The last ply is counted without playing it.
    fn count(&mut self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.position.outcome().is_some() {
            return early_end_count(self.position, self.early_end);
        }
        if depth == 1 {
            return self.position.move_count() as u64;
        }
        let start = self.moves.len();
        self.position.push_moves(&mut self.moves);
        let mut paths = 0;
        for next in start..self.moves.len() {
            let m = self.moves[next];
            let undo = self.position.play(m);
            paths += self.count(depth - 1);
            self.position.undo(m, undo);
        }
        self.moves.truncate(start);
        paths
    }
}

/// A part of the count: a position below root move number `root`.
struct Subtree<P> {
    root: usize,
    position: P,
    depth: u32,
}

/// The positions two plies from the root (one if the count is that short): enough to keep the
/// threads busy.
fn subtrees<P: Position>(position: &P, depth: u32, early_end: EarlyEnd) -> Vec<Subtree<P>> {
    let mut subtrees = Vec::new();
    let mut root = 0;
    position.for_each_move(|m| {
        let mut child = position.clone();
        child.play(m);
        let left = depth.saturating_sub(1);
        if left < 2 || early_end_count(&child, early_end) > 0 {
            subtrees.push(Subtree { root, position: child, depth: left });
        } else {
            child.for_each_move(|reply| {
                let mut grandchild = child.clone();
                grandchild.play(reply);
                subtrees.push(Subtree { root, position: grandchild, depth: left - 1 });
            });
        }
        root += 1;
    });
    subtrees
}

/// Runs the jobs on several threads; returns the results in the order of the jobs.
fn count_in_parallel<T: Sync>(
    subtrees: &[T],
    threads: usize,
    work: impl Fn(&T) -> u64 + Sync,
) -> Vec<u64> {
    let next = AtomicUsize::new(0);
    let results: Vec<AtomicU64> = subtrees.iter().map(|_| AtomicU64::new(0)).collect();
    let work_loop = || {
        while let Some((n, subtree)) = take_next(subtrees, &next) {
            results[n].store(work(subtree), Ordering::Relaxed);
        }
    };
    run_in_parallel(
        &mut { work_loop },
        (1..threads).map(|_| -> ScopedTask<'_> { Box::new(work_loop) }).collect(),
    );
    results.into_iter().map(AtomicU64::into_inner).collect()
}

fn take_next<'j, T>(subtrees: &'j [T], next: &AtomicUsize) -> Option<(usize, &'j T)> {
    let n = next.fetch_add(1, Ordering::Relaxed);
    subtrees.get(n).map(|subtree| (n, subtree))
}
