//! `report-naive`: the first agent (pydan1). Seven patterns, a move and a reply, and no patience: a position in
//! which the side that moves next has a three or a four counts as lost, whatever else it holds.

use std::time::Duration;

use tesuji_games::Side;
use tesuji_search::Limits;

use super::board::{Board, Cell, Reach};
use super::meter::Meter;
use super::patterns::{Counts, NAIVE_PATTERNS};
use super::{Choice, Points, ReportAgent, TENTHS, any_empty_cell, central_cell};

/// Values are whole here; won and lost are beyond all of them.
type Value = i64;
const WON: Value = Value::MAX;
const LOST: Value = -WON;

// The patterns, in the order of their set.
const FIVE: usize = 0;
const OPEN_FOUR: usize = 1;
const BLOCKED_FOUR: usize = 2;
const STRAIGHT_THREE: usize = 3;
const GAPPED_THREE: usize = 4;
const THREE: usize = 5;
const TWO: usize = 6;

/// How the agent plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NaiveOptions {
    /// How far from stones it looks for moves; 1 by default. The second commit had 2.
    pub reach: Reach,
    /// The deepest level below the root; 1 by default (a move and a reply).
    pub depth: u32,
    /// Plays any empty cell where the published program fails: on the empty board, and when every move loses. Off
    /// by default; then the middle, and the cell that the other side wants most.
    pub faithful: bool,
    /// For those random cells; 0 by default.
    pub seed: u64,
}

impl Default for NaiveOptions {
    fn default() -> Self {
        NaiveOptions { reach: Reach::One, depth: 1, faithful: false, seed: 0 }
    }
}

/// The naive agent.
#[derive(Clone, Debug)]
pub struct Naive {
    options: NaiveOptions,
}

impl Naive {
    /// An agent with these options.
    pub fn new(options: NaiveOptions) -> Self {
        Naive { options }
    }
}

impl ReportAgent for Naive {
    fn consider(&mut self, board: &Board, limits: &Limits) -> Option<Choice> {
        let depth = limits.depth.unwrap_or(self.options.depth);
        let mut search = Search {
            board: board.clone(),
            reach: self.options.reach,
            depth,
            meter: Meter::start(limits, None::<Duration>),
            cut_short: false,
        };
        let counts = NAIVE_PATTERNS.count(board);
        let (cell, value) = search.best_move(&counts).or_else(|| {
            let cell = if self.options.faithful {
                any_empty_cell(board, self.options.seed)
            } else {
                search.wanted_by_other(&counts).or_else(|| central_cell(board))
            };
            // On the empty board nothing is lost yet.
            cell.map(|cell| (cell, if board.stones() == 0 { 0 } else { LOST }))
        })?;
        Some(Choice {
            cell,
            points: Points::saturating_mul(value, TENTHS),
            depth,
            nodes: search.meter.nodes(),
            cut_short: search.cut_short,
        })
    }
}

/// What a position is worth to the side that has just moved. It need not beat what the other side threatens, only
/// not lose to it: the other side moves next.
fn value_for_mover(counts: &Counts<7>, mover: Side) -> Value {
    let (own, other) = (counts.of(mover), counts.of(!mover));
    let times = |count: u16, worth: Value| Value::from(count) * worth;
    if other[FIVE] > 0 {
        LOST
    } else if own[FIVE] > 0 {
        WON
    } else if other[OPEN_FOUR..=GAPPED_THREE].iter().any(|&count| count > 0) {
        LOST
    } else if own[OPEN_FOUR] > 0 {
        WON
    } else {
        times(own[BLOCKED_FOUR], 50)
            + times(own[STRAIGHT_THREE], 30)
            + times(own[GAPPED_THREE], 40)
            + times(own[THREE], 8)
            + times(own[TWO], 2)
            - times(other[THREE], 20)
            - times(other[TWO], 4)
    }
}

/// A move with what it makes of the patterns, and its value without search.
struct Case {
    cell: Cell,
    counts: Counts<7>,
    value: Value,
}

/// What a side can do.
enum Cases {
    /// This move wins at once.
    Win(Cell),
    /// Every move that does not lose at once, the worst first (as published).
    List(Vec<Case>),
}

struct Search {
    board: Board,
    reach: Reach,
    depth: u32,
    meter: Meter,
    /// Whether the meter ended the search.
    cut_short: bool,
}

impl Search {
    /// The best move that does not lose, as far as the search sees, and its worth. When time is up, the best so far,
    /// or the best without search.
    fn best_move(&mut self, counts: &Counts<7>) -> Option<(Cell, Value)> {
        self.meter.pay();
        let cases = match self.cases(counts) {
            Cases::Win(cell) => return Some((cell, WON)),
            Cases::List(cases) => cases,
        };
        if let [only] = cases.as_slice() {
            return Some((only.cell, only.value));
        }
        let (mut best, mut found) = (LOST, None);
        for case in &cases {
            let Some(value) = self.after(case, |search| search.value(&case.counts, 1, LOST, -best))
            else {
                self.cut_short = true;
                return found.or(cases.last().map(|case| (case.cell, case.value)));
            };
            if -value > best {
                (best, found) = (-value, Some((case.cell, -value)));
            }
        }
        found
    }

    /// The worth of a position to the side to move; `None` when the meter allows no more.
    fn value(
        &mut self,
        counts: &Counts<7>,
        level: u32,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        if !self.meter.pay() {
            return None;
        }
        let mover = self.board.to_move();
        if level > self.depth {
            return Some(-value_for_mover(counts, !mover));
        }
        let cases = match self.cases(counts) {
            Cases::Win(_) => return Some(WON),
            Cases::List(cases) => cases,
        };
        match cases.as_slice() {
            [] => return Some(value_for_mover(counts, mover)),
            [only] => return Some(only.value),
            _ => {}
        }
        let mut best = LOST;
        for case in &cases {
            let reply =
                self.after(case, |search| search.value(&case.counts, level + 1, -beta, -alpha))?;
            best = best.max(-reply);
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
        Some(best)
    }

    fn cases(&self, counts: &Counts<7>) -> Cases {
        let mover = self.board.to_move();
        let mut cases = Vec::new();
        for cell in self.board.candidates(self.reach) {
            let counts = self.counts_with(counts, cell, mover);
            let value = value_for_mover(&counts, mover);
            match value {
                WON => return Cases::Win(cell),
                LOST => {}
                _ => cases.push(Case { cell, counts, value }),
            }
        }
        cases.sort_by_key(|case| case.value);
        Cases::List(cases)
    }

    fn counts_with(&self, counts: &Counts<7>, cell: Cell, side: Side) -> Counts<7> {
        let mut after = *counts;
        after -= NAIVE_PATTERNS.count_through(&self.board, cell);
        after += NAIVE_PATTERNS.count_through_with(&self.board, cell, side);
        after
    }

    fn after<T>(&mut self, case: &Case, look: impl FnOnce(&mut Self) -> T) -> T {
        let side = self.board.to_move();
        self.board.put(case.cell, side);
        self.board.set_to_move(!side);
        let seen = look(self);
        self.board.lift(case.cell, side);
        self.board.set_to_move(side);
        seen
    }

    /// The candidate on which a stone of the other side would be worth most to it.
    fn wanted_by_other(&self, counts: &Counts<7>) -> Option<Cell> {
        let other = !self.board.to_move();
        let worth = |cell: &Cell| {
            let after = self.counts_with(counts, *cell, other);
            (after.of(other)[FIVE] > 0, value_for_mover(&after, other))
        };
        self.board.candidates(self.reach).into_iter().rev().max_by_key(worth)
    }
}
