//! What a forest thinks of a position, found in three ways that always agree: by walking its trees, by looking
//! up their tables, and by keeping the index of every placement from stone to stone.
//!
//! The last is what searches use. A stone moves the index of the few hundred placements that it is part of, and
//! the votes change by the difference of two table entries; [`Evaluation::peek`] tells that difference
//! without writing anything, which is all that a leaf of a search needs.

use std::sync::Arc;

use tesuji_games::{Grid, Side, Stones};

use crate::ntuple::TupleNetwork;

use super::entry_tables::{CodedVoteTable, EntryTable, VoteTable, WeightTables};
use super::layout::{Layout, LayoutError, PlacementNumber};
use super::{
    CellContent, Class, Forest, Pattern, PatternTree, Placement, Spread, VoteFormula, Votes,
};

/// Scores are counted in thousandths of the formula's unit.
const FINENESS: f64 = 1000.0;

/// A forest or network laid on one board. It never changes, so threads share it.
#[derive(Clone, Debug)]
pub struct Evaluation {
    layout: Layout,
    lookup: Lookup,
    formula: VoteFormula,
    trees: Vec<Arc<PatternTree>>,
}

/// What the tables hold. Looked at once for each stone, never for each placement.
#[derive(Clone, Debug)]
enum Lookup {
    /// One vote a placement.
    Votes(VoteTable),
    /// Votes that count more or less than once, or the difference of what both sides see.
    CodedVotes(CodedVoteTable),
    /// Learned weights.
    Weights(WeightTables),
}

/// The same for whatever the tables hold.
macro_rules! for_payload {
    ($lookup:expr, $payload:ident => $what:expr) => {
        match &$lookup {
            Lookup::Votes($payload) => $what,
            Lookup::CodedVotes($payload) => $what,
            Lookup::Weights($payload) => $what,
        }
    };
}

/// Calls one of the loops over the placements of a cell, for short or long numbers.
macro_rules! for_numbers {
    ($self:ident.$of:ident($($given:expr),*)) => {
        match $self.layout.is_short() {
            true => $self.$of::<_, u16>($($given),*),
            false => $self.$of::<_, u32>($($given),*),
        }
    };
}

/// Where the placements of an [`Evaluation`] stand in a position: what is kept from stone to stone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Accumulator {
    /// For each placement its index, as its payload wants it.
    slots: Vec<u32>,
    sum: u64,
    /// The sums before each stone that was made, for [`Evaluation::unmake`].
    before: Vec<u64>,
}

impl Evaluation {
    /// The forest on a board.
    pub fn of_forest(forest: &Forest, grid: &Grid) -> Result<Evaluation, LayoutError> {
        let patterns = forest.trees.iter().map(|tree| &tree.pattern);
        let layout = Layout::new(patterns, &forest.spread, grid)?;
        check_tables(&layout, forest.trees.iter().map(|tree| tree.table.len()))?;
        let trees = forest.trees.clone();
        let plain = trees.iter().all(|tree| tree.weight == 1) && !forest.formula.zero_sum;
        let votes = trees.iter().zip(&layout.patterns);
        check_votes(
            votes.map(|(tree, laid)| u64::from(tree.weight) * laid.placements.len() as u64).sum(),
            1 << COUNTER_BITS,
            grid,
        )?;
        let lookup = if plain {
            Lookup::Votes(VoteTable::new(&trees, &layout))
        } else {
            Lookup::CodedVotes(CodedVoteTable::new(&trees, forest.formula.zero_sum))
        };
        Ok(Evaluation { layout, lookup, formula: forest.formula, trees })
    }

    /// The network on a board.
    pub fn of_network(network: &TupleNetwork, grid: &Grid) -> Result<Evaluation, LayoutError> {
        Evaluation::of_weights(&network.patterns, &network.spread, &network.weights, grid)
    }

