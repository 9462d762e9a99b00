//! Root splitting after Loos (2012): threads share the moves of the root, and each finished
//! sub-search passes its bound to later ones. Of equal moves the first in the list is chosen,
//! whichever thread is faster: the result is the move of a single thread. Threads that become idle
//! elsewhere join between two moves, and go back when a game needs them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

use tesuji_games::{Position, Score};

use crate::threads::{LentThread, Scheduler, in_scope, spawn};
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

/// The threads that may join a search while it runs.
pub(crate) struct JoiningThreads<'a, P: Position, E> {
    pub(crate) scheduler: &'a Scheduler,
    /// Prepares a spare worker, or a new one, for the position.
    pub(crate) prepare: &'a (dyn Fn(Option<Worker<P, E>>) -> Worker<P, E> + Sync),
    pub(crate) workers: Mutex<JoiningWorkers<P, E>>,
}

/// The workers of threads that may join.
pub(crate) struct JoiningWorkers<P: Position, E> {
    /// How many more threads may join.
    pub(crate) places: usize,
    /// Workers without a thread.
    pub(crate) spare: Vec<Worker<P, E>>,
}

impl<P: Position, E> JoiningThreads<'_, P, E> {
    fn workers(&self) -> MutexGuard<'_, JoiningWorkers<P, E>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more thread, with an idle thread and possibly a spare worker.
    fn take_place(&self) -> Option<(LentThread, Option<Worker<P, E>>)> {
        let mut workers = self.workers();
        if workers.places == 0 {
            return None;
        }
        let lent = self.scheduler.lend()?;
        workers.places -= 1;
        Some((lent, workers.spare.pop()))
    }

    fn leave_place(&self, worker: Worker<P, E>) {
        let mut workers = self.workers();
        workers.places += 1;
        workers.spare.push(worker);
    }
}

/// Searches the given root moves to `depth` plies, including the move.
pub(crate) fn search<P: Position, E: Evaluator<P>>(
    workers: &mut [Worker<P, E>],
    joining: Option<&JoiningThreads<'_, P, E>>,
    halt: &AtomicBool,
    moves: &[P::Move],
    depth: u32,
    window: (Score, Score),
    bounds: BoundSharing,
) -> SplitResult<P::Move> {
    let split = Split {
        joining,
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
        let (split, mut others) = (&split, others.iter_mut());
        in_scope(&mut |scope| {
            for worker in others.by_ref() {
                spawn(scope, Box::new(move || split.work(scope, worker, None)));
            }
            split.work(scope, own, None);
        });
    }
    split.found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Split<'a, P: Position, E> {
    joining: Option<&'a JoiningThreads<'a, P, E>>,
    moves: &'a [P::Move],
    depth: u32,
    window: (Score, Score),
    bounds: BoundSharing,
    halt: &'a AtomicBool,
    next: AtomicUsize,
    found: Mutex<SplitResult<P::Move>>,
}

impl<P: Position, E: Evaluator<P>> Split<'_, P, E> {
    /// Takes moves from the list until none is left, or until a game needs the thread that was lent
    /// for this.
    fn work<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        worker: &mut Worker<P, E>,
        mut lent: Option<LentThread>,
    ) {
        loop {
            if lent.as_mut().is_some_and(LentThread::return_if_needed) {
                return;
            }
            self.let_a_thread_join(scope);
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

    /// Starts an idle thread if at least one move is left for it.
    fn let_a_thread_join<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let Some(joining) = self.joining else { return };
        if self.next.load(Relaxed) + 1 >= self.moves.len() || self.halt.load(Relaxed) {
            return;
        }
        if let Some((lent, spare)) = joining.take_place() {
            let work = move || {
                let mut worker = (joining.prepare)(spare);
                self.work(scope, &mut worker, Some(lent));
                joining.leave_place(worker);
            };
            spawn(scope, Box::new(work));
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

    fn report(&self, worker: &Worker<P, E>, index: usize, m: P::Move, score: Score) {
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

    fn found(&self) -> MutexGuard<'_, SplitResult<P::Move>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
