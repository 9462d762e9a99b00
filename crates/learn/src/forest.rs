//! Forests: patterns of cells, a decision tree for each, laid on a board everywhere they fit.
//!
//! A tree looks at the few cells of its [`Pattern`] and says who will win ([`Class`]). Its pattern is laid on the
//! board in every place and every turned form ([`Spread`]), so one tree becomes a tree of equal trees, and the
//! forest counts what all of them say ([`Votes`]) and makes a number of it ([`VoteFormula`]).

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
mod search;
mod spread;
mod tree;
mod window;
pub mod xml;

pub use class::{CellContent, Class};
pub use dataset::Dataset;
pub use evaluation::{Accumulator, Evaluation, contents_seen_by};
pub use evaluator::{CandidateOrder, ForestCandidates, ForestEvaluator};
pub use formula::{VoteFormula, Votes};
pub use grow::{TreeSpec, grow_tree};
pub use layout::LayoutError;
pub use order::{LineOrder, heuristic_move};
pub use pattern::{Pattern, PatternError};
pub use random_pattern::{PatternShape, random_pattern};
pub use search::{ForestSearch, ForestSearchOptions, Parallel, SearchStyle, TieBreak};
pub use spread::{PatternFit, PatternSymmetries, Placement, Spread, Translations};
pub use tree::{DecisionNode, DecisionTree, IGNORED, LookupTable};
pub use window::{PatternWindow, WindowSample};

use std::sync::Arc;

/// One tree of a forest with the pattern it looks at.
#[derive(Clone, PartialEq, Debug)]
pub struct PatternTree {
    /// The cells that the tree may ask about.
    pub pattern: Pattern,
    /// What it learned.
    pub decisions: DecisionTree,
    /// The answers of the tree to every content of the pattern.
    pub table: LookupTable,
    /// The share of samples outside its bootstrap that the tree got wrong, where that was measured.
    pub error: Option<f64>,
    /// How much its votes count; 1 in the thesis.
    pub weight: u32,
}

impl PatternTree {
    /// A tree whose votes count once.
    pub fn new(pattern: Pattern, decisions: DecisionTree, error: Option<f64>) -> PatternTree {
        let table = decisions.table(pattern.len());
        PatternTree { pattern, decisions, table, error, weight: 1 }
    }
}

/// A forest. Trees are shared: the children of a forest hold the same trees as their parents.
#[derive(Clone, PartialEq, Debug)]
pub struct Forest {
    /// The game that it was made for, as text, such as `mnk:10x10,k=5`.
    pub game: String,
    /// The side of the windows from which the patterns were drawn.
    pub window: PatternWindow,
    /// How patterns are laid on the board.
    pub spread: Spread,
    /// What votes are worth.
    pub formula: VoteFormula,
    /// The trees.
    pub trees: Vec<Arc<PatternTree>>,
}
