//! The configurable search: iterative deepening over per-thread workers, with limits, aspiration
//! windows, multithreading and an opening book.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tesuji_games::{Position, Score};

use crate::book::{Book, BookKeys};
use crate::options::{Deepening, EngineOptions, ParallelMode};
use crate::root_split::{self, BoundSharing, JoiningThreads, JoiningWorkers, SplitResult};
use crate::shared_table::{self, BusyPositions};
use crate::threads::{Scheduler, ThreadLoan};
use crate::transposition::{Bound, TableKey, TranspositionTable};
use crate::worker::Worker;
use crate::{Evaluator, Limits, MoveScore, ProgressFn, Search, SearchReport};

/// Alpha-beta with all features of [`EngineOptions`]. With any options, a search to a fixed depth
/// returns the value of plain [`Minimax`](crate::Minimax) at that depth, unless the option
/// documents otherwise.
///
/// The table identifies positions by their keys. In games where the history of a position matters
/// (repetition in chess), a value may therefore come from another path.
pub struct Engine<P: Position, E> {
    options: EngineOptions<P>,
    evaluator: E,
    scheduler: Option<Scheduler>,
    book: Option<(Arc<Book>, BookKeys<P>)>,
    table: Option<Arc<TranspositionTable>>,
    busy_positions: Arc<BusyPositions>,
    halt: Arc<AtomicBool>,
    /// Those of the current search first.
    workers: Vec<Worker<P, E>>,
    /// The number of the current search.
    search: u64,
    /// The limits of a thread in the current search.
    limits: Limits,
    root_moves: Vec<P::Move>,
}

/// A search with fewer nodes than this in its last iteration ends before a second thread has
/// started.
const MIN_NODES_FOR_THREADS: u64 = 4_000;

/// The result of one iteration.
struct Iteration<M> {
    score: Score,
    line: Vec<M>,
    /// Whether the iteration ended without reaching a limit.
    complete: bool,
    /// Whether no line was cut off by the horizon: a deeper search would return the same.
    settled: bool,
}

impl<P: Position, E: Evaluator<P>> Engine<P, E> {
    /// Creates an engine with these options.
    pub fn new(evaluator: E, options: EngineOptions<P>) -> Self {
        Engine {
            table: options.table.map(|size| Arc::new(TranspositionTable::new(size))),
            options,
            evaluator,
            scheduler: None,
            book: None,
            busy_positions: Arc::new(BusyPositions::new()),
            halt: Arc::new(AtomicBool::new(false)),
            workers: Vec::new(),
            search: 0,
            limits: Limits::default(),
            root_moves: Vec::new(),
        }
    }

    /// Limits the number of threads to the idle threads of the scheduler.
    pub fn with_scheduler(mut self, scheduler: Scheduler) -> Self {
        self.scheduler = Some(scheduler);
        self
    }

    /// Plays from a book while the book contains the position. A search then returns the book's
    /// value, whatever the limits are.
    pub fn with_book(mut self, book: Arc<Book>, keys: BookKeys<P>) -> Self {
        self.book = Some((book, keys));
        self
    }

    /// The options of this engine.
    pub fn options(&self) -> &EngineOptions<P> {
        &self.options
    }

    /// The value of an unfinished position at this depth, searched on this thread alone and without
    /// a report. Allocates nothing after the first call.
    pub fn value(&mut self, position: &P, depth: u32) -> Score {
        self.prepare(position, &Limits::depth(depth));
        let worker = &mut self.workers[0];
        worker.busy_positions = None;
        let first = if self.options.deepening == Deepening::On { 1.min(depth) } else { depth };
        let mut score = Score::DRAW;
        for depth in first..=depth {
            score = worker.search_root(depth, Score::MIN, Score::MAX);
            worker.first_move = worker.lines.main_line().first().copied();
        }
        score
    }

    /// Resets the first worker to the root position with a new meter.
    fn prepare(&mut self, position: &P, limits: &Limits) {
        if let Some(table) = &self.table {
            table.age();
        }
        self.halt.store(false, Relaxed);
        self.search += 1;
        self.limits = limits_per_thread(limits, self.options.threads);
        if self.workers.is_empty() {
            self.workers.push(self.new_worker(position));
        }
        self.workers[0].prepare(position, &self.limits);
        self.workers[0].search = self.search;
        let mut moves = std::mem::take(&mut self.root_moves);
        self.workers[0].root_moves(&mut moves);
        self.root_moves = moves;
    }

