//! Scores moves by the rows that they make and break: the sorting heuristic of the thesis.
//!
//! The thesis's figure of patterns is lost. Here a row of k cells without an opponent's stone has
//! the value ten to the power of its stones, and rows with space on both ends have a higher value.
//! One Aho–Corasick automaton (1975) finds all patterns at once; the thesis searched for one
//! pattern after another and proposed this as an improvement. [`row_search`](super::row_search)
//! compares both.

use std::sync::{Arc, OnceLock};

use tesuji_games::random::{Rng, choose};
use tesuji_games::{RowGrid, RowPosition};

use super::CellContent;
use super::automaton::Automaton;
use super::evaluation::contents_seen_by;

/// A row of cells, left to right, and its value for the viewer. Cells are empty or mine.
pub(super) type RowPattern = (Vec<CellContent>, i32);

/// The largest k for which each stone multiplies the value of a row by ten. In longer rows the
/// first stones have no value, which keeps numbers small.
const MAX_COUNTED_STONES: usize = 6;

/// The patterns for k in a row, each also reversed.
pub(super) fn row_patterns(k: usize) -> Vec<RowPattern> {
    let mut all = Vec::new();
    for cells in rows_with_few_gaps(k) {
        let stones = cells.iter().filter(|&&cell| cell == CellContent::Mine).count();
        add(&mut all, cells, row_value(k, stones, 1));
    }
    let mine = |count: usize| vec![CellContent::Mine; count];
    if k >= 3 {
        let open = [vec![CellContent::Empty], mine(k - 2), vec![CellContent::Empty; 2]].concat();
        add_both_ways(&mut all, open, row_value(k, k - 2, 1));
    }
    if k >= 5 {
        let open = [vec![CellContent::Empty; 2], mine(k - 3), vec![CellContent::Empty; 2]].concat();
        add_both_ways(&mut all, open, row_value(k, k - 3, 2));
        for left in 1..k - 3 {
            let gap = || vec![CellContent::Empty];
            let split = [gap(), mine(left), gap(), mine(k - 3 - left), gap()].concat();
            add(&mut all, split, row_value(k, k - 3, 1));
        }
    }
    all
}

/// Rows of k cells with enough stones to have a value.
fn rows_with_few_gaps(k: usize) -> Vec<Vec<CellContent>> {
    let fewest = k.saturating_sub(MAX_COUNTED_STONES) + 1;
    let mut rows = vec![(Vec::new(), 0)];
    for place in 0..k {
        let mut longer = Vec::new();
        for (row, stones) in rows {
            for (content, more) in [(CellContent::Mine, 1), (CellContent::Empty, 0)] {
                if stones + more + (k - place - 1) >= fewest {
                    longer.push(([&row[..], &[content]].concat(), stones + more));
                }
            }
        }
        rows = longer;
    }
    rows.into_iter().map(|(row, _)| row).collect()
}

fn row_value(k: usize, stones: usize, times: i32) -> i32 {
    match stones.checked_sub(k.saturating_sub(MAX_COUNTED_STONES)) {
        Some(counted) if counted > 0 => times * 10i32.pow(counted as u32),
        _ => 0,
    }
}

fn add(all: &mut Vec<RowPattern>, cells: Vec<CellContent>, value: i32) {
    if value > 0 {
        all.push((cells, value));
    }
}

fn add_both_ways(all: &mut Vec<RowPattern>, cells: Vec<CellContent>, value: i32) {
    let reversed: Vec<CellContent> = cells.iter().rev().copied().collect();
    if reversed != cells {
        add(all, reversed, value);
    }
    add(all, cells, value);
}

/// The sorting heuristic for one board.
#[derive(Clone, Debug)]
pub struct LineOrder {
    grid: RowGrid,
    /// The weight of the opponent's rows.
    opponent_weight: i32,
    rows: Arc<RowTables>,
    /// For each cell, the cells within k steps in the four directions, and the position of this
    /// cell in their surroundings.
    neighbors: Vec<Vec<Neighbor>>,
    /// The codes of each cell's surroundings on the empty board.
    empty: Vec<[u32; 4]>,
}

