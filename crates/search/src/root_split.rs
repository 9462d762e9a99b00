//! The threaded minimax of Loos (2012): the moves of the root are shared out among threads, and every
//! finished sub-search gives its bound to those that start later. Of equal moves the one that was given first
//! wins, whichever thread was faster: the move is that of a single thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use tesuji_games::{Position, Score};

use crate::threads::{Task, run_in_parallel};
use crate::worker::Worker;
use crate::{Evaluator, MoveScore};

/// Whether a finished move's score narrows the windows of the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundSharing {
    /// Only the best move gets its true score.
    Shared,
    /// Every move gets its true score.
    Apart,
}

/// What the threads have found.
pub(crate) struct SplitResult<M> {
    /// The finished moves with their scores (with shared bounds: bounds), in no particular order.
    pub(crate) scores: Vec<MoveScore<M>>,
    /// The best of them and the line that begins with it.
    pub(crate) score: Score,
    pub(crate) line: Vec<M>,
    /// The lines of all finished moves, where every move gets its true score.
    pub(crate) lines: Vec<Vec<M>>,
    /// Its place among the moves.
    place: usize,
    /// Whether the move that was given first is among them.
    pub(crate) first_is_done: bool,
    /// Whether no limit ended the search before all moves that mattered were searched.
    pub(crate) complete: bool,
}

/// Searches the given moves of the root to `depth` plies, the move included.
pub(crate) fn search<P: Position, E: Evaluator<P>>(
    workers: &mut [Worker<P, E>],
    halt: &AtomicBool,
    moves: &[P::Move],
    depth: u32,
    window: (Score, Score),
    bounds: BoundSharing,
) -> SplitResult<P::Move> {
    let split = Split {
        moves,
        depth,
        window,
        bounds,
        halt,
        next: AtomicUsize::new(0),
        found: Mutex::new(SplitResult {
            scores: Vec::with_capacity(moves.len()),
            score: Score::MIN,
            line: Vec::new(),
            lines: Vec::new(),
            place: usize::MAX,
            first_is_done: false,
            complete: true,
        }),
    };
    if let Some((own, others)) = workers.split_first_mut() {
        let split = &split;
        let task = |worker| -> Task<'_> { Box::new(move || split.work(worker)) };
        run_in_parallel(&mut || split.work(own), others.iter_mut().map(task).collect());
    }
    split.found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

struct Split<'a, P: Position> {
    moves: &'a [P::Move],
    depth: u32,
    window: (Score, Score),
    bounds: BoundSharing,
    halt: &'a AtomicBool,
    next: AtomicUsize,
    found: Mutex<SplitResult<P::Move>>,
}

impl<P: Position> Split<'_, P> {
    /// Takes one move after the other until none is left.
    fn work<E: Evaluator<P>>(&self, worker: &mut Worker<P, E>) {
        loop {
            let index = self.next.fetch_add(1, Relaxed);
            let Some(&m) = self.moves.get(index) else { return };
            let alpha = self.alpha(index);
            if alpha >= self.window.1 {
                return;
            }
            // An empty window pays only against a bound that a finished move has set.
            let null_first = alpha > self.window.0;
            let window = (alpha, self.window.1);
            let score = worker.search_root_move(m, self.depth - 1, window, null_first);
            if worker.is_stopped() {
                self.halt.store(true, Relaxed);
                self.found().complete = false;
                return;
            }
            self.report(worker, index, m, score);
        }
    }

    /// What a move must beat. Against an equal one that was given later it need only be as good.
    fn alpha(&self, index: usize) -> Score {
        let found = self.found();
        if self.bounds == BoundSharing::Apart || found.place == usize::MAX {
            return self.window.0;
        }
        let as_good = i32::from(index < found.place);
        self.window.0.max(Score::from_raw(found.score.raw() - as_good))
    }

    fn report<E: Evaluator<P>>(
        &self,
        worker: &Worker<P, E>,
        index: usize,
        m: P::Move,
        score: Score,
    ) {
        let mut found = self.found();
        found.scores.push(MoveScore { m, score, visits: 0 });
        found.first_is_done |= index == 0;
        if self.bounds == BoundSharing::Apart {
            found.lines.push(worker.lines.main_line().to_vec());
        }
        if score > found.score || (score == found.score && index < found.place) {
            found.score = score;
            found.place = index;
            found.line.clear();
            found.line.extend_from_slice(worker.lines.main_line());
            if found.line.is_empty() {
                found.line.push(m);
            }
        }
    }

    fn found(&self) -> std::sync::MutexGuard<'_, SplitResult<P::Move>> {
        self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
