//! Where the patterns of a network lie on a board, which of them touch a cell, and what they see as stones come
//! and go. Nothing here knows weights.

use tesuji_games::{Grid, Side, Stones};

use super::network::entries;
use crate::forest::{Field, Pattern, Placement, Spread};

/// Patterns laid on one board.
///
/// The tables of all patterns stand one after the other, so that one number (an *entry*) says both which pattern it
/// is and what it sees.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Where the table of each pattern begins, and where the last one ends.
    starts: Vec<u32>,
    /// Of each placement, the pattern and its cells.
    placements: Vec<(u32, Placement)>,
    /// Of each placement, the entry of an empty board.
    empty: Vec<u32>,
    /// By cell, the placements that see it.
    touching: Vec<Vec<Touch>>,
}

/// A placement sees a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) placement: u32,
    /// What a stone of the viewer adds to the index; one of the other side adds twice that.
    pub(super) worth: u32,
}

impl Layout {
    /// Lays these patterns on a board. Patterns that do not fit have no placement.
    pub fn new(patterns: &[Pattern], spread: &Spread, grid: &Grid) -> Layout {
        let mut layout = Layout {
            starts: vec![0],
            placements: Vec::new(),
            empty: Vec::new(),
            touching: vec![Vec::new(); grid.cells()],
        };
        for (number, pattern) in patterns.iter().enumerate() {
            let start = layout.starts[number];
            layout.starts.push(start + entries(pattern) as u32);
            for placement in spread.placements(pattern, grid) {
                layout.add(number as u32, start, placement);
            }
        }
        layout
    }

    /// No patterns on no board.
    pub(super) fn empty() -> Layout {
        Layout { starts: vec![0], placements: Vec::new(), empty: Vec::new(), touching: Vec::new() }
    }

    fn add(&mut self, pattern: u32, start: u32, cells: Placement) {
        let placement = self.placements.len() as u32;
        for (digit, &cell) in cells.iter().enumerate() {
            let worth = 3u32.pow(digit as u32);
            self.touching[usize::from(cell)].push(Touch { placement, worth });
        }
        self.placements.push((pattern, cells));
        self.empty.push(start);
    }

    /// How many placements there are.
    pub fn placements(&self) -> usize {
        self.placements.len()
    }

    /// How many entries the tables have together.
    pub fn entries(&self) -> usize {
        *self.starts.last().expect("there is always a first start") as usize
    }

    /// How many placements see a cell, on average.
    pub fn touches_per_cell(&self) -> f64 {
        let touches: usize = self.touching.iter().map(Vec::len).sum();
        touches as f64 / self.touching.len().max(1) as f64
    }

    /// The entries of one pattern.
    pub(super) fn entries_of(&self, pattern: usize) -> std::ops::Range<usize> {
        self.starts[pattern] as usize..self.starts[pattern + 1] as usize
    }

    /// By placement, the entry of nothing but empty cells. It stays without a weight, as such a placement has no vote
    /// in a forest: on an almost empty board nearly all placements share it, and learning it would drown the rest.
    #[inline]
    pub(super) fn empty_entries(&self) -> &[u32] {
        &self.empty
    }

    /// The entry of every placement that sees a stone, for the digits on the cells of a board.
    pub(super) fn entries_of_fields(&self, fields: &[u8]) -> Vec<u32> {
        let index = |cells: &Placement| {
            let digits = cells.iter().rev().map(|&cell| u32::from(fields[usize::from(cell)]));
            digits.fold(0, |index, digit| index * 3 + digit)
        };
        let placements = self.placements.iter().zip(&self.empty);
        placements
            .map(|((_, cells), start)| (start, index(cells)))
            .filter(|&(_, index)| index > 0)
            .map(|(start, index)| start + index)
            .collect()
    }

    /// The placements that see a cell.
    #[inline]
    pub(super) fn touching(&self, cell: usize) -> &[Touch] {
        &self.touching[cell]
    }

    /// Pattern and index of every placement, in the eyes of `viewer`, found by looking at every cell.
    pub fn contents<P: Stones>(
        &self,
        position: &P,
        viewer: Side,
    ) -> impl Iterator<Item = (usize, usize)> {
        self.contents_of(|cell| position.stone_at(cell), viewer)
    }

    /// The same for any stones.
    pub(super) fn contents_of(
        &self,
        stone_at: impl Fn(usize) -> Option<Side>,
        viewer: Side,
    ) -> impl Iterator<Item = (usize, usize)> {
        self.placements.iter().map(move |(pattern, cells)| {
            let digit = |&cell: &u16| Field::seen_by(viewer, stone_at(cell.into())) as usize;
            (*pattern as usize, cells.iter().rev().map(digit).fold(0, |i, digit| i * 3 + digit))
        })
    }
}

