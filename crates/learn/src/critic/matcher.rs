//! Counts patterns on the lines of a board, which are stored as bits.

use tesuji_games::{RowGrid, Side};
use tesuji_gomoku::fudan::{LineShape, count_matches};

use super::line_cache::{FIELDS, LineCache, LineCounts, in_field};
use super::patterns::{LONGEST_ROW, PATTERNS, SHORTEST_ROW, shapes};

/// The longest side of a board: a line, its walls and its length fit into one word.
pub const LONGEST_SIDE: usize = 28;

/// Steps along the four lines through a cell: right, down, down right, down left.
const DIRECTIONS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The position of a cell on one of its lines.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct LinePosition {
    pub(super) line: u16,
    /// The bit of the line's words; 0 is the wall before the first cell.
    pub(super) bit: u8,
}

/// Counts patterns on the lines of one board.
#[derive(Debug)]
pub struct PatternMatcher {
    grid: RowGrid,
    shapes: [Vec<LineShape>; PATTERNS],
    /// The number of stones below which a side has no pattern on a line.
    min_stones: u32,
    /// By cell.
    positions: Vec<[LinePosition; 4]>,
    /// The number of cells of each line.
    lengths: Vec<u8>,
    /// By cell: the cells one or two steps away on its eight rays, with direct neighbors twice.
    reach: Vec<Vec<u16>>,
    cache: LineCache,
}

/// Why critics do not support a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MatcherError {
    /// The row is too short or too long.
    #[error(
        "{0} in a row: not supported by critics; expected {SHORTEST_ROW} to {LONGEST_ROW} in a row"
    )]
    Row(usize),
    /// Columns and rows of a board that is too large.
    #[error("board {0}x{1}: too large for critics; expected sides up to {LONGEST_SIDE}")]
    Side(usize, usize),
}

impl PatternMatcher {
    /// Prepares the lines of a board.
    pub fn new(grid: &RowGrid) -> Result<PatternMatcher, MatcherError> {
        if !(SHORTEST_ROW..=LONGEST_ROW).contains(&grid.k) {
            return Err(MatcherError::Row(grid.k));
        }
        if grid.columns.max(grid.rows) > LONGEST_SIDE {
            return Err(MatcherError::Side(grid.columns, grid.rows));
        }
        let (positions, lengths) = lines(grid);
        Ok(PatternMatcher {
            grid: *grid,
            shapes: shapes(grid.k),
            min_stones: if grid.k > 4 { 2 } else { 1 },
            positions,
            lengths,
            reach: (0..grid.cells()).map(|cell| reach(grid, cell)).collect(),
            cache: LineCache::new(),
        })
    }

    /// The board.
    pub fn grid(&self) -> &RowGrid {
        &self.grid
    }

    /// The cells one or two steps away on the eight rays, which the report considers as moves.
    pub(super) fn reach(&self, cell: usize) -> &[u16] {
        &self.reach[cell]
    }

    #[inline]
    pub(super) fn positions(&self, cell: usize) -> &[LinePosition; 4] {
        &self.positions[cell]
    }

    pub(super) fn line_count(&self) -> usize {
        self.lengths.len()
    }

    /// The count of each pattern on a line with these stones.
    #[inline]
    pub(super) fn counts(&self, line: u16, stones: [u32; 2]) -> LineCounts {
        let length = self.lengths[usize::from(line)];
        let key = u64::from(stones[0]) | u64::from(stones[1]) << 32;
        // Cells are bits 1 to 28 of each half.
        let key = key | u64::from(length & 7) << 29 | u64::from(length >> 3) << 61;
        self.cache.counts(key, || self.count(length, stones))
    }

    /// Counts without the cache.
    fn count(&self, length: u8, stones: [u32; 2]) -> LineCounts {
        let inside = (1u32 << (length + 1)) - 2;
        let walls = 1 | 2 << length;
        let empty = inside & !(stones[0] | stones[1]);
        Side::ALL.into_iter().fold(0, |counts, side| {
            let own = stones[side.index()];
            if own.count_ones() < self.min_stones {
                return counts;
            }
            let blocked = stones[(!side).index()] | walls;
            self.shapes.iter().enumerate().fold(counts, |counts, (pattern, shapes)| {
                let count = count_matches(shapes, own, empty, blocked);
                counts | in_field(side.index() * PATTERNS + pattern, count)
            })
        })
    }
}

const _: () = assert!(FIELDS * 6 <= 128 && LONGEST_SIDE < 29);

/// The positions of each cell on its four lines, and the lengths of the lines.
fn lines(grid: &RowGrid) -> (Vec<[LinePosition; 4]>, Vec<u8>) {
    let mut positions = vec![[LinePosition::default(); 4]; grid.cells()];
    let mut lengths = Vec::new();
    for (direction, step) in DIRECTIONS.into_iter().enumerate() {
        for first in 0..grid.cells() {
            if step_from(grid, first, (-step.0, -step.1)).is_some() {
                continue;
            }
            let line = lengths.len() as u16;
            let cells = std::iter::successors(Some(first), |&cell| step_from(grid, cell, step));
            let length = cells.enumerate().fold(0, |_, (n, cell)| {
                positions[cell][direction] = LinePosition { line, bit: n as u8 + 1 };
                n as u8 + 1
            });
            lengths.push(length);
        }
    }
    (positions, lengths)
}

fn step_from(grid: &RowGrid, cell: usize, (down, right): (isize, isize)) -> Option<usize> {
    let row = (cell / grid.columns).checked_add_signed(down).filter(|row| *row < grid.rows)?;
    let column =
        (cell % grid.columns).checked_add_signed(right).filter(|column| *column < grid.columns)?;
    Some(row * grid.columns + column)
}

fn reach(grid: &RowGrid, cell: usize) -> Vec<u16> {
    let both_ways =
        DIRECTIONS.into_iter().flat_map(|(down, right)| [(down, right), (-down, -right)]);
    // Direct neighbors are listed twice, so that they count twice.
    let steps =
        both_ways.flat_map(|(down, right)| [(down, right), (down, right), (2 * down, 2 * right)]);
    steps.filter_map(|step| step_from(grid, cell, step)).map(|cell| cell as u16).collect()
}