/// Data shared by all boards with the same k.
#[derive(Debug)]
pub(super) struct RowTables {
    pub(super) automaton: Automaton,
    /// Indexed by the code of an empty cell's surroundings in one direction; `None` for large k,
    /// where the table would be too large.
    changes: Option<Vec<RowChange>>,
}

/// The change in value by a stone on an empty cell, in one direction, from one side's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct RowChange {
    /// By a stone of the viewer.
    gain: i32,
    /// By a stone of the opponent; never above 0.
    harm: i32,
}

#[derive(Clone, Copy, Debug)]
struct Neighbor {
    /// The cell at the center of the surroundings.
    center: u16,
    direction: u8,
    /// A stone here changes the code of the surroundings by this or twice this.
    step: u32,
}

/// The usual weight of the opponent's rows. The opponent moves next, so stopping its rows comes
/// before extending one's rows. With the thesis's weight 1, the heuristic player ignores open
/// threes, and its games end after ten stones.
const OPPONENT_WEIGHT: i32 = 2;

const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];
/// Surroundings of 2k cells have a table index; 3 to the power of 12 entries are enough.
const MAX_TABLE_K: usize = 6;
const MAX_K: usize = 20;

/// The automaton and table for each k, built on first use.
pub(super) fn row_tables(k: usize) -> Arc<RowTables> {
    static ALL: [OnceLock<Arc<RowTables>>; MAX_K + 1] = [const { OnceLock::new() }; MAX_K + 1];
    let make = || {
        let automaton = Automaton::new(&row_patterns(k));
        let changes = (k <= MAX_TABLE_K).then(|| change_table(&automaton, k));
        Arc::new(RowTables { automaton, changes })
    };
    ALL.get(k).map_or_else(make, |known| known.get_or_init(make).clone())
}

/// The change for each code; the k cells before the center are the lower digits.
fn change_table(automaton: &Automaton, k: usize) -> Vec<RowChange> {
    let half = 3usize.pow(k as u32);
    let read = |from: usize, mut code: usize| {
        let (mut state, mut sum) = (from, 0);
        for _ in 0..k {
            state = automaton.next(state, CellContent::ALL[code % 3]);
            sum += automaton.value(state);
            code /= 3;
        }
        (state, sum)
    };
    // The value of the cells after the center depends only on the automaton's state at the center.
    let after: Vec<Vec<i32>> = (0..automaton.states())
        .map(|state| (0..half).map(|code| read(state, code).1).collect())
        .collect();
    let before: Vec<usize> = (0..half).map(|code| read(Automaton::START, code).0).collect();
    let with = |left: usize, right: usize, content: CellContent| {
        let state = automaton.next(left, content);
        automaton.value(state) + after[state][right]
    };
    let change = |right: usize, left: usize| {
        let empty = with(left, right, CellContent::Empty);
        let gain = with(left, right, CellContent::Mine) - empty;
        RowChange { gain, harm: with(left, right, CellContent::Theirs) - empty }
    };
    let rights = 0..half;
    rights
        .flat_map(|right| before.iter().map(move |&left| (right, left)))
        .map(|(r, l)| change(r, l))
        .collect()
}

impl LineOrder {
    /// Creates the heuristic for a board; the opponent's rows count twice.
    pub fn new(grid: &RowGrid) -> LineOrder {
        LineOrder::weighted(grid, OPPONENT_WEIGHT)
    }

    /// Creates the heuristic of the thesis: the rows of both sides count the same.
    pub fn of_thesis(grid: &RowGrid) -> LineOrder {
        LineOrder::weighted(grid, 1)
    }

    fn weighted(grid: &RowGrid, opponent_weight: i32) -> LineOrder {
        let mut order = LineOrder {
            grid: *grid,
            opponent_weight,
            rows: row_tables(grid.k),
            neighbors: vec![Vec::new(); grid.cells()],
            empty: vec![[0; 4]; grid.cells()],
        };
        if order.rows.changes.is_some() {
            order.index_surroundings();
        }
        order
    }

