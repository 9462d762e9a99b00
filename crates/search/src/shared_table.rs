//! Several threads search the same tree and share the table: Kerrigan's simplified form of Weill's
//! ABDADA (1996). A thread announces the moves it is searching; the others defer those and usually
//! find the results in the table afterward. Each thread alone would find the correct value, so the
//! first to finish provides it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use tesuji_games::bits::mix;
use tesuji_games::{Position, Score};

use crate::Evaluator;
use crate::threads::{ScopedTask, run_in_parallel};
use crate::transposition::TableKey;
use crate::worker::{Node, Worker};

/// The positions that threads are currently searching. A lost entry only causes duplicate work.
#[derive(Debug)]
pub(crate) struct BusyPositions {
    buckets: Box<[[AtomicU64; 4]]>,
}

const BUCKETS: usize = 1024;

impl BusyPositions {
    /// The minimum depth of shared nodes: shallower ones are searched faster than the set is
    /// checked.
    pub(crate) const MIN_DEPTH: u32 = 6;

    pub(crate) fn new() -> Self {
        BusyPositions { buckets: (0..BUCKETS).map(|_| Default::default()).collect() }
    }

    /// The identifier of a search of a position to a depth; never 0, which marks a free slot.
    #[inline]
    fn search_id(key: u64, depth: u32) -> u64 {
        mix(key ^ mix(u64::from(depth))) | 1
    }

    #[inline]
    pub(crate) fn contains(&self, search_id: u64) -> bool {
        self.bucket(search_id).iter().any(|slot| slot.load(Relaxed) == search_id)
    }

    #[inline]
    pub(crate) fn insert(&self, search_id: u64) {
        if let Some(free) = self.bucket(search_id).iter().find(|slot| slot.load(Relaxed) == 0) {
            free.store(search_id, Relaxed);
        }
    }

    #[inline]
    pub(crate) fn remove(&self, search_id: u64) {
        for slot in self.bucket(search_id) {
            if slot.load(Relaxed) == search_id {
                slot.store(0, Relaxed);
            }
        }
    }

    #[inline]
    fn bucket(&self, search_id: u64) -> &[AtomicU64; 4] {
        &self.buckets[(search_id >> 32) as usize % BUCKETS]
    }
}

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// Searches the moves of a node together with other threads; moves that another thread is
    /// searching are deferred. When the table has the result of the node by then, returns it.
    // Not inlined: it would slow down the loop of a single thread.
    #[inline(never)]
    pub(crate) fn search_moves_with_others(
        &mut self,
        node: &mut Node<P::Move>,
        all: &Range<usize>,
        key: TableKey,
    ) -> Option<Score> {
        let mut left = all.start..all.start;
        for next in all.clone() {
            let m = self.picker.pick(all, next);
            let search_id = self.search_id_after(m, node.depth);
            // The first move is never deferred: it causes most cutoffs, and its subtree offers
            // enough work to share.
            if next > all.start {
                if let Some(score) = self.score_from_others(node, key) {
                    return Some(score);
                }
                if self.busy_positions.as_deref()?.contains(search_id) {
                    self.picker.defer(left.end, m);
                    left.end += 1;
                    continue;
                }
            }
            self.busy_positions.as_deref()?.insert(search_id);
            let flow = self.search_move(node, m);
            self.busy_positions.as_deref()?.remove(search_id);
            if flow.is_break() {
                return None;
            }
        }
        for index in left {
            if let Some(score) = self.score_from_others(node, key) {
                return Some(score);
            }
            let m = self.picker.at(index);
            if self.search_move(node, m).is_break() {
                break;
            }
        }
        None
    }

    /// The result of the node from the table, if another thread has stored it.
    #[inline]
    fn score_from_others(&mut self, node: &Node<P::Move>, key: TableKey) -> Option<Score> {
        let entry = self.probe(key, node.depth);
        let score = self.decisive_score(entry, node.depth, node.ply, (node.alpha, node.beta))?;
        if score > node.best {
            self.lines.end_at(node.ply);
        }
        Some(score.max(node.best))
    }

    /// The identifier of the search after a move: moves that lead to the same position have the
    /// same one.
    #[inline]
    fn search_id_after(&mut self, m: P::Move, depth: u32) -> u64 {
        let undo = self.position.play(m);
        let search_id = BusyPositions::search_id(self.key(depth).key, depth);
        self.position.undo(m, undo);
        search_id
    }
}

/// The result of a search by several workers.
pub(crate) struct ParallelResult {
    /// The index of the worker with the result; 0 when none finished.
    pub(crate) worker: usize,
    /// Its value of the root.
    pub(crate) score: Score,
    /// Whether the worker finished before a limit was reached.
    pub(crate) complete: bool,
}

/// Searches the root with all workers.
pub(crate) fn search<P: Position, E: Evaluator<P>>(
    workers: &mut [Worker<P, E>],
    halt: &AtomicBool,
    depth: u32,
    (alpha, beta): (Score, Score),
) -> ParallelResult {
    const NO_WORKER: usize = usize::MAX;
    let first = AtomicUsize::new(NO_WORKER);
    let run = |index: usize, worker: &mut Worker<P, E>| {
        let score = worker.search_root(depth, alpha, beta);
        if !worker.is_stopped() {
            let _ = first.compare_exchange(NO_WORKER, index, Relaxed, Relaxed);
        }
        halt.store(true, Relaxed);
        score
    };
    let mut scores = vec![Score::DRAW; workers.len()];
    let mut pairs = workers.iter_mut().zip(&mut scores).enumerate();
    if let Some((own_index, (own_worker, own_score))) = pairs.next() {
        let run = &run;
        let task = |(index, (worker, score))| -> ScopedTask<'_> {
            let score: &mut Score = score;
            Box::new(move || *score = run(index, worker))
        };
        run_in_parallel(&mut || *own_score = run(own_index, own_worker), pairs.map(task).collect());
    }
    match first.into_inner() {
        NO_WORKER => ParallelResult { worker: 0, score: scores[0], complete: false },
        worker => ParallelResult { worker, score: scores[worker], complete: true },
    }
}
