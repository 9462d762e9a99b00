//! Forests for tests: random patterns with random trees.

use std::sync::Arc;

use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::{Playable, RowGrid, RowPosition, Side};
use tesuji_learn::forest::{
    CellContent, Class, DecisionNode, DecisionTree, Forest, Pattern, PatternTree, PatternWindow,
    Spread, Vote, VoteFormula,
};

/// A forest of `count` trees that read `cells` cells of a window with this side length.
pub(crate) fn random_forest(
    grid: &RowGrid,
    count: usize,
    side: usize,
    cells: usize,
    seed: u64,
) -> Forest {
    let mut rng = seeded(seed);
    let window = PatternWindow::within(side, grid);
    let trees = (0..count).map(|_| Arc::new(random_tree(window, cells, &mut rng))).collect();
    let game = String::from("a test");
    Forest { game, window, spread: Spread::default(), formula: VoteFormula::default(), trees }
}

fn random_tree(window: PatternWindow, cells: usize, rng: &mut Rng) -> PatternTree {
    let mut all: Vec<u16> = (0..window.cells() as u16).collect();
    for index in 0..cells {
        let other = index + below(rng, (all.len() - index) as u32) as usize;
        all.swap(index, other);
    }
    all.truncate(cells);
    let mut nodes = Vec::new();
    grow(&mut nodes, &mut (0..cells as u8).collect(), rng);
    PatternTree::new(Pattern::new(window, all).unwrap(), DecisionTree::new(nodes).unwrap(), None)
}

/// A tree with random tests and random leaves.
fn grow(nodes: &mut Vec<DecisionNode>, left: &mut Vec<u8>, rng: &mut Rng) -> u32 {
    let index = nodes.len();
    nodes.push(DecisionNode::Leaf(random_vote(rng)));
    if !left.is_empty() && (index == 0 || below(rng, 6) > 0) {
        let attribute = left.swap_remove(below(rng, left.len() as u32) as usize);
        let branches = [(); 3].map(|()| grow(nodes, left, rng));
        nodes[index] = DecisionNode::Split { attribute, branches };
        left.push(attribute);
    }
    index as u32
}

/// Every seventh leaf has no vote.
fn random_vote(rng: &mut Rng) -> Vote {
    Class::ALL.get(below(rng, 7) as usize / 2).map_or(Vote::NONE, |&class| class.into())
}

/// The contents of the cells from a side's point of view.
#[allow(dead_code)]
pub(crate) fn contents<P: Playable + RowPosition>(viewer: Side, position: &P) -> Vec<CellContent> {
    tesuji_learn::forest::contents_seen_by(viewer, position)
}
