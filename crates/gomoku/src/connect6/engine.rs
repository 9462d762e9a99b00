//! The engine: one call, one stone. A whole turn is searched when its first stone is asked for; the second is then
//! remembered and answered at once.

use std::time::{Duration, Instant};

use tesuji_games::Score;
use tesuji_search::{Limits, MoveScore, ProgressFn, SearchReport, TableSize, TranspositionTable};

use super::attack::Attack;
use super::board::Board;
use super::candidates::{Breadth, Turn};
use super::clock::Clock;
use super::search::{RootTurn, Search};
use super::threats::{Gap, push_gaps};
use crate::cell::Cell;

/// What an engine is made with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Memory for known positions.
    pub table: TableSize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { table: TableSize::megabytes(64) }
    }
}

/// See the top of this file.
pub struct Engine {
    table: TranspositionTable,
    attack: Attack,
    /// What follows the stone that was answered last.
    planned: Option<Planned>,
}

/// The second stone of a turn.
struct Planned {
    /// The position in which it is to be put.
    key: u64,
    size: (usize, usize),
    report: SearchReport<Cell>,
}

/// Candidates at the root, to begin with and when all of them lose.
const ROOT: Breadth = Breadth { cells: 22, turns: 100 };
const WIDEST_ROOT: usize = 60;
/// Positions looked at for a win by threats before the first depth is searched; from depth to depth three times as
/// many, up to a limit.
const FIRST_THREATS: u64 = 100;
const MOST_THREATS: u64 = 20_000;

impl Engine {
    /// An engine that knows nothing yet.
    pub fn new(settings: Settings) -> Engine {
        Engine {
            table: TranspositionTable::new(settings.table),
            attack: Attack::new(),
            planned: None,
        }
    }

    /// Forgets everything kept from earlier searches.
    pub fn forget(&mut self) {
        self.table.clear();
        self.attack = Attack::new();
        self.planned = None;
    }

    /// Looks for the best stone. When two are left in the turn, the report's line begins with both, and the next
    /// call on the position after the first answers the second at once. The game must not be over: otherwise the
    /// report has no move.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        let clock = Clock::start(limits);
        if board.winner().is_some() || board.is_full() {
            return SearchReport::empty();
        }
        if let Some(report) = self.planned_answer(board) {
            return report;
        }
        let report = self.think(board, limits, clock, progress);
        self.plan(board, &report);
        report
    }

    /// The same with values for up to `best` stones: the one to play first, unless another is
    /// proven better. That one gets a third of the time, and as many nodes and as much depth as in
    /// a game, so that it is the same stone.
    pub fn compare(
        &mut self,
        board: &Board,
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

    /// Values other stones by the best turn that each is part of, deeper and deeper, but no deeper
    /// than the chosen turn was searched.
    fn value_others(
        &mut self,
        board: &Board,
        limits: &Limits,
        best: usize,
        chosen: SearchReport<Cell>,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        if chosen.moves.is_empty() {
            return chosen;
        }
        let (left, nodes) = (board.left_in_turn(), chosen.nodes);
        let clock = Clock::start(limits);
        self.attack.set_deadline(clock.deadline());
        let mut search = Search::new(board, clock, &self.table, &mut self.attack);
        let turns = search.root_turns(ROOT);
        let deepest = match chosen.depth {
            0 => deepest(limits, left),
            plies => plies.saturating_sub(left as u32) / 2 + 1,
        };
        let chosen = with_both_stones(chosen, left);
        let mut report = chosen.clone();
        if turns.is_empty() {
            return report;
        }
        for depth in 1..=deepest {
            let mut next = chosen.clone();
            let finished = add_stones(&mut search, &turns, depth as i32, best, &mut next);
            next.nodes = nodes + search.clock.nodes();
            next.sort_by_proof();
            if finished || depth == 1 {
                report = next;
                progress(&report);
            }
            if !finished {
                break;
            }
        }
        report.nodes = nodes + search.clock.nodes();
        report
    }

    /// The second stone of the turn, if the first was put where it was said.
    fn planned_answer(&mut self, board: &Board) -> Option<SearchReport<Cell>> {
        let planned = self.planned.take()?;
        let same = planned.key == board.key() && planned.size == (board.width(), board.height());
        let possible = planned.report.best.is_some_and(|cell| board.is_empty_cell(cell));
        (same && possible && board.left_in_turn() == 1).then_some(planned.report)
    }

    /// Remembers the second stone.
    fn plan(&mut self, board: &Board, report: &SearchReport<Cell>) {
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
        // Not searched if the first stone was not.
        for known in &mut report.moves {
            *known = MoveScore { m: second, score, visits: 0 };
        }
        report.line.remove(0);
        let size = (board.width(), board.height());
        self.planned = Some(Planned { key: after.key(), size, report });
    }

    fn think(
        &mut self,
        board: &Board,
        limits: &Limits,
        clock: Clock,
        progress: ProgressFn<'_, Cell>,
    ) -> SearchReport<Cell> {
        let left = board.left_in_turn();
        if board.stones() == 0 {
            let middle = Cell::new(board.width() / 2, board.height() / 2);
            return report_of(vec![middle], None, 0, &clock);
        }
        if let Some((one, another)) = board.winning_stones(board.to_move(), left) {
            let line: Vec<Cell> = Turn(one, another).cells().collect();
            let score = Score::win_in(line.len() as u32);
            return report_of(line, Some(score), 0, &clock);
        }
        self.table.age();
        self.attack.set_deadline(clock.deadline());
        let mut search = Search::new(board, clock, &self.table, &mut self.attack);
        let mut turns = search.root_turns(ROOT);
        if turns.is_empty() {
            let turn = best_try(board);
            let score = Score::loss_in(left as u32 + 2);
            return report_of(turn.cells().collect(), Some(score), 0, &search.clock);
        }
        deepen(&mut search, &mut turns, limits, progress)
    }
}

