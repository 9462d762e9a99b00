//! A whole turn: pass after pass until nothing is in a row any more.

use super::board::Board;
use super::step::makes_bonuses;
use super::{Created, Grid, Mask, Step};
use crate::random::{Rng, below};

/// Passes after which a turn ends whatever stands in a row. By the original rules a square of nine gems of one kind,
/// which consists of crossings alone, becomes nine diamonds in every pass and none goes: the published game would never
/// come back. And on large boards with three kinds new runs come faster than old ones go.
pub const MOST_PASSES: u32 = 100;

/// Where new gems come from.
pub trait Refill {
    /// The kind of the next gem, below `kinds`.
    fn kind(&mut self, kinds: u8) -> u8;

    /// A number below `n`, for shuffling.
    fn number(&mut self, n: u32) -> u32;
}

impl Refill for Rng {
    #[inline]
    fn kind(&mut self, kinds: u8) -> u8 {
        below(self, u32::from(kinds)) as u8
    }

    fn number(&mut self, n: u32) -> u32 {
        below(self, n)
    }
}

/// Recorded draws, in the order in which gems appear: falling one row at a time, the columns from left to right.
#[derive(Clone, Debug)]
pub struct Tape<'a> {
    kinds: &'a [u8],
    used: usize,
    shuffler: Rng,
}

impl<'a> Tape<'a> {
    /// From these kinds; what has to be shuffled is shuffled by `shuffler`.
    pub fn new(kinds: &'a [u8], shuffler: Rng) -> Self {
        Tape { kinds, used: 0, shuffler }
    }

    /// How many draws were asked for. More than there are mean that the tape was too short, and zeros were drawn.
    pub fn used(&self) -> usize {
        self.used
    }
}

impl Refill for Tape<'_> {
    fn kind(&mut self, kinds: u8) -> u8 {
        self.used += 1;
        self.kinds.get(self.used - 1).copied().filter(|kind| *kind < kinds).unwrap_or(0)
    }

    fn number(&mut self, n: u32) -> u32 {
        below(&mut self.shuffler, n)
    }
}

/// Who looks on while a turn is played. Whoever does not watch costs nothing.
pub trait Witness<M> {
    /// Whether it wants to be told.
    const WATCHES: bool;

    /// A pass is over; the last one of a turn removes nothing.
    fn pass(&mut self, pass: &Pass<'_, M>);
}

impl<M> Witness<M> for () {
    const WATCHES: bool = false;

    fn pass(&mut self, _: &Pass<'_, M>) {}
}

/// One pass, as a witness sees it.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a, M> {
    /// From 1.
    pub number: u32,
    /// The board before it, the swap already made.
    pub before: &'a Board<M>,
    /// What went and what became a bonus.
    pub step: &'a Step<M>,
    /// Cells that lost a layer of ice.
    pub ice_broken: M,
    /// The upper left cells of the medals that were freed.
    pub medals_freed: M,
    /// The board after falling and refilling.
    pub after: &'a Board<M>,
    /// What it scored.
    pub score: u64,
}

/// What came of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Turn {
    /// Passes, the last one included, which found nothing.
    pub passes: u32,
    /// What they scored.
    pub score: u64,
    /// How many medals they freed.
    pub medals_freed: u8,
    /// Whether the board was shuffled in the end because no swap was legal.
    pub reshuffled: bool,
}

impl<M: Mask> Board<M> {
    /// Exchanges the gems of two cells.
    #[inline(always)]
    pub(super) fn exchange(&mut self, [a, b]: [u32; 2]) {
        let both = M::bit(a) | M::bit(b);
        for plane in self.kinds.iter_mut().chain(&mut self.bonuses) {
            *plane ^= both.only_if((*plane & both).count() == 1);
        }
    }