    /// Prepares workers for this search until there are `threads` of them.
    fn ensure_workers(&mut self, threads: usize) {
        for index in 1..threads {
            if index == self.workers.len() {
                self.workers.push(self.new_worker(&self.workers[0].position));
            }
            let limits = self.limits_left();
            let (first, others) = self.workers.split_at_mut(1);
            let worker = &mut others[index - 1];
            if worker.search != self.search {
                worker.prepare(&first[0].position, &limits);
                worker.search = self.search;
            }
        }
    }

    /// The limits of a thread that starts now.
    fn limits_left(&self) -> Limits {
        let spent = self.workers[0].meter.elapsed();
        let time = self.limits.time.map(|time| time.saturating_sub(spent));
        Limits { time, ..self.limits.clone() }
    }

    fn new_worker(&self, position: &P) -> Worker<P, E> {
        let (table, halt) = (self.table.clone(), self.halt.clone());
        Worker::new(position, self.evaluator.clone(), &self.options, table, halt)
    }

    fn depths(&self, limits: &Limits) -> std::ops::RangeInclusive<u32> {
        let deepest = limits.plies().max(1);
        match self.options.deepening {
            Deepening::On => 1..=deepest,
            Deepening::Off => deepest..=deepest,
        }
    }

    /// The number of threads for the next iteration.
    fn threads(&self, loan: &mut Option<ThreadLoan>, depth: u32, nodes_before: u64) -> usize {
        let small = nodes_before < MIN_NODES_FOR_THREADS || depth < 2;
        let requested = if small { 1 } else { self.options.threads.max(1) };
        match loan {
            Some(loan) => loan.renew(requested),
            None => requested,
        }
    }

    /// A report with the first legal move, which is played when the limits allow no search.
    fn first_report(&self) -> SearchReport<P::Move> {
        SearchReport { best: self.root_moves.first().copied(), ..SearchReport::empty() }
    }

    fn look_up_book(&self, position: &P) -> Option<SearchReport<P::Move>> {
        let (book, keys) = self.book.as_ref()?;
        let (best, entry) = book.look_up(position, *keys)?;
        Some(entry.report(best))
    }

    fn set_totals(&self, report: &mut SearchReport<P::Move>, started: Instant) {
        let workers = self.workers.iter().filter(|worker| worker.search == self.search);
        report.nodes = workers.map(|worker| worker.meter.nodes()).sum();
        report.time = started.elapsed();
    }

    fn horizon_hits(&self) -> u64 {
        self.workers.iter().map(Worker::horizon_hits).sum()
    }

    /// Searches to `depth`, first in a window around `guess`; widens the window while the value
    /// lies outside.
    fn iterate(&mut self, depth: u32, threads: usize, guess: Option<Score>) -> Iteration<P::Move> {
        let guess = guess.filter(|guess| !guess.is_decided());
        let (Some(width), Some(center)) = (self.options.aspiration, guess) else {
            return self.run(depth, threads, (Score::MIN, Score::MAX));
        };
        let (mut below, mut above) = (width.max(1), width.max(1));
        loop {
            let (alpha, beta) = (window_edge(center, below), -window_edge(-center, above));
            let found = self.run(depth, threads, (alpha, beta));
            if !found.complete || (found.score > alpha && found.score < beta) {
                return found;
            }
            if found.score <= alpha {
                below = below.saturating_mul(8);
            } else {
                above = above.saturating_mul(8);
            }
        }
    }

    /// Searches the root once, on one or several threads.
    fn run(&mut self, depth: u32, threads: usize, window: (Score, Score)) -> Iteration<P::Move> {
        self.halt.store(false, Relaxed);
        let shared = self.options.parallel == ParallelMode::SharedTable && self.table.is_some();
        for worker in &mut self.workers {
            worker.busy_positions = (threads > 1 && shared).then(|| self.busy_positions.clone());
        }
        let horizon_hits = self.horizon_hits();
        let mut found = match (threads, shared) {
            (1, true) => self.run_alone(depth, window),
            (1, false) if self.joining_places(depth, 1) == 0 => self.run_alone(depth, window),
            (_, true) => self.run_with_shared_table(depth, threads, window),
            (_, false) => self.run_with_split_root(depth, threads, window),
        };
        found.settled = found.complete && self.horizon_hits() == horizon_hits;
        found
    }

    fn run_alone(&mut self, depth: u32, (alpha, beta): (Score, Score)) -> Iteration<P::Move> {
        let worker = &mut self.workers[0];
        let score = worker.search_root(depth, alpha, beta);
        let complete = !worker.is_stopped();
        Iteration::of(worker.lines.main_line(), score, complete)
    }

