//! Weights of trees by tracking, which Loos (2012) proposed as future work: games are played with
//! the forest's own search, and a tree gets a higher weight the more its votes favored the moves
//! that the winner's search chose.

use std::sync::Arc;

use tesuji_games::bits::mix;
use tesuji_games::random::seeded;
use tesuji_games::{Outcome, Position, RowBoard, RowPosition, Side};
use tesuji_search::{Evaluator, Limits, Search};

use super::evaluation::ForestEvaluation;
use super::evaluator::{CandidateOrder, ForestCandidates, ForestEvaluator};
use super::layout::LayoutError;
use super::search::{ForestSearch, ForestSearchOptions, TieBreak};
use super::{Forest, PatternTree};

/// The games from which trees are weighted.
#[derive(Clone, Copy, Debug)]
pub struct TrackingOptions {
    /// The number of games of the forest against itself.
    pub games: u64,
    /// The search depth in plies.
    pub depth: u32,
    /// The number of random moves at the start of each game.
    pub openings: usize,
    /// The seed of the openings and of ties.
    pub seed: u64,
}

/// A forest with tracked weights.
#[derive(Clone, PartialEq, Debug)]
pub struct TrackedForest {
    /// The forest.
    pub forest: Forest,
    /// For each tree, how much it favored the chosen moves: the value of the move by this tree
    /// alone, as the number of standard deviations above the mean of all moves.
    pub advantages: Vec<f64>,
    /// The number of moves, those of the winners.
    pub moves: u64,
    /// The number of games with a winner.
    pub decided: u64,
}

/// The largest weight; the smallest is 1.
const LARGEST_WEIGHT: f64 = 16.0;

/// Plays games from `start` and weights the trees. Calls `each` after every game.
pub fn track_weights(
    forest: &Forest,
    start: &RowBoard,
    options: &TrackingOptions,
    mut each: impl FnMut(u64),
) -> Result<TrackedForest, LayoutError> {
    let grid = start.grid();
    let trees = forest.trees.iter().map(|tree| Tracker::new(forest, tree, start));
    let mut trees = trees.collect::<Result<Vec<_>, _>>()?;
    let evaluation = Arc::new(ForestEvaluation::of_forest(forest, &grid)?);
    let search_options =
        ForestSearchOptions { ties: TieBreak::Random, ..ForestSearchOptions::default() };
    let (mut moves, mut decided) = (0, 0);
    for game in 0..options.games {
        let seed = mix(options.seed ^ mix(game));
        let mut search = ForestSearch::new(evaluation.clone(), search_options.clone(), seed);
        let (winner, chosen) = play(start, &mut search, options, seed);
        decided += u64::from(winner.is_some());
        for (position, m) in chosen {
            if Some(position.to_move()) == winner {
                let among = search.near_moves(&position);
                trees.iter_mut().for_each(|tree| tree.track(&position, &among, m));
                moves += 1;
            }
        }
        each(game + 1);
    }
    let advantages: Vec<f64> =
        trees.iter().map(|tree| tree.advantage / (moves.max(1)) as f64).collect();
    let weights = weights(&advantages);
    let weighted = |(tree, weight): (&Arc<PatternTree>, u32)| {
        Arc::new(PatternTree { weight, ..PatternTree::clone(tree) })
    };
    let trees = forest.trees.iter().zip(weights).map(weighted).collect();
    let forest = Forest { trees, ..forest.clone() };
    Ok(TrackedForest { forest, advantages, moves, decided })
}

/// Plays a game; returns the winner, and every position with the move that the search chose.
fn play(
    start: &RowBoard,
    search: &mut ForestSearch<RowBoard>,
    options: &TrackingOptions,
    seed: u64,
) -> (Option<Side>, Vec<(RowBoard, u16)>) {
    let (mut position, mut chosen, mut rng) = (start.clone(), Vec::new(), seeded(seed));
    for ply in 0.. {
        if position.outcome().is_some() {
            break;
        }
        let m = if ply < options.openings {
            position.random_move(&mut rng)
        } else {
            let report = search.run(&position, &Limits::depth(options.depth));
            let Some(m) = report.best else { break };
            chosen.push((position.clone(), m));
            m
        };
        position.play(m);
    }
    let winner = match position.outcome() {
        Some(Outcome::Win(side)) => Some(side),
        Some(Outcome::Draw) | None => None,
    };
    (winner, chosen)
}