    /// Plays passes until nothing is in a row, [`MOST_PASSES`] at most. The swap has been made; its cells stay in force throughout.
    #[inline(always)]
    pub(super) fn cascade<const S: u32, R: Refill, W: Witness<M>>(
        &mut self,
        grid: &Grid<M>,
        swapped: [u32; 2],
        refill: &mut R,
        witness: &mut W,
    ) -> Turn {
        let mut turn = Turn::default();
        loop {
            turn.passes += 1;
            let before = *self;
            let found = Step::of::<S>(self, grid, swapped);
            let step = found.unwrap_or_default();
            let medals_freed = self.apply::<S>(grid, &step);
            let score =
                u64::from(turn.passes) * self.pass_score(grid, &before, &step, medals_freed);
            turn.score += score;
            turn.medals_freed += medals_freed.count() as u8;
            self.fall(grid, step.removed, refill);
            if W::WATCHES {
                let hit = step.removed | step.created.cells().only_if(makes_bonuses(grid));
                let (number, ice_broken) = (turn.passes, hit & before.iced());
                let (step, before, after) = (&step, &before, &*self);
                witness.pass(&Pass {
                    number,
                    before,
                    step,
                    ice_broken,
                    medals_freed,
                    after,
                    score,
                });
            }
            if found.is_none() || turn.passes == MOST_PASSES {
                return turn;
            }
        }
    }

    /// Breaks ice, frees medals and places bonuses, in this order: a medal whose last ice lay under a new bonus waits
    /// for the next pass. Gives the medals that were freed.
    #[inline(always)]
    pub(super) fn apply<const S: u32>(&mut self, grid: &Grid<M>, step: &Step<M>) -> M {
        self.break_ice(step.removed);
        let bare = grid.cells & !self.iced();
        let freed = self.medals & grid.medals_within_at::<S>(bare);
        self.medals ^= freed;
        self.freed |= freed;
        if makes_bonuses(grid) && !step.created.is_empty() {
            self.place_bonuses(&step.created);
        }
        freed
    }

    /// The gems keep their kinds, and a layer of ice goes for each bonus.
    #[inline(always)]
    fn place_bonuses(&mut self, created: &Created<M>) {
        let cells = created.cells();
        self.bonuses[0] = self.bonuses[0] & !cells | created.crosses | created.diamonds;
        self.bonuses[1] = self.bonuses[1] & !cells | created.stars | created.diamonds;
        self.break_ice(cells);
        self.break_ice(created.twice());
    }

    /// Takes one layer of ice off these cells, where there is one: binary subtraction in all cells at once.
    #[inline(always)]
    fn break_ice(&mut self, cells: M) {
        let mut borrow = cells & self.iced();
        for plane in &mut self.ice {
            let had = *plane;
            *plane ^= borrow;
            borrow &= !had;
        }
    }

    /// The score of a pass, before it is multiplied by its number.
    #[inline(always)]
    fn pass_score(&self, grid: &Grid<M>, before: &Board<M>, step: &Step<M>, freed: M) -> u64 {
        let created = if makes_bonuses(grid) { step.created.count() } else { 0 };
        let fired = (step.removed & before.bonus_gems()).count();
        let portions = 4 * freed.count();
        100 * (u64::from(step.removed.count() + created + 5 * fired + 40 * portions))
    }

    /// Lets gems fall into the holes and draws new ones, a row at a time in all columns at once: the uppermost hole of
    /// each column is filled from above, and a new gem comes in at the top.
    #[inline(always)]
    pub(super) fn fall<R: Refill>(&mut self, grid: &Grid<M>, mut holes: M, refill: &mut R) {
        let last_row = u32::from(grid.settings.rows) - 1;
        while !holes.is_empty() {
            // A stop below each column keeps the subtraction from borrowing across columns.
            let stopped = holes | grid.bottom << 1;
            let less_one = stopped.minus(grid.top);
            let full = less_one & !stopped & grid.bottom;
            let full_cells = (full << 1).minus(full >> last_row);
            let above = less_one & !stopped & !full_cells;
            let filled = holes & !less_one;
            for plane in self.kinds.iter_mut().chain(&mut self.bonuses) {
                *plane = (*plane & !(above | filled)) | (*plane & above) << 1;
            }
            holes ^= filled;
            (grid.top & !(full >> last_row)).for_each(|index| {
                let kind = refill.kind(grid.settings.kinds);
                let bit = M::bit(index);
                for (n, plane) in self.kinds.iter_mut().enumerate() {
                    *plane |= bit.only_if(kind >> n & 1 == 1);
                }
            });
        }
    }
}