    /// Patterns with learned weights on a board. `weights` has for each side to move and each pattern the worth
    /// of every content to the first side; digit 1 is a stone of the first side.
    pub fn of_weights(
        patterns: &[Pattern],
        spread: &Spread,
        weights: &[Vec<Vec<i16>>; 2],
        grid: &Grid,
    ) -> Result<Evaluation, LayoutError> {
        let layout = Layout::new(patterns.iter(), spread, grid)?;
        for of_side in weights {
            check_tables(&layout, of_side.iter().map(Vec::len))?;
            let largest = |table: &Vec<i16>| {
                table.iter().map(|w| u64::from(w.unsigned_abs())).max().unwrap_or(0)
            };
            let sums = of_side.iter().zip(&layout.patterns);
            let sum = sums.map(|(table, laid)| largest(table) * laid.placements.len() as u64).sum();
            check_votes(sum, 1 << 32, grid)?;
        }
        let lookup = Lookup::Weights(WeightTables::new(weights));
        Ok(Evaluation { layout, lookup, formula: VoteFormula::default(), trees: Vec::new() })
    }

    /// The board that it is for.
    pub fn grid(&self) -> &Grid {
        &self.layout.grid
    }

    /// How many placements its patterns have.
    pub fn placements(&self) -> usize {
        self.layout.placements()
    }

    /// How many of them a cell is part of, on average.
    pub fn placements_per_cell(&self) -> f64 {
        self.layout.incidences() as f64 / self.layout.grid.cells() as f64
    }

    /// How many entries its tables have together.
    pub fn entries(&self) -> usize {
        self.layout.entries()
    }

    /// The trees; none where it has learned weights.
    pub fn trees(&self) -> &[Arc<PatternTree>] {
        &self.trees
    }

    /// Where the pattern of a tree, or of one of the weight tables, lies on the board.
    pub fn placements_of(&self, tree: usize) -> &[Placement] {
        &self.layout.patterns[tree].placements
    }

    /// What votes are worth.
    pub fn formula(&self) -> &VoteFormula {
        &self.formula
    }

    /// Whose stones are [`CellContent::Mine`] when `owner` searches. A forest judges for the side that uses it; learned
    /// weights say what a position is worth to the first side.
    pub fn viewer(&self, owner: Side) -> Side {
        match self.lookup {
            Lookup::Votes(_) | Lookup::CodedVotes(_) => owner,
            Lookup::Weights(_) => Side::First,
        }
    }

    /// Whether it has learned what finished games look like. WeightTables are learned from positions in which the game
    /// goes on, so they say nothing about others.
    pub fn scores_finished_games(&self) -> bool {
        !matches!(self.lookup, Lookup::Weights(_))
    }

    /// The score of a board by the trees: every placement walks its tree. Without trees, by the tables.
    pub fn by_trees(&self, contents: &[CellContent], to_move: Side) -> i32 {
        if self.trees.is_empty() {
            return self.by_tables(contents, to_move);
        }
        let mut sum = 0u64;
        for (tree, laid) in self.trees.iter().zip(&self.layout.patterns) {
            for placement in &laid.placements {
                let content = |j: usize| contents[usize::from(placement[j])];
                if placement.iter().any(|&cell| contents[usize::from(cell)] != CellContent::Empty) {
                    let mine = tree.decisions.classify(content);
                    let vote =
                        self.vote(tree, mine, || tree.decisions.classify(|j| content(j).swapped()));
                    sum = sum.wrapping_add(vote);
                }
            }
        }
        self.score_of(sum, to_move)
    }

    /// The score of a board by the tables: every placement looks up its content.
    pub fn by_tables(&self, contents: &[CellContent], to_move: Side) -> i32 {
        self.score_of(for_payload!(self.lookup, payload => self.sum_of(payload, contents)), to_move)
    }

    /// Where the placements stand on a board.
    pub fn accumulator(&self, contents: &[CellContent]) -> Accumulator {
        let mut accumulator = Accumulator::default();
        self.reset(&mut accumulator, contents);
        accumulator
    }

    /// The same in the memory of another accumulator.
    pub fn reset(&self, accumulator: &mut Accumulator, contents: &[CellContent]) {
        for_payload!(self.lookup, payload => self.reset_by(payload, accumulator, contents))
    }

    /// Puts a stone on an empty cell.
    #[inline]
    pub fn make(&self, accumulator: &mut Accumulator, cell: usize, stone: CellContent) {
        accumulator.before.push(accumulator.sum);
        for_payload!(self.lookup, payload => for_numbers!(self.make_by(payload, accumulator, cell, stone)));
    }

