//! Grows one tree from samples: bootstrap, ID3, lookup table, out-of-bag error.
//!
//! Every sample is used twice, as it is and with the colors swapped (and win and loss swapped), so
//! a tree always predicts for the side whose stones have digit 1.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{below, seeded};

use super::id3::{Counts, SampleRow, build_tree};
use super::{Class, Dataset, IGNORED, LookupTable, Pattern, PatternTree, Vote};

/// The inputs that determine a tree. The same spec and samples give the same tree, bit for bit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeSpec {
    /// The cells that the tree may test.
    pub pattern: Pattern,
    /// The seed of the bootstrap.
    pub seed: u64,
    /// The number of samples: the tree is grown from the first `samples` of the data set.
    pub samples: usize,
    /// How often its leaves vote.
    #[serde(default, skip_serializing_if = "LeafVotes::is_default")]
    pub votes: LeafVotes,
}

/// How often a leaf votes, by the share of its samples that have its class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeafVotes {
    /// The least share for a vote, in percent; 0: every leaf votes, as in the thesis.
    pub confidence: u8,
    /// Whether a leaf has more votes, the larger the share is; otherwise one, as in the thesis.
    pub graded: bool,
}

/// The votes per unit of log-odds.
const VOTES_PER_LOGIT: f64 = 2.0;
/// The most votes of a leaf.
const MAX_VOTES: f64 = 10.0;

impl LeafVotes {
    fn is_default(&self) -> bool {
        *self == LeafVotes::default()
    }

    /// The number of votes for a share.
    pub(super) fn count(self, share: f64) -> u8 {
        if 100.0 * share < f64::from(self.confidence) {
            return 0;
        }
        if !self.graded {
            return 1;
        }
        (VOTES_PER_LOGIT * (share / (1.0 - share)).ln()).round().clamp(0.0, MAX_VOTES) as u8
    }
}

/// Grows a tree from as many draws with replacement as there are samples, without pruning. Without
/// samples it is a leaf for a draw.
///
/// The error is measured on the samples that were not drawn, as they are and with the colors
/// swapped. Samples in which all cells of the pattern are empty are excluded, because the tree does
/// not vote on them.
///
/// # Panics
/// Panics if the pattern and the samples have different windows.
pub fn grow_tree(data: &Dataset, recipe: &TreeSpec) -> PatternTree {
    let pattern = &recipe.pattern;
    assert_eq!(pattern.window(), data.window(), "the pattern has another window");
    let samples = recipe.samples.min(data.len());
    let classes = &data.classes()[..samples];
    let indices = data.indices(pattern, samples);
    let drawn = bootstrap(samples, recipe.seed);
    let swaps = swapped_indices(pattern.len());
    let mut rows = rows(&indices, classes, &drawn, &swaps);
    let decisions = build_tree(&mut rows, pattern.len(), recipe.votes);
    let table = decisions.table(pattern.len());
    let error = out_of_bag(&indices, classes, &drawn, &table, &swaps);
    PatternTree { pattern: pattern.clone(), decisions, table, error, weight: 1 }
}

/// How often each sample was drawn.
fn bootstrap(samples: usize, seed: u64) -> Vec<u32> {
    let mut drawn = vec![0; samples];
    let rng = &mut seeded(seed);
    for _ in 0..samples {
        drawn[below(rng, samples as u32) as usize] += 1;
    }
    drawn
}

/// Maps each table index to the index with the colors swapped.
pub(super) fn swapped_indices(cells: usize) -> Vec<u32> {
    let mut swaps = Vec::with_capacity(3usize.pow(cells as u32));
    swaps.push(0);
    for _ in 0..cells {
        let power = swaps.len();
        for digit in [2, 1] {
            let add = digit * power as u32;
            swaps.extend_from_within(..power);
            swaps[(3 - digit as usize) * power..].iter_mut().for_each(|swap| *swap += add);
        }
    }
    swaps
}

/// The drawn samples and their swapped copies, one row for each distinct content, in index order.
fn rows(indices: &[u32], classes: &[Class], drawn: &[u32], swaps: &[u32]) -> Vec<SampleRow> {
    let mut counts: Vec<Counts> = vec![[0; 4]; swaps.len()];
    for ((&index, &class), &times) in indices.iter().zip(classes).zip(drawn) {
        counts[index as usize][class as usize] += times;
    }
    let mut digits = [0; Pattern::MAX_CELLS];
    let mut rows = Vec::new();
    for (own, &swap) in counts.iter().zip(swaps) {
        let other = counts[swap as usize];
        let both = [own[0] + other[2], own[1] + other[1], own[2] + other[0], 0];
        if both != [0; 4] {
            rows.push(SampleRow { digits, counts: both });
        }
        count_up(&mut digits);
    }
    rows
}

/// Increments a base-3 number with the lowest digit first.
fn count_up(digits: &mut [u8]) {
    for digit in digits {
        if *digit < 2 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
}

/// The error rate on the samples that were not drawn; `None` if there are none.
fn out_of_bag(
    indices: &[u32],
    classes: &[Class],
    drawn: &[u32],
    table: &LookupTable,
    swaps: &[u32],
) -> Option<f64> {
    let (mut wrong, mut evaluated) = (0u64, 0u64);
    for ((&index, &class), &times) in indices.iter().zip(classes).zip(drawn) {
        let answer = table[index as usize];
        let swapped = table[swaps[index as usize] as usize];
        let votes = |answer: u8| u64::from(times == 0 && answer != IGNORED);
        evaluated += votes(answer) + votes(swapped);
        let differs = |answer, class| u64::from(Vote::of_entry(answer).class() != Some(class));
        wrong += votes(answer) * differs(answer, class);
        wrong += votes(swapped) * differs(swapped, class.swapped());
    }
    (evaluated > 0).then(|| wrong as f64 / evaluated as f64)
}

#[cfg(test)]
mod tests;
