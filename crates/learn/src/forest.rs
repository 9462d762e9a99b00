//! Random forests over cell patterns: each tree classifies the content of one pattern, and the
//! pattern is placed everywhere on a board.
//!
//! A [`PatternTree`] reads the few cells of its [`Pattern`] and predicts the winner ([`Class`]).
//! The pattern is placed on the board at every position and in every symmetry ([`Spread`]), so one
//! tree votes many times. The forest counts the votes ([`Votes`]) and turns them into a number
//! ([`VoteFormula`]).

mod automaton;
mod class;
mod dataset;
mod entry_tables;
mod evaluation;
mod evaluator;
mod formula;
mod grow;
mod id3;
mod layout;
mod order;
mod pattern;
pub mod picture;
mod random_pattern;
mod row_search;
mod search;
mod spread;
mod tracking;
mod tree;
mod window;
pub mod xml;

pub use class::{CellContent, Class};
pub use dataset::Dataset;
pub use evaluation::{Accumulator, ForestEvaluation, contents_seen_by};
pub use evaluator::{CandidateOrder, ForestCandidates, ForestEvaluator};
pub use formula::{ShareOf, VoteFormula, Votes};
pub use grow::{LeafVotes, TreeSpec, grow_tree};
pub use layout::LayoutError;
pub use order::{LineOrder, heuristic_move};
pub use pattern::{Pattern, PatternError};
pub use random_pattern::{PatternShape, changed_pattern, random_pattern};
pub use row_search::{RowSearch, RowSearchMethod};
pub use search::{ForestSearch, ForestSearchOptions, ParallelMode, SearchStyle, TieBreak};
pub use spread::{PatternFit, PatternSymmetries, Placement, Spread, Translations};
pub use tracking::{TrackedForest, TrackingOptions, track_weights};
pub use tree::{DecisionNode, DecisionTree, IGNORED, LookupTable, Vote};
pub use window::{PatternWindow, WindowSample};

use std::sync::Arc;

/// One tree of a forest, with the pattern that it reads.
#[derive(Clone, PartialEq, Debug)]
pub struct PatternTree {
    /// The cells that the tree may test.
    pub pattern: Pattern,
    /// The decision tree.
    pub decisions: DecisionTree,
    /// The class of the tree for every content of the pattern.
    pub table: LookupTable,
    /// The out-of-bag error: the share of samples outside the bootstrap that the tree gets wrong;
    /// `None` if it was not measured.
    pub error: Option<f64>,
    /// The weight of its votes; 1 in the thesis.
    pub weight: u32,
}

impl PatternTree {
    /// Creates a tree with weight 1.
    pub fn new(pattern: Pattern, decisions: DecisionTree, error: Option<f64>) -> PatternTree {
        let table = decisions.table(pattern.len());
        PatternTree { pattern, decisions, table, error, weight: 1 }
    }
}

/// A forest. Trees are shared: a child forest holds the same trees as its parents.
#[derive(Clone, PartialEq, Debug)]
pub struct Forest {
    /// The game that it was trained for, as text, such as `mnk:10x10,k=5`.
    pub game: String,
    /// The window from which the patterns were drawn.
    pub window: PatternWindow,
    /// Where patterns are placed on the board.
    pub spread: Spread,
    /// How votes become a score.
    pub formula: VoteFormula,
    /// The trees.
    pub trees: Vec<Arc<PatternTree>>,
}
