//! Patterns placed on one board: every placement has a number, and every cell lists the placements
//! that contain it.

use std::ops::Range;

use tesuji_games::RowGrid;

use super::{Pattern, Placement, Spread};

/// Why patterns cannot be placed on a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct LayoutError(pub(super) String);

/// The maximum total number of table entries: an index leaves six bits of a word free.
pub(super) const MAX_ENTRIES: usize = 1 << 26;

/// All placements on a board. The tables of all patterns are concatenated; an index counts from the
/// start of the first.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) grid: RowGrid,
    pub(super) patterns: Vec<PlacedPattern>,
    /// The start of each cell's runs in `runs`, and one more for the end.
    starts: Vec<u32>,
    runs: Vec<PlacementRun>,
    /// Placement numbers, run by run, in the short list if they all fit, otherwise in the long one.
    /// The short list halves the memory traffic of a move.
    short: Vec<u16>,
    long: Vec<u32>,
}

/// The integer type of a placement number.
pub(super) trait PlacementNumber: Copy + Into<u32> + 'static {
    fn list(layout: &Layout) -> &[Self];
}

impl PlacementNumber for u16 {
    #[inline]
    fn list(layout: &Layout) -> &[u16] {
        &layout.short
    }
}

impl PlacementNumber for u32 {
    #[inline]
    fn list(layout: &Layout) -> &[u32] {
        &layout.long
    }
}

/// The placements of one pattern.
#[derive(Clone, Debug)]
pub(super) struct PlacedPattern {
    /// The numbers of the placements.
    pub(super) numbers: Range<usize>,
    /// The start of the pattern's table.
    pub(super) base: u32,
    /// The number of entries in the pattern's table.
    pub(super) entries: usize,
    /// The cells of each placement.
    pub(super) placements: Vec<Placement>,
}

/// Placements that contain a cell as the same digit.
#[derive(Clone, Copy, Debug)]
struct PlacementRun {
    /// 3 to the power of the digit's position: the change of the index per step of the digit.
    step: u32,
    from: u32,
    to: u32,
}

impl Layout {
    pub(super) fn new<'p>(
        patterns: impl Iterator<Item = &'p Pattern>,
        spread: &Spread,
        grid: &RowGrid,
    ) -> Result<Layout, LayoutError> {
        let mut placed: Vec<PlacedPattern> = Vec::new();
        let (mut count, mut base) = (0, 0);
        for (place, pattern) in patterns.enumerate() {
            let placements = spread.placements(pattern, grid);
            if placements.is_empty() {
                let (number, side) = (place + 1, pattern.window().side);
                let RowGrid { columns, rows, .. } = *grid;
                return Err(LayoutError(format!(
                    "pattern {number} fits nowhere on a board of {columns}x{rows} (window side \
                     {side}); expected a larger board"
                )));
            }
            let entries = 3usize.pow(pattern.len() as u32);
            let numbers = count..count + placements.len();
            placed.push(PlacedPattern { numbers, base: base as u32, entries, placements });
            count += placed[place].placements.len();
            base += entries;
            if base > MAX_ENTRIES {
                return Err(LayoutError(format!(
                    "the tables have {base} entries in total; expected at most {MAX_ENTRIES}"
                )));
            }
        }
        if placed.is_empty() {
            return Err(LayoutError("a model without patterns; expected at least one".to_string()));
        }
        Ok(Layout::with_runs(placed, grid))
    }

    fn with_runs(placed: Vec<PlacedPattern>, grid: &RowGrid) -> Layout {
        let mut by_cell: Vec<Vec<(u32, u32)>> = vec![Vec::new(); grid.cells()];
        for placed in &placed {
            for (number, placement) in placed.numbers.clone().zip(&placed.placements) {
                let mut step = 1;
                for &cell in placement {
                    by_cell[usize::from(cell)].push((step, number as u32));
                    step *= 3;
                }
            }
        }
        let mut layout = Layout {
            grid: *grid,
            patterns: placed,
            starts: vec![0],
            runs: Vec::new(),
            short: Vec::new(),
            long: Vec::new(),
        };
        for mut here in by_cell {
            here.sort_unstable();
            for run in here.chunk_by(|a, b| a.0 == b.0) {
                let from = layout.long.len() as u32;
                layout.long.extend(run.iter().map(|&(_, number)| number));
                layout.runs.push(PlacementRun {
                    step: run[0].0,
                    from,
                    to: layout.long.len() as u32,
                });
            }
            layout.starts.push(layout.runs.len() as u32);
        }
        if layout.placements() <= 1 << u16::BITS {
            layout.short = layout.long.drain(..).map(|number| number as u16).collect();
            layout.long = Vec::new();
        }
        layout
    }

    /// Whether placement numbers are short.
    #[inline]
    pub(super) fn has_short_numbers(&self) -> bool {
        !self.short.is_empty()
    }

    /// The number of placements.
    pub(super) fn placements(&self) -> usize {
        self.patterns.last().map_or(0, |placed| placed.numbers.end)
    }

    /// The total number of table entries.
    pub(super) fn entries(&self) -> usize {
        self.patterns.iter().map(|placed| placed.entries).sum()
    }

    /// The total number of cells of all placements.
    pub(super) fn incidences(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// The placements that contain a cell, with the change of their index per step of the cell's
    /// digit.
    #[inline]
    pub(super) fn touching<N: PlacementNumber>(
        &self,
        cell: usize,
    ) -> impl Iterator<Item = (u32, &[N])> {
        let all = N::list(self);
        let runs = self.starts[cell] as usize..self.starts[cell + 1] as usize;
        self.runs[runs].iter().map(|run| (run.step, &all[run.from as usize..run.to as usize]))
    }
}
