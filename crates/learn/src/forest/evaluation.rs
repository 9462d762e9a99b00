//! The evaluation of a position by a forest or network, computed in three ways that always agree:
//! by walking the trees, by table lookup, and incrementally by updating the index of every
//! placement.
//!
//! Searches use the incremental way. A stone changes the indices of the few hundred placements that
//! contain its cell, and the votes change by the difference of two table entries.
//! [`ForestEvaluation::peek`] computes that difference without writing, which is all that a leaf of
//! a search needs.

use std::sync::Arc;

use tesuji_games::{RowGrid, RowPosition, Side};

use crate::ntuple::TupleNetwork;

use super::entry_tables::{CodedVoteTable, EntryTable, VoteTable, WeightTables};
use super::layout::{Layout, LayoutError, PlacementNumber};
use super::{
    CellContent, Class, Forest, IGNORED, Pattern, PatternTree, Placement, ShareOf, Spread, Vote,
    VoteFormula, Votes,
};

/// Scores are in thousandths of the formula's unit.
const SCORE_SCALE: f64 = 1000.0;

/// A forest or network placed on one board. It is immutable, so threads share it.
#[derive(Clone, Debug)]
pub struct ForestEvaluation {
    layout: Layout,
    lookup: Lookup,
    formula: VoteFormula,
    trees: Vec<Arc<PatternTree>>,
    /// The number of votes if every placement voted once.
    all_votes: u32,
}

/// The lookup tables. The variant is dispatched once per stone, not once per placement.
#[derive(Clone, Debug)]
enum Lookup {
    /// One vote per placement, with weight 1.
    Votes(VoteTable),
    /// Votes with other weights, or differences between both sides' votes.
    CodedVotes(CodedVoteTable),
    /// Learned weights.
    Weights(WeightTables),
}

/// Evaluates an expression for each kind of lookup table.
macro_rules! for_payload {
    ($lookup:expr, $table:ident => $what:expr) => {
        match &$lookup {
            Lookup::Votes($table) => $what,
            Lookup::CodedVotes($table) => $what,
            Lookup::Weights($table) => $what,
        }
    };
}

/// Calls a loop over the placements of a cell, with short or long placement numbers.
macro_rules! for_numbers {
    ($self:ident.$of:ident($($given:expr),*)) => {
        match $self.layout.has_short_numbers() {
            true => $self.$of::<_, u16>($($given),*),
            false => $self.$of::<_, u32>($($given),*),
        }
    };
}

/// The incremental state of an [`ForestEvaluation`] for a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accumulator {
    /// The slot of each placement, in the format of its table.
    slots: Vec<u32>,
    sum: u64,
    /// The sums before each move made, for [`ForestEvaluation::unmake`].
    before: Vec<u64>,
}

impl ForestEvaluation {
    /// Places a forest on a board.
    pub fn of_forest(forest: &Forest, grid: &RowGrid) -> Result<ForestEvaluation, LayoutError> {
        let patterns = forest.trees.iter().map(|tree| &tree.pattern);
        let layout = Layout::new(patterns, &forest.spread, grid)?;
        check_tables(&layout, forest.trees.iter().map(|tree| tree.table.len()))?;
        let trees = forest.trees.clone();
        let is_plain = |tree: &Arc<PatternTree>| {
            tree.weight == 1 && tree.table.iter().all(|&entry| entry <= IGNORED)
        };
        let plain = trees.iter().all(is_plain) && !forest.formula.zero_sum;
        let votes = trees.iter().zip(&layout.patterns);
        let (mut all_votes, mut most_votes) = (0, 0);
        for (tree, placed) in votes {
            let all = u64::from(tree.weight) * placed.placements.len() as u64;
            let most = tree.table.iter().map(|&entry| Vote::of_entry(entry).count()).max();
            all_votes += all;
            most_votes += all * u64::from(most.unwrap_or(0));
        }
        check_votes(most_votes, 1 << COUNTER_BITS, grid)?;
        if forest.formula.zero_sum {
            check_values(&forest.formula, most_votes, grid)?;
        }
        let lookup = if plain {
            Lookup::Votes(VoteTable::new(&trees, &layout))
        } else {
            Lookup::CodedVotes(CodedVoteTable::new(&trees, &forest.formula))
        };
        let (formula, all_votes) = (forest.formula, all_votes as u32);
        Ok(ForestEvaluation { layout, lookup, formula, trees, all_votes })
    }

