//! The engine: a search that looks far ahead along the moves that matter, with an evaluation that was learned.
//!
//! ```
//! use tesuji_games::RowRule;
//! use tesuji_gomoku::engine::{Asked, Engine, Settings};
//! use tesuji_gomoku::{Board, Cell};
//! use tesuji_search::Limits;
//!
//! let mut board = Board::new(RowRule::AtLeast, 15, 15)?;
//! for (column, row) in [(7, 7), (0, 0), (8, 7), (14, 0), (9, 7), (0, 14)] {
//!     board.play(Cell::new(column, row));
//! }
//! let found = Engine::new(Settings::default()).search(&board, &Limits::depth(4), &Asked::default(), &mut |_| {});
//! assert_eq!(found.score.plies_to_end(), Some(3));
//! # Ok::<(), tesuji_gomoku::BoardError>(())
//! ```
//!
//! [`evaluation`] and [`weights`] say what positions are worth, `moves` which moves there are, `worker` searches,
//! [`tunables`] lists what could be set otherwise, and [`clock`] makes a move's time from what the clocks say.

pub mod clock;
pub mod evaluation;
mod history;
pub(crate) mod moves;
mod node;
mod root;
mod selective;
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
use weights::Weights;
use worker::{Memory, Worker};

/// What an engine is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Memory for known positions.
    pub table: TableSize,
    /// Threads of a search.
    pub threads: usize,
    /// The constants of the search.
    pub tunables: Tunables,
    /// What positions are worth; `None` for what comes with the program.
    pub weights: Option<Arc<Weights>>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            table: TableSize::megabytes(64),
            threads: 1,
            tunables: Tunables::default(),
            weights: None,
        }
    }
}

/// What a search is told besides its limits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Asked {
    /// For how many of the best moves a value is wanted; 0 and 1: for the best. More than one share
    /// the time; a limit of nodes holds once for the best and once for all others.
    pub best: usize,
    /// Cells that are not to be played at the root.
    pub blocked: CellSet,
    /// From this time on the search ends early if another depth would not be finished.
    pub soft: Option<Duration>,
    /// How many of its threads may search; all of them if nothing is said.
    pub threads: Option<usize>,
}

/// A Gomoku engine for every rule and board. What it learnt in one search serves the next.
pub struct Engine {
    settings: Settings,
    table: TranspositionTable,
    memories: Vec<Memory>,
    vct: Vct,
}

/// Memory for positions in which a win by threats is looked for.
const VCT_TABLE: TableSize = TableSize::megabytes(8);

/// Another depth takes about so many times as long as all before it together.
const NEXT_DEPTH_TAKES: f64 = 0.8;

impl Engine {
    /// About what a thread takes beside the table: what it knows of fours, its board and its stack
    /// (4.3 GB were measured with 256 threads).
    pub const BYTES_PER_THREAD: u64 = 17 << 20;

    /// An engine that knows no position yet.
    pub fn new(settings: Settings) -> Engine {
        let memories = vec![Memory::new(); settings.threads.max(1)];
        Engine {
            table: TranspositionTable::new(settings.table),
            memories,
            vct: Vct::new(VCT_TABLE),
            settings,
        }
    }

    /// Forgets all positions, as for a new game.
    pub fn forget(&mut self) {
        self.table.clear();
        self.memories = vec![Memory::new(); self.memories.len()];
    }

    /// Searches a game that is not over. The report's `moves` are as many of the best as were asked
    /// for, the one to play first; its `lines` are those of the others.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        asked: &Asked,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        let weights = self.settings.weights.clone();
        let weights = weights.unwrap_or_else(|| Weights::shipped(board.rule()));
        self.table.age();
        let mut memories = std::mem::take(&mut self.memories);
        memories.iter_mut().for_each(Memory::fade);
        let idle = memories.split_off(asked.threads.unwrap_or(usize::MAX).clamp(1, memories.len()));
        let done = Arc::new(AtomicBool::new(false));
        let for_others = Limits { stop: Some(done.clone()), nodes: None, ..limits.clone() };
        let mut workers = memories.into_iter().enumerate().map(|(n, memory)| {
            let limits = if n == 0 { limits } else { &for_others };
            Worker::new(board, &weights, &self.settings.tunables, &self.table, limits, memory)
        });
        let Some(mut main) = workers.next() else { return SearchReport::empty() };
        let mut others: Vec<Worker<'_>> = workers.collect();
        let tasks = others.iter_mut().enumerate().map(|(n, worker)| -> ScopedTask<'_> {
            Box::new(move || help(worker, n, asked, limits))
        });
        let (mut report, vct) = (SearchReport::empty(), &mut self.vct);
        run_in_parallel(
            &mut || {
                report = deepen(&mut main, vct, limits, asked, progress);
                done.store(true, Ordering::Relaxed);
            },
            tasks.collect(),
        );
        report.nodes += others.iter().map(|worker| worker.meter.nodes()).sum::<u64>();
        let memories = std::iter::once(main).chain(others).map(Worker::into_memory);
        self.memories = memories.chain(idle).collect();
        report
    }
}