    fn run_with_shared_table(
        &mut self,
        depth: u32,
        threads: usize,
        window: (Score, Score),
    ) -> Iteration<P::Move> {
        let workers = &mut self.workers[..threads];
        let finish = shared_table::search(workers, &self.halt, depth, window);
        Iteration::of(workers[finish.worker].lines.main_line(), finish.score, finish.complete)
    }

    fn run_with_split_root(
        &mut self,
        depth: u32,
        threads: usize,
        window: (Score, Score),
    ) -> Iteration<P::Move> {
        if self.options.win_detection && self.workers[0].position.winning_move().is_some() {
            // Nothing to split, and the move is the one that a single thread would choose among
            // several winning moves.
            return self.run_alone(depth, window);
        }
        let mut moves = std::mem::take(&mut self.root_moves);
        self.workers[0].root_moves(&mut moves);
        let found = self.split_root(&moves, depth, threads, window, BoundSharing::Shared);
        self.root_moves = moves;
        // A partial result counts only if it includes the previous best move.
        let line = if found.complete || found.first_is_finished { &found.line[..] } else { &[] };
        Iteration::of(line, found.score, found.complete)
    }

    /// How many threads may join a search of this depth while it runs. A shallow search ends before
    /// they have started, and a search that deepens asks for threads at every depth instead.
    fn joining_places(&self, depth: u32, threads: usize) -> usize {
        let may_join = self.scheduler.is_some() && self.options.deepening == Deepening::Off;
        if may_join && depth > 2 { self.options.threads.saturating_sub(threads) } else { 0 }
    }

    /// Searches the moves of the root on `threads` threads, and on those that join.
    fn split_root(
        &mut self,
        moves: &[P::Move],
        depth: u32,
        threads: usize,
        window: (Score, Score),
        bounds: BoundSharing,
    ) -> SplitResult<P::Move> {
        let places = self.joining_places(depth, threads);
        let Some(scheduler) = self.scheduler.clone().filter(|_| places > 0) else {
            let workers = &mut self.workers[..threads];
            return root_split::search(workers, None, &self.halt, moves, depth, window, bounds);
        };
        let spare = self.workers.split_off(threads);
        let started = Instant::now();
        let limits = self.limits_left();
        let (search, position) = (self.search, self.workers[0].position.clone());
        // An evaluator can be sent to other threads, but not be used by several.
        let evaluator = Mutex::new(&mut self.evaluator);
        let (options, table, halt) = (&self.options, &self.table, &self.halt);
        let new = || {
            let evaluator = E::clone(&evaluator.lock().unwrap_or_else(PoisonError::into_inner));
            Worker::new(&position, evaluator, options, table.clone(), halt.clone())
        };
        let prepare = |spare: Option<Worker<P, E>>| {
            let mut worker = spare.unwrap_or_else(new);
            if worker.search != search {
                let time = limits.time.map(|time| time.saturating_sub(started.elapsed()));
                worker.prepare(&position, &Limits { time, ..limits.clone() });
                worker.search = search;
            }
            worker
        };
        let workers = Mutex::new(JoiningWorkers { places, spare });
        let joining = JoiningThreads { scheduler: &scheduler, prepare: &prepare, workers };
        let found = root_split::search(
            &mut self.workers,
            Some(&joining),
            halt,
            moves,
            depth,
            window,
            bounds,
        );
        let workers = joining.workers.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.workers.extend(workers.spare);
        found
    }

    /// Extends the line with moves from the table. Every move in it is legal.
    fn extended(&self, position: &P, mut line: Vec<P::Move>, depth: u32) -> Vec<P::Move> {
        let Some(table) = &self.table else { return line };
        let (mut position, salt) = (position.clone(), self.workers[0].salt());
        for &m in &line {
            position.play(m);
        }
        while position.outcome().is_none() && line.len() < depth as usize {
            let key = TableKey::of(&position, self.options.symmetries, salt);
            let entry = table
                .get_image(key)
                .filter(|entry| key.is_canonical && entry.bound == Bound::Exact);
            let Some(m) = entry.and_then(|entry| unique_move(&position, entry.best?)) else {
                break;
            };
            position.play(m);
            line.push(m);
        }
        line
    }
}