    /// Fills in the surroundings of each cell.
    fn index_surroundings(&mut self) {
        for center in 0..self.grid.cells() {
            for direction in 0..4 {
                for (place, seen) in self.surroundings(center, direction).enumerate() {
                    let step = 3u32.pow(place as u32);
                    let direction = direction as u8;
                    match seen {
                        Some(cell) => {
                            self.neighbors[cell].push(Neighbor {
                                center: center as u16,
                                direction,
                                step,
                            });
                        }
                        None => self.empty[center][usize::from(direction)] += 2 * step,
                    }
                }
            }
        }
    }

    /// The k cells before a cell and the k cells after it; `None` for cells outside the board.
    fn surroundings(
        &self,
        cell: usize,
        direction: usize,
    ) -> impl Iterator<Item = Option<usize>> + Clone + use<> {
        let RowGrid { columns, rows, k, .. } = self.grid;
        let (dx, dy) = DIRECTIONS[direction];
        let (x, y) = (cell % columns, cell / columns);
        let k = k as isize;
        (-k..=k).filter(|&steps| steps != 0).map(move |steps| {
            let x = x.checked_add_signed(dx * steps).filter(|&x| x < columns)?;
            let y = y.checked_add_signed(dy * steps).filter(|&y| y < rows)?;
            Some(y * columns + x)
        })
    }

    /// The change in the total value (a side's rows minus the opponent's with their weight) by that
    /// side's stone on an empty cell, in one direction. Used where there is no table.
    fn change_in(
        &self,
        contents: &[CellContent],
        cell: usize,
        direction: usize,
        side: usize,
    ) -> i32 {
        let around = || self.surroundings(cell, direction);
        let seen_by = |viewer: usize| {
            move |seen: Option<usize>| match seen {
                Some(cell) if viewer == MINE => contents[cell],
                Some(cell) => contents[cell].swapped(),
                None => CellContent::Theirs,
            }
        };
        let value = |viewer: usize, content: CellContent| {
            let (k, seen) = (self.grid.k, around().map(seen_by(viewer)));
            let line = seen.clone().take(k).chain([content]).chain(seen.skip(k));
            self.rows.automaton.scan(line)
        };
        let gain = value(side, CellContent::Mine) - value(side, CellContent::Empty);
        let harm = value(1 - side, CellContent::Theirs) - value(1 - side, CellContent::Empty);
        gain - self.opponent_weight * harm
    }
}

/// The change on every empty cell, updated incrementally.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct LineAccumulator {
    contents: Vec<CellContent>,
    /// The codes of each cell's surroundings in each direction, from both sides' view.
    around: Vec<[[u32; 2]; 4]>,
    /// The change on each cell for a stone of each side.
    changes: Vec<[i32; 2]>,
}

/// Index of the viewer, and of the opponent.
pub(super) const MINE: usize = 0;
pub(super) const THEIRS: usize = 1;

impl LineOrder {
    /// Computes the accumulator of a board.
    pub(super) fn accumulator(&self, contents: &[CellContent]) -> LineAccumulator {
        let mut accumulator = LineAccumulator::default();
        self.reset(&mut accumulator, contents);
        accumulator
    }

    /// Recomputes an accumulator in place, reusing its memory.
    pub(super) fn reset(&self, accumulator: &mut LineAccumulator, contents: &[CellContent]) {
        accumulator.contents.clear();
        accumulator.contents.resize(contents.len(), CellContent::Empty);
        accumulator.around.clear();
        accumulator.around.extend(self.empty.iter().map(|codes| codes.map(|code| [code; 2])));
        accumulator.changes.clear();
        accumulator.changes.resize(contents.len(), [0; 2]);
        if let Some(changes) = &self.rows.changes {
            for (around, sums) in accumulator.around.iter().zip(&mut accumulator.changes) {
                for codes in around {
                    self.add_change(changes, codes, sums, 1);
                }
            }
        }
        let stones =
            contents.iter().enumerate().filter(|(_, content)| **content != CellContent::Empty);
        stones.for_each(|(cell, &stone)| self.make(accumulator, cell, stone));
    }

