//! Forests: patterns of cells, a decision tree for each, laid on a board everywhere they fit.
//!
//! A tree looks at the few cells of its [`Pattern`] and says who will win ([`Class`]). Its pattern is laid on the
//! board in every place and every turned form ([`Spread`]), so one tree becomes a wood of equal trees, and the
//! forest counts what all of them say ([`Votes`]) and makes a number of it ([`Formula`]).

mod automaton;
mod class;
mod dataset;
mod draw;
mod evaluation;
mod evaluator;
mod formula;
mod grow;
mod id3;
mod layout;
mod order;
mod pattern;
mod payload;
pub mod picture;
mod search;
mod spread;
mod tree;
mod window;
pub mod xml;

pub use class::{Class, Field};
pub use dataset::Dataset;
pub use draw::{Shape, draw_pattern};
pub use evaluation::{Evaluation, Standing, fields_seen_by};
pub use evaluator::{Candidates, ForestEvaluator, Order};
pub use formula::{Formula, Votes};
pub use grow::{Recipe, grow};
pub use layout::Misfit;
pub use order::{LineOrder, heuristic_move};
pub use pattern::{Pattern, PatternError};
pub use search::{ForestSearch, ParallelMode, SearchOptions, Style, Ties};
pub use spread::{Fit, Placement, Slide, Spread, Symmetries};
pub use tree::{IGNORED, Node, Table, Tree};
pub use window::{Window, WindowSample};

use std::sync::Arc;

/// One tree of a forest with the pattern it looks at.
#[derive(Clone, PartialEq, Debug)]
pub struct Wood {
    /// The cells that the tree may ask about.
    pub pattern: Pattern,
    /// What it learned.
    pub tree: Tree,
    /// The answers of the tree to every content of the pattern.
    pub table: Table,
    /// The share of samples outside its bootstrap that the tree got wrong, where that was measured.
    pub error: Option<f64>,
    /// How much its votes count; 1 in the thesis.
    pub weight: u32,
}

impl Wood {
    /// A wood whose votes count once.
    pub fn new(pattern: Pattern, tree: Tree, error: Option<f64>) -> Wood {
        let table = tree.table(pattern.len());
        Wood { pattern, tree, table, error, weight: 1 }
    }
}

/// A forest. Trees are shared: the children of a forest hold the same trees as their parents.
#[derive(Clone, PartialEq, Debug)]
pub struct Forest {
    /// The game that it was made for, as text, such as `mnk:10x10,k=5`.
    pub game: String,
    /// The side of the windows from which the patterns were drawn.
    pub window: Window,
    /// How patterns are laid on the board.
    pub spread: Spread,
    /// What votes are worth.
    pub formula: Formula,
    /// The trees.
    pub woods: Vec<Arc<Wood>>,
}
