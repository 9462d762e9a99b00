//! A slow, obvious implementation of the rules on arrays, as the reference in tests. It shares only
//! basic types (cells, gems, swaps) with the bit planes, and processes cells one by one in the
//! order of the published game (Brereton, 2017).

mod evaluation;
mod step;

pub use evaluation::{crude, gems_changed, heuristic, ice_removed, medal_progress, none};
pub use step::PlainStep;

use super::updates::{BrokenIce, GemFall, PassUpdate, PlacedGem, TurnUpdates};
use super::{Fidelity, Gem, GemCell, GemRules, MAX_PASSES, Swap};

/// A board as three layers of the same size, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainBoard {
    /// The gems.
    pub gems: Vec<Vec<Gem>>,
    /// −1 without ice, otherwise the number of further layers below the uppermost one.
    pub ice: Vec<Vec<i8>>,
    /// −1 without a medal, otherwise the part of the medal: 0 to 3 for upper left, upper right,
    /// lower left, lower right.
    pub medals: Vec<Vec<i8>>,
}

/// The variant of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleVariant {
    /// The rules, which differ for runs of six and more.
    pub rules: GemRules,
    /// Whether bonuses are created.
    pub fidelity: Fidelity,
}

/// The events of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainTurn {
    /// All passes, including the last one, which finds no run.
    pub passes: Vec<PassUpdate>,
    /// The score of all passes.
    pub score: u64,
    /// The number of freed medals.
    pub medals_freed: u8,
}

impl PlainTurn {
    /// The events without passes in which nothing happened.
    pub fn updates(self, swap: Swap) -> TurnUpdates {
        let passes = self.passes.into_iter().filter(|pass| !pass.is_empty()).collect();
        TurnUpdates { swap, passes, score: self.score, reshuffled: None }
    }
}

impl PlainBoard {
    /// Gems without ice and medals.
    pub fn bare(gems: Vec<Vec<Gem>>) -> PlainBoard {
        let nothing: Vec<Vec<i8>> = gems.iter().map(|row| vec![-1; row.len()]).collect();
        PlainBoard { gems, ice: nothing.clone(), medals: nothing }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.gems.len()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.gems.first().map_or(0, Vec::len)
    }

