//! A board of any size up to 20x20, stored as its lines: for each side a word for every row, column
//! and diagonal. A stone sets four bits, and four words show whether it wins.

use std::sync::OnceLock;

use super::runs::{
    LineStones, MOVE_SCORES, VALUE, completing_cells, for_constant_k, open_windows, run_starts,
    winning_starts,
};
use super::{MAX_SIDE, MnkBoard, MnkRules};
use crate::bits::{for_each_bit, nth_set_bit};
use crate::random::{Rng, below, word};
use crate::{RowRule, Side};

/// The first word of each direction: rows by row, columns by column, rising diagonals by column −
/// row, falling diagonals by column + row. The bits of a column are rows, those of any other line
/// are columns.
const COLUMNS: usize = MAX_SIDE;
const RISING: usize = 2 * MAX_SIDE;
const FALLING: usize = 4 * MAX_SIDE - 1;
const LINES: usize = 6 * MAX_SIDE - 2;
/// A power of two, so that an index can be masked instead of checked, and that loops process whole
/// vectors of words.
const WORDS: usize = 128;

type Words = [u32; WORDS];

/// A board stored as its lines; see the [module](self).
#[derive(Clone, Debug)]
pub struct LineBoard {
    stones: [Words; 2],
    /// The cells of each line on this board.
    cells: &'static Words,
}

/// The four lines through a cell, and its bit in each.
#[inline]
fn lines_through(cell: u16) -> [(usize, u32); 4] {
    let (column, row) = (usize::from(cell) & 31, usize::from(cell) >> 5);
    [
        (row, column as u32),
        (COLUMNS + column, row as u32),
        (RISING + MAX_SIDE - 1 + column - row, column as u32),
        (FALLING + column + row, column as u32),
    ]
}

/// The cell at a bit of a line.
fn cell_of(line: usize, bit: u32) -> u16 {
    let bit = bit as usize;
    let (column, row) = match line {
        FALLING.. => (bit, line - FALLING - bit),
        RISING.. => (bit, bit + RISING + MAX_SIDE - 1 - line),
        COLUMNS.. => (line - COLUMNS, bit),
        _ => (bit, line),
    };
    (row << 5 | column) as u16
}

/// The cells of each line on a board of this size; computed once for each size.
fn cells_of_lines(rules: &MnkRules) -> &'static Words {
    static ALL: [OnceLock<Words>; MAX_SIDE * MAX_SIDE] =
        [const { OnceLock::new() }; MAX_SIDE * MAX_SIDE];
    let (width, height) = (rules.width(), rules.height());
    ALL[(height - 1) * MAX_SIDE + width - 1].get_or_init(|| {
        let mut cells = [0; WORDS];
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column)))
        {
            for (line, bit) in lines_through((row << 5 | column) as u16) {
                cells[line] |= 1 << bit;
            }
        }
        cells
    })
}

impl LineBoard {
    /// The number of stones of `side` at most `reach` cells away from a cell, in each of the four
    /// lines through it.
    #[inline]
    pub fn stones_near(&self, side: Side, cell: u16, reach: u32) -> [u32; 4] {
        let words = &self.stones[side.index()];
        lines_through(cell).map(|(line, bit)| {
            let window = ((2_u64 << (2 * reach)) - 1) << bit >> reach;
            (u64::from(words[line & (WORDS - 1)]) & window).count_ones()
        })
    }

    #[inline]
    fn seen_by(&self, side: Side, line: usize) -> LineStones {
        let words = |side: Side| u64::from(self.stones[side.index()][line & (WORDS - 1)]);
        LineStones { own: words(side), other: words(!side) }
    }

    #[inline]
    fn empty_in_row(&self, row: usize) -> u32 {
        self.cells[row] & !(self.stones[0][row] | self.stones[1][row])
    }
}

impl MnkBoard for LineBoard {
    const ROW_SHIFT: u32 = 5;

    fn empty(rules: &MnkRules) -> Self {
        LineBoard { stones: [[0; WORDS]; 2], cells: cells_of_lines(rules) }
    }

    #[inline]
    fn is_empty_cell(&self, cell: u16) -> bool {
        let row = usize::from(cell) >> 5;
        row < MAX_SIDE && self.empty_in_row(row) >> (cell & 31) & 1 != 0
    }

    #[inline]
    fn has_stone(&self, side: Side, cell: u16) -> bool {
        self.stones[side.index()][usize::from(cell) >> 5 & (WORDS - 1)] >> (cell & 31) & 1 != 0
    }

    #[inline]
    fn place(&mut self, side: Side, cell: u16) {
        let words = &mut self.stones[side.index()];
        for (line, bit) in lines_through(cell) {
            words[line & (WORDS - 1)] |= 1 << bit;
        }
    }

    #[inline]
    fn remove(&mut self, side: Side, cell: u16) {
        let words = &mut self.stones[side.index()];
        for (line, bit) in lines_through(cell) {
            words[line & (WORDS - 1)] &= !(1 << bit);
        }
    }

