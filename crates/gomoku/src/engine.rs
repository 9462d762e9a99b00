//! The Gomoku engine: a selective alpha-beta search with a learned evaluation.
//!
//! ```
//! use tesuji_games::RowRule;
//! use tesuji_gomoku::engine::{GomokuEngine, GomokuOptions, SearchRequest};
//! use tesuji_gomoku::{Board, Cell};
//! use tesuji_search::Limits;
//!
//! let mut board = Board::new(RowRule::AtLeast, 15, 15)?;
//! for (column, row) in [(7, 7), (0, 0), (8, 7), (14, 0), (9, 7), (0, 14)] {
//!     board.play(Cell::new(column, row));
//! }
//! let mut engine = GomokuEngine::new(GomokuOptions::default());
//! let report = engine.search(&board, &Limits::depth(4), &SearchRequest::default(), &mut |_| {});
//! assert_eq!(report.score.plies_to_end(), Some(3));
//! # Ok::<(), tesuji_gomoku::BoardError>(())
//! ```
//!
//! [`evaluation`] and [`weights`] evaluate positions, `moves` generates moves, `worker` searches,
//! [`tunables`] lists the search constants, and [`time_management`] turns clocks into a time
//! budget.

pub mod evaluation;
mod history;
pub(crate) mod moves;
mod node;
mod root;
mod selective;
pub mod time_management;
pub mod tunables;
mod value;
pub mod weight_file;
pub mod weights;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tesuji_games::Score;
use tesuji_search::threads::{ScopedTask, run_in_parallel};
use tesuji_search::{
    Limits, Meter, MoveScore, ProgressFn, SearchReport, TableSize, TranspositionTable,
};

use crate::board::Board;
use crate::cell::{Cell, CellSet};
use crate::vcf::VcfOutcome;
use crate::vct::{Vct, VctOutcome};
use node::Window;
use root::RootMove;
use tunables::Tunables;
use value::{INFINITE, is_loss, is_win, score_of, value_of, win_at};
use weights::WeightTables;
use worker::{ThreadState, Worker};

/// Options of an engine.
#[derive(Clone, Debug)]
pub struct GomokuOptions {
    /// Size of the transposition table.
    pub table: TableSize,
    /// Search threads.
    pub threads: usize,
    /// The search constants.
    pub tunables: Tunables,
    /// Evaluation weights; `None` for those shipped with the program.
    pub weights: Option<Arc<WeightTables>>,
}

impl Default for GomokuOptions {
    fn default() -> Self {
        GomokuOptions {
            table: TableSize::megabytes(64),
            threads: 1,
            tunables: Tunables::default(),
            weights: None,
        }
    }
}

/// The parameters of a search, in addition to its limits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SearchRequest {
    /// Number of best moves to value (MultiPV); 0 and 1 value only the best. Several moves share
    /// the time; a node limit applies once to the best move and once to all others.
    pub best: usize,
    /// Cells excluded at the root.
    pub blocked: CellSet,
    /// After this time the search ends early if it would not finish another depth.
    pub soft: Option<Duration>,
    /// Number of threads to use; `None` for all.
    pub threads: Option<usize>,
}

/// A Gomoku engine for every rule and board size. It keeps its tables between searches.
pub struct GomokuEngine {
    options: GomokuOptions,
    table: TranspositionTable,
    states: Vec<ThreadState>,
    vct: Vct,
}

/// Table size of the search for a win by threats.
const VCT_TABLE: TableSize = TableSize::megabytes(8);

/// The estimated time of another depth, relative to all depths before it together.
const NEXT_DEPTH_TIME_RATIO: f64 = 0.8;

impl GomokuEngine {
    /// Approximate memory of a thread in addition to the transposition table: its VCF table, board
    /// and stack (4.3 GB measured with 256 threads).
    pub const BYTES_PER_THREAD: u64 = 17 << 20;

    /// Creates an engine with empty tables.
    pub fn new(options: GomokuOptions) -> GomokuEngine {
        let states = vec![ThreadState::new(); options.threads.max(1)];
        GomokuEngine {
            table: TranspositionTable::new(options.table),
            states,
            vct: Vct::new(VCT_TABLE),
            options,
        }
    }

