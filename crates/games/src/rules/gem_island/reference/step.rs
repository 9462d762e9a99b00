//! One step of the cascade: runs, the bonuses they make, and what the gems in them take along.

use super::{Placed, Plain};
use crate::rules::gem_island::{Bonus, Cell, Gem, Rules, Swap};

/// What a step takes and makes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlainStep {
    /// What is taken off, row by row.
    pub removed: Vec<Placed>,
    /// New bonuses, row by row. Where a run in a row and one in a column make one on the same cell, that of the row
    /// stands first and that of the column stays.
    pub created: Vec<Placed>,
}

/// Which line a cross takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Row,
    Column,
}

impl Plain {
    /// What lies in runs as the board stands, and everything that follows from it. The swap says where bonuses appear.
    pub fn step(&self, swap: Option<Swap>, rules: Rules) -> PlainStep {
        let (rows, columns) = (self.runs(Line::Row), self.runs(Line::Column));
        let mut created: Vec<Placed> = Vec::new();
        for run in rows.iter().chain(&columns) {
            created.extend(self.line_bonus(run, swap, rules));
        }
        let (rows, columns) = (rows.concat(), columns.concat());
        let crossings: Vec<Placed> = self
            .cells()
            .filter(|cell| rows.contains(cell) && columns.contains(cell))
            .filter(|cell| !created.iter().any(|placed| placed.cell == *cell))
            .map(|cell| self.as_bonus(cell, Bonus::Diamond))
            .collect();
        created.extend(crossings);
        created.sort_by_key(|placed| placed.cell);
        let stays = |cell: &Cell| created.iter().any(|placed| placed.cell == *cell);
        if rules == Rules::Fixed && rows.iter().chain(&columns).all(stays) {
            created.clear();
        }
        let mut taken = self.activated(rows, Line::Row);
        taken.extend(self.activated(columns, Line::Column));
        let removed = self
            .cells()
            .filter(|cell| taken.contains(cell))
            .filter(|cell| !created.iter().any(|placed| placed.cell == *cell))
            .map(|cell| Placed { cell, gem: self.gem(cell) })
            .collect();
        PlainStep { removed, created }
    }

    /// All longest runs of three and more gems of one kind in this direction.
    fn runs(&self, line: Line) -> Vec<Vec<Cell>> {
        let (lines, length) = match line {
            Line::Row => (self.rows(), self.columns()),
            Line::Column => (self.columns(), self.rows()),
        };
        let cell = |at: usize, along: usize| match line {
            Line::Row => Cell::new(at as u8, along as u8),
            Line::Column => Cell::new(along as u8, at as u8),
        };
        let mut runs = Vec::new();
        for at in 0..lines {
            let cells: Vec<Cell> = (0..length).map(|along| cell(at, along)).collect();
            let alike = |a: &Cell, b: &Cell| self.gem(*a).kind == self.gem(*b).kind;
            let long = cells.chunk_by(alike).filter(|run| run.len() >= 3);
            runs.extend(long.map(<[Cell]>::to_vec));
        }
        runs
    }

    /// The bonus of a run: on the first cell of the swap that lies in it, else where the run begins.
    fn line_bonus(&self, run: &[Cell], swap: Option<Swap>, rules: Rules) -> Option<Placed> {
        let bonus = match (run.len(), rules) {
            (4, _) => Bonus::Cross,
            (5, _) => Bonus::Star,
            (6.., Rules::Fixed) => Bonus::Star,
            _ => return None,
        };
        let swapped = swap.map(|swap| [swap.first, swap.second]).unwrap_or([run[0], run[0]]);
        let cell = swapped.into_iter().find(|cell| run.contains(cell)).unwrap_or(run[0]);
        Some(self.as_bonus(cell, bonus))
    }

    fn as_bonus(&self, cell: Cell, bonus: Bonus) -> Placed {
        Placed { cell, gem: Gem { kind: self.gem(cell).kind, bonus: Some(bonus) } }
    }

    /// Everything that goes when these cells do. What they reach goes next, and so on; crosses take rows and columns
    /// by turns, from one generation to the next.
    fn activated(&self, seeds: Vec<Cell>, line: Line) -> Vec<Cell> {
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
                Line::Row => Line::Column,
                Line::Column => Line::Row,
            };
        }
        reached
    }

    /// The cells that the gem here takes with it.
    fn taken_by(&self, cell: Cell, line: Line) -> Vec<Cell> {
        let gem = self.gem(cell);
        let reaches = |other: &Cell| match (gem.bonus, line) {
            (None, _) => false,
            (Some(Bonus::Cross), Line::Row) => other.row == cell.row,
            (Some(Bonus::Cross), Line::Column) => other.column == cell.column,
            (Some(Bonus::Star), _) => self.gem(*other).kind == gem.kind,
            (Some(Bonus::Diamond), _) => {
                other.row.abs_diff(cell.row) <= 1 && other.column.abs_diff(cell.column) <= 1
            }
        };
        self.cells().filter(reaches).collect()
    }
}