    /// Places a network on a board.
    pub fn of_network(
        network: &TupleNetwork,
        grid: &RowGrid,
    ) -> Result<ForestEvaluation, LayoutError> {
        ForestEvaluation::of_weights(&network.patterns, &network.spread, &network.weights, grid)
    }

    /// Places patterns with learned weights on a board. `weights` contains, for each side to move
    /// and each pattern, the value of every content for the first side; digit 1 is a stone of the
    /// first side.
    pub fn of_weights(
        patterns: &[Pattern],
        spread: &Spread,
        weights: &[Vec<Vec<i16>>; 2],
        grid: &RowGrid,
    ) -> Result<ForestEvaluation, LayoutError> {
        let layout = Layout::new(patterns.iter(), spread, grid)?;
        for of_side in weights {
            check_tables(&layout, of_side.iter().map(Vec::len))?;
            let largest = |table: &Vec<i16>| {
                table.iter().map(|w| u64::from(w.unsigned_abs())).max().unwrap_or(0)
            };
            let sums = of_side.iter().zip(&layout.patterns);
            let sum =
                sums.map(|(table, placed)| largest(table) * placed.placements.len() as u64).sum();
            check_votes(sum, 1 << 32, grid)?;
        }
        let lookup = Lookup::Weights(WeightTables::new(weights));
        let (formula, trees) = (VoteFormula::default(), Vec::new());
        Ok(ForestEvaluation { layout, lookup, formula, trees, all_votes: 0 })
    }

    /// The board of the evaluation.
    pub fn grid(&self) -> &RowGrid {
        &self.layout.grid
    }

    /// The number of placements of all patterns.
    pub fn placements(&self) -> usize {
        self.layout.placements()
    }

    /// The mean number of placements that contain a cell.
    pub fn placements_per_cell(&self) -> f64 {
        self.layout.incidences() as f64 / self.layout.grid.cells() as f64
    }

    /// The total number of table entries.
    pub fn entries(&self) -> usize {
        self.layout.entries()
    }

    /// The trees; empty for learned weights.
    pub fn trees(&self) -> &[Arc<PatternTree>] {
        &self.trees
    }

    /// The placements of one tree's pattern or one weight table's pattern.
    pub fn placements_of(&self, tree: usize) -> &[Placement] {
        &self.layout.patterns[tree].placements
    }

    /// How votes become a score.
    pub fn formula(&self) -> &VoteFormula {
        &self.formula
    }

    /// The side whose stones are [`CellContent::Mine`] when `owner` searches. A forest evaluates
    /// for the side that uses it; learned weights evaluate for the first side.
    pub fn viewer(&self, owner: Side) -> Side {
        match self.lookup {
            Lookup::Votes(_) | Lookup::CodedVotes(_) => owner,
            Lookup::Weights(_) => Side::First,
        }
    }

    /// Whether it can evaluate finished games. Weights are learned from unfinished positions only,
    /// so they cannot.
    pub fn scores_finished_games(&self) -> bool {
        !matches!(self.lookup, Lookup::Weights(_))
    }

    /// The score of a board by the trees: every placement walks its tree. Without trees, the score
    /// by the tables.
    pub fn by_trees(&self, contents: &[CellContent], to_move: Side) -> i32 {
        if self.trees.is_empty() {
            return self.by_tables(contents, to_move);
        }
        let mut sum = 0u64;
        for (tree, placed) in self.trees.iter().zip(&self.layout.patterns) {
            for placement in &placed.placements {
                let content = |j: usize| contents[usize::from(placement[j])];
                if placement.iter().any(|&cell| contents[usize::from(cell)] != CellContent::Empty) {
                    let mine = tree.decisions.vote(content);
                    let theirs = || tree.decisions.vote(|j| content(j).swapped());
                    sum = sum.wrapping_add(self.vote(tree, mine, theirs));
                }
            }
        }
        self.score_of(sum, to_move)
    }

