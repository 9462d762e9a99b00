//! Stones, and how often each pattern occurs, kept from stone to stone. A stone changes nothing off the four lines
//! through its cell.

use std::sync::Arc;

use tesuji_games::Side;

use super::line_memory::{FIELDS, LineCounts, differences};
use super::scheme::Scheme;

/// How often each pattern occurs, of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts(pub(super) [u16; FIELDS]);

impl Counts {
    /// Changed as the sums over the lines through a cell have changed.
    #[inline]
    pub(super) fn change(&mut self, old: LineCounts, new: LineCounts) {
        differences(old, new, |field, old, new| self.0[field] = self.0[field] + new - old);
    }
}

/// See the top of this file.
#[derive(Clone, Debug)]
pub struct Tally {
    scheme: Arc<Scheme>,
    /// By line: the stones of both sides as bits.
    stones: Vec<[u32; 2]>,
    /// By line.
    on_line: Vec<LineCounts>,
    counts: Counts,
}

/// What the lines through a cell hold: before a stone is put there, and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Through {
    pub(super) before: LineCounts,
    pub(super) after: LineCounts,
}

impl Tally {
    /// An empty board.
    pub(super) fn new(scheme: Arc<Scheme>) -> Tally {
        let lines = scheme.line_count();
        Tally {
            scheme,
            stones: vec![[0; 2]; lines],
            on_line: vec![0; lines],
            counts: Counts::default(),
        }
    }

    /// Takes all stones away.
    pub(super) fn clear(&mut self) {
        self.stones.fill([0; 2]);
        self.on_line.fill(0);
        self.counts = Counts::default();
    }

    pub(super) fn scheme(&self) -> &Arc<Scheme> {
        &self.scheme
    }

    /// How often each pattern occurs.
    #[inline]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How often each would occur with a stone more, on an empty cell.
    pub fn counts_with(&self, cell: usize, side: Side) -> Counts {
        let Through { before, after } = self.through(cell, side);
        let mut counts = self.counts;
        counts.change(before, after);
        counts
    }

    /// Puts a stone on an empty cell, or takes away the one that is there.
    pub(super) fn flip(&mut self, cell: usize, side: Side) {
        for place in self.scheme.places(cell) {
            let line = usize::from(place.line);
            self.stones[line][side.index()] ^= 1 << place.bit;
            let counts = self.scheme.counts(place.line, self.stones[line]);
            self.counts.change(self.on_line[line], counts);
            self.on_line[line] = counts;
        }
    }

    /// What a stone on an empty cell would change.
    #[inline]
    pub(super) fn through(&self, cell: usize, side: Side) -> Through {
        let mut through = Through { before: 0, after: 0 };
        for place in self.scheme.places(cell) {
            let line = usize::from(place.line);
            let mut stones = self.stones[line];
            stones[side.index()] |= 1 << place.bit;
            through.before += self.on_line[line];
            through.after += self.scheme.counts(place.line, stones);
        }
        through
    }
}