    /// Clears all tables, as for a new game.
    pub fn forget(&mut self) {
        self.table.clear();
        self.states = vec![ThreadState::new(); self.states.len()];
    }

    /// Searches a game that is not over. The report's `moves` are the requested number of best
    /// moves, with the move to play first; its `lines` belong to the other moves.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        request: &SearchRequest,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        let weights = self.options.weights.clone();
        let weights = weights.unwrap_or_else(|| WeightTables::shipped(board.rule()));
        self.table.age();
        let mut states = std::mem::take(&mut self.states);
        states.iter_mut().for_each(ThreadState::age);
        let idle = states.split_off(request.threads.unwrap_or(usize::MAX).clamp(1, states.len()));
        let done = Arc::new(AtomicBool::new(false));
        let helper_limits = Limits { stop: Some(done.clone()), nodes: None, ..limits.clone() };
        let mut workers = states.into_iter().enumerate().map(|(n, state)| {
            let limits = if n == 0 { limits } else { &helper_limits };
            Worker::new(board, &weights, &self.options.tunables, &self.table, limits, state)
        });
        let Some(mut main) = workers.next() else { return SearchReport::empty() };
        let mut others: Vec<Worker<'_>> = workers.collect();
        let tasks = others.iter_mut().enumerate().map(|(n, worker)| -> ScopedTask<'_> {
            Box::new(move || search_on_helper_thread(worker, n, request, limits))
        });
        let (mut report, vct) = (SearchReport::empty(), &mut self.vct);
        run_in_parallel(
            &mut || {
                report = search_on_main_thread(&mut main, vct, limits, request, progress);
                done.store(true, Ordering::Relaxed);
            },
            tasks.collect(),
        );
        report.nodes += others.iter().map(|worker| worker.meter.nodes()).sum::<u64>();
        let states = std::iter::once(main).chain(others).map(Worker::into_state);
        self.states = states.chain(idle).collect();
        report
    }
}

/// The root moves: relevant moves that are not blocked; if there are none, any legal move.
fn root_moves(worker: &mut Worker<'_>, request: &SearchRequest) -> Vec<RootMove> {
    let mut cells = worker.root_moves();
    cells.retain(|&cell| !request.blocked.contains(cell));
    if cells.is_empty() {
        cells = all_legal_moves(&worker.board, request);
    }
    let table_move = worker.table_move();
    if let Some(index) = cells.iter().position(|&cell| Some(cell) == table_move) {
        cells[..=index].rotate_right(1);
    }
    let root = |cell| RootMove { cell, value: -INFINITE, line: vec![cell] };
    cells.into_iter().map(root).collect()
}

/// Every legal move that is not blocked, from the middle outwards.
fn all_legal_moves(board: &Board, request: &SearchRequest) -> Vec<Cell> {
    let (width, height) = (board.width(), board.height());
    let all = (0..height).flat_map(|row| (0..width).map(move |column| Cell::new(column, row)));
    let side = board.to_move();
    let is_allowed = |&cell: &Cell| {
        board.is_empty_cell(cell)
            && !request.blocked.contains(cell)
            && !board.is_forbidden(side, cell)
    };
    let mut cells: Vec<Cell> = all.filter(is_allowed).collect();
    cells
        .sort_by_key(|cell| cell.column().abs_diff(width / 2).max(cell.row().abs_diff(height / 2)));
    cells
}

/// Finds the move to play and, if requested, values the best of the others.
fn search_on_main_thread(
    worker: &mut Worker<'_>,
    vct: &mut Vct,
    limits: &Limits,
    request: &SearchRequest,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    if request.best <= 1 {
        return iterative_deepening(worker, vct, limits, request, progress);
    }
    let started = Instant::now();
    let part =
        Limits { time: limits.time.map(|time| time / FIRST_MOVE_TIME_DIVISOR), ..limits.clone() };
    worker.meter = Meter::start(&part);
    let chosen = iterative_deepening(worker, vct, &part, request, progress);
    let left = |time: Duration| time.saturating_sub(started.elapsed());
    let rest = Limits { time: limits.time.map(left), ..limits.clone() };
    worker.meter = Meter::start(&rest);
    let mut report = multi_pv_search(worker, &chosen, &rest, request, started, progress);
    report.nodes += chosen.nodes;
    report.time = started.elapsed();
    report
}

