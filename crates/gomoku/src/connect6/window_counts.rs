//! How many stones of each side lie in every window, and what follows from that: which windows are nearly full,
//! and what a cell promises. A stone changes at most 24 windows, each by a look into tables of what a window can
//! contain.

use tesuji_games::Side;

use super::evaluation::MOVE_SCORES;
use super::windows::{SIX, WindowSet, Windows};
use crate::cell::Cell;

/// See the top of this file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WindowCounts {
    /// For each window, the stones of the first side, and in the higher four bits those of the second.
    contents: Box<[u8]>,
    /// The windows of every kind, and how many there are.
    sets: Box<[WindowSet; KINDS]>,
    counts: [u16; KINDS],
    /// For each cell, the sum of what its windows promise to both sides.
    move_scores: Box<[ScorePair; 1024]>,
}

/// What a cell promises to the first side, plus 2³² times what it promises to the second: one addition for both.
type ScorePair = i64;

/// Kinds of windows: with stones of both sides, without stones, with 1 to 6 of the first side alone, and of the
/// second; rounded up.
const KINDS: usize = 16;
const EMPTY: usize = 1;

/// The kind of windows with so many stones of a side and none of the other.
const fn kind(side: Side, stones: usize) -> usize {
    if stones == 0 { EMPTY } else { EMPTY + SIX * side as usize + stones }
}

/// What each content of a window means: its kind, and what it promises.
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
    /// No stones.
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

    /// What a cell promises to both sides together.
    #[inline]
    pub(super) fn combined_move_score(&self, cell: Cell) -> i32 {
        let both = self.move_scores[cell.number() % 1024];
        (both as i32).wrapping_add((both >> 32) as i32)
    }

    /// Counts a stone on an empty cell.
    #[inline]
    pub(super) fn put(&mut self, windows: &Windows, side: Side, cell: Cell) {
        for &window in windows.through(cell) {
            let before = self.contents[usize::from(window)];
            self.change(windows, window, before, before.wrapping_add(stone(side)));
        }
    }

    /// Counts such a stone no more.
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

/// A stone as a part of a window's content.
#[inline]
const fn stone(side: Side) -> u8 {
    match side {
        Side::First => 1,
        Side::Second => 1 << 4,
    }
}
