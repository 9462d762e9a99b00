//! Stones and pattern counts, updated incrementally. A stone changes only the four lines through
//! its cell.

use std::sync::Arc;

use tesuji_games::Side;

use super::line_cache::{FIELDS, LineCounts, differences};
use super::matcher::PatternMatcher;

/// Pattern counts of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CriticPatternCounts(pub(super) [u16; FIELDS]);

impl CriticPatternCounts {
    /// Applies the change of the sums over the lines through a cell.
    #[inline]
    pub(super) fn change(&mut self, old: LineCounts, new: LineCounts) {
        differences(old, new, |field, old, new| self.0[field] = self.0[field] + new - old);
    }
}

/// See the top of this file.
#[derive(Clone, Debug)]
pub struct PatternBoard {
    matcher: Arc<PatternMatcher>,
    /// By line: the stones of both sides as bits.
    stones: Vec<[u32; 2]>,
    /// By line: the pattern counts.
    line_counts: Vec<LineCounts>,
    counts: CriticPatternCounts,
}

/// The sum of counts over the lines through a cell, before and after a stone there.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineChange {
    pub(super) before: LineCounts,
    pub(super) after: LineCounts,
}

impl PatternBoard {
    /// An empty board.
    pub(super) fn new(matcher: Arc<PatternMatcher>) -> PatternBoard {
        let lines = matcher.line_count();
        PatternBoard {
            matcher,
            stones: vec![[0; 2]; lines],
            line_counts: vec![0; lines],
            counts: CriticPatternCounts::default(),
        }
    }

    /// Removes all stones.
    pub(super) fn clear(&mut self) {
        self.stones.fill([0; 2]);
        self.line_counts.fill(0);
        self.counts = CriticPatternCounts::default();
    }

    pub(super) fn matcher(&self) -> &Arc<PatternMatcher> {
        &self.matcher
    }

    /// The pattern counts.
    #[inline]
    pub fn counts(&self) -> &CriticPatternCounts {
        &self.counts
    }

    /// The pattern counts with one more stone, on an empty cell.
    pub fn counts_with(&self, cell: usize, side: Side) -> CriticPatternCounts {
        let LineChange { before, after } = self.line_change(cell, side);
        let mut counts = self.counts;
        counts.change(before, after);
        counts
    }

    /// Places a stone on an empty cell, or removes the one that is there.
    pub(super) fn flip(&mut self, cell: usize, side: Side) {
        for position in self.matcher.positions(cell) {
            let line = usize::from(position.line);
            self.stones[line][side.index()] ^= 1 << position.bit;
            let counts = self.matcher.counts(position.line, self.stones[line]);
            self.counts.change(self.line_counts[line], counts);
            self.line_counts[line] = counts;
        }
    }

    /// The change that a stone on an empty cell would make.
    #[inline]
    pub(super) fn line_change(&self, cell: usize, side: Side) -> LineChange {
        let mut change = LineChange { before: 0, after: 0 };
        for position in self.matcher.positions(cell) {
            let line = usize::from(position.line);
            let mut stones = self.stones[line];
            stones[side.index()] |= 1 << position.bit;
            change.before += self.line_counts[line];
            change.after += self.matcher.counts(position.line, stones);
        }
        change
    }
}
