//! One pass: which gems go, and which become a bonus.

use super::board::Board;
use super::runs::{Run, Runs, stride};
use super::{Bonus, Fidelity, Grid, Mask};

/// What one pass does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Step<M> {
    /// Gems that go; those that become a bonus are not among them.
    pub removed: M,
    /// Gems that become a bonus.
    pub created: Created<M>,
}

/// The bonuses that one pass makes. Where a row and a column both make one on the same cell, that of the column stays
/// and both count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Created<M> {
    /// Cells on which a cross stays.
    pub crosses: M,
    /// Cells on which a star stays.
    pub stars: M,
    /// Cells on which a diamond stays.
    pub diamonds: M,
    /// Cells on which a row's cross gave way.
    pub lost_crosses: M,
    /// Cells on which a row's star gave way.
    pub lost_stars: M,
}

impl<M: Mask> Created<M> {
    /// Their cells.
    #[inline]
    pub fn cells(&self) -> M {
        self.crosses | self.stars | self.diamonds
    }

    /// Cells on which two were made.
    #[inline]
    pub fn twice(&self) -> M {
        self.lost_crosses | self.lost_stars
    }

    /// How many were made.
    #[inline]
    pub fn count(&self) -> u32 {
        self.cells().count() + self.twice().count()
    }

    /// Whether none was.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cells().is_empty()
    }

    /// Calls `each` with every one, those that gave way first.
    pub fn for_each(&self, mut each: impl FnMut(u32, Bonus)) {
        self.lost_crosses.for_each(|index| each(index, Bonus::Cross));
        self.lost_stars.for_each(|index| each(index, Bonus::Star));
        self.crosses.for_each(|index| each(index, Bonus::Cross));
        self.stars.for_each(|index| each(index, Bonus::Star));
        self.diamonds.for_each(|index| each(index, Bonus::Diamond));
    }

    /// A run makes one; runs in rows come before those in columns.
    fn add_line(&mut self, index: u32, bonus: Bonus) {
        let cell = M::bit(index);
        self.lost_crosses |= self.crosses & cell;
        self.lost_stars |= self.stars & cell;
        self.crosses = self.crosses & !cell | cell.only_if(bonus == Bonus::Cross);
        self.stars = self.stars & !cell | cell.only_if(bonus == Bonus::Star);
    }
}

impl<M: Mask> Step<M> {
    /// What the next pass does on a board, after a swap of these two cells; `None` when nothing is in a row.
    #[inline(always)]
    pub(super) fn of<const S: u32>(
        board: &Board<M>,
        grid: &Grid<M>,
        swapped: [u32; 2],
    ) -> Option<Step<M>> {
        let runs = Runs::of::<S>(&board.kinds, grid);
        if runs.is_empty() {
            return None;
        }
        let (across, down) = (runs.horizontal::<S>(grid), runs.vertical());
        let mut removed = across | down;
        let mut created = Created::default();
        if runs.any_long::<S>(grid) || across.meets(down) {
            created = bonuses::<M, S>(&runs, across & down, grid, swapped);
        }
        if removed.meets(board.bonus_gems()) {
            removed = activated::<M, S>(board, grid, across, Mode::Row)
                | activated::<M, S>(board, grid, down, Mode::Column);
        }
        if !created.is_empty() {
            removed &= !created.cells();
        }
        Some(Step { removed, created })
    }
}

/// The bonuses of long runs, then a diamond wherever a row and a column cross on another cell. Where that would be every
/// gem of every run, as in a square of nine, they would all stay and be found again in the next pass: there is none
/// then, and all of them go. The original rules go on for ever.
#[inline(never)]
fn bonuses<M: Mask, const S: u32>(
    runs: &Runs<M>,
    crossing: M,
    grid: &Grid<M>,
    swapped: [u32; 2],
) -> Created<M> {
    let mut created = Created::<M>::default();
    runs.for_each_long::<S>(grid, |run| {
        if let Some(bonus) = line_bonus(run.length, grid) {
            created.add_line(bonus_place(run, swapped), bonus);
        }
    });
    created.diamonds = crossing & !created.cells();
    let in_runs = runs.horizontal::<S>(grid) | runs.vertical();
    if !grid.is_original() && (in_runs & !created.cells()).is_empty() {
        return Created::default();
    }
    created
}

/// Four make a cross, five a star; more than five nothing by the original rules.
fn line_bonus<M: Mask>(length: u32, grid: &Grid<M>) -> Option<Bonus> {
    match length {
        4 => Some(Bonus::Cross),
        5 => Some(Bonus::Star),
        6.. if !grid.is_original() => Some(Bonus::Star),
        _ => None,
    }
}

/// A swapped cell if one is in the run, the first one before the second, else where the run begins.
fn bonus_place(run: Run, swapped: [u32; 2]) -> u32 {
    swapped.into_iter().find(|index| run.holds(*index)).unwrap_or(run.start)
}

/// Which way crosses fire.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Row,
    Column,
}

/// Everything that is taken with these cells when bonus gems among them fire, and those that they reach, and so on.
/// Each gem fires once; the way of the crosses turns with every generation.
#[inline(never)]
fn activated<M: Mask, const S: u32>(
    board: &Board<M>,
    grid: &Grid<M>,
    seeds: M,
    mut mode: Mode,
) -> M {
    let s = stride::<M, S>(grid);
    let bonus_gems = board.bonus_gems();
    let (mut reached, mut wave) = (seeds, seeds);
    while wave.meets(bonus_gems) {
        let mut hit = M::default();
        (wave & board.crosses()).for_each(|index| {
            hit |= match mode {
                Mode::Row => grid.top << (index % s),
                Mode::Column => grid.first_column << (index - index % s),
            }
        });
        (wave & board.stars()).for_each(|index| hit |= board.same_kind(index, grid.cells));
        let diamonds = wave & board.diamonds();
        let tall = diamonds | diamonds << 1 | diamonds >> 1;
        hit |= tall | tall << s | tall >> s;
        wave = hit & grid.cells & !reached;
        reached |= wave;
        mode = if mode == Mode::Row { Mode::Column } else { Mode::Row };
    }
    reached
}

/// Whether bonuses are made at all.
pub(super) fn makes_bonuses<M>(grid: &Grid<M>) -> bool {
    grid.fidelity == Fidelity::Exact
}
