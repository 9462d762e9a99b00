//! `fudan-naive`: the first agent (pydan1). It uses seven patterns and searches a move and a reply.
//! A position where the side to move has a three or a four counts as lost, whatever else is on the
//! board.

use std::time::Duration;

use tesuji_games::Side;
use tesuji_search::Limits;

use super::board::{CandidateReach, FudanBoard, FudanCell};
use super::limit_meter::LimitMeter;
use super::patterns::{NAIVE_PATTERNS, PatternCounts};
use super::{FudanAgent, FudanChoice, Points, TENTHS, any_empty_cell, central_cell};

/// Values in whole units; won and lost are beyond all other values.
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

/// Options of the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FudanNaiveOptions {
    /// The distance of candidates from stones (default: 1; the second commit had 2).
    pub reach: CandidateReach,
    /// The deepest level below the root (default: 1, a move and a reply).
    pub depth: u32,
    /// Plays any empty cell where the published program fails: on the empty board, and when every
    /// move loses (default: off, which plays the middle and the opponent's best cell).
    pub faithful: bool,
    /// The seed of these random cells (default: 0).
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
    /// Creates an agent with these options.
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
            // The empty board is not lost.
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

/// The value of a position for the side that has just moved. It must not lose to the opponent's
/// threats, because the opponent moves next; it need not exceed them.
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

/// A move with the patterns after it and its static value.
struct CandidateMove {
    cell: FudanCell,
    counts: PatternCounts<7>,
    value: Value,
}

/// The moves of a side.
enum CandidateMoves {
    /// A move that wins at once.
    Win(FudanCell),
    /// Every move that does not lose at once, the worst first (as published).
    List(Vec<CandidateMove>),
}

struct Search {
    board: FudanBoard,
    reach: CandidateReach,
    depth: u32,
    meter: LimitMeter,
    /// Whether a limit ended the search.
    cut_short: bool,
}

impl Search {
    /// The best move that does not lose within the search depth, and its value. When a limit is
    /// reached, the best so far, or the best static one.
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
            let Some(value) =
                self.with_move(case, |search| search.value(&case.counts, 1, LOST, -best))
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

    /// The value of a position for the side to move; `None` when a limit is reached.
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
            let reply = self
                .with_move(case, |search| search.value(&case.counts, level + 1, -beta, -alpha))?;
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
        let mut with_move = *counts;
        with_move -= NAIVE_PATTERNS.count_through(&self.board, cell);
        with_move += NAIVE_PATTERNS.count_through_with(&self.board, cell, side);
        with_move
    }

    fn with_move<T>(&mut self, case: &CandidateMove, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let side = self.board.to_move();
        self.board.put_stone(case.cell, side);
        self.board.set_to_move(!side);
        let result = evaluate(self);
        self.board.remove_stone(case.cell, side);
        self.board.set_to_move(side);
        result
    }

    /// The candidate with the highest value for a stone of the opponent.
    fn best_for_opponent(&self, counts: &PatternCounts<7>) -> Option<FudanCell> {
        let other = !self.board.to_move();
        let worth = |cell: &FudanCell| {
            let with_move = self.counts_with(counts, *cell, other);
            (with_move.of(other)[FIVE] > 0, value_for_mover(&with_move, other))
        };
        self.board.candidates(self.reach).into_iter().rev().max_by_key(worth)
    }
}