/// What every placement sees, in the eyes of both sides, kept up to date stone by stone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// By viewer and placement, the entry.
    entries: [Vec<u32>; 2],
}

impl Contents {
    /// An empty board.
    pub fn empty(layout: &Layout) -> Contents {
        Contents { entries: [layout.empty.clone(), layout.empty.clone()] }
    }

    /// The stones of a position.
    pub fn of<P: Stones>(layout: &Layout, position: &P) -> Contents {
        let look = |viewer| {
            let contents = layout.contents(position, viewer);
            contents.map(|(pattern, index)| layout.starts[pattern] + index as u32).collect()
        };
        Contents { entries: Side::ALL.map(look) }
    }

    /// The entry of every placement, in the eyes of `viewer`.
    #[inline]
    pub fn seen_by(&self, viewer: Side) -> &[u32] {
        &self.entries[viewer.index()]
    }

    /// The board becomes empty.
    pub fn clear(&mut self, layout: &Layout) {
        self.entries.iter_mut().for_each(|entries| entries.copy_from_slice(&layout.empty));
    }

    /// A stone comes.
    #[inline]
    pub fn put(&mut self, layout: &Layout, cell: usize, stone: Side) {
        let [mine, theirs] = self.pair(stone);
        for touch in layout.touching(cell) {
            mine[touch.placement as usize] += touch.worth;
            theirs[touch.placement as usize] += 2 * touch.worth;
        }
    }

    /// A stone goes.
    #[inline]
    pub fn take(&mut self, layout: &Layout, cell: usize, stone: Side) {
        let [mine, theirs] = self.pair(stone);
        for touch in layout.touching(cell) {
            mine[touch.placement as usize] -= touch.worth;
            theirs[touch.placement as usize] -= 2 * touch.worth;
        }
    }

    fn pair(&mut self, stone: Side) -> [&mut Vec<u32>; 2] {
        let [first, second] = &mut self.entries;
        if stone == Side::First { [first, second] } else { [second, first] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::Window;
    use crate::stones;
    use tesuji_games::RowBoard;
    use tesuji_games::random::{Rng, seeded};

    struct Walk<'a>(&'a Layout, &'a mut Rng);

    /// Plays to the end and back; what is kept must be what is seen, at every step.
    fn walk<P: Stones>(start: &P, Walk(layout, rng): Walk<'_>) -> usize {
        let (mut position, mut contents) = (start.clone(), Contents::empty(layout));
        let mut played = Vec::new();
        while position.outcome().is_none() {
            let m = position.random_move(rng);
            let (cell, side) = (position.cell(m), position.to_move());
            contents.put(layout, cell, side);
            played.push((m, cell, side, position.play(m)));
            assert_eq!(contents, Contents::of(layout, &position));
        }
        let moves = played.len();
        while let Some((m, cell, side, undo)) = played.pop() {
            contents.take(layout, cell, side);
            position.undo(m, undo);
            assert_eq!(contents, Contents::of(layout, &position));
        }
        moves
    }

    fn games(start: &RowBoard) -> usize {
        let grid = start.grid();
        let window = Window::within(4, &grid);
        let cells = |all: [u16; 4]| all.map(|cell| cell % window.cells() as u16).to_vec();
        let patterns = [cells([0, 1, 5, 3]), cells([6, 2, 0, 7])]
            .map(|cells| Pattern::new(window, cells).unwrap());
        let layout = Layout::new(&patterns, &Spread::default(), &grid);
        assert_eq!(layout.entries(), 162);
        let mut rng = seeded(9);
        (0..4).map(|_| walk(start, Walk(&layout, &mut rng))).sum()
    }

    #[test]
    fn contents_follow_every_move_and_undo() {
        for game in ["tictactoe", "connect4", "connect4:7x7", "mnk:10x8,k=5", "connect6"] {
            let moves = games(&stones::board(game).unwrap());
            assert!(moves > 20, "{game}");
        }
    }

    #[test]
    fn a_pattern_that_does_not_fit_is_seen_nowhere() {
        let grid = Grid { columns: 3, rows: 3, k: 3, gravity: false };
        let long = Pattern::new(Window { side: 4 }, vec![0, 1, 2, 3]).unwrap();
        let layout = Layout::new(&[long], &Spread::default(), &grid);
        assert_eq!((layout.placements(), layout.entries()), (0, 81));
        assert_eq!(layout.touches_per_cell(), 0.0);
    }
}