    #[inline]
    fn has_run_through(&self, rules: &MnkRules, side: Side, cell: u16) -> bool {
        let lines = lines_through(cell).map(|(line, _)| self.seen_by(side, line));
        let runs = |stones| winning_starts(stones, 1, rules.k(), rules.row(side));
        lines.into_iter().map(runs).fold(0, |all, some| all | some) != 0
    }

    #[inline]
    fn for_each_empty_cell(&self, rules: &MnkRules, mut each: impl FnMut(u16)) {
        for row in 0..rules.height() {
            let first = (row << 5) as u16;
            for_each_bit(u64::from(self.empty_in_row(row)), |column| each(first | column as u16));
        }
    }

    #[inline]
    fn random_empty_cell(&self, rules: &MnkRules, empty: u32, rng: &mut Rng) -> u16 {
        // Rejection sampling is faster than counting while many cells are empty.
        if empty * 4 >= rules.cells() as u32 {
            loop {
                let random = word(rng);
                let row = ((random >> 32) * rules.height() as u64) >> 32;
                let column = ((random & 0xffff_ffff) * rules.width() as u64) >> 32;
                let cell = (row << 5 | column) as u16;
                if self.is_empty_cell(cell) {
                    return cell;
                }
            }
        }
        let mut n = below(rng, empty);
        let mut row = 0;
        loop {
            let cells = self.empty_in_row(row);
            let here = cells.count_ones();
            if n < here {
                let column = nth_set_bit(u64::from(cells), n).trailing_zeros();
                return (row << 5) as u16 | column as u16;
            }
            n -= here;
            row += 1;
        }
    }

    #[inline]
    fn completing_cell(&self, rules: &MnkRules, side: Side) -> Option<u16> {
        for_constant_k!(rules.k(), completing_cell(self, side, rules.row(side)))
    }

    #[inline]
    fn window_balance(&self, rules: &MnkRules) -> i32 {
        if rules.k() > 8 {
            // Lengths above 8 are not compiled as constants; for them a loop over the windows is
            // faster.
            return balance_by_window(self, rules.k());
        }
        for_constant_k!(rules.k(), balance(self))
    }

    #[inline]
    fn move_score(&self, rules: &MnkRules, side: Side, cell: u16) -> i32 {
        for_constant_k!(rules.k(), windows_through(self, side, cell))
    }
}

#[inline(always)]
fn completing_cell(board: &LineBoard, side: Side, row: RowRule, k: u32) -> Option<u16> {
    let own = &board.stones[side.index()];
    (0..LINES).filter(|&line| own[line].count_ones() + 1 >= k).find_map(|line| {
        let stones = board.seen_by(side, line);
        let completing = completing_cells(stones, 1, k, row) & !stones.other;
        match completing as u32 & board.cells[line] {
            0 => None,
            cells => Some(cell_of(line, cells.trailing_zeros())),
        }
    })
}

#[inline(always)]
fn balance(board: &LineBoard, k: u32) -> i32 {
    // A loop without branches, which the compiler vectorizes.
    let [first, second] = &board.stones;
    let mut value = 0;
    for line in 0..WORDS {
        let windows = run_starts(u64::from(board.cells[line]), 1, k) as u32;
        value += open_windows(first[line], second[line], windows, 1, k)
            - open_windows(second[line], first[line], windows, 1, k);
    }
    value
}

fn balance_by_window(board: &LineBoard, k: u32) -> i32 {
    let window = (1_u32 << k) - 1;
    let [first, second] = &board.stones;
    let mut value = 0;
    for line in (0..LINES).filter(|&line| first[line] | second[line] != 0) {
        for_each_bit(run_starts(u64::from(board.cells[line]), 1, k), |start| {
            let count = |stones: u32| (stones >> start & window).count_ones() as usize;
            value += match (count(first[line]), count(second[line])) {
                (n, 0) if n < k as usize => VALUE[k as usize][n],
                (0, n) if n < k as usize => -VALUE[k as usize][n],
                _ => 0,
            };
        });
    }
    value
}

/// The move score of an empty cell: the sum over all windows through it.
#[inline(always)]
fn windows_through(board: &LineBoard, side: Side, cell: u16, k: u32) -> i32 {
    let (mine, theirs) = (&board.stones[side.index()], &board.stones[(!side).index()]);
    let table = &MOVE_SCORES[k as usize];
    let window = (1_u64 << k) - 1;
    let mut move_score = 0;
    for (line, bit) in lines_through(cell) {
        let line = line & (WORDS - 1);
        // The 2k − 1 cells around this one. Cells outside the board count as stones of both sides,
        // so that windows with such cells have no value.
        let around = |stones: u32| !(u64::from(board.cells[line] & !stones) << (k - 1) >> bit);
        let (mine, theirs) = (around(mine[line]), around(theirs[line]));
        for place in 0..k {
            let (m, t) = (mine >> place & window, theirs >> place & window);
            move_score += table[m.count_ones() as usize][t.count_ones() as usize];
        }
    }
    move_score
}