/// The divisor of the time for the move to play when other moves are valued too. Its limits of
/// nodes and depth are those of a game, so that it is the same move.
const FIRST_MOVE_TIME_DIVISOR: u32 = 3;

/// Finds the move to play by iterative deepening.
fn iterative_deepening(
    worker: &mut Worker<'_>,
    vct: &mut Vct,
    limits: &Limits,
    request: &SearchRequest,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    let started = Instant::now();
    let mut moves = root_moves(worker, request);
    let mut report = report_of(worker, &moves, 1, 0, started);
    if moves.is_empty() || worker.board.stones() == 0 {
        return report;
    }
    let win = request.blocked.is_empty().then(|| find_forced_win(worker, vct, limits)).flatten();
    if let Some(line) = win {
        let root = RootMove { cell: line[0], value: win_at(line.len()), line };
        return report_of(worker, &[root], 1, 1, started);
    }
    for depth in 1..=limits.plies() {
        aspiration_search(worker, &mut moves, depth as i32);
        if worker.meter.is_stopped() {
            if depth > 1 {
                report = report_of(worker, &moves, 1, depth - 1, started);
            }
            break;
        }
        report = report_of(worker, &moves, 1, depth, started);
        progress(&report);
        let only_move = moves.len() == 1 && depth >= 2;
        if only_move || is_settled(&moves[0], depth) || is_out_of_time(request, started) {
            break;
        }
    }
    report.time = started.elapsed();
    report.nodes = worker.meter.nodes();
    report
}

/// Values the best moves, including the chosen one. The chosen move is not searched again before
/// the others reach its depth. It stays first unless a proof contradicts it, so that the first move
/// shown is the one played.
fn multi_pv_search(
    worker: &mut Worker<'_>,
    chosen: &SearchReport<Cell>,
    limits: &Limits,
    request: &SearchRequest,
    started: Instant,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    let mut moves = root_moves(worker, request);
    let Some(cell) = chosen.best else { return SearchReport::empty() };
    moves.retain(|root_move| root_move.cell != cell);
    let value = chosen.moves.first().map_or(-INFINITE, |root_move| value_of(root_move.score, 0));
    moves.insert(0, RootMove { cell, value, line: chosen.line.clone() });
    let count = request.best.min(moves.len());
    let chosen_depth = if chosen.score.is_decided() { u32::MAX } else { chosen.depth };
    let mut report = multi_pv_report(worker, &moves[..count], 0, started);
    for depth in 1..=limits.plies() {
        if depth > chosen_depth {
            aspiration_search(worker, &mut moves[..1], depth as i32);
        }
        for n in 1..count {
            aspiration_search(worker, &mut moves[n..], depth as i32);
        }
        moves[1..count].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
        if worker.meter.is_stopped() {
            if depth == 1 {
                report = multi_pv_report(worker, &moves[..count], 0, started);
            }
            break;
        }
        report = multi_pv_report(worker, &moves[..count], depth, started);
        progress(&report);
        let all_settled = moves[..count].iter().all(|root_move| is_settled(root_move, depth));
        if all_settled || is_out_of_time(request, started) {
            break;
        }
    }
    report.nodes = worker.meter.nodes();
    report
}

/// The report on several moves, with the chosen one first.
fn multi_pv_report(
    worker: &Worker<'_>,
    moves: &[RootMove],
    depth: u32,
    started: Instant,
) -> SearchReport<Cell> {
    let mut report = report_of(worker, moves, moves.len(), depth, started);
    report.sort_by_proof();
    report
}

/// Searches one depth with an aspiration window, widened until it contains the value.
fn aspiration_search(worker: &mut Worker<'_>, moves: &mut [RootMove], depth: i32) {
    let tunables = worker.tunables;
    let expected = moves[0].value;
    let known = depth >= tunables.window_depth && !is_win(expected) && !is_loss(expected);
    let (mut down, mut up) = (tunables.window_width, tunables.window_width);
    let mut window = match known {
        true => Window { alpha: expected - down, beta: expected + up },
        false => Window::FULL,
    };
    loop {
        let value = worker.search_root(moves, window, depth);
        if worker.meter.is_stopped() {
            return;
        }
        if value <= window.alpha {
            down *= 3;
            window.alpha = if down > 2_000 { -INFINITE } else { value - down };
        } else if value >= window.beta {
            up *= 3;
            window.beta = if up > 2_000 { INFINITE } else { value + up };
        } else {
            return;
        }
    }
}

