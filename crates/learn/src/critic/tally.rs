//! Stones, and how often each pattern occurs, kept from stone to stone. A stone changes nothing off the four lines
//! through its cell.

use std::sync::Arc;

use tesuji_games::{Side, Stones};

use super::line_memory::{FIELDS, LineCounts, differences};
use super::patterns::PATTERNS;
use super::scheme::Scheme;

/// How often each pattern occurs, of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts(pub(super) [u16; FIELDS]);

impl Counts {
    /// The counts of one side, in the report's order.
    #[inline]
    pub fn of(&self, side: Side) -> &[u16; PATTERNS] {
        let (first, second) = self.0.split_at(PATTERNS);
        let half = if side == Side::First { first } else { second };
        half.try_into().expect("both halves have one count a pattern")
    }

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
    pub fn new(scheme: Arc<Scheme>) -> Tally {
        let lines = scheme.line_count();
        Tally {
            scheme,
            stones: vec![[0; 2]; lines],
            on_line: vec![0; lines],
            counts: Counts::default(),
        }
    }

    /// The stones of a position, which must be on the scheme's board.
    pub fn of<P: Stones>(scheme: Arc<Scheme>, position: &P) -> Tally {
        let mut tally = Tally::new(scheme);
        for cell in 0..tally.scheme.grid().cells() {
            if let Some(side) = position.stone_at(cell) {
                tally.put(cell, side);
            }
        }
        tally
    }

    /// Takes all stones away.
    pub fn clear(&mut self) {
        self.stones.fill([0; 2]);
        self.on_line.fill(0);
        self.counts = Counts::default();
    }

    /// The scheme.
    pub fn scheme(&self) -> &Arc<Scheme> {
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

    /// Puts a stone on an empty cell.
    pub fn put(&mut self, cell: usize, side: Side) {
        self.flip(cell, side);
    }

    /// Takes away a stone that is there.
    pub fn lift(&mut self, cell: usize, side: Side) {
        self.flip(cell, side);
    }

    fn flip(&mut self, cell: usize, side: Side) {
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
