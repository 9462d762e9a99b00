//! The placements of a network's patterns on a board, and the table entries that they select,
//! updated stone by stone. Independent of the weights.

use tesuji_games::{RowGrid, Side};

use super::network::entries;
use crate::forest::{CellContent, Pattern, Placement, Spread};

/// Patterns placed on one board.
///
/// The tables of all patterns are concatenated, so one number (an *entry*) identifies both the
/// pattern and its content.
#[derive(Clone, Debug)]
pub(super) struct TupleLayout {
    /// The start of the table of each pattern, and the end of the last one.
    starts: Vec<u32>,
    /// The cells of each placement.
    placements: Vec<Placement>,
    /// By placement, the entry of an empty placement. Its weight stays 0, as such a placement has
    /// no vote in a forest: on an almost empty board nearly all placements share this entry, and
    /// its updates would dominate the others.
    pub(super) empty: Vec<u32>,
    /// By cell, the placements that contain it.
    touching: Vec<Vec<CellUse>>,
}

/// A placement that contains a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellUse {
    pub(super) placement: u32,
    /// The power of 3 of the cell's digit: a stone of the viewer adds it to the index, a stone of
    /// the opponent adds twice that.
    pub(super) power: u32,
}

impl TupleLayout {
    /// Places these patterns on a board. Patterns that do not fit have no placement.
    pub(super) fn new(patterns: &[Pattern], spread: &Spread, grid: &RowGrid) -> TupleLayout {
        let mut layout = TupleLayout {
            starts: vec![0],
            placements: Vec::new(),
            empty: Vec::new(),
            touching: vec![Vec::new(); grid.cells()],
        };
        for (number, pattern) in patterns.iter().enumerate() {
            let start = layout.starts[number];
            layout.starts.push(start + entries(pattern) as u32);
            for cells in spread.placements(pattern, grid) {
                layout.add(start, cells);
            }
        }
        layout
    }

    fn add(&mut self, start: u32, cells: Placement) {
        let placement = self.placements.len() as u32;
        for (digit, &cell) in cells.iter().enumerate() {
            let power = 3u32.pow(digit as u32);
            self.touching[usize::from(cell)].push(CellUse { placement, power });
        }
        self.placements.push(cells);
        self.empty.push(start);
    }

    /// The number of placements.
    pub(super) fn placements(&self) -> usize {
        self.placements.len()
    }

    /// The number of entries of all tables.
    pub(super) fn entries(&self) -> usize {
        *self.starts.last().expect("there is always a first start") as usize
    }

    /// The entries of one pattern.
    pub(super) fn entries_of(&self, pattern: usize) -> std::ops::Range<usize> {
        self.starts[pattern] as usize..self.starts[pattern + 1] as usize
    }

    /// The entries of all placements that have a stone, given the contents of the cells.
    pub(super) fn entries_of_fields(&self, fields: &[CellContent]) -> Vec<u32> {
        let placements = self.placements.iter().zip(&self.empty);
        placements
            .map(|(cells, start)| (start, index_of(cells, fields)))
            .filter(|&(_, index)| index > 0)
            .map(|(start, index)| start + index)
            .collect()
    }

    /// The placements that contain a cell.
    #[inline]
    pub(super) fn touching(&self, cell: usize) -> &[CellUse] {
        &self.touching[cell]
    }
}

fn index_of(cells: &[u16], fields: &[CellContent]) -> u32 {
    cells.iter().rev().fold(0, |index, &cell| index * 3 + fields[usize::from(cell)] as u32)
}

/// The entry of every placement from the point of view of both sides, updated stone by stone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlacementEntries {
    /// By viewer and placement, the entry.
    entries: [Vec<u32>; 2],
}

impl PlacementEntries {
    /// An empty board.
    pub(super) fn empty(layout: &TupleLayout) -> PlacementEntries {
        PlacementEntries { entries: [layout.empty.clone(), layout.empty.clone()] }
    }

    /// Resets to an empty board.
    pub(super) fn clear(&mut self, layout: &TupleLayout) {
        self.entries.iter_mut().for_each(|entries| entries.copy_from_slice(&layout.empty));
    }

