//! ID3 (Quinlan, 1986) over contents of three values: ask the cell that tells most, split, go on, prune nothing.
//!
//! Samples that look alike under a pattern are one row with counts, so a tree costs what its different rows cost,
//! however many samples there were.

use std::sync::LazyLock;

use super::{Class, DecisionNode, DecisionTree, Pattern};

/// How many samples are of each class, by the numbers of the classes. The fourth lane stays 0: four numbers add up
/// in one instruction.
pub(super) type Counts = [u32; 4];

/// What the cells of a pattern hold in some samples.
#[derive(Clone, Copy)]
pub(super) struct SampleRow {
    /// What lies on each cell.
    pub digits: [u8; Pattern::MAX_CELLS],
    /// The classes of the samples.
    pub counts: Counts,
}

/// A split must tell more bits than this, and a later cell must beat an earlier one by more.
const MIN_GAIN: f64 = 1e-12;

/// The unpruned tree of these rows over cells `0..cells`. The rows change their places.
///
/// A node whose samples are all of one class, or that has no question left which tells anything, says what most of
/// its samples say; when that is a tie, what its parent would say; and a draw when that is a tie down to the root.
/// A branch without samples says what its node would say.
pub(super) fn build_tree(rows: &mut [SampleRow], cells: usize) -> DecisionTree {
    let mut builder =
        TreeBuilder { nodes: vec![DecisionNode::Leaf(Class::Draw)], spare: rows.to_vec() };
    builder.grow(0, rows, (1 << cells) - 1, Class::Draw);
    DecisionTree::new(builder.nodes)
        .expect("branches follow their nodes and ask what was not asked")
}

struct TreeBuilder {
    nodes: Vec<DecisionNode>,
    /// Room for sorting rows by what a cell holds.
    spare: Vec<SampleRow>,
}

impl TreeBuilder {
    /// Makes of the node at `place`, which is a leaf so far, the tree of these rows. The bits of `unasked` are the cells
    /// that were not asked on the way to it.
    fn grow(&mut self, place: usize, rows: &mut [SampleRow], unasked: u16, parent: Class) {
        let counts = sum(rows);
        let majority = majority(counts, parent);
        self.nodes[place] = DecisionNode::Leaf(majority);
        // Samples that all look alike cannot be told apart by any question.
        if rows.len() < 2 || is_pure(counts) {
            return;
        }
        let Some(attribute) = best_split(rows, unasked, counts) else { return };
        let first = self.nodes.len() as u32;
        self.nodes[place] =
            DecisionNode::Split { attribute, branches: [first, first + 1, first + 2] };
        self.nodes.extend([DecisionNode::Leaf(majority); 3]);
        let [ones, twos] = self.sort(rows, attribute);
        let (zero, others) = rows.split_at_mut(ones);
        let (one, two) = others.split_at_mut(twos - ones);
        for (branch, part) in (first as usize..).zip([zero, one, two]) {
            if !part.is_empty() {
                self.grow(branch, part, unasked & !(1 << attribute), majority);
            }
        }
    }

    /// Sorts rows by what the cell holds, and says where those with 1 and those with 2 begin.
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

/// Adds these counts to others.
#[inline]
pub(super) fn add(to: &mut Counts, counts: Counts) {
    to.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

fn is_pure(counts: Counts) -> bool {
    counts.iter().filter(|&&count| count > 0).count() <= 1
}

/// The class of most samples, or `otherwise` when two have as many.
pub(super) fn majority(counts: Counts, otherwise: Class) -> Class {
    let most = counts.into_iter().max().unwrap_or(0);
    let mut leaders = Class::ALL.into_iter().filter(|&class| counts[class as usize] == most);
    match (leaders.next(), leaders.next()) {
        (Some(class), None) => class,
        _ => otherwise,
    }
}

/// The cell that tells most about the class, the earliest of equal ones; `None` when none tells anything.
fn best_split(rows: &[SampleRow], unasked: u16, counts: Counts) -> Option<u8> {
    let (mut cells, mut count) = ([0; Pattern::MAX_CELLS], 0);
    for cell in (0..Pattern::MAX_CELLS as u8).filter(|cell| unasked >> cell & 1 != 0) {
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
        // Information gain in bits: the entropy of the node less the mean entropy of its parts.
        let gain = (before - after) / total;
        if gain > best + MIN_GAIN {
            (best, choice) = (gain, Some(cell));
        }
    }
    choice
}

/// `n log2 n` of small numbers: most counts in a tree are small, and a table is several times faster than a logarithm.
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