/// One tree, which values moves alone.
struct Tracker {
    evaluator: ForestEvaluator<u16>,
    /// The sum over all moves.
    advantage: f64,
}

impl Tracker {
    fn new(
        forest: &Forest,
        tree: &Arc<PatternTree>,
        start: &RowBoard,
    ) -> Result<Tracker, LayoutError> {
        let grid = start.grid();
        let alone = Forest { trees: vec![tree.clone()], ..forest.clone() };
        let evaluation = Arc::new(ForestEvaluation::of_forest(&alone, &grid)?);
        let everywhere = ForestCandidates::new(&grid, None, CandidateOrder::Off, false);
        let evaluator = ForestEvaluator::new(evaluation, Arc::new(everywhere));
        Ok(Tracker { evaluator, advantage: 0.0 })
    }

    fn track(&mut self, position: &RowBoard, among: &[u16], chosen: u16) {
        self.evaluator.start(position);
        let mut board = position.clone();
        let mut value = |m| f64::from(self.evaluator.value_after(&mut board, m).raw());
        let values: Vec<f64> = among.iter().map(|&m| value(m)).collect();
        let own = value(chosen);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
        if variance > 0.0 {
            self.advantage += (own - mean) / variance.sqrt();
        }
    }
}

/// Weights from 1 to the largest, linear in the advantage; all 1 if all advantages are equal.
fn weights(advantages: &[f64]) -> Vec<u32> {
    let least = advantages.iter().copied().fold(f64::INFINITY, f64::min);
    let range = advantages.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
    let share = |advantage: f64| if range > 0.0 { (advantage - least) / range } else { 0.0 };
    advantages.iter().map(|&a| (1.0 + (LARGEST_WEIGHT - 1.0) * share(a)).round() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::{
        Class, DecisionNode, DecisionTree, Pattern, PatternWindow, Spread, VoteFormula,
    };

    #[test]
    fn weights_lie_between_1_and_16() {
        assert_eq!(weights(&[0.1, 0.3, 0.2]), [1, 16, 9]);
        assert_eq!(weights(&[0.1, 0.1]), [1, 1]);
        assert_eq!(weights(&[]), [0; 0]);
    }

    /// A tree that wants own stones in the center of tic-tac-toe, and one that avoids them.
    #[test]
    fn a_tree_that_favors_good_moves_gets_a_higher_weight() {
        let start = crate::row_games::board("tictactoe").unwrap();
        let window = PatternWindow { side: 3 };
        let tree = |mine: Class, theirs: Class| {
            let pattern = Pattern::new(window, vec![4]).unwrap();
            let leaves = [Class::Draw, mine, theirs].map(|class| DecisionNode::Leaf(class.into()));
            let root = DecisionNode::Split { attribute: 0, branches: [1, 2, 3] };
            let decisions = DecisionTree::new([&[root], &leaves[..]].concat()).unwrap();
            Arc::new(PatternTree::new(pattern, decisions, None))
        };
        let forest = Forest {
            game: "tictactoe".to_string(),
            window,
            spread: Spread { fit: crate::forest::PatternFit::Window, ..Spread::default() },
            formula: VoteFormula::default(),
            trees: vec![tree(Class::Loss, Class::Win), tree(Class::Win, Class::Loss)],
        };
        let options = TrackingOptions { games: 60, depth: 2, openings: 1, seed: 1 };
        let mut games = 0;
        let tracked = track_weights(&forest, &start, &options, |done| games = done).unwrap();
        assert_eq!(games, 60);
        assert!(tracked.moves > 0 && tracked.decided > 0);
        let weights: Vec<u32> = tracked.forest.trees.iter().map(|tree| tree.weight).collect();
        assert_eq!(weights, [1, 16], "{:?}", tracked.advantages);
        assert_eq!(tracked, track_weights(&forest, &start, &options, |_| {}).unwrap());
    }
}
