//! The turns of an attack: pairs of stones after which it takes two stones or more to stop all threats.
//!
//! A window with three stones becomes a threat by one stone, one with two stones by both. So what a pair threatens
//! can be told from these windows without putting the stones down.

use tesuji_games::Side;

use super::super::board::Board;
use super::super::threats::{Blocks, Gap, are_stopped_by, blocks, push_gaps};
use crate::cell::{CELL_NUMBERS, Cell};

/// Two stones that make threats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Threatening {
    pub(super) cells: (Cell, Cell),
    /// What it takes to stop the threats: two stones, or more than a turn has.
    pub(super) blocks: Blocks,
    promise: i32,
}

/// At most so many turns are tried at a node, the most promising first.
const MOST_TURNS: usize = 40;

/// Finds such turns; keeps the memory it needs for that.
#[derive(Clone, Default, Debug)]
pub(super) struct Finder {
    /// For every cell that makes a threat alone, the gaps of the threats, sorted by cell.
    by_one: Vec<(Cell, Gap)>,
    /// The gaps of these.
    gaps_by_one: Vec<Gap>,
    /// Where the gaps of a cell begin and end.
    ranges: Vec<(Cell, usize, usize)>,
    /// By a cell's number, its place in `ranges` plus 1.
    places: Vec<u16>,
    /// Pairs that make a threat together in a window with two stones, once for each such window.
    pairs: Vec<(Cell, Cell)>,
    stops: Vec<Gap>,
    gaps: Vec<Gap>,
}

impl Finder {
    /// Adds the turns of `side`, which cannot win at once. They also stop the other side's threats.
    pub(super) fn push_turns(&mut self, board: &Board, side: Side, turns: &mut Vec<Threatening>) {
        let first = turns.len();
        self.stops.clear();
        push_gaps(board, !side, &mut self.stops);
        if blocks(&self.stops) == Blocks::Lost {
            return;
        }
        self.find_single_threats(board, side);
        self.push_pairs_of_threats(board, side, turns);
        self.push_pairs_in_windows(board, side, turns);
        self.push_with_spare_stone(board, side, turns);
        turns[first..].sort_unstable_by_key(|turn| (turn.blocks < Blocks::Lost, -turn.promise));
        turns.truncate(first + MOST_TURNS);
    }

    fn find_single_threats(&mut self, board: &Board, side: Side) {
        self.by_one.clear();
        if board.count(side, 3) > 0 {
            board.alone(side, 3).for_each(|window| {
                let [a, b, c] = empty_cells(board, window);
                self.by_one.extend([(a, Gap(b, c)), (b, Gap(a, c)), (c, Gap(a, b))]);
            });
        }
        self.by_one.sort_unstable_by_key(|&(cell, _)| cell);
        self.gaps_by_one.clear();
        self.gaps_by_one.extend(self.by_one.iter().map(|&(_, gap)| gap));
        for &(cell, _, _) in &self.ranges {
            self.places[cell.number()] = 0;
        }
        self.places.resize(CELL_NUMBERS, 0);
        self.ranges.clear();
        for (n, &(cell, _)) in self.by_one.iter().enumerate() {
            match self.ranges.last_mut() {
                Some((last, _, end)) if *last == cell => *end = n + 1,
                _ => {
                    self.ranges.push((cell, n, n + 1));
                    self.places[cell.number()] = self.ranges.len() as u16;
                }
            }
        }
    }

    /// Both stones make a threat.
    fn push_pairs_of_threats(&mut self, board: &Board, side: Side, turns: &mut Vec<Threatening>) {
        for n in 0..self.ranges.len() {
            for m in n + 1..self.ranges.len() {
                self.push_if_double(board, side, (self.ranges[n].0, self.ranges[m].0), turns);
            }
        }
    }

