//! The number of stones of each side in every window, and what follows from it: the sets of windows
//! by content, and the move scores of cells. A stone changes at most 24 windows, each by a table
//! lookup on its content.

use tesuji_games::Side;

use super::evaluation::MOVE_SCORES;
use super::windows::{SIX, WindowSet, Windows};
use crate::cell::Cell;

/// Window contents, window sets and move scores, updated incrementally.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WindowCounts {
    /// For each window, the stones of the first side in the lower four bits and those of the second
    /// in the upper.
    contents: Box<[u8]>,
    /// The windows of every kind, and their number.
    sets: Box<[WindowSet; KINDS]>,
    counts: [u16; KINDS],
    /// For each cell, the sum of the move scores of its windows for both sides.
    move_scores: Box<[ScorePair; 1024]>,
}

/// The move score for the first side plus 2³² times that for the second: one addition updates both.
type ScorePair = i64;

/// Kinds of windows: mixed, empty, and with 1 to 6 stones of the first or the second side alone;
/// rounded up.
const KINDS: usize = 16;
const EMPTY: usize = 1;

/// The kind of a window with this number of stones of a side and none of the opponent.
const fn kind(side: Side, stones: usize) -> usize {
    if stones == 0 { EMPTY } else { EMPTY + SIX * side as usize + stones }
}

/// For each content of a window: its kind and the move scores of its cells.
static CONTENT_TABLE: [(u8, ScorePair); 256] = content_table();

const fn content_table() -> [(u8, ScorePair); 256] {
    let mut content_table = [(0, 0); 256];
    let mut stones = 0;
    while stones <= SIX {
        content_table[stones] = (kind(Side::First, stones) as u8, MOVE_SCORES[stones] as i64);
        content_table[stones << 4] =
            (kind(Side::Second, stones) as u8, (MOVE_SCORES[stones] as i64) << 32);
        stones += 1;
    }
    content_table[0].1 = MOVE_SCORES[0] as i64 + ((MOVE_SCORES[0] as i64) << 32);
    content_table
}

impl WindowCounts {
    /// Creates the counts of an empty board.
    pub(super) fn empty(windows: &Windows) -> WindowCounts {
        let mut window_counts = WindowCounts {
            contents: vec![0; windows.len()].into(),
            sets: Box::new([WindowSet::NONE; KINDS]),
            counts: [0; KINDS],
            move_scores: Box::new([0; 1024]),
        };
        window_counts.counts[EMPTY] = windows.len() as u16;
        for window in 0..windows.len() as u16 {
            window_counts.sets[EMPTY].toggle(window);
            for cell in windows.cells(window) {
                window_counts.move_scores[cell.number()] += CONTENT_TABLE[0].1;
            }
        }
        window_counts
    }

    #[inline]
    pub(super) fn count(&self, side: Side, stones: usize) -> u16 {
        self.counts[kind(side, stones)]
    }

    #[inline]
    pub(super) fn windows_with(&self, side: Side, stones: usize) -> &WindowSet {
        &self.sets[kind(side, stones)]
    }

    #[inline]
    pub(super) fn stones_in(&self, side: Side, window: u16) -> usize {
        usize::from(self.contents[usize::from(window)] >> (4 * side.index()) & 15)
    }

    #[inline]
    pub(super) fn move_score(&self, side: Side, cell: Cell) -> i32 {
        let both = self.move_scores[cell.number() % 1024];
        match side {
            Side::First => both as i32,
            Side::Second => (both >> 32) as i32,
        }
    }

    /// The move score of a cell for both sides together.
    #[inline]
    pub(super) fn combined_move_score(&self, cell: Cell) -> i32 {
        let both = self.move_scores[cell.number() % 1024];
        (both as i32).wrapping_add((both >> 32) as i32)
    }

    /// Adds a stone on an empty cell.
    #[inline]
    pub(super) fn put(&mut self, windows: &Windows, side: Side, cell: Cell) {
        for &window in windows.through(cell) {
            let before = self.contents[usize::from(window)];
            self.change(windows, window, before, before.wrapping_add(stone(side)));
        }
    }

    /// Removes a stone.
    #[inline]
    pub(super) fn take(&mut self, windows: &Windows, side: Side, cell: Cell) {
        for &window in windows.through(cell) {
            let before = self.contents[usize::from(window)];
            self.change(windows, window, before, before.wrapping_sub(stone(side)));
        }
    }

    #[inline]
    fn change(&mut self, windows: &Windows, window: u16, before: u8, after: u8) {
        self.contents[usize::from(window)] = after;
        let (kind_before, scores_before) = CONTENT_TABLE[usize::from(before)];
        let (kind_after, scores_after) = CONTENT_TABLE[usize::from(after)];
        if kind_before == kind_after {
            return;
        }
        let (from, to) = (usize::from(kind_before) % KINDS, usize::from(kind_after) % KINDS);
        self.counts[from] = self.counts[from].wrapping_sub(1);
        self.counts[to] = self.counts[to].wrapping_add(1);
        self.sets[from].toggle(window);
        self.sets[to].toggle(window);
        let gain = scores_after - scores_before;
        for cell in windows.cells(window) {
            self.move_scores[cell.number() % 1024] += gain;
        }
    }
}

/// The content of a window with this stone alone.
#[inline]
const fn stone(side: Side) -> u8 {
    match side {
        Side::First => 1,
        Side::Second => 1 << 4,
    }
}
