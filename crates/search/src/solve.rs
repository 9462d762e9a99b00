//! The general exact solver for small games: alpha-beta to the end of the game that tests whether
//! the side to move can reach a win, or a draw. All results are stored in a table.
//!
//! Intended for games that only fill the board. Positions are stored without their history, so
//! where a line can repeat a position the value may be wrong; a line of more than a thousand plies
//! ends the search without a result.

use tesuji_games::{Playable, Position, Score};

use crate::analysis::analyze_each_move_once;
use crate::exact::{ExactSolver, ExactValue, GameValue, Solution, SolveOptions};
use crate::transposition::{Bound, TableEntry};
use crate::{
    GameCapabilities, Limits, Meter, ProgressFn, Search, SearchReport, TableSize,
    TranspositionTable,
};

/// The general exact solver.
pub struct AlphaBetaSolver<P: Position> {
    capabilities: GameCapabilities<P>,
    table: TranspositionTable,
}

impl<P: Playable> AlphaBetaSolver<P> {
    /// Creates a solver that uses all capabilities of the game, with a table of this size.
    pub fn new(table: TableSize) -> Self {
        AlphaBetaSolver::with_capabilities(GameCapabilities::declared(), table)
    }
}

impl<P: Position> AlphaBetaSolver<P> {
    /// Creates a solver with the given capabilities.
    pub fn with_capabilities(capabilities: GameCapabilities<P>, table: TableSize) -> Self {
        AlphaBetaSolver { capabilities, table: TranspositionTable::new(table) }
    }

    fn solution(&self, position: &P, options: SolveOptions, limits: &Limits) -> Solution<P::Move> {
        let mut search = ExactSearch {
            position: position.clone(),
            capabilities: self.capabilities,
            table: &self.table,
            moves_stack: Vec::new(),
            buffer: Vec::new(),
            meter: Meter::start(limits),
            plies: 0,
        };
        let found = search.solution(options);
        let (nodes, time) = (search.meter.nodes(), search.meter.elapsed());
        match found {
            Ok(solution) => Solution { nodes, time, ..solution },
            Err(LimitReached) => Solution::unknown(nodes, time),
        }
    }
}

/// The limits ended the search.
struct LimitReached;

/// The maximum length of a line; only games that repeat positions exceed it.
const MAX_LINE: u32 = 1000;
/// Up to this ply, positions are stored under one key for all symmetric images. Computing that key
/// takes as long as several nodes, which only a large subtree repays.
const SYMMETRIC_PLIES: u32 = 8;

struct ExactSearch<'s, P: Position> {
    position: P,
    capabilities: GameCapabilities<P>,
    table: &'s TranspositionTable,
    /// The moves of all nodes on the path with their ordering scores, as one stack.
    moves_stack: Vec<(i32, P::Move)>,
    buffer: Vec<P::Move>,
    meter: Meter,
    plies: u32,
}

