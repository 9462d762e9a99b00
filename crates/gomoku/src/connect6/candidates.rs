//! Which turns are worth trying: those that stop all threats, if there are any; otherwise pairs of the cells that
//! promise most.

use super::board::Connect6Board;
use super::evaluation::MOVE_SCORES;
use super::threats::{Threat, ThreatCount, double_blocks, single_blocks, threat_count};
use crate::cell::Cell;

/// The stones of one turn: two cells, or one named twice when only one stone is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StonePair(pub Cell, pub Cell);

impl StonePair {
    /// The stones, one or two.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        [Some(self.0), (self.0 != self.1).then_some(self.1)].into_iter().flatten()
    }

    /// Puts them.
    #[inline]
    pub(super) fn play(self, board: &mut Connect6Board) {
        board.play(self.0);
        if self.0 != self.1 {
            board.play(self.1);
        }
    }

    /// Takes them back.
    #[inline]
    pub(super) fn undo(self, board: &mut Connect6Board) {
        if self.0 != self.1 {
            board.undo();
        }
        board.undo();
    }
}

/// A turn and what it promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CandidateTurn {
    /// The stones.
    pub turn: StonePair,
    /// The larger, the sooner it is tried.
    pub move_score: i32,
}

/// How many candidates are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CandidateLimits {
    /// Cells from which turns are made.
    pub cells: usize,
    /// Turns.
    pub turns: usize,
}

/// Finds candidates; keeps the memory it needs for that.
#[derive(Clone, Default, Debug)]
pub struct CandidateFinder {
    cells: Vec<(i32, Cell)>,
}

impl CandidateFinder {
    /// Adds the candidates of the side to move, the most promising first. `threats` are those of the other side's
    /// threats, which one turn can stop.
    pub fn push(
        &mut self,
        board: &Connect6Board,
        threats: &[Threat],
        candidate_limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        let first = candidates.len();
        let stones = board.left_in_turn().min(board.empty_cells());
        match (threat_count(threats), stones) {
            (ThreatCount::None, 1) => self.push_cells(board, candidate_limits, candidates),
            (ThreatCount::None, _) => self.push_pairs(board, candidate_limits, candidates),
            (ThreatCount::One, 1) => {
                push_all(board, single_blocks(threats).map(|c| (c, c)), candidates)
            }
            (ThreatCount::One, _) => {
                self.push_stop_and_more(board, threats, candidate_limits, candidates)
            }
            (ThreatCount::Two, 2) => push_all(board, double_blocks(threats), candidates),
            _ => {}
        }
        candidates[first..].sort_by_key(|candidate| -candidate.move_score);
        candidates.truncate(first + candidate_limits.turns.max(1));
    }

    fn push_cells(
        &mut self,
        board: &Connect6Board,
        candidate_limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        self.find_cells(board, candidate_limits.cells);
        let single = |&(move_score, cell): &(i32, Cell)| CandidateTurn {
            turn: StonePair(cell, cell),
            move_score,
        };
        candidates.extend(self.cells.iter().map(single));
    }

    fn push_pairs(
        &mut self,
        board: &Connect6Board,
        candidate_limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        self.find_cells(board, candidate_limits.cells);
        for (n, &(move_score, one)) in self.cells.iter().enumerate() {
            for &(another_promise, another) in &self.cells[..n] {
                let move_score = move_score + another_promise + together(board, one, another);
                candidates.push(CandidateTurn { turn: StonePair(another, one), move_score });
            }
        }
    }

    /// One stone stops all threats and the other is free, or both stop them together.
    fn push_stop_and_more(
        &mut self,
        board: &Connect6Board,
        threats: &[Threat],
        candidate_limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        self.find_cells(board, candidate_limits.cells);
        let mut blocks: Vec<Cell> = Vec::new();
        for stop in single_blocks(threats) {
            let move_score = move_score_of(board, stop);
            for &(other_promise, other) in &self.cells {
                if other != stop && !blocks.contains(&other) {
                    let move_score = move_score + other_promise + together(board, stop, other);
                    candidates.push(CandidateTurn { turn: StonePair(stop, other), move_score });
                }
            }
            blocks.push(stop);
        }
        push_all(board, double_blocks(threats), candidates);
    }

    /// The cells that promise most, best first.
    fn find_cells(&mut self, board: &Connect6Board, most: usize) {
        self.cells.clear();
        let cells = &mut self.cells;
        let mut least = i32::MIN;
        board.empty().for_each(|cell| {
            let move_score = move_score_of(board, cell);
            if move_score <= least {
                return;
            }
            let index = cells.partition_point(|&(known, _)| known >= move_score);
            if cells.len() == most {
                cells.pop();
            }
            cells.insert(index, (move_score, cell));
            if cells.len() == most {
                least = cells[most - 1].0;
            }
        });
    }
}

/// What a stone promises: rows of one's own, and rows of the other side that it stops.
#[inline]
fn move_score_of(board: &Connect6Board, cell: Cell) -> i32 {
    board.combined_move_score(cell)
}

/// What two stones promise beyond what each does: in a window of one's own both count, in one of the other
/// side's the second stone stops nothing more.
fn together(board: &Connect6Board, one: Cell, another: Cell) -> i32 {
    let (us, them) = (board.to_move(), !board.to_move());
    let mut more = 0;
    board.windows().for_each_through_both(one, another, |window| {
        let (own, other) = (board.stones_in(us, window), board.stones_in(them, window));
        if other == 0 {
            more += MOVE_SCORES[own + 1] - MOVE_SCORES[own];
        }
        if own == 0 {
            more -= MOVE_SCORES[other];
        }
    });
    more
}

fn push_all(
    board: &Connect6Board,
    pairs: impl IntoIterator<Item = (Cell, Cell)>,
    candidates: &mut Vec<CandidateTurn>,
) {
    for (one, another) in pairs {
        let more = if one == another { 0 } else { together(board, one, another) };
        let move_score = move_score_of(board, one) + move_score_of(board, another) + more;
        candidates.push(CandidateTurn { turn: StonePair(one, another), move_score });
    }
}