    /// The gem on a cell.
    pub fn gem(&self, cell: GemCell) -> Gem {
        self.gems[usize::from(cell.row)][usize::from(cell.column)]
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = GemCell> + use<> {
        let (rows, columns) = (self.rows() as u8, self.columns() as u8);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| GemCell::new(row, column)))
    }

    /// Swaps two gems.
    pub fn exchange(&mut self, swap: Swap) {
        let (first, second) = (self.gem(swap.first), self.gem(swap.second));
        self.set_gem(swap.first, second);
        self.set_gem(swap.second, first);
    }

    /// The legal swaps in the published order. Where two of three gems in a line are of one kind,
    /// the third may be swapped with a neighbor of that kind outside the line; it comes first in
    /// the swap.
    pub fn legal_swaps(&self) -> Vec<Swap> {
        let mut swaps = Vec::new();
        for cell in self.cells() {
            for (down, right) in [(1, 0), (0, 1)] {
                let section = [0, 1, 2].map(|n| self.shifted(cell, n * down, n * right));
                if let [Some(a), Some(b), Some(c)] = section {
                    self.push_swaps([a, b, c], &mut swaps);
                }
            }
        }
        swaps
    }

    fn push_swaps(&self, section: [GemCell; 3], swaps: &mut Vec<Swap>) {
        let [a, b, c] = section.map(|cell| self.gem(cell).kind);
        let (odd, majority) = match (a == b, b == c, a == c) {
            (true, false, false) => (section[2], a),
            (false, true, false) => (section[0], b),
            (false, false, true) => (section[1], a),
            _ => return,
        };
        let neighbors = [(0, -1), (0, 1), (-1, 0), (1, 0)];
        for other in neighbors.into_iter().filter_map(|(r, c)| self.shifted(odd, r, c)) {
            let known = |swap: &Swap| {
                (swap.first, swap.second) == (odd, other)
                    || (swap.first, swap.second) == (other, odd)
            };
            let fits = !section.contains(&other) && self.gem(other).kind == majority;
            if fits && !swaps.iter().any(known) {
                swaps.push(Swap { first: odd, second: other });
            }
        }
    }

    /// The cell this many rows down and columns to the right, if it is on the board.
    fn shifted(&self, cell: GemCell, down: i8, right: i8) -> Option<GemCell> {
        let (row, column) =
            (cell.row.checked_add_signed(down)?, cell.column.checked_add_signed(right)?);
        let inside = usize::from(row) < self.rows() && usize::from(column) < self.columns();
        inside.then_some(GemCell::new(row, column))
    }

    /// Plays a turn: the swap, then passes until one finds no run. `draw` gives the kinds of new
    /// gems.
    pub fn turn(
        &mut self,
        swap: Swap,
        variant: RuleVariant,
        draw: &mut impl FnMut() -> u8,
    ) -> PlainTurn {
        self.exchange(swap);
        let mut turn = PlainTurn { passes: Vec::new(), score: 0, medals_freed: 0 };
        for number in 1..=MAX_PASSES {
            let step = self.step(Some(swap), variant.rules);
            let found_nothing = step.removed.is_empty() && step.created.is_empty();
            let mut pass = self.apply(&step, number, variant.fidelity);
            self.fall(&mut pass, draw);
            turn.score += pass.score;
            turn.medals_freed += pass.medals.len() as u8;
            turn.passes.push(pass);
            if found_nothing {
                break;
            }
        }
        turn
    }

    /// Applies a step before gems fall: removes gems and ice, frees medals without ice, and then
    /// places the bonuses. So a medal whose last ice was under a new bonus is freed in the next
    /// pass.
    pub fn apply(&mut self, step: &PlainStep, number: u32, fidelity: Fidelity) -> PassUpdate {
        let before = self.ice.clone();
        step.removed.iter().for_each(|removed| self.break_ice(removed.cell));
        let medals = self.free_medals();
        let created = match fidelity {
            Fidelity::Exact => step.created.clone(),
            Fidelity::Original => Vec::new(),
        };
        for placed in &created {
            self.set_gem(placed.cell, placed.gem);
            self.break_ice(placed.cell);
        }
        let removals = step.removed.clone();
        let bonuses = removals.iter().filter(|placed| placed.gem.bonus.is_some()).count();
        let points = removals.len() + created.len() + 5 * bonuses + 40 * 4 * medals.len();
        let score = 100 * u64::from(number) * points as u64;
        let ice = self.broken_since(&before);
        PassUpdate { number, removals, ice, medals, created, score, ..PassUpdate::default() }
    }

    fn set_gem(&mut self, cell: GemCell, gem: Gem) {
        self.gems[usize::from(cell.row)][usize::from(cell.column)] = gem;
    }

    fn break_ice(&mut self, cell: GemCell) {
        let ice = &mut self.ice[usize::from(cell.row)][usize::from(cell.column)];
        *ice = (*ice - 1).max(-1);
    }

    fn broken_since(&self, before: &[Vec<i8>]) -> Vec<BrokenIce> {
        let changed = self.cells().filter_map(|cell| {
            let at = |ice: &[Vec<i8>]| ice[usize::from(cell.row)][usize::from(cell.column)];
            let (then, now) = (at(before), at(&self.ice));
            (then != now).then_some(BrokenIce { cell, layers: (now + 1) as u8 })
        });
        changed.collect()
    }

    /// Removes the medals without ice on their four cells; returns their upper left cells.
    fn free_medals(&mut self) -> Vec<GemCell> {
        let mut freed = Vec::new();
        for corner in self.cells() {
            let square = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(r, c)| self.shifted(corner, r, c));
            let [Some(a), Some(b), Some(c), Some(d)] = square else { continue };
            let bare = [a, b, c, d].iter().all(|cell| self.ice_on(*cell) < 0);
            if bare && self.portion(corner) == 0 {
                for cell in [a, b, c, d] {
                    self.medals[usize::from(cell.row)][usize::from(cell.column)] = -1;
                }
                freed.push(corner);
            }
        }
        freed
    }

    /// The number in the ice layer.
    pub fn ice_on(&self, cell: GemCell) -> i8 {
        self.ice[usize::from(cell.row)][usize::from(cell.column)]
    }

    /// The number in the medal layer.
    pub fn portion(&self, cell: GemCell) -> i8 {
        self.medals[usize::from(cell.row)][usize::from(cell.column)]
    }

    /// Lets gems fall into the removed cells, one cell at a time, and draws new ones at the top. It
    /// repeatedly processes the columns from the left, each from its lowest gem upward. This order
    /// determines where each drawn gem ends.
    pub fn fall(&mut self, pass: &mut PassUpdate, draw: &mut impl FnMut() -> u8) {
        // Column by column, each from its top.
        let mut falling: Vec<Vec<Option<Falling>>> = vec![vec![None; self.rows()]; self.columns()];
        for cell in self.cells() {
            if !pass.removals.iter().any(|removed| removed.cell == cell) {
                let gem = Falling { gem: self.gem(cell), from: Origin::Cell(cell) };
                falling[usize::from(cell.column)][usize::from(cell.row)] = Some(gem);
            }
        }
        let mut draws = 0;
        while falling.iter().flatten().any(Option::is_none) {
            for column in &mut falling {
                for row in (1..column.len()).rev() {
                    if column[row].is_none() {
                        column[row] = column[row - 1].take();
                    }
                }
                if column[0].is_none() {
                    let gem = Gem { kind: draw(), bonus: None };
                    column[0] = Some(Falling { gem, from: Origin::Draw(draws) });
                    draws += 1;
                }
            }
        }
        self.settle(&falling, pass);
    }

    /// Records the final cells of all gems.
    fn settle(&mut self, falling: &[Vec<Option<Falling>>], pass: &mut PassUpdate) {
        let mut refills = Vec::new();
        for (column, gems) in falling.iter().enumerate() {
            for (row, falling) in gems.iter().enumerate().rev() {
                let Some(Falling { gem, from }) = *falling else { continue };
                let to = GemCell::new(row as u8, column as u8);
                self.set_gem(to, gem);
                match from {
                    Origin::Cell(from) if from != to => pass.falls.push(GemFall { from, to }),
                    Origin::Cell(_) => {}
                    Origin::Draw(number) => refills.push((number, PlacedGem { cell: to, gem })),
                }
            }
        }
        refills.sort_by_key(|(number, _)| *number);
        pass.refills = refills.into_iter().map(|(_, placed)| placed).collect();
    }
}

/// A falling gem.
#[derive(Clone, Copy)]
struct Falling {
    gem: Gem,
    from: Origin,
}

#[derive(Clone, Copy)]
enum Origin {
    Cell(GemCell),
    Draw(u32),
}