/// The moves that may be played at the root: those that matter, unless they are blocked; then any.
fn root_moves(worker: &mut Worker<'_>, asked: &Asked) -> Vec<RootMove> {
    let mut cells = worker.root_moves();
    cells.retain(|&cell| !asked.blocked.contains(cell));
    if cells.is_empty() {
        cells = any_moves(&worker.board, asked);
    }
    let known = worker.known_best();
    if let Some(place) = cells.iter().position(|&cell| Some(cell) == known) {
        cells[..=place].rotate_right(1);
    }
    let root = |cell| RootMove { cell, value: -INFINITE, line: vec![cell] };
    cells.into_iter().map(root).collect()
}

/// Every legal move that is not blocked, from the middle outwards.
fn any_moves(board: &Board, asked: &Asked) -> Vec<Cell> {
    let (width, height) = (board.width(), board.height());
    let all = (0..height).flat_map(|row| (0..width).map(move |column| Cell::new(column, row)));
    let side = board.to_move();
    let may = |&cell: &Cell| {
        board.is_empty_cell(cell)
            && !asked.blocked.contains(cell)
            && !board.is_forbidden(side, cell)
    };
    let mut cells: Vec<Cell> = all.filter(may).collect();
    cells
        .sort_by_key(|cell| cell.column().abs_diff(width / 2).max(cell.row().abs_diff(height / 2)));
    cells
}

/// The move to play and, where more are asked for, the best of the others.
fn deepen(
    worker: &mut Worker<'_>,
    vct: &mut Vct,
    limits: &Limits,
    asked: &Asked,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    if asked.best <= 1 {
        return choose(worker, vct, limits, asked, progress);
    }
    let started = Instant::now();
    let part = Limits { time: limits.time.map(|time| time / TIME_PARTS), ..limits.clone() };
    worker.meter = Meter::start(&part);
    let chosen = choose(worker, vct, &part, asked, progress);
    let left = |time: Duration| time.saturating_sub(started.elapsed());
    let rest = Limits { time: limits.time.map(left), ..limits.clone() };
    worker.meter = Meter::start(&rest);
    let mut report = compare(worker, &chosen, &rest, asked, started, progress);
    report.nodes += chosen.nodes;
    report.time = started.elapsed();
    report
}

/// The move to play gets one part in this many of the time when others are compared with it. It gets
/// as many nodes and as much depth as in a game, so that it is the same move.
const TIME_PARTS: u32 = 3;

/// The move to play: deeper and deeper, until the limits or the end.
fn choose(
    worker: &mut Worker<'_>,
    vct: &mut Vct,
    limits: &Limits,
    asked: &Asked,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    let started = Instant::now();
    let mut moves = root_moves(worker, asked);
    let mut report = report_of(worker, &moves, 1, 0, started);
    if moves.is_empty() || worker.board.stones() == 0 {
        return report;
    }
    let win = asked.blocked.is_empty().then(|| forced_win(worker, vct, limits)).flatten();
    if let Some(line) = win {
        let root = RootMove { cell: line[0], value: win_at(line.len()), line };
        return report_of(worker, &[root], 1, 1, started);
    }
    for depth in 1..=limits.plies() {
        search_window(worker, &mut moves, depth as i32);
        if worker.meter.is_stopped() {
            if depth > 1 {
                report = report_of(worker, &moves, 1, depth - 1, started);
            }
            break;
        }
        report = report_of(worker, &moves, 1, depth, started);
        progress(&report);
        let only_move = moves.len() == 1 && depth >= 2;
        if only_move || is_settled(&moves[0], depth) || is_out_of_time(asked, started) {
            break;
        }
    }
    report.time = started.elapsed();
    report.nodes = worker.meter.nodes();
    report
}

