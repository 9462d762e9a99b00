//! The Connect6 engine. A call returns one stone. It searches the whole turn for the first stone
//! and returns the second from the plan at once.

use std::time::{Duration, Instant};

use tesuji_games::Score;
use tesuji_search::{Limits, MoveScore, ProgressFn, SearchReport, TableSize, TranspositionTable};

use super::board::Connect6Board;
use super::candidates::{CandidateLimits, StonePair};
use super::limit_meter::LimitMeter;
use super::search::{RootMove, Search};
use super::threats::{Threat, push_threats};
use super::vcdt::Vcdt;
use crate::cell::Cell;

/// Options of an engine.
#[derive(Clone, Debug)]
pub struct Connect6Options {
    /// Size of the transposition table.
    pub table: TableSize,
}

impl Default for Connect6Options {
    fn default() -> Self {
        Connect6Options { table: TableSize::megabytes(64) }
    }
}

/// A Connect6 engine for every board size. It keeps its tables between searches.
pub struct Connect6Engine {
    table: TranspositionTable,
    vcdt: Vcdt,
    /// The second stone after the last one returned.
    planned: Option<PlannedStone>,
}

/// The planned second stone of a turn.
struct PlannedStone {
    /// The key of the position in which to play it.
    key: u64,
    size: (usize, usize),
    report: SearchReport<Cell>,
}

/// Candidates at the root: the initial limits, and the most cells when all turns lose.
const ROOT: CandidateLimits = CandidateLimits { cells: 22, turns: 100 };
const MAX_ROOT_CELLS: usize = 60;
/// The node limits of the VCDT search at the root: before the first depth, and at most. The limit
/// triples at each depth.
const FIRST_VCDT_NODES: u64 = 100;
const MAX_VCDT_NODES: u64 = 20_000;

impl Connect6Engine {
    /// Creates an engine with empty tables.
    pub fn new(options: Connect6Options) -> Connect6Engine {
        Connect6Engine {
            table: TranspositionTable::new(options.table),
            vcdt: Vcdt::new(),
            planned: None,
        }
    }

    /// Clears all tables.
    pub fn forget(&mut self) {
        self.table.clear();
        self.vcdt = Vcdt::new();
        self.planned = None;
    }

    /// Searches for the best stone. When the turn has two stones left, the report's line begins
    /// with both, and the next call after the first returns the second at once. If the game is
    /// over, the report has no move.
    pub fn search(
        &mut self,
        board: &Connect6Board,
        limits: &Limits,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        let meter = LimitMeter::start(limits);
        if board.winner().is_some() || board.is_full() {
            return SearchReport::empty();
        }
        if let Some(report) = self.take_planned(board) {
            return report;
        }
        let report = self.search_turn(board, limits, meter, progress);
        self.plan(board, &report);
        report
    }

    /// Same as [`search`](Self::search), with values for up to `best` stones. The stone to play
    /// comes first unless another is proven better. Its search gets a third of the time and the
    /// full limits of nodes and depth, so that it is the same stone as in a game.
    pub fn search_multi_pv(
        &mut self,
        board: &Connect6Board,
        limits: &Limits,
        best: usize,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        let started = Instant::now();
        let part = Limits { time: limits.time.map(|time| time / 3), ..limits.clone() };
        self.planned = None;
        let chosen = self.search(board, &part, progress);
        let left = |time: Duration| time.saturating_sub(started.elapsed());
        let rest = Limits { time: limits.time.map(left), ..limits.clone() };
        let mut report = self.value_others(board, &rest, best, chosen, progress);
        report.time = started.elapsed();
        report
    }

    /// Values other stones by the best turn that contains each, by iterative deepening up to the
    /// depth of the chosen turn.
    fn value_others(
        &mut self,
        board: &Connect6Board,
        limits: &Limits,
        best: usize,
        chosen: SearchReport<Cell>,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        if chosen.moves.is_empty() {
            return chosen;
        }
        let (left, nodes) = (board.left_in_turn(), chosen.nodes);
        let meter = LimitMeter::start(limits);
        self.vcdt.set_deadline(meter.deadline());
        let mut search = Search::new(board, meter, &self.table, &mut self.vcdt);
        let turns = search.root_turns(ROOT);
        let max_depth = match chosen.depth {
            0 => max_depth(limits, left),
            plies => plies.saturating_sub(left as u32) / 2 + 1,
        };
        let chosen = with_both_stones(chosen, left);
        let mut report = chosen.clone();
        if turns.is_empty() {
            return report;
        }
        for depth in 1..=max_depth {
            let mut next = chosen.clone();
            let finished = add_stones(&mut search, &turns, depth as i32, best, &mut next);
            next.nodes = nodes + search.meter.nodes();
            next.sort_by_proof();
            if finished || depth == 1 {
                report = next;
                progress(&report);
            }
            if !finished {
                break;
            }
        }
        report.nodes = nodes + search.meter.nodes();
        report
    }