    /// Takes back the stone that was made last.
    #[inline]
    pub fn unmake(&self, accumulator: &mut Accumulator, cell: usize, stone: CellContent) {
        for_payload!(self.lookup, payload => for_numbers!(self.unmake_by(payload, accumulator, cell, stone)));
        accumulator.sum = accumulator.before.pop().unwrap_or(accumulator.sum);
    }

    /// The score with one more stone on an empty cell, `to_move` being the side to move then.
    #[inline]
    pub fn peek(
        &self,
        accumulator: &Accumulator,
        cell: usize,
        stone: CellContent,
        to_move: Side,
    ) -> i32 {
        let by = match &self.lookup {
            Lookup::Votes(payload) => {
                for_numbers!(self.change_by(payload, accumulator, cell, stone))
            }
            Lookup::CodedVotes(payload) => {
                for_numbers!(self.change_by(payload, accumulator, cell, stone))
            }
            Lookup::Weights(payload) => {
                let payload = match to_move {
                    Side::First => &payload.first,
                    Side::Second => &payload.second,
                };
                let by = for_numbers!(self.change_by(payload, accumulator, cell, stone));
                return weight_sum(accumulator.sum, to_move).wrapping_add(by as i32);
            }
        };
        self.score_of(accumulator.sum.wrapping_add(by), to_move)
    }

    /// The score: how good the position is for the [`viewer`](Self::viewer), a drawn game being 0. For a forest
    /// in thousandths of the formula's unit.
    #[inline]
    pub fn score(&self, accumulator: &Accumulator, to_move: Side) -> i32 {
        self.score_of(accumulator.sum, to_move)
    }

    /// The one way from a sum to a score.
    #[inline]
    fn score_of(&self, sum: u64, to_move: Side) -> i32 {
        match self.lookup {
            Lookup::Weights(_) => weight_sum(sum, to_move),
            Lookup::Votes(_) | Lookup::CodedVotes(_) if !self.formula.zero_sum => {
                let value = self.formula.value(votes(sum)) - self.formula.drawn_game();
                (value * FINENESS).round() as i32
            }
            Lookup::Votes(_) | Lookup::CodedVotes(_) => self.balance(sum),
        }
    }

    /// Half the difference of what both sides see.
    fn balance(&self, sum: u64) -> i32 {
        let [win, draw, total] = signed_counters(sum);
        if total == 0 {
            return 0;
        }
        let loss = -(win + draw);
        let worth = self.formula.win * win as f64
            + self.formula.draw * draw as f64
            + self.formula.loss * loss as f64;
        (50.0 * worth / total as f64 * FINENESS).round() as i32
    }

    /// What a placement adds to the sum when its tree sees `mine`, and with the colours exchanged `theirs`.
    fn vote(&self, tree: &PatternTree, mine: Class, theirs: impl FnOnce() -> Class) -> u64 {
        if self.formula.zero_sum {
            packed_difference(mine, theirs(), tree.weight)
        } else {
            packed_votes(mine, tree.weight)
        }
    }

    fn sum_of(&self, payload: &impl EntryTable, contents: &[CellContent]) -> u64 {
        let mut sum = 0u64;
        for laid in &self.layout.patterns {
            for placement in &laid.placements {
                let index = laid.base + index_of(placement, contents);
                sum = sum.wrapping_add(payload.entry(index));
            }
        }
        sum
    }

    fn reset_by(
        &self,
        payload: &impl EntryTable,
        accumulator: &mut Accumulator,
        contents: &[CellContent],
    ) {
        accumulator.slots.clear();
        accumulator.slots.reserve(self.placements());
        for laid in &self.layout.patterns {
            let indices = laid.placements.iter().map(|at| laid.base + index_of(at, contents));
            accumulator.slots.extend(indices.map(|index| payload.slot(index)));
        }
        accumulator.before.clear();
        accumulator.before.reserve(self.layout.grid.cells());
        accumulator.sum = self.sum_of(payload, contents);
    }
}

/// What every cell of a board holds, seen by one side.
pub fn contents_seen_by<P: Stones>(viewer: Side, position: &P) -> Vec<CellContent> {
    let cells = 0..position.grid().cells();
    cells.map(|cell| CellContent::seen_by(viewer, position.stone_at(cell))).collect()
}

#[inline]
fn index_of(placement: &[u16], contents: &[CellContent]) -> u32 {
    placement.iter().rev().fold(0, |index, &cell| index * 3 + contents[usize::from(cell)] as u32)
}