    /// Places a stone on an empty cell.
    pub(super) fn make(&self, accumulator: &mut LineAccumulator, cell: usize, stone: CellContent) {
        accumulator.contents[cell] = stone;
        let steps = [stone as u32, stone.swapped() as u32];
        self.update_codes(accumulator, cell, |code, side, step| code + steps[side] * step);
    }

    /// Takes back the last stone.
    pub(super) fn unmake(&self, accumulator: &mut LineAccumulator, cell: usize) {
        let stone = std::mem::replace(&mut accumulator.contents[cell], CellContent::Empty);
        let steps = [stone as u32, stone.swapped() as u32];
        self.update_codes(accumulator, cell, |code, side, step| code - steps[side] * step);
    }

    /// Occupied cells are skipped: they are not queried until they are empty again, and by then all
    /// later stones have been taken back.
    #[inline]
    fn update_codes(
        &self,
        accumulator: &mut LineAccumulator,
        cell: usize,
        moved: impl Fn(u32, usize, u32) -> u32,
    ) {
        let Some(changes) = &self.rows.changes else { return };
        for neighbor in &self.neighbors[cell] {
            let center = usize::from(neighbor.center);
            if accumulator.contents[center] != CellContent::Empty {
                continue;
            }
            let codes = &mut accumulator.around[center][usize::from(neighbor.direction & 3)];
            let sums = &mut accumulator.changes[center];
            self.add_change(changes, codes, sums, -1);
            *codes = [
                moved(codes[MINE], MINE, neighbor.step),
                moved(codes[THEIRS], THEIRS, neighbor.step),
            ];
            self.add_change(changes, codes, sums, 1);
        }
    }

    #[inline]
    fn add_change(&self, changes: &[RowChange], codes: &[u32; 2], sums: &mut [i32; 2], sign: i32) {
        let mine = changes[codes[MINE] as usize];
        let theirs = changes[codes[THEIRS] as usize];
        sums[MINE] += sign * (mine.gain - self.opponent_weight * theirs.harm);
        sums[THEIRS] += sign * (theirs.gain - self.opponent_weight * mine.harm);
    }

    /// The change by a stone of [`MINE`] or [`THEIRS`] on an empty cell, for the side that places
    /// it.
    #[inline]
    pub(super) fn change_at(&self, accumulator: &LineAccumulator, cell: usize, side: usize) -> i32 {
        if self.rows.changes.is_some() {
            return accumulator.changes[cell][side];
        }
        (0..4).map(|direction| self.change_in(&accumulator.contents, cell, direction, side)).sum()
    }
}