    /// The planned second stone, if the first was played as planned.
    fn take_planned(&mut self, board: &Connect6Board) -> Option<SearchReport<Cell>> {
        let planned = self.planned.take()?;
        let same = planned.key == board.key() && planned.size == (board.width(), board.height());
        let possible = planned.report.best.is_some_and(|cell| board.is_empty_cell(cell));
        (same && possible && board.left_in_turn() == 1).then_some(planned.report)
    }

    /// Plans the second stone of a report.
    fn plan(&mut self, board: &Connect6Board, report: &SearchReport<Cell>) {
        self.planned = None;
        let (Some(first), Some(&second)) = (report.best, report.line.get(1)) else { return };
        if board.left_in_turn() < 2 {
            return;
        }
        let mut after = board.clone();
        after.play(first);
        if after.winner().is_some() || !after.is_empty_cell(second) {
            return;
        }
        let score = report.score.nearer(1);
        let mut report = report.clone();
        (report.best, report.score) = (Some(second), score);
        report.depth = report.depth.saturating_sub(1);
        report.nodes = 0;
        report.time = Duration::ZERO;
        // The stone has no value if the first was not searched.
        for known in &mut report.moves {
            *known = MoveScore { m: second, score, visits: 0 };
        }
        report.line.remove(0);
        let size = (board.width(), board.height());
        self.planned = Some(PlannedStone { key: after.key(), size, report });
    }

    fn search_turn(
        &mut self,
        board: &Connect6Board,
        limits: &Limits,
        meter: LimitMeter,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        let left = board.left_in_turn();
        if board.stones() == 0 {
            let middle = Cell::new(board.width() / 2, board.height() / 2);
            return report_of(vec![middle], None, 0, &meter);
        }
        if let Some((one, another)) = board.winning_stones(board.to_move(), left) {
            let line: Vec<Cell> = StonePair(one, another).cells().collect();
            let score = Score::win_in(line.len() as u32);
            return report_of(line, Some(score), 0, &meter);
        }
        self.table.age();
        self.vcdt.set_deadline(meter.deadline());
        let mut search = Search::new(board, meter, &self.table, &mut self.vcdt);
        let mut turns = search.root_turns(ROOT);
        if turns.is_empty() {
            let turn = most_blocking_turn(board);
            let score = Score::loss_in(left as u32 + 2);
            return report_of(turn.cells().collect(), Some(score), 0, &search.meter);
        }
        iterative_deepening(&mut search, &mut turns, limits, progress)
    }
}

/// Iterative deepening until the limits are reached or the result is certain.
fn iterative_deepening(
    search: &mut Search<'_>,
    turns: &mut Vec<RootMove>,
    limits: &Limits,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    let left = search.board.left_in_turn();
    let mut report = report_of(turns[0].turn.cells().collect(), None, 0, &search.meter);
    let mut candidate_limits = ROOT;
    let mut vcdt_nodes = FIRST_VCDT_NODES;
    for depth in 1..=max_depth(limits, left) {
        if left == 2
            && let Some(line) = search.win_by_threats(vcdt_nodes)
        {
            let score = Score::win_in(line.len() as u32);
            return report_of(line, Some(score), report.depth, &search.meter);
        }
        vcdt_nodes = (vcdt_nodes * 3).min(MAX_VCDT_NODES);
        let finished = search.search_root(turns, depth as i32);
        if turns[0].score > Score::MIN {
            let plies = if finished { 2 * (depth - 1) + left as u32 } else { report.depth };
            report = report_on(search, turns[0], plies);
            progress(&report);
        }
        if !finished || report.score.is_win() {
            break;
        }
        if report.score.is_loss() {
            if candidate_limits.cells >= MAX_ROOT_CELLS {
                break;
            }
            candidate_limits = CandidateLimits {
                cells: candidate_limits.cells * 2,
                turns: candidate_limits.turns * 4,
            };
            add_turns(turns, search.root_turns(candidate_limits));
        }
        if turns.len() == 1 {
            break;
        }
    }
    report
}

