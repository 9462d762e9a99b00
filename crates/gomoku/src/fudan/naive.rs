//! `report-naive`: the first agent (pydan1). Seven patterns, a move and a reply, and no patience: a position in
//! which the side that moves next has a three or a four counts as lost, whatever else it holds.

use std::time::Duration;

use tesuji_games::Side;
use tesuji_search::Limits;

use super::board::{CandidateReach, FudanBoard, FudanCell};
use super::limit_meter::LimitMeter;
use super::patterns::{NAIVE_PATTERNS, PatternCounts};
use super::{FudanAgent, FudanChoice, Points, TENTHS, any_empty_cell, central_cell};

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
pub struct FudanNaiveOptions {
    /// How far from stones it looks for moves; 1 by default. The second commit had 2.
    pub reach: CandidateReach,
    /// The deepest level below the root; 1 by default (a move and a reply).
    pub depth: u32,
    /// Plays any empty cell where the published program fails: on the empty board, and when every move loses. Off
    /// by default; then the middle, and the cell that the other side wants most.
    pub faithful: bool,
    /// For those random cells; 0 by default.
    pub seed: u64,
}

impl Default for FudanNaiveOptions {
    fn default() -> Self {
        FudanNaiveOptions { reach: CandidateReach::One, depth: 1, faithful: false, seed: 0 }
    }
}

/// The naive agent.
#[derive(Clone, Debug)]
pub struct FudanNaive {
    options: FudanNaiveOptions,
}

impl FudanNaive {
    /// An agent with these options.
    pub fn new(options: FudanNaiveOptions) -> Self {
        FudanNaive { options }
    }
}

impl FudanAgent for FudanNaive {
    fn consider(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanChoice> {
        let depth = limits.depth.unwrap_or(self.options.depth);
        let mut search = Search {
            board: board.clone(),
            reach: self.options.reach,
            depth,
            meter: LimitMeter::start(limits, None::<Duration>),
            cut_short: false,
        };
        let counts = NAIVE_PATTERNS.count(board);
        let (cell, value) = search.best_move(&counts).or_else(|| {
            let cell = if self.options.faithful {
                any_empty_cell(board, self.options.seed)
            } else {
                search.best_for_opponent(&counts).or_else(|| central_cell(board))
            };
            // On the empty board nothing is lost yet.
            cell.map(|cell| (cell, if board.stones() == 0 { 0 } else { LOST }))
        })?;
        Some(FudanChoice {
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
fn value_for_mover(counts: &PatternCounts<7>, mover: Side) -> Value {
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
struct CandidateMove {
    cell: FudanCell,
    counts: PatternCounts<7>,
    value: Value,
}

/// What a side can do.
enum CandidateMoves {
    /// This move wins at once.
    Win(FudanCell),
    /// Every move that does not lose at once, the worst first (as published).
    List(Vec<CandidateMove>),
}

struct Search {
    board: FudanBoard,
    reach: CandidateReach,
    depth: u32,
    meter: LimitMeter,
    /// Whether the meter ended the search.
    cut_short: bool,
}

impl Search {
    /// The best move that does not lose, as far as the search sees, and its worth. When time is up, the best so far,
    /// or the best without search.
    fn best_move(&mut self, counts: &PatternCounts<7>) -> Option<(FudanCell, Value)> {
        self.meter.try_spend();
        let candidate_moves = match self.candidate_moves(counts) {
            CandidateMoves::Win(cell) => return Some((cell, WON)),
            CandidateMoves::List(candidate_moves) => candidate_moves,
        };
        if let [only] = candidate_moves.as_slice() {
            return Some((only.cell, only.value));
        }
        let (mut best, mut found) = (LOST, None);
        for case in &candidate_moves {
            let Some(value) = self.after(case, |search| search.value(&case.counts, 1, LOST, -best))
            else {
                self.cut_short = true;
                return found.or(candidate_moves.last().map(|case| (case.cell, case.value)));
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
        counts: &PatternCounts<7>,
        level: u32,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        if !self.meter.try_spend() {
            return None;
        }
        let mover = self.board.to_move();
        if level > self.depth {
            return Some(-value_for_mover(counts, !mover));
        }
        let candidate_moves = match self.candidate_moves(counts) {
            CandidateMoves::Win(_) => return Some(WON),
            CandidateMoves::List(candidate_moves) => candidate_moves,
        };
        match candidate_moves.as_slice() {
            [] => return Some(value_for_mover(counts, mover)),
            [only] => return Some(only.value),
            _ => {}
        }
        let mut best = LOST;
        for case in &candidate_moves {
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

    fn candidate_moves(&self, counts: &PatternCounts<7>) -> CandidateMoves {
        let mover = self.board.to_move();
        let mut candidate_moves = Vec::new();
        for cell in self.board.candidates(self.reach) {
            let counts = self.counts_with(counts, cell, mover);
            let value = value_for_mover(&counts, mover);
            match value {
                WON => return CandidateMoves::Win(cell),
                LOST => {}
                _ => candidate_moves.push(CandidateMove { cell, counts, value }),
            }
        }
        candidate_moves.sort_by_key(|case| case.value);
        CandidateMoves::List(candidate_moves)
    }

    fn counts_with(
        &self,
        counts: &PatternCounts<7>,
        cell: FudanCell,
        side: Side,
    ) -> PatternCounts<7> {
        let mut after = *counts;
        after -= NAIVE_PATTERNS.count_through(&self.board, cell);
        after += NAIVE_PATTERNS.count_through_with(&self.board, cell, side);
        after
    }

    fn after<T>(&mut self, case: &CandidateMove, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let side = self.board.to_move();
        self.board.put_stone(case.cell, side);
        self.board.set_to_move(!side);
        let result = evaluate(self);
        self.board.remove_stone(case.cell, side);
        self.board.set_to_move(side);
        result
    }

    /// The candidate on which a stone of the other side would be worth most to it.
    fn best_for_opponent(&self, counts: &PatternCounts<7>) -> Option<FudanCell> {
        let other = !self.board.to_move();
        let worth = |cell: &FudanCell| {
            let after = self.counts_with(counts, *cell, other);
            (after.of(other)[FIVE] > 0, value_for_mover(&after, other))
        };
        self.board.candidates(self.reach).into_iter().rev().max_by_key(worth)
    }
}
