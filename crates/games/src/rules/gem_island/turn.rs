//! A turn: passes until there are no runs.

use super::board::GemBoard;
use super::step::makes_bonuses;
use super::{CascadeStep, CreatedBonuses, GemGrid, Mask};
use crate::random::{Rng, below};

/// The maximum number of passes; a turn ends then even if there are runs. With the original rules a
/// square of nine gems of one kind, in which all cells are crossings, becomes nine diamonds in
/// every pass and none is removed, so that the published game hangs. And on large boards with three
/// kinds, new runs can appear faster than old ones are removed.
pub const MAX_PASSES: u32 = 100;

/// The source of new gems.
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

/// Recorded draws in the order in which gems appear: one row at a time, columns from left to right.
#[derive(Clone, Debug)]
pub struct RecordedRefill<'a> {
    kinds: &'a [u8],
    used: usize,
    shuffler: Rng,
}

impl<'a> RecordedRefill<'a> {
    /// Draws from these kinds; `shuffler` is used for shuffles.
    pub fn new(kinds: &'a [u8], shuffler: Rng) -> Self {
        RecordedRefill { kinds, used: 0, shuffler }
    }

    /// The number of draws. If it is larger than the number of recorded draws, the missing draws
    /// were 0.
    pub fn used(&self) -> usize {
        self.used
    }
}

impl Refill for RecordedRefill<'_> {
    fn kind(&mut self, kinds: u8) -> u8 {
        self.used += 1;
        self.kinds.get(self.used - 1).copied().filter(|kind| *kind < kinds).unwrap_or(0)
    }

    fn number(&mut self, n: u32) -> u32 {
        below(&mut self.shuffler, n)
    }
}

/// Observes the passes of a turn. A disabled observer has no cost.
pub trait TurnObserver<M> {
    /// Whether the observer is called.
    const ENABLED: bool;

    /// Called after each pass; the last pass of a turn removes nothing.
    fn pass(&mut self, pass: &CascadePass<'_, M>);
}

impl<M> TurnObserver<M> for () {
    const ENABLED: bool = false;

    fn pass(&mut self, _: &CascadePass<'_, M>) {}
}

/// One pass, for an observer.
#[derive(Clone, Copy, Debug)]
pub struct CascadePass<'a, M> {
    /// From 1.
    pub number: u32,
    /// The board before the pass, after the swap.
    pub before: &'a GemBoard<M>,
    /// The removed gems and the new bonuses.
    pub step: &'a CascadeStep<M>,
    /// The cells that lost a layer of ice.
    pub ice_broken: M,
    /// The upper left cells of the freed medals.
    pub medals_freed: M,
    /// The board after falling and refilling.
    pub after: &'a GemBoard<M>,
    /// The score of the pass.
    pub score: u64,
}

/// The summary of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TurnSummary {
    /// The number of passes, including the last one, which found no run.
    pub passes: u32,
    /// The score of all passes.
    pub score: u64,
    /// The number of freed medals.
    pub medals_freed: u8,
    /// Whether the board was shuffled at the end because no swap was legal.
    pub reshuffled: bool,
}

impl<M: Mask> GemBoard<M> {
    /// Exchanges the gems of two cells.
    #[inline(always)]
    pub(super) fn exchange(&mut self, [a, b]: [u32; 2]) {
        let both = M::bit(a) | M::bit(b);
        for plane in self.kinds.iter_mut().chain(&mut self.bonuses) {
            *plane ^= both.only_if((*plane & both).count() == 1);
        }
    }

    /// Plays at most [`MAX_PASSES`] passes until there are no runs. The swap has been made; its
    /// cells determine where bonuses appear in all passes.
    #[inline(always)]
    pub(super) fn cascade<const S: u32, R: Refill, W: TurnObserver<M>>(
        &mut self,
        grid: &GemGrid<M>,
        swapped: [u32; 2],
        refill: &mut R,
        observer: &mut W,
    ) -> TurnSummary {
        let mut turn = TurnSummary::default();
        loop {
            turn.passes += 1;
            let before = *self;
            let found = CascadeStep::of::<S>(self, grid, swapped);
            let step = found.unwrap_or_default();
            let medals_freed = self.apply::<S>(grid, &step);
            let score =
                u64::from(turn.passes) * self.pass_score(grid, &before, &step, medals_freed);
            turn.score += score;
            turn.medals_freed += medals_freed.count() as u8;
            self.fall(grid, step.removed, refill);
            if W::ENABLED {
                let hit = step.removed | step.created.cells().only_if(makes_bonuses(grid));
                let (number, ice_broken) = (turn.passes, hit & before.iced());
                let (step, before, after) = (&step, &before, &*self);
                observer.pass(&CascadePass {
                    number,
                    before,
                    step,
                    ice_broken,
                    medals_freed,
                    after,
                    score,
                });
            }
            if found.is_none() || turn.passes == MAX_PASSES {
                return turn;
            }
        }
    }

    /// Breaks ice, frees medals and places bonuses, in this order: a medal whose last ice was under
    /// a new bonus is freed in the next pass. Returns the freed medals.
    #[inline(always)]
    pub(super) fn apply<const S: u32>(&mut self, grid: &GemGrid<M>, step: &CascadeStep<M>) -> M {
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

    /// Places bonuses. The gems keep their kinds, and each bonus breaks a layer of ice.
    #[inline(always)]
    fn place_bonuses(&mut self, created: &CreatedBonuses<M>) {
        let cells = created.cells();
        self.bonuses[0] = self.bonuses[0] & !cells | created.crosses | created.diamonds;
        self.bonuses[1] = self.bonuses[1] & !cells | created.stars | created.diamonds;
        self.break_ice(cells);
        self.break_ice(created.twice());
    }

    /// Removes one layer of ice from these cells: a binary subtraction in all cells at once.
    #[inline(always)]
    fn break_ice(&mut self, cells: M) {
        let mut borrow = cells & self.iced();
        for plane in &mut self.ice {
            let had = *plane;
            *plane ^= borrow;
            borrow &= !had;
        }
    }

    /// The score of a pass before the multiplication by its number.
    #[inline(always)]
    fn pass_score(
        &self,
        grid: &GemGrid<M>,
        before: &GemBoard<M>,
        step: &CascadeStep<M>,
        freed: M,
    ) -> u64 {
        let created = if makes_bonuses(grid) { step.created.count() } else { 0 };
        let fired = (step.removed & before.bonus_gems()).count();
        let portions = 4 * freed.count();
        100 * (u64::from(step.removed.count() + created + 5 * fired + 40 * portions))
    }

    /// Lets gems fall into the holes and draws new ones, one row at a time in all columns at once:
    /// the uppermost hole of each column is filled from above, and a new gem appears at the top.
    #[inline(always)]
    pub(super) fn fall<R: Refill>(&mut self, grid: &GemGrid<M>, mut holes: M, refill: &mut R) {
        let last_row = u32::from(grid.settings.rows) - 1;
        while !holes.is_empty() {
            // A stop bit below each column prevents the subtraction from borrowing across columns.
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