impl<P: Position, E: Evaluator<P>> Search<P> for Engine<P, E> {
    /// Deepens until a limit is reached, the result is forced, or a deeper search cannot change it.
    /// When a limit interrupts an iteration, its best move so far is used if it improves on the
    /// previous iteration; otherwise the last complete result is returned.
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        let started = Instant::now();
        self.prepare(position, limits);
        let mut report = self.first_report();
        if let Some(book_report) = self.look_up_book(position) {
            progress(&book_report);
            return book_report;
        }
        if limits.depth == Some(0) {
            report.score = self.workers[0].estimate();
            return report;
        }
        let mut loan = self.scheduler.as_ref().map(Scheduler::loan);
        let mut nodes = if self.options.deepening == Deepening::On { 0 } else { u64::MAX };
        for depth in self.depths(limits) {
            let threads = self.threads(&mut loan, depth, nodes);
            self.ensure_workers(threads);
            let nodes_so_far = report.nodes;
            let guess = (report.depth > 0).then_some(report.score);
            let found = self.iterate(depth, threads, guess);
            if let Some(&best) = found.line.first() {
                report.best = Some(best);
                report.score = found.score;
                report.line = self.extended(position, found.line, depth);
            }
            self.set_totals(&mut report, started);
            if !found.complete {
                break;
            }
            report.depth = depth;
            progress(&report);
            if found.score.is_decided() || found.settled {
                break;
            }
            nodes = report.nodes - nodes_so_far;
            for worker in &mut self.workers {
                worker.first_move = report.best;
            }
        }
        report
    }

    /// Searches every candidate with an open window. In the report, `moves` holds the exact score
    /// of each at the depth reached, best first.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        let started = Instant::now();
        self.prepare(position, limits);
        let mut loan = self.scheduler.as_ref().map(Scheduler::loan);
        let mut report = self.first_report();
        let mut order = std::mem::take(&mut self.root_moves);
        for depth in self.depths(limits) {
            let threads = self.threads(&mut loan, depth, u64::MAX);
            self.ensure_workers(threads);
            self.halt.store(false, Relaxed);
            let horizon_hits = self.horizon_hits();
            let window = (Score::MIN, Score::MAX);
            let mut found = self.split_root(&order, depth, threads, window, BoundSharing::Separate);
            if !found.complete {
                break;
            }
            sort_best_first(&mut found.scores, &order);
            order.clear();
            order.extend(found.scores.iter().map(|scored| scored.m));
            report.best = order.first().copied();
            report.score = found.score;
            report.moves = found.scores;
            report.line = self.extended(position, found.line, depth);
            report.lines = found.lines;
            report.depth = depth;
            self.set_totals(&mut report, started);
            progress(&report);
            let decided = report.moves.iter().all(|scored| scored.score.is_decided());
            if decided || self.horizon_hits() == horizon_hits {
                break;
            }
        }
        self.root_moves = order;
        self.set_totals(&mut report, started);
        report
    }

    fn forget(&mut self) {
        if let Some(table) = &self.table {
            table.clear();
        }
        self.workers.iter_mut().for_each(Worker::forget);
    }
}

impl<M: Copy> Iteration<M> {
    fn of(line: &[M], score: Score, complete: bool) -> Self {
        Iteration { score, line: line.to_vec(), complete, settled: false }
    }
}

/// The lower edge of an aspiration window. Estimates lie close together and forced results far
/// away, so after a few widenings the window is fully opened.
fn window_edge(center: Score, by: i32) -> Score {
    let edge = center.widened(by.saturating_neg());
    if by > 1 << 20 || edge.is_decided() { Score::MIN } else { edge }
}

/// The limits of one of `threads` threads, with an equal share of the nodes.
fn limits_per_thread(limits: &Limits, threads: usize) -> Limits {
    let nodes = limits.nodes.map(|nodes| (nodes / threads.max(1) as u64).max(1));
    Limits { nodes, ..limits.clone() }
}

/// Sorts best first; moves of equal score keep the order in which they were searched.
fn sort_best_first<M: Copy + Eq>(scores: &mut [MoveScore<M>], order: &[M]) {
    let index = |m: M| order.iter().position(|&other| other == m);
    scores.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| index(a.m).cmp(&index(b.m))));
}

/// The legal move with this index, unless several moves share it.
fn unique_move<P: Position>(position: &P, index: u16) -> Option<P::Move> {
    let (mut found, mut count) = (None, 0);
    position.for_each_move(|m| {
        if position.move_index(m) == usize::from(index) {
            found = Some(m);
            count += 1;
        }
    });
    found.filter(|_| count == 1)
}