/// Adds the turns that the list lacks.
fn add_turns(turns: &mut Vec<RootMove>, more: Vec<RootMove>) {
    for new in more {
        if !turns.iter().any(|known| known.turn.cells().eq(new.turn.cells())) {
            turns.push(new);
        }
    }
}

/// Converts the depth limit from plies to turns.
fn max_depth(limits: &Limits, left: usize) -> u32 {
    (limits.plies().saturating_sub(left as u32)).div_ceil(2) + 1
}

fn report_on(search: &mut Search<'_>, best: RootMove, depth: u32) -> SearchReport<Cell> {
    let mut line: Vec<Cell> = best.turn.cells().collect();
    best.turn.play(&mut search.board);
    search.push_line(&mut line);
    best.turn.undo(&mut search.board);
    report_of(line, Some(best.score), depth, &search.meter)
}

/// The report on a line; without a score its first stone was not searched.
fn report_of(
    line: Vec<Cell>,
    score: Option<Score>,
    depth: u32,
    meter: &LimitMeter,
) -> SearchReport<Cell> {
    let best = line.first().copied();
    let valued = best.zip(score).map(|(m, score)| MoveScore { m, score, visits: 0 });
    SearchReport {
        best,
        score: score.unwrap_or(Score::DRAW),
        line,
        depth,
        nodes: meter.nodes(),
        time: meter.elapsed(),
        moves: valued.into_iter().collect(),
        lines: Vec::new(),
    }
}

/// Adds the second stone of the turn to the report, with the same value.
fn with_both_stones(mut report: SearchReport<Cell>, left: usize) -> SearchReport<Cell> {
    if left == 2 && report.line.len() >= 2 {
        let mut line = report.line.clone();
        line.swap(0, 1);
        report.moves.push(MoveScore { m: line[0], score: report.score, visits: 0 });
        report.lines.push(line);
    }
    report
}

/// Adds the stones of the best turns until `best` stones have a value. The list keeps every turn
/// that contains a stone without a value, so the best of them gives its value. Returns false if the
/// search was stopped.
fn add_stones(
    search: &mut Search<'_>,
    turns: &[RootMove],
    depth: i32,
    best: usize,
    report: &mut SearchReport<Cell>,
) -> bool {
    let mut turns = turns.to_vec();
    while report.moves.len() < best {
        let is_new = |cell: Cell| report.moves.iter().all(|known| known.m != cell);
        turns.retain(|known| known.turn.cells().any(is_new));
        if turns.is_empty() {
            break;
        }
        if !search.search_root(&mut turns, depth) {
            return false;
        }
        let found = report_on(search, turns[0], 0);
        for cell in turns[0].turn.cells().filter(|&cell| is_new(cell)).collect::<Vec<_>>() {
            let mut line = found.line.clone();
            if line[0] != cell {
                line.swap(0, 1);
            }
            report.moves.push(MoveScore { m: cell, score: found.score, visits: 0 });
            report.lines.push(line);
        }
        report.depth = 2 * (depth as u32 - 1) + search.board.left_in_turn() as u32;
    }
    true
}

/// The game is lost: the stones that block as many threats as possible.
fn most_blocking_turn(board: &Connect6Board) -> StonePair {
    let mut threats: Vec<Threat> = Vec::new();
    push_threats(board, !board.to_move(), &mut threats);
    let mut stones = Vec::new();
    while stones.len() < board.left_in_turn().min(board.empty_cells()) {
        let blocked_by = |cell: Cell| threats.iter().filter(|threat| threat.contains(cell)).count();
        let mut best = (0, None);
        board.empty().for_each(|cell| {
            let score = (1 + blocked_by(cell), Some(cell));
            if !stones.contains(&cell) && score.0 > best.0 {
                best = score;
            }
        });
        let Some(cell) = best.1 else { break };
        threats.retain(|threat| !threat.contains(cell));
        stones.push(cell);
    }
    let first = stones.first().copied().unwrap_or_default();
    StonePair(first, stones.get(1).copied().unwrap_or(first))
}
