//! Generates candidate turns: those that block all threats, if there are any, otherwise pairs of
//! the cells with the best move scores.

use super::board::Connect6Board;
use super::evaluation::MOVE_SCORES;
use super::threats::{Threat, ThreatCount, double_blocks, single_blocks, threat_count};
use crate::cell::Cell;

/// The stones of one turn: two cells, or the same cell twice for a single stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StonePair(pub Cell, pub Cell);

impl StonePair {
    /// The one or two cells.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        [Some(self.0), (self.0 != self.1).then_some(self.1)].into_iter().flatten()
    }

    /// Plays the stones.
    #[inline]
    pub(super) fn play(self, board: &mut Connect6Board) {
        board.play(self.0);
        if self.0 != self.1 {
            board.play(self.1);
        }
    }

    /// Takes the stones back.
    #[inline]
    pub(super) fn undo(self, board: &mut Connect6Board) {
        if self.0 != self.1 {
            board.undo();
        }
        board.undo();
    }
}

/// A candidate turn and its move score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CandidateTurn {
    /// The stones.
    pub turn: StonePair,
    /// The move score; the highest is tried first.
    pub move_score: i32,
}

/// The numbers of candidates to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CandidateLimits {
    /// Cells that are combined into turns.
    pub cells: usize,
    /// Turns.
    pub turns: usize,
}

/// Generates candidates; keeps its buffers.
#[derive(Clone, Default, Debug)]
pub struct CandidateFinder {
    cells: Vec<(i32, Cell)>,
}

impl CandidateFinder {
    /// Pushes the candidates of the side to move, best first. `threats` are the opponent's threats,
    /// which one turn can block.
    pub fn push(
        &mut self,
        board: &Connect6Board,
        threats: &[Threat],
        limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        let first = candidates.len();
        let stones = board.left_in_turn().min(board.empty_cells());
        match (threat_count(threats), stones) {
            (ThreatCount::None, 1) => self.push_cells(board, limits, candidates),
            (ThreatCount::None, _) => self.push_pairs(board, limits, candidates),
            (ThreatCount::One, 1) => {
                push_all(board, single_blocks(threats).map(|c| (c, c)), candidates)
            }
            (ThreatCount::One, _) => {
                self.push_blocks_with_free_stone(board, threats, limits, candidates)
            }
            (ThreatCount::Two, 2) => push_all(board, double_blocks(threats), candidates),
            _ => {}
        }
        candidates[first..].sort_by_key(|candidate| -candidate.move_score);
        candidates.truncate(first + limits.turns.max(1));
    }

    fn push_cells(
        &mut self,
        board: &Connect6Board,
        limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        self.find_cells(board, limits.cells);
        let single = |&(move_score, cell): &(i32, Cell)| CandidateTurn {
            turn: StonePair(cell, cell),
            move_score,
        };
        candidates.extend(self.cells.iter().map(single));
    }

    fn push_pairs(
        &mut self,
        board: &Connect6Board,
        limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        self.find_cells(board, limits.cells);
        for (n, &(move_score, one)) in self.cells.iter().enumerate() {
            for &(another_score, another) in &self.cells[..n] {
                let move_score = move_score + another_score + pair_bonus(board, one, another);
                candidates.push(CandidateTurn { turn: StonePair(another, one), move_score });
            }
        }
    }

    /// One stone blocks all threats and the other is free, or both block them together.
    fn push_blocks_with_free_stone(
        &mut self,
        board: &Connect6Board,
        threats: &[Threat],
        limits: CandidateLimits,
        candidates: &mut Vec<CandidateTurn>,
    ) {
        self.find_cells(board, limits.cells);
        let mut blocks: Vec<Cell> = Vec::new();
        for block in single_blocks(threats) {
            let move_score = move_score_of(board, block);
            for &(other_score, other) in &self.cells {
                if other != block && !blocks.contains(&other) {
                    let move_score = move_score + other_score + pair_bonus(board, block, other);
                    candidates.push(CandidateTurn { turn: StonePair(block, other), move_score });
                }
            }
            blocks.push(block);
        }
        push_all(board, double_blocks(threats), candidates);
    }

    /// Finds the cells with the best move scores, best first.
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

/// The move score of a cell: own rows extended plus opponent's rows blocked.
#[inline]
fn move_score_of(board: &Connect6Board, cell: Cell) -> i32 {
    board.combined_move_score(cell)
}

/// The move score of two stones beyond the sum of both: in an own window both count, in a window of
/// the opponent the second stone blocks nothing more.
fn pair_bonus(board: &Connect6Board, one: Cell, another: Cell) -> i32 {
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
        let more = if one == another { 0 } else { pair_bonus(board, one, another) };
        let move_score = move_score_of(board, one) + move_score_of(board, another) + more;
        candidates.push(CandidateTurn { turn: StonePair(one, another), move_score });
    }
}