impl<P: Position> ExactSearch<'_, P> {
    fn solution(&mut self, options: SolveOptions) -> Result<Solution<P::Move>, LimitReached> {
        let value = self.value()?;
        let mut moves = Vec::new();
        if options.every_move {
            moves = self.every_move()?;
        }
        let line = self.line(value)?;
        let mut best: Vec<_> =
            moves.iter().filter(|(_, exact)| exact.value == value).map(|&(m, _)| m).collect();
        if best.is_empty() {
            best.extend(line.first());
        }
        Ok(Solution { best, moves, line, ..Solution::of(ExactValue::without_score(value)) })
    }

    fn value(&mut self) -> Result<GameValue, LimitReached> {
        if let Some(outcome) = self.position.outcome() {
            return Ok(GameValue::of(outcome, self.position.to_move()));
        }
        Ok(if self.reaches(GameValue::Win)? {
            GameValue::Win
        } else if self.reaches(GameValue::Draw)? {
            GameValue::Draw
        } else {
            GameValue::Loss
        })
    }

    fn every_move(&mut self) -> Result<Vec<(P::Move, ExactValue)>, LimitReached> {
        let mut moves = Vec::new();
        self.position.push_moves(&mut moves);
        let mut values = Vec::with_capacity(moves.len());
        for m in moves {
            values.push((m, self.value_of_move(m)?));
        }
        sort_best_first(&mut values);
        Ok(values.into_iter().map(|(m, value)| (m, ExactValue::without_score(value))).collect())
    }

    fn value_of_move(&mut self, m: P::Move) -> Result<GameValue, LimitReached> {
        let side = self.position.to_move();
        let undo = self.position.play(m);
        self.plies += 1;
        let value = match self.position.outcome() {
            Some(outcome) => Ok(GameValue::of(outcome, side)),
            None if self.position.to_move() == side => self.value(),
            None => self.value().map(GameValue::negated),
        };
        self.plies -= 1;
        self.position.undo(m, undo);
        value
    }

    /// A line of best play: at each position the first move that keeps the value.
    fn line(&mut self, value: GameValue) -> Result<Vec<P::Move>, LimitReached> {
        let start = self.position.clone();
        let mut line = Vec::new();
        let (mut value, mut side) = (value, start.to_move());
        while self.position.outcome().is_none() {
            if self.position.to_move() != side {
                side = !side;
                value = value.negated();
            }
            let m = self.move_that_keeps(value)?;
            self.position.play(m);
            line.push(m);
        }
        self.position = start;
        Ok(line)
    }

    fn move_that_keeps(&mut self, value: GameValue) -> Result<P::Move, LimitReached> {
        if let Some(m) = self.position.winning_move() {
            return Ok(m);
        }
        let mut moves = Vec::new();
        self.capabilities.push_relevant_moves(&self.position, &mut moves);
        for &m in &moves {
            if value == GameValue::Loss || self.move_reaches(m, value)? {
                return Ok(m);
            }
        }
        Err(LimitReached)
    }

    /// Whether the side to move reaches at least `goal`, a draw or a win.
    fn reaches(&mut self, goal: GameValue) -> Result<bool, LimitReached> {
        if self.meter.tick() || self.plies > MAX_LINE {
            return Err(LimitReached);
        }
        if self.position.winning_move().is_some() {
            return Ok(true);
        }
        let key = self.key();
        let entry = self.table.get(key);
        if let Some(decided) = entry.and_then(|entry| decided(entry, goal)) {
            return Ok(decided);
        }
        let nodes_before = self.meter.nodes();
        let start = self.moves_stack.len();
        self.push_moves(entry.and_then(|entry| entry.best));
        let mut reached = None;
        for next in start..self.moves_stack.len() {
            let m = self.moves_stack[next].1;
            if self.move_reaches(m, goal)? {
                reached = Some(m);
                break;
            }
        }
        self.moves_stack.truncate(start);
        let work = self.meter.nodes() - nodes_before + 1;
        self.store(key, goal, reached, work);
        Ok(reached.is_some())
    }

    fn move_reaches(&mut self, m: P::Move, goal: GameValue) -> Result<bool, LimitReached> {
        let side = self.position.to_move();
        let undo = self.position.play(m);
        self.plies += 1;
        let reached = match self.position.outcome() {
            Some(outcome) => Ok(GameValue::of(outcome, side) >= goal),
            None if self.position.to_move() == side => self.reaches(goal),
            None => self.reaches(counter_goal(goal)).map(|opponent_does| !opponent_does),
        };
        self.plies -= 1;
        self.position.undo(m, undo);
        reached
    }

    fn key(&self) -> u64 {
        match &self.capabilities.symmetries {
            Some(symmetries) if self.plies <= SYMMETRIC_PLIES => {
                (symmetries.canonical_key)(&self.position)
            }
            _ => self.position.key(),
        }
    }

    /// Pushes the table's move first, then the others by the game's move order. (An additional
    /// history heuristic visited more nodes, not fewer: 13.5 instead of 11.0 million on (5,5,4).)
    fn push_moves(&mut self, table_move: Option<u16>) {
        let ExactSearch { position, capabilities, moves_stack, buffer, .. } = self;
        buffer.clear();
        capabilities.push_relevant_moves(position, buffer);
        let start = moves_stack.len();
        for &m in buffer.iter() {
            let is_table_move = table_move.map(usize::from) == Some(position.move_index(m));
            let move_score =
                capabilities.move_score.map_or(0, |move_score| move_score(position, m));
            moves_stack.push((if is_table_move { i32::MAX } else { move_score }, m));
        }
        sort_moves(&mut moves_stack[start..]);
    }

    fn store(&self, key: u64, goal: GameValue, reached: Option<P::Move>, work: u64) {
        let best = reached.map(|m| self.position.move_index(m) as u16);
        let (bound, value) = match (reached, goal) {
            (Some(_), goal) => (Bound::Lower, goal),
            (None, GameValue::Win) => (Bound::Upper, GameValue::Draw),
            (None, _) => (Bound::Upper, GameValue::Loss),
        };
        // The entry's depth field holds the work: the most expensive entries are kept longest.
        let depth = work.ilog2().min(255);
        self.table.put(key, TableEntry { score: score(value), bound, depth, settled: true, best });
    }
}

/// A side reaches a win if its opponent does not reach a draw, and vice versa.
fn counter_goal(goal: GameValue) -> GameValue {
    if goal == GameValue::Win { GameValue::Draw } else { GameValue::Win }
}

/// Whether the entry decides the goal.
fn decided(entry: TableEntry, goal: GameValue) -> Option<bool> {
    match entry.bound {
        Bound::Lower if entry.score >= score(goal) => Some(true),
        Bound::Upper if entry.score < score(goal) => Some(false),
        _ => None,
    }
}

fn score(value: GameValue) -> Score {
    Score::estimate(value as i32 - 1)
}

impl<P: Position> ExactSolver<P> for AlphaBetaSolver<P> {
    fn solve(&mut self, position: &P, options: SolveOptions, limits: &Limits) -> Solution<P::Move> {
        self.solution(position, options, limits)
    }
}

/// The solver as a player. The score of a won or lost position counts the plies of the line, which
/// is not always the shortest. Without a result within the limits, reports an estimated draw and
/// the first legal move.
impl<P: Position> Search<P> for AlphaBetaSolver<P> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        _: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        let mut first_legal = None;
        position.for_each_move(|m| first_legal = first_legal.or(Some(m)));
        self.solve(position, SolveOptions::default(), limits).into_report(first_legal)
    }

    /// Solves the position after each move.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        _: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        analyze_each_move_once(self, position, limits)
    }

    fn forget(&mut self) {
        self.table.clear();
    }
}

fn sort_best_first<M>(values: &mut [(M, GameValue)]) {
    values.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
}

/// Sorts the highest ordering score first. A stable sort would allocate.
fn sort_moves<M: Ord + Copy>(moves_stack: &mut [(i32, M)]) {
    moves_stack.sort_unstable_by_key(|&(order, m)| (std::cmp::Reverse(order), m));
}