/// Searches deeper and deeper until the limits are reached or the result is certain.
fn deepen(
    search: &mut Search<'_>,
    turns: &mut Vec<RootTurn>,
    limits: &Limits,
    progress: ProgressFn<'_, Cell>,
) -> SearchReport<Cell> {
    let left = search.board.left_in_turn();
    let mut report = report_of(turns[0].turn.cells().collect(), None, 0, &search.clock);
    let mut breadth = ROOT;
    let mut threats = FIRST_THREATS;
    for depth in 1..=deepest(limits, left) {
        if left == 2
            && let Some(line) = search.win_by_threats(threats)
        {
            let score = Score::win_in(line.len() as u32);
            return report_of(line, Some(score), report.depth, &search.clock);
        }
        threats = (threats * 3).min(MOST_THREATS);
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
            if breadth.cells >= WIDEST_ROOT {
                break;
            }
            breadth = Breadth { cells: breadth.cells * 2, turns: breadth.turns * 4 };
            add_turns(turns, search.root_turns(breadth));
        }
        if turns.len() == 1 {
            break;
        }
    }
    report
}

/// Adds the turns that are not yet among them.
fn add_turns(turns: &mut Vec<RootTurn>, more: Vec<RootTurn>) {
    for new in more {
        if !turns.iter().any(|known| known.turn.cells().eq(new.turn.cells())) {
            turns.push(new);
        }
    }
}

/// Depth in turns from one in plies.
fn deepest(limits: &Limits, left: usize) -> u32 {
    (limits.plies().saturating_sub(left as u32)).div_ceil(2) + 1
}

fn report_on(search: &mut Search<'_>, best: RootTurn, depth: u32) -> SearchReport<Cell> {
    let mut line: Vec<Cell> = best.turn.cells().collect();
    best.turn.play(&mut search.board);
    search.push_line(&mut line);
    best.turn.undo(&mut search.board);
    report_of(line, Some(best.score), depth, &search.clock)
}

/// A report on one stone; without a score it was not searched.
fn report_of(
    line: Vec<Cell>,
    score: Option<Score>,
    depth: u32,
    clock: &Clock,
) -> SearchReport<Cell> {
    let best = line.first().copied();
    let valued = best.zip(score).map(|(m, score)| MoveScore { m, score, visits: 0 });
    SearchReport {
        best,
        score: score.unwrap_or(Score::DRAW),
        line,
        depth,
        nodes: clock.nodes(),
        time: clock.elapsed(),
        moves: valued.into_iter().collect(),
        lines: Vec::new(),
    }
}

/// The report on a turn of two stones, with the same value for the second stone put first.
fn with_both_stones(mut report: SearchReport<Cell>, left: usize) -> SearchReport<Cell> {
    if left == 2 && report.line.len() >= 2 {
        let mut line = report.line.clone();
        line.swap(0, 1);
        report.moves.push(MoveScore { m: line[0], score: report.score, visits: 0 });
        report.lines.push(line);
    }
    report
}

/// Adds the stones of the best turns until `best` stones have a value. Every turn that a stone
/// without a value is part of is still among the turns, so that the best of them says what that
/// stone is worth. False when the search was stopped.
fn add_stones(
    search: &mut Search<'_>,
    turns: &[RootTurn],
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

/// The game is lost: the stones that stop as many threats as possible.
fn best_try(board: &Board) -> Turn {
    let mut gaps: Vec<Gap> = Vec::new();
    push_gaps(board, !board.to_move(), &mut gaps);
    let mut stones = Vec::new();
    while stones.len() < board.left_in_turn().min(board.empty_cells()) {
        let stopped_by = |cell: Cell| gaps.iter().filter(|gap| gap.has(cell)).count();
        let mut best = (0, None);
        board.empty().for_each(|cell| {
            let worth = (1 + stopped_by(cell), Some(cell));
            if !stones.contains(&cell) && worth.0 > best.0 {
                best = worth;
            }
        });
        let Some(cell) = best.1 else { break };
        gaps.retain(|gap| !gap.has(cell));
        stones.push(cell);
    }
    let first = stones.first().copied().unwrap_or_default();
    Turn(first, stones.get(1).copied().unwrap_or(first))
}
