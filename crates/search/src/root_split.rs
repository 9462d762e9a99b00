//! Root splitting after Loos (2012): threads share the moves of the root, and each finished
//! sub-search passes its bound to later ones. Of equal moves the first in the list is chosen,
//! whichever thread is faster: the result is the move of a single thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use tesuji_games::{Position, Score};

use crate::threads::{ScopedTask, run_in_parallel};
use crate::worker::Worker;
use crate::{Evaluator, MoveScore};

/// Whether the score of a finished move narrows the windows of the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundSharing {
    /// Only the best move gets its true score.
    Shared,
    /// Every move gets its true score.
    Separate,
}

/// The combined result of the threads.
pub(crate) struct SplitResult<M> {
    /// The finished moves with their scores (with shared bounds: bounds), unordered.
    pub(crate) scores: Vec<MoveScore<M>>,
    /// The best score and the line that starts with its move.
    pub(crate) score: Score,
    pub(crate) line: Vec<M>,
    /// The lines of all finished moves, if every move gets its true score.
    pub(crate) lines: Vec<Vec<M>>,
    /// The index of the best move in the list.
    index: usize,
    /// Whether the first move of the list is finished.
    pub(crate) first_is_finished: bool,
    /// Whether all necessary moves were searched before a limit was reached.
    pub(crate) complete: bool,
}

/// Searches the given root moves to `depth` plies, including the move.
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
            index: usize::MAX,
            first_is_finished: false,
            complete: true,
        }),
    };
    if let Some((own, others)) = workers.split_first_mut() {
        let split = &split;
        let task = |worker| -> ScopedTask<'_> { Box::new(move || split.work(worker)) };
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
    /// Takes moves from the list until none is left.
    fn work<E: Evaluator<P>>(&self, worker: &mut Worker<P, E>) {
        loop {
            let index = self.next.fetch_add(1, Relaxed);
            let Some(&m) = self.moves.get(index) else { return };
            let alpha = self.alpha(index);
            if alpha >= self.window.1 {
                return;
            }
            // A null window pays off only if a finished move has raised alpha.
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

    /// The score that a move must beat. Against an equal move later in the list it only needs to be
    /// as good.
    fn alpha(&self, index: usize) -> Score {
        let found = self.found();
        if self.bounds == BoundSharing::Separate || found.index == usize::MAX {
            return self.window.0;
        }
        let tie_bonus = i32::from(index < found.index);
        self.window.0.max(Score::from_raw(found.score.raw() - tie_bonus))
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
        found.first_is_finished |= index == 0;
        if self.bounds == BoundSharing::Separate {
            found.lines.push(worker.lines.main_line().to_vec());
        }
        if score > found.score || (score == found.score && index < found.index) {
            found.score = score;
            found.index = index;
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