    /// The entry of every placement from the point of view of `viewer`.
    #[inline]
    pub(super) fn entries_for(&self, viewer: Side) -> &[u32] {
        &self.entries[viewer.index()]
    }

    /// Adds a stone.
    #[inline]
    pub(super) fn put(&mut self, layout: &TupleLayout, cell: usize, stone: Side) {
        self.change(layout, cell, stone, |entry, by| *entry += by);
    }

    /// Removes a stone.
    #[inline]
    pub(super) fn take(&mut self, layout: &TupleLayout, cell: usize, stone: Side) {
        self.change(layout, cell, stone, |entry, by| *entry -= by);
    }

    #[inline]
    fn change(
        &mut self,
        layout: &TupleLayout,
        cell: usize,
        stone: Side,
        to: impl Fn(&mut u32, u32),
    ) {
        let [first, second] = &mut self.entries;
        let (mine, theirs) = if stone == Side::First { (first, second) } else { (second, first) };
        for cell_use in layout.touching(cell) {
            to(&mut mine[cell_use.placement as usize], cell_use.power);
            to(&mut theirs[cell_use.placement as usize], 2 * cell_use.power);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::{PatternWindow, contents_seen_by};
    use crate::row_games;
    use tesuji_games::random::{Rng, seeded};
    use tesuji_games::{RowBoard, RowPosition};

    /// The entries of a position, computed from scratch.
    fn recomputed<P: RowPosition>(layout: &TupleLayout, position: &P) -> PlacementEntries {
        let entries = |viewer| {
            let fields = contents_seen_by(viewer, position);
            let placements = layout.placements.iter().zip(&layout.empty);
            placements.map(|(cells, start)| start + index_of(cells, &fields)).collect()
        };
        PlacementEntries { entries: Side::ALL.map(entries) }
    }

    /// Plays a game to the end and undoes it; incremental entries must equal those from scratch at
    /// every step.
    fn play_and_undo<P: RowPosition>(start: &P, layout: &TupleLayout, rng: &mut Rng) -> usize {
        let (mut position, mut contents) = (start.clone(), PlacementEntries::empty(layout));
        let mut played = Vec::new();
        while position.outcome().is_none() {
            let m = position.random_move(rng);
            let (cell, side) = (position.cell(m), position.to_move());
            contents.put(layout, cell, side);
            played.push((m, cell, side, position.play(m)));
            assert_eq!(contents, recomputed(layout, &position));
        }
        let moves = played.len();
        while let Some((m, cell, side, undo)) = played.pop() {
            contents.take(layout, cell, side);
            position.undo(m, undo);
            assert_eq!(contents, recomputed(layout, &position));
        }
        moves
    }

    fn games(start: &RowBoard) -> usize {
        let grid = start.grid();
        let window = PatternWindow::within(4, &grid);
        let cells = |all: [u16; 4]| all.map(|cell| cell % window.cells() as u16).to_vec();
        let patterns = [cells([0, 1, 5, 3]), cells([6, 2, 0, 7])]
            .map(|cells| Pattern::new(window, cells).unwrap());
        let layout = TupleLayout::new(&patterns, &Spread::default(), &grid);
        assert_eq!(layout.entries(), 162);
        let mut rng = seeded(9);
        (0..4).map(|_| play_and_undo(start, &layout, &mut rng)).sum()
    }

    #[test]
    fn entries_are_updated_by_every_move_and_undo() {
        for game in ["tictactoe", "connect4", "connect4:7x7", "mnk:10x8,k=5", "connect6"] {
            let moves = games(&row_games::board(game).unwrap());
            assert!(moves > 20, "{game}");
        }
    }

    #[test]
    fn a_pattern_that_does_not_fit_has_no_placement() {
        let grid = RowGrid { columns: 3, rows: 3, k: 3, gravity: false };
        let long = Pattern::new(PatternWindow { side: 4 }, vec![0, 1, 2, 3]).unwrap();
        let layout = TupleLayout::new(&[long], &Spread::default(), &grid);
        assert_eq!((layout.placements(), layout.entries()), (0, 81));
        assert!(layout.touching.iter().all(Vec::is_empty));
    }
}