    /// The score of a board by table lookup.
    pub fn by_tables(&self, contents: &[CellContent], to_move: Side) -> i32 {
        self.score_of(for_payload!(self.lookup, table => self.sum_of(table, contents)), to_move)
    }

    /// Computes the accumulator of a board.
    pub fn accumulator(&self, contents: &[CellContent]) -> Accumulator {
        let mut accumulator = Accumulator::default();
        self.reset(&mut accumulator, contents);
        accumulator
    }

    /// Recomputes an accumulator in place, reusing its memory.
    pub fn reset(&self, accumulator: &mut Accumulator, contents: &[CellContent]) {
        for_payload!(self.lookup, table => self.reset_by(table, accumulator, contents))
    }

    /// Places a stone on an empty cell.
    #[inline]
    pub fn make(&self, accumulator: &mut Accumulator, cell: usize, stone: CellContent) {
        accumulator.before.push(accumulator.sum);
        for_payload!(self.lookup, table => {
            for_numbers!(self.make_by(table, accumulator, cell, stone))
        });
    }

    /// Takes back the last stone.
    #[inline]
    pub fn unmake(&self, accumulator: &mut Accumulator, cell: usize, stone: CellContent) {
        for_payload!(self.lookup, table => {
            for_numbers!(self.unmake_by(table, accumulator, cell, stone))
        });
        accumulator.sum = accumulator.before.pop().unwrap_or(accumulator.sum);
    }

    /// The score after one more stone on an empty cell; `to_move` is the side to move after it.
    #[inline]
    pub fn peek(
        &self,
        accumulator: &Accumulator,
        cell: usize,
        stone: CellContent,
        to_move: Side,
    ) -> i32 {
        let by = match &self.lookup {
            Lookup::Votes(table) => {
                for_numbers!(self.change_by(table, accumulator, cell, stone))
            }
            Lookup::CodedVotes(table) => {
                for_numbers!(self.change_by(table, accumulator, cell, stone))
            }
            Lookup::Weights(table) => {
                let table = match to_move {
                    Side::First => &table.first,
                    Side::Second => &table.second,
                };
                let by = for_numbers!(self.change_by(table, accumulator, cell, stone));
                return weight_sum(accumulator.sum, to_move).wrapping_add(by as i32);
            }
        };
        self.score_of(accumulator.sum.wrapping_add(by), to_move)
    }

    /// The score for the [`viewer`](Self::viewer); a drawn game is 0. A forest's score is in
    /// thousandths of the formula's unit.
    #[inline]
    pub fn score(&self, accumulator: &Accumulator, to_move: Side) -> i32 {
        self.score_of(accumulator.sum, to_move)
    }

    /// Converts a sum to a score.
    #[inline]
    fn score_of(&self, sum: u64, to_move: Side) -> i32 {
        match self.lookup {
            Lookup::Weights(_) => weight_sum(sum, to_move),
            Lookup::Votes(_) | Lookup::CodedVotes(_) if !self.formula.zero_sum => {
                let votes = votes(sum);
                let value = self.formula.value(votes, self.share_base(votes.total()));
                ((value - self.formula.drawn_game()) * SCORE_SCALE).round() as i32
            }
            Lookup::Votes(_) | Lookup::CodedVotes(_) => self.balance(sum),
        }
    }

    /// Half the difference of both sides' values.
    fn balance(&self, sum: u64) -> i32 {
        let (difference, votes) = difference_and_votes(sum);
        let of = match self.formula.share_of {
            ShareOf::Votes => votes as f64,
            ShareOf::Placements => 2.0 * self.all_votes as f64,
        };
        if of == 0.0 { 0 } else { (100.0 * difference as f64 / of).round() as i32 }
    }