/// The move of the thesis's heuristic player: the highest change, chosen at random on ties. The
/// game must not be over.
///
/// # Panics
/// Panics if there is no legal move.
pub fn heuristic_move<P: RowPosition>(position: &P, order: &LineOrder, rng: &mut Rng) -> P::Move {
    let accumulator = order.accumulator(&contents_seen_by(position.to_move(), position));
    let mut best = (i32::MIN, Vec::new());
    position.for_each_move(|m| {
        let change = order.change_at(&accumulator, position.cell(m), MINE);
        if change > best.0 {
            best = (change, vec![m]);
        } else if change == best.0 {
            best.1.push(m);
        }
    });
    *choose(rng, &best.1).expect("the position has legal moves")
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::row_search::RowSearch;
    use super::*;
    use tesuji_games::random::{below, seeded};

    pub(in super::super) fn grid(columns: usize, rows: usize, k: usize) -> RowGrid {
        RowGrid { columns, rows, k, gravity: false }
    }

    fn cells(text: &str) -> Vec<CellContent> {
        let content = |c| match c {
            'X' => CellContent::Mine,
            'O' => CellContent::Theirs,
            _ => CellContent::Empty,
        };
        text.chars().map(content).collect()
    }

    /// The total value of both sides' rows.
    fn value(order: &LineOrder, contents: &[CellContent]) -> i64 {
        RowSearch::with_weight(&order.grid, order.opponent_weight).all_at_once(contents)
    }

    pub(in super::super) fn random_fields(cells: usize, rng: &mut Rng) -> Vec<CellContent> {
        let kinds = 3 + below(rng, 4) as usize;
        let content = |n: usize| *CellContent::ALL.get(n).unwrap_or(&CellContent::Empty);
        (0..cells).map(|_| content(below(rng, kinds as u32) as usize)).collect()
    }

    #[test]
    fn the_change_by_one_stone_is_the_difference_of_two_boards() {
        let mut rng = seeded(2);
        for grid in [grid(3, 3, 3), grid(7, 6, 4), grid(10, 10, 5), grid(9, 8, 6), grid(9, 9, 7)] {
            for n in 0..10 {
                let order = if n < 5 { LineOrder::new(&grid) } else { LineOrder::of_thesis(&grid) };
                let mut contents = random_fields(grid.cells(), &mut rng);
                let before = value(&order, &contents);
                let accumulator = order.accumulator(&contents);
                for cell in 0..grid.cells() {
                    if contents[cell] == CellContent::Empty {
                        let change = order.change_at(&accumulator, cell, MINE);
                        contents[cell] = CellContent::Mine;
                        assert_eq!(
                            i64::from(change),
                            value(&order, &contents) - before,
                            "{grid:?}"
                        );
                        contents[cell] = CellContent::Empty;
                    }
                }
            }
        }
    }

    #[test]
    fn incremental_updates_equal_recomputation() {
        let mut rng = seeded(3);
        for grid in [grid(10, 10, 5), grid(9, 9, 6), grid(8, 8, 7)] {
            let order = LineOrder::new(&grid);
            let mut contents = vec![CellContent::Empty; grid.cells()];
            let mut kept = order.accumulator(&contents);
            let (start, mut stones) = (kept.clone(), Vec::new());
            for _ in 0..60 {
                let cell = below(&mut rng, grid.cells() as u32) as usize;
                if contents[cell] == CellContent::Empty {
                    contents[cell] =
                        [CellContent::Mine, CellContent::Theirs][below(&mut rng, 2) as usize];
                    order.make(&mut kept, cell, contents[cell]);
                    stones.push(cell);
                }
                let fresh = order.accumulator(&contents);
                let swapped: Vec<CellContent> =
                    contents.iter().map(|content| content.swapped()).collect();
                let swapped = order.accumulator(&swapped);
                for cell in (0..grid.cells()).filter(|&cell| contents[cell] == CellContent::Empty) {
                    for side in [MINE, THEIRS] {
                        let change = order.change_at(&kept, cell, side);
                        assert_eq!(change, order.change_at(&fresh, cell, side));
                    }
                    let theirs = order.change_at(&kept, cell, THEIRS);
                    assert_eq!(theirs, order.change_at(&swapped, cell, MINE));
                }
            }
            while let Some(cell) = stones.pop() {
                order.unmake(&mut kept, cell);
            }
            assert_eq!(kept, start);
        }
    }

    /// Five in a row, an open four, fours, open threes, threes, twos: each has a clearly higher
    /// value than the next.
    #[test]
    fn row_values_decrease_from_five_to_two() {
        let order = LineOrder::new(&grid(9, 1, 5));
        let value = |text: &str| value(&order, &cells(text));
        assert_eq!(value("O-XXXX-O-"), 20_000);
        assert!(value("--XXXXX--") >= 100_000);
        let ladder = ["--XXXXX--", "--XXXX---", "OXXXX----", "--XXX----", "OXXX-----", "---XX----"];
        assert!(ladder.windows(2).all(|pair| value(pair[0]) > value(pair[1])));
        assert_eq!(value("---OOO---"), -2 * value("---XXX---"));
        let thesis = LineOrder::of_thesis(&grid(9, 1, 5));
        let value = |text: &str| self::value(&thesis, &cells(text));
        assert_eq!(value("---OOO---"), -value("---XXX---"));
    }

    #[test]
    fn every_k_has_patterns() {
        for k in 1..=20 {
            let all = row_patterns(k);
            assert!(all.iter().all(|(cells, value)| cells.len() <= k + 1 && *value > 0));
            let full = all.iter().filter(|(cells, _)| *cells == vec![CellContent::Mine; k]);
            assert_eq!(
                full.map(|(_, value)| *value).collect::<Vec<_>>(),
                [10i32.pow(k.min(6) as u32)]
            );
        }
    }
}
