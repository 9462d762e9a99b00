//! What a turn does, in the order in which an eye can follow it: for each pass of the cascade what vanishes, what
//! becomes a bonus, which ice breaks, which medals come free, what falls and what is new. Simulations never make such
//! a list; whoever wants one plays the turn with a [`Recorder`] as its witness.

use super::{Cell, Fidelity, Gem, GemIsland, Grid, Mask, Pass, Refill, Swap, Turn, Witness};

/// A whole turn.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Updates {
    /// What was asked for.
    pub swap: Swap,
    /// The passes in which something happened.
    pub passes: Vec<PassUpdate>,
    /// What all of them were worth.
    pub score: u64,
    /// The gems after a shuffle of a dead board, row by row; nothing when there was none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub reshuffled: Option<Vec<Vec<Gem>>>,
}

/// One pass of the cascade. The lists stand in the order in which things happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PassUpdate {
    /// Counted from 1; a later pass is worth more.
    pub number: u32,
    /// What was taken off the board, row by row.
    pub removals: Vec<Placed>,
    /// Which ice broke: once for each cell, row by row.
    pub ice: Vec<Broken>,
    /// The upper left cells of medals that came free, row by row.
    pub medals: Vec<Cell>,
    /// Bonuses that came to be, row by row. When one cell is named twice, the later bonus is the one that stays.
    pub created: Vec<Placed>,
    /// Gems that fell, column by column, from the lowest upwards.
    pub falls: Vec<Fall>,
    /// New gems where they came to rest, in the order in which they were drawn.
    pub refills: Vec<Placed>,
    /// What this pass was worth.
    pub score: u64,
}

impl PassUpdate {
    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.removals.is_empty() && self.created.is_empty() && self.medals.is_empty()
    }
}

/// A gem and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Placed {
    /// Where.
    pub cell: Cell,
    /// What.
    pub gem: Gem,
}

/// Ice that lost a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Broken {
    /// Where.
    pub cell: Cell,
    /// How many layers are left.
    pub layers: u8,
}

/// A gem that fell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fall {
    /// From here.
    pub from: Cell,
    /// To here, in the same column.
    pub to: Cell,
}

/// Plays a swap and writes down what comes of it.
pub fn play_recorded<M: Mask, R: Refill>(
    game: &mut GemIsland<M>,
    swap: Swap,
    refill: &mut R,
) -> (Turn, Updates) {
    let grid = game.grid().clone();
    let mut recorder = Recorder { grid: &grid, passes: Vec::new() };
    let turn = game.play(swap, refill, &mut recorder);
    let reshuffled = turn.reshuffled.then(|| gems(game));
    (turn, Updates { swap, passes: recorder.passes, score: turn.score, reshuffled })
}

fn gems<M: Mask>(game: &GemIsland<M>) -> Vec<Vec<Gem>> {
    let (grid, board) = (game.grid(), game.board());
    let all: Vec<Gem> = grid.row_major().map(|cell| board.gem(grid.index(cell))).collect();
    all.chunks(usize::from(grid.settings.columns)).map(<[Gem]>::to_vec).collect()
}

/// A witness that keeps what it sees.
#[derive(Debug)]
pub struct Recorder<'g, M> {
    grid: &'g Grid<M>,
    /// The passes so far in which something happened.
    pub passes: Vec<PassUpdate>,
}

impl<'g, M: Mask> Recorder<'g, M> {
    /// For one turn on this grid.
    pub fn new(grid: &'g Grid<M>) -> Self {
        Recorder { grid, passes: Vec::new() }
    }

    /// The cells of a set, row by row.
    fn cells(&self, set: M) -> Vec<Cell> {
        let mut cells = Vec::new();
        set.for_each(|index| cells.push(self.grid.cell(index)));
        cells.sort();
        cells
    }

    fn created(&self, pass: &Pass<'_, M>) -> Vec<Placed> {
        let mut created = Vec::new();
        if self.grid.fidelity == Fidelity::Exact {
            pass.step.created.for_each(|index, bonus| {
                let gem = Gem { bonus: Some(bonus), ..pass.before.gem(index) };
                created.push(Placed { cell: self.grid.cell(index), gem });
            });
        }
        created.sort_by_key(|placed| placed.cell);
        created
    }

    /// Who falls where in a column, from the lowest upwards; and how many new gems it needs.
    fn column_falls(&self, column: u8, removed: M, falls: &mut Vec<Fall>) -> u8 {
        let mut holes = 0;
        for row in (0..self.grid.settings.rows).rev() {
            let from = Cell::new(row, column);
            if removed.has(self.grid.index(from)) {
                holes += 1;
            } else if holes > 0 {
                falls.push(Fall { from, to: Cell::new(row + holes, column) });
            }
        }
        holes
    }

    /// New gems enter one row at a time, in all columns from the left; the first of a column comes to rest lowest.
    fn refills(&self, holes: &[u8], pass: &Pass<'_, M>) -> Vec<Placed> {
        let mut refills = Vec::new();
        for round in 1..=holes.iter().copied().max().unwrap_or(0) {
            for (column, holes) in holes.iter().enumerate() {
                if let Some(row) = holes.checked_sub(round) {
                    let cell = Cell::new(row, column as u8);
                    refills.push(Placed { cell, gem: pass.after.gem(self.grid.index(cell)) });
                }
            }
        }
        refills
    }
}

impl<M: Mask> Witness<M> for Recorder<'_, M> {
    const WATCHES: bool = true;

    fn pass(&mut self, pass: &Pass<'_, M>) {
        let removed = pass.step.removed;
        let gem = |cell| Placed { cell, gem: pass.before.gem(self.grid.index(cell)) };
        let ice = |cell| Broken { cell, layers: pass.after.layers(self.grid.index(cell)) };
        let mut falls = Vec::new();
        let columns = 0..self.grid.settings.columns;
        let holes: Vec<u8> =
            columns.map(|column| self.column_falls(column, removed, &mut falls)).collect();
        let update = PassUpdate {
            number: pass.number,
            removals: self.cells(removed).into_iter().map(gem).collect(),
            ice: self.cells(pass.ice_broken).into_iter().map(ice).collect(),
            medals: self.cells(pass.medals_freed),
            created: self.created(pass),
            refills: self.refills(&holes, pass),
            falls,
            score: pass.score,
        };
        if !update.is_empty() {
            self.passes.push(update);
        }
    }
}