/// Values for the best moves, the chosen one among them. That one is not searched again before the
/// others have been searched as deep: it stays first unless a proof says otherwise, so that what is
/// shown first is what is played.
fn compare(
    worker: &mut Worker<'_>,
    chosen: &SearchReport<Cell>,
    limits: &Limits,
    asked: &Asked,
    started: Instant,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    let mut moves = root_moves(worker, asked);
    let Some(cell) = chosen.best else { return SearchReport::empty() };
    moves.retain(|known| known.cell != cell);
    let value = chosen.moves.first().map_or(-INFINITE, |known| value_of(known.score, 0));
    moves.insert(0, RootMove { cell, value, line: chosen.line.clone() });
    let wanted = asked.best.min(moves.len());
    let chosen_depth = if chosen.score.is_decided() { u32::MAX } else { chosen.depth };
    let mut report = comparison(worker, &moves[..wanted], 0, started);
    for depth in 1..=limits.plies() {
        if depth > chosen_depth {
            search_window(worker, &mut moves[..1], depth as i32);
        }
        for n in 1..wanted {
            search_window(worker, &mut moves[n..], depth as i32);
        }
        moves[1..wanted].sort_by_key(|known| std::cmp::Reverse(known.value));
        if worker.meter.is_stopped() {
            if depth == 1 {
                report = comparison(worker, &moves[..wanted], 0, started);
            }
            break;
        }
        report = comparison(worker, &moves[..wanted], depth, started);
        progress(&report);
        let all_settled = moves[..wanted].iter().all(|known| is_settled(known, depth));
        if all_settled || is_out_of_time(asked, started) {
            break;
        }
    }
    report.nodes = worker.meter.nodes();
    report
}

/// The report on several moves, the chosen one first.
fn comparison(
    worker: &Worker<'_>,
    moves: &[RootMove],
    depth: u32,
    started: Instant,
) -> SearchReport<Cell> {
    let mut report = report_of(worker, moves, moves.len(), depth, started);
    report.sort_by_proof();
    report
}

/// One depth at one place of the list of moves, with a window that is widened until the value is inside.
fn search_window(worker: &mut Worker<'_>, moves: &mut [RootMove], depth: i32) {
    let tunables = worker.tunables;
    let expected = moves[0].value;
    let known = depth >= tunables.window_depth && !is_win(expected) && !is_loss(expected);
    let (mut down, mut up) = (tunables.window_width, tunables.window_width);
    let mut window = match known {
        true => Window { alpha: expected - down, beta: expected + up },
        false => Window::WHOLE,
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

/// Whether a deeper search would say the same of a move.
fn is_settled(known: &RootMove, depth: u32) -> bool {
    let lost_in = score_of(known.value, 0).plies_to_end();
    is_win(known.value) || (is_loss(known.value) && lost_in <= Some(depth))
}

fn is_out_of_time(asked: &Asked, started: Instant) -> bool {
    asked.soft.is_some_and(|soft| started.elapsed() > soft.mul_f64(1.0 - NEXT_DEPTH_TAKES / 2.0))
}

/// A line that wins by fours, or else one that wins by threats if it is found in a small part of the time.
fn forced_win(worker: &mut Worker<'_>, vct: &mut Vct, limits: &Limits) -> Option<Vec<Cell>> {
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
    // Without any limit but depth there is no small part.
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

/// How many positions the search for a win by fours may look at: so many that most of the nodes and of the time are
/// left. It does not look at the clock itself, and looks at more than a position in a microsecond.
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
    wanted: usize,
    depth: u32,
    started: Instant,
) -> SearchReport<Cell> {
    let Some(best) = moves.first() else { return SearchReport::empty() };
    let is_searched = |known: &&RootMove| known.value > -INFINITE;
    let searched: Vec<&RootMove> = moves.iter().take(wanted).filter(is_searched).collect();
    let score = |known: &RootMove| score_of(known.value, 0);
    let valued = |known: &&RootMove| MoveScore { m: known.cell, score: score(known), visits: 0 };
    SearchReport {
        best: Some(best.cell),
        score: Some(best).filter(is_searched).map_or(Score::DRAW, score),
        line: best.line.clone(),
        depth,
        nodes: worker.meter.nodes(),
        time: started.elapsed(),
        moves: searched.iter().map(valued).collect(),
        lines: searched.iter().skip(1).map(|known| known.line.clone()).collect(),
    }
}

/// Another thread's part: the same search, out of step, for what it leaves in the table.
fn help(worker: &mut Worker<'_>, number: usize, asked: &Asked, limits: &Limits) {
    let mut moves = root_moves(worker, asked);
    if moves.is_empty() {
        return;
    }
    let first = 1 + number % 2;
    for depth in (first as u32..).take_while(|&depth| depth <= limits.plies()) {
        search_window(worker, &mut moves, depth as i32);
        if worker.meter.is_stopped() {
            return;
        }
    }
}
