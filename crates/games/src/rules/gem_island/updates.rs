//! The events of a turn, for animation: for each pass of the cascade the removed gems, new bonuses,
//! broken ice, freed medals, falling gems and new gems. Simulations do not create such a list; play
//! a turn with a [`Recorder`] as its observer to get one.

use super::{
    CascadePass, Fidelity, Gem, GemCell, GemGrid, GemIsland, Mask, Refill, Swap, TurnObserver,
    TurnSummary,
};

/// The events of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct TurnUpdates {
    /// The swap played.
    pub swap: Swap,
    /// The passes in which something happened.
    pub passes: Vec<PassUpdate>,
    /// The score of all passes.
    pub score: u64,
    /// The gems after a shuffle of a board without a legal swap, row by row; `None` without a
    /// shuffle.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub reshuffled: Option<Vec<Vec<Gem>>>,
}

/// The events of one pass of the cascade, in the order in which they happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PassUpdate {
    /// Counted from 1; a later pass scores more.
    pub number: u32,
    /// The removed gems, row by row.
    pub removals: Vec<PlacedGem>,
    /// The broken ice: one entry per cell, row by row.
    pub ice: Vec<BrokenIce>,
    /// The upper left cells of freed medals, row by row.
    pub medals: Vec<GemCell>,
    /// New bonuses, row by row. If a cell occurs twice, the later bonus remains.
    pub created: Vec<PlacedGem>,
    /// Gems that fell, column by column, from the lowest upwards.
    pub falls: Vec<GemFall>,
    /// New gems at their final cells, in the order in which they were drawn.
    pub refills: Vec<PlacedGem>,
    /// The score of this pass.
    pub score: u64,
}

impl PassUpdate {
    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.removals.is_empty() && self.created.is_empty() && self.medals.is_empty()
    }
}

/// A gem on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PlacedGem {
    /// The cell.
    pub cell: GemCell,
    /// The gem.
    pub gem: Gem,
}

/// A cell that lost a layer of ice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BrokenIce {
    /// The cell.
    pub cell: GemCell,
    /// The number of layers left.
    pub layers: u8,
}

/// A gem that fell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GemFall {
    /// The cell before the fall.
    pub from: GemCell,
    /// The cell after the fall, in the same column.
    pub to: GemCell,
}

/// Plays a swap and records its events.
pub fn play_recorded<M: Mask, R: Refill>(
    game: &mut GemIsland<M>,
    swap: Swap,
    refill: &mut R,
) -> (TurnSummary, TurnUpdates) {
    let grid = game.grid().clone();
    let mut recorder = Recorder { grid: &grid, passes: Vec::new() };
    let turn = game.play(swap, refill, &mut recorder);
    let reshuffled = turn.reshuffled.then(|| gems(game));
    (turn, TurnUpdates { swap, passes: recorder.passes, score: turn.score, reshuffled })
}

fn gems<M: Mask>(game: &GemIsland<M>) -> Vec<Vec<Gem>> {
    let (grid, board) = (game.grid(), game.board());
    let all: Vec<Gem> = grid.row_major().map(|cell| board.gem(grid.index(cell))).collect();
    all.chunks(usize::from(grid.settings.columns)).map(<[Gem]>::to_vec).collect()
}

/// An observer that records the events of a turn.
#[derive(Debug)]
pub struct Recorder<'g, M> {
    grid: &'g GemGrid<M>,
    /// The passes in which something happened.
    pub passes: Vec<PassUpdate>,
}

impl<'g, M: Mask> Recorder<'g, M> {
    /// A recorder for one turn on this grid.
    pub fn new(grid: &'g GemGrid<M>) -> Self {
        Recorder { grid, passes: Vec::new() }
    }

    /// The cells of a set, row by row.
    fn cells(&self, set: M) -> Vec<GemCell> {
        let mut cells = Vec::new();
        set.for_each(|index| cells.push(self.grid.cell(index)));
        cells.sort();
        cells
    }

    fn created(&self, pass: &CascadePass<'_, M>) -> Vec<PlacedGem> {
        let mut created = Vec::new();
        if self.grid.fidelity == Fidelity::Exact {
            pass.step.created.for_each(|index, bonus| {
                let gem = Gem { bonus: Some(bonus), ..pass.before.gem(index) };
                created.push(PlacedGem { cell: self.grid.cell(index), gem });
            });
        }
        created.sort_by_key(|placed| placed.cell);
        created
    }

    /// Records the falls in a column, from the lowest cell upward, and returns the number of new
    /// gems it needs.
    fn column_falls(&self, column: u8, removed: M, falls: &mut Vec<GemFall>) -> u8 {
        let mut holes = 0;
        for row in (0..self.grid.settings.rows).rev() {
            let from = GemCell::new(row, column);
            if removed.has(self.grid.index(from)) {
                holes += 1;
            } else if holes > 0 {
                falls.push(GemFall { from, to: GemCell::new(row + holes, column) });
            }
        }
        holes
    }

    /// The new gems: they enter one row at a time, in all columns from the left; the first of a
    /// column comes to rest lowest.
    fn refills(&self, holes: &[u8], pass: &CascadePass<'_, M>) -> Vec<PlacedGem> {
        let mut refills = Vec::new();
        for round in 1..=holes.iter().copied().max().unwrap_or(0) {
            for (column, holes) in holes.iter().enumerate() {
                if let Some(row) = holes.checked_sub(round) {
                    let cell = GemCell::new(row, column as u8);
                    refills.push(PlacedGem { cell, gem: pass.after.gem(self.grid.index(cell)) });
                }
            }
        }
        refills
    }
}

impl<M: Mask> TurnObserver<M> for Recorder<'_, M> {
    const ENABLED: bool = true;

    fn pass(&mut self, pass: &CascadePass<'_, M>) {
        let removed = pass.step.removed;
        let gem = |cell| PlacedGem { cell, gem: pass.before.gem(self.grid.index(cell)) };
        let ice = |cell| BrokenIce { cell, layers: pass.after.layers(self.grid.index(cell)) };
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