    /// The number that votes are a share of.
    fn share_base(&self, votes: u32) -> u32 {
        match self.formula.share_of {
            ShareOf::Votes => votes,
            ShareOf::Placements => self.all_votes,
        }
    }

    /// The contribution of a placement for which the tree returns `mine`, and `theirs` with the
    /// colors swapped.
    fn vote(&self, tree: &PatternTree, mine: Vote, theirs: impl FnOnce() -> Vote) -> u64 {
        if self.formula.zero_sum {
            packed_difference(&self.formula, mine, theirs(), tree.weight)
        } else {
            packed_votes(mine, tree.weight)
        }
    }

    fn sum_of(&self, table: &impl EntryTable, contents: &[CellContent]) -> u64 {
        let mut sum = 0u64;
        for placed in &self.layout.patterns {
            for placement in &placed.placements {
                let index = placed.base + index_of(placement, contents);
                sum = sum.wrapping_add(table.entry(index));
            }
        }
        sum
    }

    fn reset_by(
        &self,
        table: &impl EntryTable,
        accumulator: &mut Accumulator,
        contents: &[CellContent],
    ) {
        accumulator.slots.clear();
        accumulator.slots.reserve(self.placements());
        for placed in &self.layout.patterns {
            let indices = placed.placements.iter().map(|at| placed.base + index_of(at, contents));
            accumulator.slots.extend(indices.map(|index| table.slot(index)));
        }
        accumulator.before.clear();
        accumulator.before.reserve(self.layout.grid.cells());
        accumulator.sum = self.sum_of(table, contents);
    }
}

/// The content of every cell of a board, from one side's view.
pub fn contents_seen_by<P: RowPosition>(viewer: Side, position: &P) -> Vec<CellContent> {
    let cells = 0..position.grid().cells();
    cells.map(|cell| CellContent::seen_by(viewer, position.stone_at(cell))).collect()
}

#[inline]
fn index_of(placement: &[u16], contents: &[CellContent]) -> u32 {
    placement.iter().rev().fold(0, |index, &cell| index * 3 + contents[usize::from(cell)] as u32)
}

/// The loops over the placements of a cell, which dominate the running time. Each is compiled for
/// every kind of table and for short and long placement numbers.
impl ForestEvaluation {
    fn make_by<T: EntryTable, N: PlacementNumber>(
        &self,
        table: &T,
        accumulator: &mut Accumulator,
        cell: usize,
        stone: CellContent,
    ) {
        let (mut after, mut before) = (0u64, 0u64);
        let slots = &mut accumulator.slots[..];
        for (step, touching) in self.layout.touching::<N>(cell) {
            let by = step * stone as u32;
            for &number in touching {
                let slot = &mut slots[number.into() as usize];
                before = before.wrapping_add(table.current(*slot));
                *slot = table.slot(T::index(*slot) + by);
                after = after.wrapping_add(table.current(*slot));
            }
        }
        accumulator.sum = accumulator.sum.wrapping_add(after).wrapping_sub(before);
    }

    fn unmake_by<T: EntryTable, N: PlacementNumber>(
        &self,
        table: &T,
        accumulator: &mut Accumulator,
        cell: usize,
        stone: CellContent,
    ) {
        let slots = &mut accumulator.slots[..];
        for (step, touching) in self.layout.touching::<N>(cell) {
            let by = step * stone as u32;
            for &number in touching {
                let slot = &mut slots[number.into() as usize];
                *slot = table.slot(T::index(*slot) - by);
            }
        }
    }

    /// Two sums, so that one placement's addition does not wait for the previous subtraction.
    fn change_by<T: EntryTable, N: PlacementNumber>(
        &self,
        table: &T,
        accumulator: &Accumulator,
        cell: usize,
        stone: CellContent,
    ) -> u64 {
        let (mut after, mut before) = (0u64, 0u64);
        let slots = &accumulator.slots[..];
        for (step, touching) in self.layout.touching::<N>(cell) {
            let moved = table.entries_from(step * stone as u32);
            for &number in touching {
                let slot = slots[number.into() as usize];
                after = after.wrapping_add(table.entry_at(moved, T::index(slot)));
                before = before.wrapping_add(table.current(slot));
            }
        }
        after.wrapping_sub(before)
    }
}