/// Whether a deeper search cannot change the value of a move.
fn is_settled(root_move: &RootMove, depth: u32) -> bool {
    let lost_in = score_of(root_move.value, 0).plies_to_end();
    is_win(root_move.value) || (is_loss(root_move.value) && lost_in <= Some(depth))
}

fn is_out_of_time(request: &SearchRequest, started: Instant) -> bool {
    request
        .soft
        .is_some_and(|soft| started.elapsed() > soft.mul_f64(1.0 - NEXT_DEPTH_TIME_RATIO / 2.0))
}

/// A line that wins by fours, or one that wins by threats if a small part of the time suffices to
/// find it.
fn find_forced_win(worker: &mut Worker<'_>, vct: &mut Vct, limits: &Limits) -> Option<Vec<Cell>> {
    let tunables = worker.tunables;
    let side = worker.board.to_move();
    let outcome = worker.vcf.solve(&mut worker.board, side, vcf_nodes(tunables, limits));
    worker.meter.spend(worker.vcf.nodes());
    if let VcfOutcome::Win(line) = outcome {
        return Some(line).filter(|line| !line.is_empty());
    }
    let percent = tunables.root_vct_percent as u32;
    let part = Limits {
        depth: None,
        nodes: limits.nodes.map(|nodes| nodes * u64::from(percent) / 100),
        time: limits.time.map(|time| time * percent / 100),
        stop: limits.stop.clone(),
    };
    // A small part of the limits exists only with a limit of nodes or time.
    if percent == 0 || (part.nodes.is_none() && part.time.is_none()) {
        return None;
    }
    let outcome = vct.solve(&worker.board, side, &part);
    worker.meter.spend(vct.nodes());
    match outcome {
        VctOutcome::Win(line) => Some(line).filter(|line| !line.is_empty()),
        VctOutcome::None | VctOutcome::Unknown => None,
    }
}

/// The node limit of the search for a win by fours, which leaves most of the nodes and time to the
/// main search. That search does not check the clock; it visits more than one position per
/// microsecond.
fn vcf_nodes(tunables: &Tunables, limits: &Limits) -> u64 {
    const PART: u64 = 4;
    let most = tunables.root_vcf_thousands as u64 * 1000;
    let in_time = limits.time.map_or(most, |time| (time.as_micros() as u64 / PART).max(1));
    let of_nodes = limits.nodes.map_or(most, |nodes| (nodes / PART).max(1));
    most.min(in_time).min(of_nodes)
}

fn report_of(
    worker: &Worker<'_>,
    moves: &[RootMove],
    count: usize,
    depth: u32,
    started: Instant,
) -> SearchReport<Cell> {
    let Some(best) = moves.first() else { return SearchReport::empty() };
    let is_searched = |root_move: &&RootMove| root_move.value > -INFINITE;
    let searched: Vec<&RootMove> = moves.iter().take(count).filter(is_searched).collect();
    let score = |root_move: &RootMove| score_of(root_move.value, 0);
    let valued =
        |root_move: &&RootMove| MoveScore { m: root_move.cell, score: score(root_move), visits: 0 };
    SearchReport {
        best: Some(best.cell),
        score: Some(best).filter(is_searched).map_or(Score::DRAW, score),
        line: best.line.clone(),
        depth,
        nodes: worker.meter.nodes(),
        time: started.elapsed(),
        moves: searched.iter().map(valued).collect(),
        lines: searched.iter().skip(1).map(|root_move| root_move.line.clone()).collect(),
    }
}

/// Runs the same search on a helper thread, at staggered depths, to fill the shared transposition
/// table (lazy SMP).
fn search_on_helper_thread(
    worker: &mut Worker<'_>,
    number: usize,
    request: &SearchRequest,
    limits: &Limits,
) {
    let mut moves = root_moves(worker, request);
    if moves.is_empty() {
        return;
    }
    let first = 1 + number % 2;
    for depth in (first as u32..).take_while(|&depth| depth <= limits.plies()) {
        aspiration_search(worker, &mut moves, depth as i32);
        if worker.meter.is_stopped() {
            return;
        }
    }
}
