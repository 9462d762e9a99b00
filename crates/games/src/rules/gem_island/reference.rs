//! The rules once more, on plain arrays: the slow, obvious version that the fast one is tested against. It shares
//! nothing with the bit planes but the words (cells, gems, swaps), and it does everything cell by cell in the order
//! in which the published game (Brereton, 2017) does.

mod evaluation;
mod step;

pub use evaluation::{crude, gems_changed, heuristic, ice_removed, medal_progress, none};
pub use step::PlainStep;

use super::updates::{Broken, Fall, PassUpdate, Placed, Updates};
use super::{Cell, Fidelity, Gem, MOST_PASSES, Rules, Swap};

/// The three layers of a board, row by row. All three have the same size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plain {
    /// The gems.
    pub gems: Vec<Vec<Gem>>,
    /// −1 where there is no ice, otherwise the number of further layers below the uppermost.
    pub ice: Vec<Vec<i8>>,
    /// −1 where there is no medal, otherwise which part of one: upper left, upper right, lower left, lower right.
    pub medals: Vec<Vec<i8>>,
}

/// Which game is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// What a run of six and more makes.
    pub rules: Rules,
    /// Whether bonuses are made.
    pub fidelity: Fidelity,
}

/// What a turn did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainTurn {
    /// Every pass, also the last one, which finds no run.
    pub passes: Vec<PassUpdate>,
    /// What they were worth.
    pub score: u64,
    /// Medals that came free.
    pub medals_freed: u8,
}

impl PlainTurn {
    /// The list of what happened, without passes in which nothing did.
    pub fn updates(self, swap: Swap) -> Updates {
        let passes = self.passes.into_iter().filter(|pass| !pass.is_empty()).collect();
        Updates { swap, passes, score: self.score, reshuffled: None }
    }
}

impl Plain {
    /// Gems without ice and medals.
    pub fn bare(gems: Vec<Vec<Gem>>) -> Plain {
        let nothing: Vec<Vec<i8>> = gems.iter().map(|row| vec![-1; row.len()]).collect();
        Plain { gems, ice: nothing.clone(), medals: nothing }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.gems.len()
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.gems.first().map_or(0, Vec::len)
    }

    /// The gem on a cell.
    pub fn gem(&self, cell: Cell) -> Gem {
        self.gems[usize::from(cell.row)][usize::from(cell.column)]
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (rows, columns) = (self.rows() as u8, self.columns() as u8);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| Cell::new(row, column)))
    }

    /// Lets the two gems change places.
    pub fn exchange(&mut self, swap: Swap) {
        let (first, second) = (self.gem(swap.first), self.gem(swap.second));
        self.set_gem(swap.first, second);
        self.set_gem(swap.second, first);
    }

    /// The legal swaps in the published order. Wherever two of three gems in a line are alike, the third may be
    /// exchanged for one of their kind from outside; it comes first in the swap.
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

    fn push_swaps(&self, section: [Cell; 3], swaps: &mut Vec<Swap>) {
        let [a, b, c] = section.map(|cell| self.gem(cell).kind);
        let (odd, majority) = match (a == b, b == c, a == c) {
            (true, false, false) => (section[2], a),
            (false, true, false) => (section[0], b),
            (false, false, true) => (section[1], a),
            _ => return,
        };
        let neighbours = [(0, -1), (0, 1), (-1, 0), (1, 0)];
        for other in neighbours.into_iter().filter_map(|(r, c)| self.shifted(odd, r, c)) {
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

    /// The cell so many rows further down and columns further right, if there is one.
    fn shifted(&self, cell: Cell, down: i8, right: i8) -> Option<Cell> {
        let (row, column) =
            (cell.row.checked_add_signed(down)?, cell.column.checked_add_signed(right)?);
        let inside = usize::from(row) < self.rows() && usize::from(column) < self.columns();
        inside.then_some(Cell::new(row, column))
    }

    /// The whole turn: the swap, then pass after pass until one finds no run. `draw` gives the kinds of new gems.
    pub fn turn(
        &mut self,
        swap: Swap,
        variant: Variant,
        draw: &mut impl FnMut() -> u8,
    ) -> PlainTurn {
        self.exchange(swap);
        let mut turn = PlainTurn { passes: Vec::new(), score: 0, medals_freed: 0 };
        for number in 1..=MOST_PASSES {
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

    /// What a step does before anything falls: gems and ice go, medals whose ice is gone are freed, and only then the
    /// bonuses are put in place. So a medal whose last ice lay under a new bonus waits for the next pass.
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

    fn set_gem(&mut self, cell: Cell, gem: Gem) {
        self.gems[usize::from(cell.row)][usize::from(cell.column)] = gem;
    }

    fn break_ice(&mut self, cell: Cell) {
        let ice = &mut self.ice[usize::from(cell.row)][usize::from(cell.column)];
        *ice = (*ice - 1).max(-1);
    }

    fn broken_since(&self, before: &[Vec<i8>]) -> Vec<Broken> {
        let changed = self.cells().filter_map(|cell| {
            let at = |ice: &[Vec<i8>]| ice[usize::from(cell.row)][usize::from(cell.column)];
            let (then, now) = (at(before), at(&self.ice));
            (then != now).then_some(Broken { cell, layers: (now + 1) as u8 })
        });
        changed.collect()
    }

    /// Takes the medals off that have no ice on any of their four cells; their upper left cells.
    fn free_medals(&mut self) -> Vec<Cell> {
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
    pub fn ice_on(&self, cell: Cell) -> i8 {
        self.ice[usize::from(cell.row)][usize::from(cell.column)]
    }

    /// The number in the medal layer.
    pub fn portion(&self, cell: Cell) -> i8 {
        self.medals[usize::from(cell.row)][usize::from(cell.column)]
    }

    /// Lets gems fall into the cells of the removals, one cell at a time, and draws new ones at the top: pass after
    /// pass over the columns from the left, each from its lowest gem upwards. This order decides which draw lands where.
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

    /// Writes down where everything came to rest.
    fn settle(&mut self, falling: &[Vec<Option<Falling>>], pass: &mut PassUpdate) {
        let mut refills = Vec::new();
        for (column, gems) in falling.iter().enumerate() {
            for (row, falling) in gems.iter().enumerate().rev() {
                let Some(Falling { gem, from }) = *falling else { continue };
                let to = Cell::new(row as u8, column as u8);
                self.set_gem(to, gem);
                match from {
                    Origin::Cell(from) if from != to => pass.falls.push(Fall { from, to }),
                    Origin::Cell(_) => {}
                    Origin::Draw(number) => refills.push((number, Placed { cell: to, gem })),
                }
            }
        }
        refills.sort_by_key(|(number, _)| *number);
        pass.refills = refills.into_iter().map(|(_, placed)| placed).collect();
    }
}

/// A gem on its way down.
#[derive(Clone, Copy)]
struct Falling {
    gem: Gem,
    from: Origin,
}

#[derive(Clone, Copy)]
enum Origin {
    Cell(Cell),
    Draw(u32),
}