/// Three counters are packed in one word.
pub(super) const COUNTER_BITS: u32 = 21;
const COUNTER_MASK: u64 = (1 << COUNTER_BITS) - 1;

/// The votes of one placement.
pub(super) fn packed_votes(vote: Vote, weight: u32) -> u64 {
    let count = u64::from(weight * vote.count());
    vote.class().map_or(0, |class| count << (COUNTER_BITS * class as u32))
}

/// For one placement, the difference of both sides' values, in thousandths, and the number of both
/// sides' votes in the bits above. The difference may be negative; the sums stay correct.
pub(super) fn packed_difference(
    formula: &VoteFormula,
    mine: Vote,
    theirs: Vote,
    weight: u32,
) -> u64 {
    let value = |vote: Vote| {
        let of = vote.class().map_or(0.0, |class| formula.of(class));
        (of * SCORE_SCALE).round() as i64 * i64::from(vote.count())
    };
    let difference = (value(mine) - value(theirs)) * i64::from(weight);
    let votes = i64::from(mine.count() + theirs.count());
    (difference + ((votes * i64::from(weight)) << DIFFERENCE_BITS)) as u64
}

/// The bits of a sum that hold the difference of both sides' values.
const DIFFERENCE_BITS: u32 = 42;

fn votes(sum: u64) -> Votes {
    let counter = |class: Class| (sum >> (COUNTER_BITS * class as u32) & COUNTER_MASK) as u32;
    Votes { win: counter(Class::Win), draw: counter(Class::Draw), loss: counter(Class::Loss) }
}

/// Unpacks a sum of [`packed_difference`]: the difference and the number of votes.
fn difference_and_votes(sum: u64) -> (i64, u64) {
    let unused = 64 - DIFFERENCE_BITS;
    let difference = (sum as i64) << unused >> unused;
    (difference, sum.wrapping_sub(difference as u64) >> DIFFERENCE_BITS)
}

/// One of the two sums of learned weights.
#[inline]
fn weight_sum(sum: u64, to_move: Side) -> i32 {
    match to_move {
        Side::First => sum as i32,
        Side::Second => (sum.wrapping_sub(sum as i32 as u64) >> 32) as i32,
    }
}

fn check_tables(layout: &Layout, lengths: impl Iterator<Item = usize>) -> Result<(), LayoutError> {
    for (place, (placed, entries)) in layout.patterns.iter().zip(lengths).enumerate() {
        if entries != placed.entries {
            let expected = placed.entries;
            let number = place + 1;
            return Err(LayoutError(format!(
                "the table of pattern {number} has {entries} entries; expected {expected}"
            )));
        }
    }
    Ok(())
}

/// Signed counters need one more bit.
fn check_votes(votes: u64, limit: u64, grid: &RowGrid) -> Result<(), LayoutError> {
    let limit = limit / 2;
    if votes < limit {
        return Ok(());
    }
    let RowGrid { columns, rows, .. } = grid;
    Err(LayoutError(format!(
        "the votes on a board of {columns}x{rows} add up to {votes}; expected less than {limit}"
    )))
}

/// Both sides' values must fit into the bits of their difference.
fn check_values(formula: &VoteFormula, votes: u64, grid: &RowGrid) -> Result<(), LayoutError> {
    let limit = (1u64 << (DIFFERENCE_BITS - 1)) as f64 / SCORE_SCALE;
    let fits = |class: Class| 2.0 * formula.of(class).abs() * (votes as f64) < limit;
    if Class::ALL.into_iter().all(fits) {
        return Ok(());
    }
    let RowGrid { columns, rows, .. } = grid;
    Err(LayoutError(format!(
        "the values of {votes} votes on a board of {columns}x{rows} are too large; expected less \
         than {limit:.0} for both sides"
    )))
}