    /// Both stones are in a window with two stones. Without a threat of its own by one of them it takes three
    /// such windows in a row, an open four, to make two stones necessary.
    fn push_pairs_in_windows(&mut self, board: &Board, side: Side, turns: &mut Vec<Threatening>) {
        self.pairs.clear();
        if board.count(side, 2) == 0 {
            return;
        }
        board.alone(side, 2).for_each(|window| {
            let [a, b, c, d] = empty_cells(board, window);
            self.pairs.extend([(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)]);
        });
        self.pairs.sort_unstable();
        let mut n = 0;
        while n < self.pairs.len() {
            let pair = self.pairs[n];
            let windows = self.pairs[n..].iter().take_while(|&&other| other == pair).count();
            n += windows;
            match (self.threats_of(pair.0).is_empty(), self.threats_of(pair.1).is_empty()) {
                (true, true) if windows < 3 => {}
                (false, false) => {} // Pushed above.
                _ => self.push_if_double(board, side, pair, turns),
            }
        }
    }

    /// One stone suffices, the other goes where it stops threats, or where it promises most.
    fn push_with_spare_stone(&mut self, board: &Board, side: Side, turns: &mut Vec<Threatening>) {
        for n in 0..self.ranges.len() {
            let one = self.ranges[n].0;
            if blocks(self.threats_of(one)) < Blocks::Two {
                continue;
            }
            let best = best_other_cell(board, side, one);
            let stops = self.stops.iter().flat_map(|gap| [gap.0, gap.1]);
            let spare: Vec<Cell> = stops.chain(best).filter(|&cell| cell != one).collect();
            for cell in spare {
                let pair = (one.min(cell), one.max(cell));
                if self.threats_of(cell).is_empty() {
                    self.push_if_double(board, side, pair, turns);
                }
            }
        }
    }

    fn threats_of(&self, cell: Cell) -> &[Gap] {
        match self.places[cell.number()].checked_sub(1) {
            Some(place) => {
                let (_, start, end) = self.ranges[usize::from(place)];
                &self.gaps_by_one[start..end]
            }
            None => &[],
        }
    }

    fn push_if_double(
        &mut self,
        board: &Board,
        side: Side,
        (one, another): (Cell, Cell),
        turns: &mut Vec<Threatening>,
    ) {
        if !are_stopped_by(&self.stops, one, another) {
            return;
        }
        let mut gaps = std::mem::take(&mut self.gaps);
        gaps.clear();
        gaps.extend(self.threats_of(one).iter().map(|&gap| without(gap, another)));
        gaps.extend(self.threats_of(another).iter().map(|&gap| without(gap, one)));
        board.windows().for_each_through_both(one, another, |window| {
            if board.alone(side, 2).contains(window) {
                gaps.push(gap_beside(board, window, one, another));
            }
        });
        let blocks = blocks(&gaps);
        if blocks >= Blocks::Two {
            let promise = board.promise(side, one) + board.promise(side, another);
            turns.push(Threatening { cells: (one, another), blocks, promise });
        }
        self.gaps = gaps;
    }
}

/// What is left of a gap when its side puts a stone on a cell.
fn without(gap: Gap, cell: Cell) -> Gap {
    match gap {
        Gap(a, b) if a == cell => Gap(b, b),
        Gap(a, b) if b == cell => Gap(a, a),
        gap => gap,
    }
}

/// The empty cells of a window that has `N` of them.
fn empty_cells<const N: usize>(board: &Board, window: u16) -> [Cell; N] {
    let mut empty = [Cell::default(); N];
    let cells = board.windows().cells(window).iter().copied();
    for (slot, cell) in empty.iter_mut().zip(cells.filter(|&cell| board.is_empty_cell(cell))) {
        *slot = cell;
    }
    empty
}

/// The two empty cells of a window with four of them, other than these.
fn gap_beside(board: &Board, window: u16, one: Cell, another: Cell) -> Gap {
    let mut rest = [Cell::default(); 2];
    let cells = empty_cells::<4>(board, window).into_iter();
    for (slot, cell) in rest.iter_mut().zip(cells.filter(|&cell| cell != one && cell != another)) {
        *slot = cell;
    }
    Gap(rest[0], rest[1])
}

fn best_other_cell(board: &Board, side: Side, one: Cell) -> Option<Cell> {
    let mut best: Option<(i32, Cell)> = None;
    board.empty().for_each(|cell| {
        let promise = board.promise(side, cell);
        if cell != one && best.is_none_or(|(known, _)| promise > known) {
            best = Some((promise, cell));
        }
    });
    best.map(|(_, cell)| cell)
}
