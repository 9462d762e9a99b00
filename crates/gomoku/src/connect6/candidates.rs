//! Which turns are worth trying: those that stop all threats, if there are any; otherwise pairs of the cells that
//! promise most.

use super::board::Board;
use super::threats::{Blocks, Gap, blocks, double_stops, single_stops};
use super::weights::PROMISE;
use crate::cell::Cell;

/// The stones of one turn: two cells, or one named twice when only one stone is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn(pub Cell, pub Cell);

impl Turn {
    /// The stones, one or two.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        [Some(self.0), (self.0 != self.1).then_some(self.1)].into_iter().flatten()
    }

    /// Puts them.
    #[inline]
    pub(super) fn play(self, board: &mut Board) {
        board.play(self.0);
        if self.0 != self.1 {
            board.play(self.1);
        }
    }

    /// Takes them back.
    #[inline]
    pub(super) fn undo(self, board: &mut Board) {
        if self.0 != self.1 {
            board.undo();
        }
        board.undo();
    }
}

/// A turn and what it promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The stones.
    pub turn: Turn,
    /// The larger, the sooner it is tried.
    pub promise: i32,
}

/// How many candidates are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breadth {
    /// Cells from which turns are made.
    pub cells: usize,
    /// Turns.
    pub turns: usize,
}

/// Finds candidates; keeps the memory it needs for that.
#[derive(Clone, Default, Debug)]
pub struct Finder {
    cells: Vec<(i32, Cell)>,
}

impl Finder {
    /// Adds the candidates of the side to move, the most promising first. `gaps` are those of the other side's
    /// threats, which one turn can stop.
    pub fn push(
        &mut self,
        board: &Board,
        gaps: &[Gap],
        breadth: Breadth,
        candidates: &mut Vec<Candidate>,
    ) {
        let first = candidates.len();
        let stones = board.left_in_turn().min(board.empty_cells());
        match (blocks(gaps), stones) {
            (Blocks::None, 1) => self.push_cells(board, breadth, candidates),
            (Blocks::None, _) => self.push_pairs(board, breadth, candidates),
            (Blocks::One, 1) => push_all(board, single_stops(gaps).map(|c| (c, c)), candidates),
            (Blocks::One, _) => self.push_stop_and_more(board, gaps, breadth, candidates),
            (Blocks::Two, 2) => push_all(board, double_stops(gaps), candidates),
            _ => {}
        }
        candidates[first..].sort_by_key(|candidate| -candidate.promise);
        candidates.truncate(first + breadth.turns.max(1));
    }

    fn push_cells(&mut self, board: &Board, breadth: Breadth, candidates: &mut Vec<Candidate>) {
        self.find_cells(board, breadth.cells);
        let single = |&(promise, cell): &(i32, Cell)| Candidate { turn: Turn(cell, cell), promise };
        candidates.extend(self.cells.iter().map(single));
    }

    fn push_pairs(&mut self, board: &Board, breadth: Breadth, candidates: &mut Vec<Candidate>) {
        self.find_cells(board, breadth.cells);
        for (n, &(promise, one)) in self.cells.iter().enumerate() {
            for &(another_promise, another) in &self.cells[..n] {
                let promise = promise + another_promise + together(board, one, another);
                candidates.push(Candidate { turn: Turn(another, one), promise });
            }
        }
    }

    /// One stone stops all threats and the other is free, or both stop them together.
    fn push_stop_and_more(
        &mut self,
        board: &Board,
        gaps: &[Gap],
        breadth: Breadth,
        candidates: &mut Vec<Candidate>,
    ) {
        self.find_cells(board, breadth.cells);
        let mut stops: Vec<Cell> = Vec::new();
        for stop in single_stops(gaps) {
            let promise = promise_of(board, stop);
            for &(other_promise, other) in &self.cells {
                if other != stop && !stops.contains(&other) {
                    let promise = promise + other_promise + together(board, stop, other);
                    candidates.push(Candidate { turn: Turn(stop, other), promise });
                }
            }
            stops.push(stop);
        }
        push_all(board, double_stops(gaps), candidates);
    }

    /// The cells that promise most, best first.
    fn find_cells(&mut self, board: &Board, most: usize) {
        self.cells.clear();
        let cells = &mut self.cells;
        let mut least = i32::MIN;
        board.empty().for_each(|cell| {
            let promise = promise_of(board, cell);
            if promise <= least {
                return;
            }
            let place = cells.partition_point(|&(known, _)| known >= promise);
            if cells.len() == most {
                cells.pop();
            }
            cells.insert(place, (promise, cell));
            if cells.len() == most {
                least = cells[most - 1].0;
            }
        });
    }
}

/// What a stone promises: rows of one's own, and rows of the other side that it stops.
#[inline]
fn promise_of(board: &Board, cell: Cell) -> i32 {
    board.promise_to_both(cell)
}

/// What two stones promise beyond what each does: in a window of one's own both count, in one of the other
/// side's the second stone stops nothing more.
fn together(board: &Board, one: Cell, another: Cell) -> i32 {
    let (us, them) = (board.to_move(), !board.to_move());
    let mut more = 0;
    board.windows().for_each_through_both(one, another, |window| {
        let (own, other) = (board.stones_in(us, window), board.stones_in(them, window));
        if other == 0 {
            more += PROMISE[own + 1] - PROMISE[own];
        }
        if own == 0 {
            more -= PROMISE[other];
        }
    });
    more
}

fn push_all(
    board: &Board,
    pairs: impl IntoIterator<Item = (Cell, Cell)>,
    candidates: &mut Vec<Candidate>,
) {
    for (one, another) in pairs {
        let more = if one == another { 0 } else { together(board, one, another) };
        let promise = promise_of(board, one) + promise_of(board, another) + more;
        candidates.push(Candidate { turn: Turn(one, another), promise });
    }
}
