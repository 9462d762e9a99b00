//! One step of the cascade: runs, the bonuses they create, and the gems that bonuses remove.

use super::{PlacedGem, PlainBoard};
use crate::rules::gem_island::{Bonus, Gem, GemCell, GemRules, Swap};

/// The effect of a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlainStep {
    /// The removed gems, row by row.
    pub removed: Vec<PlacedGem>,
    /// New bonuses, row by row. If a run in a row and a run in a column create one on the same
    /// cell, that of the row is listed first, and that of the column remains.
    pub created: Vec<PlacedGem>,
}

/// The line that a cross removes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineDirection {
    Row,
    Column,
}

impl PlainBoard {
    /// Finds the runs on the board and their effect. The swap determines where bonuses appear.
    pub fn step(&self, swap: Option<Swap>, rules: GemRules) -> PlainStep {
        let (rows, columns) = (self.runs(LineDirection::Row), self.runs(LineDirection::Column));
        let mut created: Vec<PlacedGem> = Vec::new();
        for run in rows.iter().chain(&columns) {
            created.extend(self.line_bonus(run, swap, rules));
        }
        let (rows, columns) = (rows.concat(), columns.concat());
        let crossings: Vec<PlacedGem> = self
            .cells()
            .filter(|cell| rows.contains(cell) && columns.contains(cell))
            .filter(|cell| !created.iter().any(|placed| placed.cell == *cell))
            .map(|cell| self.as_bonus(cell, Bonus::Diamond))
            .collect();
        created.extend(crossings);
        created.sort_by_key(|placed| placed.cell);
        let stays = |cell: &GemCell| created.iter().any(|placed| placed.cell == *cell);
        if rules == GemRules::Fixed && rows.iter().chain(&columns).all(stays) {
            created.clear();
        }
        let mut taken = self.activated(rows, LineDirection::Row);
        taken.extend(self.activated(columns, LineDirection::Column));
        let removed = self
            .cells()
            .filter(|cell| taken.contains(cell))
            .filter(|cell| !created.iter().any(|placed| placed.cell == *cell))
            .map(|cell| PlacedGem { cell, gem: self.gem(cell) })
            .collect();
        PlainStep { removed, created }
    }

    /// All maximal runs of three and more gems of one kind in this direction.
    fn runs(&self, line: LineDirection) -> Vec<Vec<GemCell>> {
        let (lines, length) = match line {
            LineDirection::Row => (self.rows(), self.columns()),
            LineDirection::Column => (self.columns(), self.rows()),
        };
        let cell = |at: usize, along: usize| match line {
            LineDirection::Row => GemCell::new(at as u8, along as u8),
            LineDirection::Column => GemCell::new(along as u8, at as u8),
        };
        let mut runs = Vec::new();
        for at in 0..lines {
            let cells: Vec<GemCell> = (0..length).map(|along| cell(at, along)).collect();
            let alike = |a: &GemCell, b: &GemCell| self.gem(*a).kind == self.gem(*b).kind;
            let long = cells.chunk_by(alike).filter(|run| run.len() >= 3);
            runs.extend(long.map(<[GemCell]>::to_vec));
        }
        runs
    }

    /// The bonus of a run: on the first cell of the swap that is in the run, otherwise at its
    /// start.
    fn line_bonus(
        &self,
        run: &[GemCell],
        swap: Option<Swap>,
        rules: GemRules,
    ) -> Option<PlacedGem> {
        let bonus = match (run.len(), rules) {
            (4, _) => Bonus::Cross,
            (5, _) => Bonus::Star,
            (6.., GemRules::Fixed) => Bonus::Star,
            _ => return None,
        };
        let swapped = swap.map(|swap| [swap.first, swap.second]).unwrap_or([run[0], run[0]]);
        let cell = swapped.into_iter().find(|cell| run.contains(cell)).unwrap_or(run[0]);
        Some(self.as_bonus(cell, bonus))
    }

    fn as_bonus(&self, cell: GemCell, bonus: Bonus) -> PlacedGem {
        PlacedGem { cell, gem: Gem { kind: self.gem(cell).kind, bonus: Some(bonus) } }
    }

    /// All cells that are removed with these cells, generation by generation: bonus gems remove
    /// further cells, which may contain bonus gems. Crosses alternate between rows and columns with
    /// every generation.
    fn activated(&self, seeds: Vec<GemCell>, line: LineDirection) -> Vec<GemCell> {
        let mut reached = seeds.clone();
        let (mut generation, mut line) = (seeds, line);
        while !generation.is_empty() {
            let mut next = Vec::new();
            for cell in generation {
                for taken in self.taken_by(cell, line) {
                    if !reached.contains(&taken) {
                        reached.push(taken);
                        next.push(taken);
                    }
                }
            }
            generation = next;
            line = match line {
                LineDirection::Row => LineDirection::Column,
                LineDirection::Column => LineDirection::Row,
            };
        }
        reached
    }

    /// The cells that this gem removes.
    fn taken_by(&self, cell: GemCell, line: LineDirection) -> Vec<GemCell> {
        let gem = self.gem(cell);
        let reaches = |other: &GemCell| match (gem.bonus, line) {
            (None, _) => false,
            (Some(Bonus::Cross), LineDirection::Row) => other.row == cell.row,
            (Some(Bonus::Cross), LineDirection::Column) => other.column == cell.column,
            (Some(Bonus::Star), _) => self.gem(*other).kind == gem.kind,
            (Some(Bonus::Diamond), _) => {
                other.row.abs_diff(cell.row) <= 1 && other.column.abs_diff(cell.column) <= 1
            }
        };
        self.cells().filter(reaches).collect()
    }
}
