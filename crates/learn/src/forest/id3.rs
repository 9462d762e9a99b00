//! ID3 (Quinlan, 1986) over attributes with three values: split on the attribute with the highest
//! information gain, recurse, never prune.
//!
//! Samples with equal content under a pattern form one row with counts, so the cost of a tree
//! depends on the number of distinct rows, not on the number of samples.

use std::sync::LazyLock;

use super::{Class, DecisionNode, DecisionTree, LeafVotes, Pattern, Vote};

/// The number of samples of each class, by class number. The fourth lane stays 0, so that one SIMD
/// instruction adds four numbers.
pub(super) type Counts = [u32; 4];

/// The content of a pattern's cells in some samples.
#[derive(Clone, Copy)]
pub(super) struct SampleRow {
    /// The content of each cell.
    pub digits: [u8; Pattern::MAX_CELLS],
    /// The classes of these samples.
    pub counts: Counts,
}

/// The minimum information gain of a split in bits, and the minimum advantage of a later cell over
/// an earlier one.
const MIN_GAIN: f64 = 1e-12;

/// Builds the unpruned tree of these rows over cells `0..cells`. Reorders the rows.
///
/// A node becomes a leaf if its samples have one class or no split has any gain. A leaf predicts
/// the majority of its samples; on a tie, its parent's prediction; a draw if all ancestors are
/// tied. A branch without samples predicts the majority of its node.
///
/// The votes of the leaves depend on the share of their samples that have their class. Three more
/// samples, one of each class, are counted for the share, so that a leaf with few samples is not
/// trusted.
pub(super) fn build_tree(rows: &mut [SampleRow], cells: usize, votes: LeafVotes) -> DecisionTree {
    let spare = rows.to_vec();
    let mut builder =
        TreeBuilder { nodes: vec![DecisionNode::Leaf(Class::Draw.into())], spare, votes };
    builder.grow(0, rows, (1 << cells) - 1, Class::Draw);
    DecisionTree::new(builder.nodes).expect("branches follow their nodes and test new cells")
}

struct TreeBuilder {
    nodes: Vec<DecisionNode>,
    /// Scratch memory for partitioning rows.
    spare: Vec<SampleRow>,
    votes: LeafVotes,
}

impl TreeBuilder {
    /// Replaces the leaf at `place` by the tree of these rows. The bits of `untested` are the cells
    /// that were not tested on the path to it.
    fn grow(&mut self, place: usize, rows: &mut [SampleRow], untested: u16, parent: Class) {
        let counts = sum(rows);
        let majority = majority(counts, parent);
        self.nodes[place] = self.leaf(majority, counts);
        // No split can separate samples with equal content.
        if rows.len() < 2 || is_pure(counts) {
            return;
        }
        let Some(attribute) = best_split(rows, untested, counts) else { return };
        let first = self.nodes.len() as u32;
        self.nodes[place] =
            DecisionNode::Split { attribute, branches: [first, first + 1, first + 2] };
        self.nodes.extend([self.leaf(majority, [0; 4]); 3]);
        let [ones, twos] = self.sort(rows, attribute);
        let (zero, others) = rows.split_at_mut(ones);
        let (one, two) = others.split_at_mut(twos - ones);
        for (branch, part) in (first as usize..).zip([zero, one, two]) {
            if !part.is_empty() {
                self.grow(branch, part, untested & !(1 << attribute), majority);
            }
        }
    }

    fn leaf(&self, class: Class, counts: Counts) -> DecisionNode {
        let share = f64::from(counts[class as usize] + 1);
        let all = f64::from(counts.iter().sum::<u32>() + 3);
        DecisionNode::Leaf(Vote::new(class, self.votes.count(share / all)))
    }

    /// Partitions rows by the content of a cell; returns where contents 1 and 2 begin.
    fn sort(&mut self, rows: &mut [SampleRow], attribute: u8) -> [usize; 2] {
        let spare = &mut self.spare[..rows.len()];
        spare.copy_from_slice(rows);
        let digit = |row: &SampleRow| usize::from(row.digits[usize::from(attribute)]);
        let mut next = [0; 3];
        spare.iter().for_each(|row| next[digit(row)] += 1);
        let starts = [next[0], next[0] + next[1]];
        next = [0, starts[0], starts[1]];
        for row in spare.iter() {
            rows[next[digit(row)]] = *row;
            next[digit(row)] += 1;
        }
        starts
    }
}

fn sum(rows: &[SampleRow]) -> Counts {
    let mut all = [0; 4];
    rows.iter().for_each(|row| add(&mut all, row.counts));
    all
}

/// Adds counts elementwise.
#[inline]
pub(super) fn add(to: &mut Counts, counts: Counts) {
    to.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

fn is_pure(counts: Counts) -> bool {
    counts.iter().filter(|&&count| count > 0).count() <= 1
}

/// The most frequent class, or `otherwise` on a tie.
pub(super) fn majority(counts: Counts, otherwise: Class) -> Class {
    let most = counts.into_iter().max().unwrap_or(0);
    let mut leaders = Class::ALL.into_iter().filter(|&class| counts[class as usize] == most);
    match (leaders.next(), leaders.next()) {
        (Some(class), None) => class,
        _ => otherwise,
    }
}

/// The cell with the highest information gain, the first among equal ones; `None` if no cell has
/// any gain.
fn best_split(rows: &[SampleRow], untested: u16, counts: Counts) -> Option<u8> {
    let (mut cells, mut count) = ([0; Pattern::MAX_CELLS], 0);
    for cell in (0..Pattern::MAX_CELLS as u8).filter(|cell| untested >> cell & 1 != 0) {
        cells[count] = cell;
        count += 1;
    }
    let (cells, mut parts) = (&cells[..count], [[[0; 4]; 3]; Pattern::MAX_CELLS]);
    let parts = &mut parts[..count];
    for row in rows {
        for (part, &cell) in parts.iter_mut().zip(cells) {
            add(&mut part[usize::from(row.digits[usize::from(cell)])], row.counts);
        }
    }
    let small = &N_LOG_N[..];
    let (before, total) = (scaled_entropy(small, counts), f64::from(counts.iter().sum::<u32>()));
    let (mut best, mut choice) = (0.0, None);
    for (part, &cell) in parts.iter().zip(cells) {
        let after: f64 = part.iter().map(|&part| scaled_entropy(small, part)).sum();
        // Information gain in bits: the entropy of the node minus the mean entropy of its parts.
        let gain = (before - after) / total;
        if gain > best + MIN_GAIN {
            (best, choice) = (gain, Some(cell));
        }
    }
    choice
}

/// `n log2 n` of small numbers: most counts in a tree are small, and the table is several times
/// faster than a logarithm.
static N_LOG_N: LazyLock<Vec<f64>> = LazyLock::new(|| (0..4096).map(n_log_n).collect());

fn n_log_n(n: u32) -> f64 {
    if n == 0 { 0.0 } else { f64::from(n) * f64::from(n).log2() }
}

/// Entropy in bits times the number of samples.
#[inline]
fn scaled_entropy(small: &[f64], [win, draw, loss, _]: Counts) -> f64 {
    let times = |n: u32| small.get(n as usize).copied().unwrap_or_else(|| n_log_n(n));
    times(win + draw + loss) - (times(win) + times(draw) + times(loss))
}