/// The loops over the placements of a cell, on which all speed rests. Each is compiled for every payload and for short
/// and long numbers.
impl Evaluation {
    fn make_by<T: EntryTable, N: PlacementNumber>(
        &self,
        payload: &T,
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
                before = before.wrapping_add(payload.kept(*slot));
                *slot = payload.slot(T::index(*slot) + by);
                after = after.wrapping_add(payload.kept(*slot));
            }
        }
        accumulator.sum = accumulator.sum.wrapping_add(after).wrapping_sub(before);
    }

    fn unmake_by<T: EntryTable, N: PlacementNumber>(
        &self,
        payload: &T,
        accumulator: &mut Accumulator,
        cell: usize,
        stone: CellContent,
    ) {
        let slots = &mut accumulator.slots[..];
        for (step, touching) in self.layout.touching::<N>(cell) {
            let by = step * stone as u32;
            for &number in touching {
                let slot = &mut slots[number.into() as usize];
                *slot = payload.slot(T::index(*slot) - by);
            }
        }
    }

    /// Two sums, so that the next placement need not wait until the one before is added and subtracted.
    fn change_by<T: EntryTable, N: PlacementNumber>(
        &self,
        payload: &T,
        accumulator: &Accumulator,
        cell: usize,
        stone: CellContent,
    ) -> u64 {
        let (mut after, mut before) = (0u64, 0u64);
        let slots = &accumulator.slots[..];
        for (step, touching) in self.layout.touching::<N>(cell) {
            let moved = payload.from(step * stone as u32);
            for &number in touching {
                let slot = slots[number.into() as usize];
                after = after.wrapping_add(payload.entry_in(moved, T::index(slot)));
                before = before.wrapping_add(payload.kept(slot));
            }
        }
        after.wrapping_sub(before)
    }
}

/// Three counters in one word.
pub(super) const COUNTER_BITS: u32 = 21;
const COUNTER_MASK: u64 = (1 << COUNTER_BITS) - 1;

/// The votes of one placement.
pub(super) fn packed_votes(class: Class, weight: u32) -> u64 {
    u64::from(weight) << (COUNTER_BITS * class as u32)
}

/// Of one placement, how many more wins and draws one side sees than the other, and how many votes there are. The
/// lower counters may be negative; adding up keeps them right all the same.
pub(super) fn packed_difference(mine: Class, theirs: Class, weight: u32) -> u64 {
    let difference = |class| i64::from(mine == class) - i64::from(theirs == class);
    let win = difference(Class::Win) * i64::from(weight);
    let draw = difference(Class::Draw) * i64::from(weight);
    let all = i64::from(weight) << (2 * COUNTER_BITS);
    (win + (draw << COUNTER_BITS) + all) as u64
}

fn votes(sum: u64) -> Votes {
    let counter = |class: Class| (sum >> (COUNTER_BITS * class as u32) & COUNTER_MASK) as u32;
    Votes { win: counter(Class::Win), draw: counter(Class::Draw), loss: counter(Class::Loss) }
}

/// The three counters of [`packed_difference`]: each is read with its sign and taken away before the next.
fn signed_counters(sum: u64) -> [i64; 3] {
    let mut rest = sum as i64;
    let mut next = || {
        let unused = 64 - COUNTER_BITS;
        let counter = rest << unused >> unused;
        rest = (rest - counter) >> COUNTER_BITS;
        counter
    };
    [next(), next(), next()]
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
    for (place, (laid, entries)) in layout.patterns.iter().zip(lengths).enumerate() {
        if entries != laid.entries {
            let expected = laid.entries;
            let number = place + 1;
            return Err(LayoutError(format!(
                "the table of pattern {number} has {entries} entries; expected {expected}"
            )));
        }
    }
    Ok(())
}

/// The signed counters need one bit more.
fn check_votes(votes: u64, limit: u64, grid: &Grid) -> Result<(), LayoutError> {
    let limit = limit / 2;
    if votes < limit {
        return Ok(());
    }
    let Grid { columns, rows, .. } = grid;
    Err(LayoutError(format!(
        "on a board of {columns}x{rows} its votes add up to {votes}; expected less than {limit}"
    )))
}
