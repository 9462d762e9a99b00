//! One pass of a cascade: which gems are removed, and which become a bonus.

use super::board::GemBoard;
use super::runs::{LongRun, Runs, stride};
use super::{Bonus, Fidelity, GemGrid, Mask};

/// The effect of one pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CascadeStep<M> {
    /// Gems that are removed, without those that become a bonus.
    pub removed: M,
    /// Gems that become a bonus.
    pub created: CreatedBonuses<M>,
}

/// The bonuses that one pass creates. If a row and a column both create one on the same cell, that
/// of the column remains, and both count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CreatedBonuses<M> {
    /// Cells with a new cross.
    pub crosses: M,
    /// Cells with a new star.
    pub stars: M,
    /// Cells with a new diamond.
    pub diamonds: M,
    /// Cells where a cross of a row was replaced.
    pub lost_crosses: M,
    /// Cells where a star of a row was replaced.
    pub lost_stars: M,
}

impl<M: Mask> CreatedBonuses<M> {
    /// The cells of all new bonuses.
    #[inline]
    pub fn cells(&self) -> M {
        self.crosses | self.stars | self.diamonds
    }

    /// The cells on which two bonuses were created.
    #[inline]
    pub fn twice(&self) -> M {
        self.lost_crosses | self.lost_stars
    }

    /// The number of bonuses created.
    #[inline]
    pub fn count(&self) -> u32 {
        self.cells().count() + self.twice().count()
    }

    /// Whether no bonus was created.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cells().is_empty()
    }

    /// Calls `each` with every bonus, replaced ones first.
    pub fn for_each(&self, mut each: impl FnMut(u32, Bonus)) {
        self.lost_crosses.for_each(|index| each(index, Bonus::Cross));
        self.lost_stars.for_each(|index| each(index, Bonus::Star));
        self.crosses.for_each(|index| each(index, Bonus::Cross));
        self.stars.for_each(|index| each(index, Bonus::Star));
        self.diamonds.for_each(|index| each(index, Bonus::Diamond));
    }

    /// Adds the bonus of a run. Runs in rows must be added before runs in columns.
    fn add_line(&mut self, index: u32, bonus: Bonus) {
        let cell = M::bit(index);
        self.lost_crosses |= self.crosses & cell;
        self.lost_stars |= self.stars & cell;
        self.crosses = self.crosses & !cell | cell.only_if(bonus == Bonus::Cross);
        self.stars = self.stars & !cell | cell.only_if(bonus == Bonus::Star);
    }
}

impl<M: Mask> CascadeStep<M> {
    /// The effect of the next pass on a board after a swap of these two cells; `None` without runs.
    #[inline(always)]
    pub(super) fn of<const S: u32>(
        board: &GemBoard<M>,
        grid: &GemGrid<M>,
        swapped: [u32; 2],
    ) -> Option<CascadeStep<M>> {
        let runs = Runs::of::<S>(&board.kinds, grid);
        if runs.is_empty() {
            return None;
        }
        let (across, down) = (runs.horizontal::<S>(grid), runs.vertical());
        let mut removed = across | down;
        let mut created = CreatedBonuses::default();
        if runs.any_long::<S>(grid) || across.meets(down) {
            created = bonuses::<M, S>(&runs, across & down, grid, swapped);
        }
        if removed.meets(board.bonus_gems()) {
            removed = activated::<M, S>(board, grid, across, CrossDirection::Row)
                | activated::<M, S>(board, grid, down, CrossDirection::Column);
        }
        if !created.is_empty() {
            removed &= !created.cells();
        }
        Some(CascadeStep { removed, created })
    }
}

/// The bonuses of long runs, and a diamond on every other cell where a row and a column cross. If
/// every gem of every run became a bonus, as in a square of nine, all gems would stay, and the next
/// pass would find the same runs; so there are no bonuses then, and all gems are removed. With the
/// original rules this is an endless loop.
#[inline(never)]
fn bonuses<M: Mask, const S: u32>(
    runs: &Runs<M>,
    crossing: M,
    grid: &GemGrid<M>,
    swapped: [u32; 2],
) -> CreatedBonuses<M> {
    let mut created = CreatedBonuses::<M>::default();
    runs.for_each_long::<S>(grid, |run| {
        if let Some(bonus) = line_bonus(run.length, grid) {
            created.add_line(bonus_place(run, swapped), bonus);
        }
    });
    created.diamonds = crossing & !created.cells();
    let in_runs = runs.horizontal::<S>(grid) | runs.vertical();
    if !grid.is_original() && (in_runs & !created.cells()).is_empty() {
        return CreatedBonuses::default();
    }
    created
}

/// Four make a cross, five or more a star; with the original rules more than five make nothing.
fn line_bonus<M: Mask>(length: u32, grid: &GemGrid<M>) -> Option<Bonus> {
    match length {
        4 => Some(Bonus::Cross),
        5 => Some(Bonus::Star),
        6.. if !grid.is_original() => Some(Bonus::Star),
        _ => None,
    }
}

/// The first swapped cell that is in the run, otherwise the start of the run.
fn bonus_place(run: LongRun, swapped: [u32; 2]) -> u32 {
    swapped.into_iter().find(|index| run.holds(*index)).unwrap_or(run.start)
}

/// Whether crosses remove rows or columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CrossDirection {
    Row,
    Column,
}

/// All cells that are removed with these cells when the bonus gems among them, and those that they
/// reach in turn, are activated. Each gem is activated once; crosses alternate between rows and
/// columns with every generation.
#[inline(never)]
fn activated<M: Mask, const S: u32>(
    board: &GemBoard<M>,
    grid: &GemGrid<M>,
    seeds: M,
    mut mode: CrossDirection,
) -> M {
    let s = stride::<M, S>(grid);
    let bonus_gems = board.bonus_gems();
    let (mut reached, mut wave) = (seeds, seeds);
    while wave.meets(bonus_gems) {
        let mut hit = M::default();
        (wave & board.crosses()).for_each(|index| {
            hit |= match mode {
                CrossDirection::Row => grid.top << (index % s),
                CrossDirection::Column => grid.first_column << (index - index % s),
            }
        });
        (wave & board.stars()).for_each(|index| hit |= board.same_kind(index, grid.cells));
        let diamonds = wave & board.diamonds();
        let tall = diamonds | diamonds << 1 | diamonds >> 1;
        hit |= tall | tall << s | tall >> s;
        wave = hit & grid.cells & !reached;
        reached |= wave;
        mode =
            if mode == CrossDirection::Row { CrossDirection::Column } else { CrossDirection::Row };
    }
    reached
}

/// Whether bonuses are created.
pub(super) fn makes_bonuses<M>(grid: &GemGrid<M>) -> bool {
    grid.fidelity == Fidelity::Exact
}
