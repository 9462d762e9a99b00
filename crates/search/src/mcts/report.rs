//! Reports from a tree, and the search for a new root in an old tree.

use std::cmp::Reverse;
use std::time::Duration;

use tesuji_games::{Outcome, Position, Score};

use super::proven::Proven;
use super::simulate::nth_move;
use super::tree::{Node, Tree};
use crate::{MoveScore, SearchReport};

/// Expands the root, and marks a win in one move as proven.
pub(crate) fn expand_root<P: Position>(tree: &Tree, position: &P, solver: bool) {
    let root = tree.root();
    tree.expand(root, position.move_count(), |each| {
        position.for_each_move(|m| each(position.move_index(m)));
    });
    let Some(winning) = position.winning_move().filter(|_| solver) else { return };
    let side = position.to_move();
    for (ordinal, child) in tree.children(root).iter().enumerate() {
        if nth_move(position, ordinal) == winning {
            child.set_proven(Proven::finished(Outcome::Win(side)));
            root.set_proven(Proven::win_next(side));
        }
    }
}

/// The depth to which an old tree is searched for a new root: a turn of each side, even with two
/// moves per turn, and some reserve.
const MAX_PLIES_TO_NEW_ROOT: usize = 4;
/// The maximum number of positions to try on the way.
const MAX_POSITIONS_TO_NEW_ROOT: usize = 20_000;

/// The path of ordinals from the root, at position `old`, to the position `new`.
pub(crate) fn path_to<P: Position>(tree: &Tree, old: &P, new: &P) -> Option<Vec<usize>> {
    let mut budget = MAX_POSITIONS_TO_NEW_ROOT;
    (0..=MAX_PLIES_TO_NEW_ROOT).find_map(|plies| {
        let mut path = Vec::new();
        find_path(tree, tree.root(), old, new.key(), plies, &mut path, &mut budget).then_some(path)
    })
}

fn find_path<P: Position>(
    tree: &Tree,
    node: &Node,
    position: &P,
    key: u64,
    plies: usize,
    path: &mut Vec<usize>,
    budget: &mut usize,
) -> bool {
    if plies == 0 {
        return position.key() == key;
    }
    for (ordinal, child) in tree.children(node).iter().enumerate() {
        if child.visits() == 0 || *budget == 0 {
            continue;
        }
        *budget -= 1;
        let mut next = position.clone();
        next.play(nth_move(position, ordinal));
        path.push(ordinal);
        if find_path(tree, child, &next, key, plies - 1, path, budget) {
            return true;
        }
        path.pop();
    }
    false
}

/// The maximum number of lines in a report in addition to the best one.
const OTHER_LINES: usize = 9;

/// Creates the report of a search; adds up the roots of the trees.
pub(crate) fn report<P: Position>(
    trees: &[Tree],
    position: &P,
    simulations: u64,
    time: Duration,
) -> SearchReport<P::Move> {
    let mut candidates = candidates(trees, position);
    sort_candidates(&mut candidates);
    let best = candidates.first();
    let line = best.map_or(Vec::new(), |best| best_line(trees, position, best));
    let others = candidates.iter().filter(|other| other.has_value()).skip(1).take(OTHER_LINES);
    SearchReport {
        best: best.map(|best| best.m),
        score: best.map_or(Score::DRAW, Candidate::score),
        depth: line.len() as u32,
        line,
        nodes: simulations,
        time,
        moves: candidates.iter().filter(|c| c.has_value()).map(Candidate::move_score).collect(),
        lines: others.map(|other| best_line(trees, position, other)).collect(),
    }
}

fn sort_candidates<M: Copy>(candidates: &mut [Candidate<M>]) {
    let draw_known = candidates.iter().any(|c| c.proven == Some(Score::DRAW));
    candidates.sort_by_key(|c| Reverse(c.sort_key(draw_known)));
}

/// A move at the root with the combined statistics of all trees, from the point of view of the side
/// that plays it.
struct Candidate<M> {
    m: M,
    ordinal: usize,
    visits: u64,
    points: f64,
    proven: Option<Score>,
}

impl<M: Copy> Candidate<M> {
    /// The sort key. Proven wins come first, the shortest of them before the others; then moves by
    /// visits; then proven losses, the longest before the others. A proven draw gets no more
    /// visits: it comes between the moves that win more often than not and those that do not.
    fn sort_key(&self, draw_known: bool) -> (Score, u64, Score) {
        let class = match self.proven {
            Some(score) => score,
            None if draw_known && self.score() > Score::DRAW => Score::estimate(1),
            None if draw_known => Score::estimate(-1),
            None => Score::DRAW,
        };
        (class, self.visits, self.score())
    }

    fn score(&self) -> Score {
        self.proven.unwrap_or_else(|| match self.visits {
            0 => Score::DRAW,
            n => rate_score(self.points / n as f64),
        })
    }

    /// Whether the move was tried or proven; otherwise it has no value.
    fn has_value(&self) -> bool {
        self.visits > 0 || self.proven.is_some()
    }

    fn move_score(&self) -> MoveScore<M> {
        MoveScore { m: self.m, score: self.score(), visits: self.visits }
    }
}

/// Converts a win rate to the scale from −500 to 500.
pub(crate) fn rate_score(rate: f64) -> Score {
    Score::estimate((rate * 1000.0).round() as i32 - 500)
}

fn candidates<P: Position>(trees: &[Tree], position: &P) -> Vec<Candidate<P::Move>> {
    let mut candidates = Vec::new();
    position.for_each_move(|m| {
        candidates.push(Candidate {
            m,
            ordinal: candidates.len(),
            visits: 0,
            points: 0.0,
            proven: None,
        });
    });
    let side = position.to_move();
    for tree in trees {
        for (candidate, node) in candidates.iter_mut().zip(tree.children(tree.root())) {
            let stats = node.stats();
            candidate.visits += u64::from(stats.visits());
            candidate.points += stats.mean() * f64::from(stats.visits());
            let proven = node.proven().map(|proven| proven.one_ply_earlier().score(side));
            candidate.proven = candidate.proven.max(proven);
        }
    }
    candidates
}

/// The best move and the expected continuation, from the tree that visited the move most.
fn best_line<P: Position>(trees: &[Tree], position: &P, best: &Candidate<P::Move>) -> Vec<P::Move> {
    let child = |tree: &Tree| tree.children(tree.root()).get(best.ordinal).map(Node::visits);
    let Some(tree) = trees.iter().max_by_key(|tree| child(tree)) else { return vec![best.m] };
    let (mut position, mut line) = (position.clone(), vec![best.m]);
    let mut node = tree.children(tree.root()).get(best.ordinal);
    position.play(best.m);
    while let Some(here) = node
        && position.outcome().is_none()
    {
        let (next, m) = match most_promising(tree, here, &position) {
            Some((ordinal, child)) => (Some(child), Some(nth_move(&position, ordinal))),
            None => (None, position.winning_move().filter(|_| here.proven().is_some())),
        };
        let Some(m) = m else { break };
        line.push(m);
        position.play(m);
        node = next;
    }
    line
}

/// The child expected to be played: by proof, then by visits.
fn most_promising<'t, P: Position>(
    tree: &'t Tree,
    node: &Node,
    position: &P,
) -> Option<(usize, &'t Node)> {
    let side = position.to_move();
    let sort_key = |child: &Node| {
        let proven = child.proven().map_or(Score::DRAW, |proven| proven.score(side));
        (proven, child.visits())
    };
    let has_value = |child: &Node| child.visits() > 0 || child.proven().is_some();
    let children = tree.children(node).iter().enumerate();
    children.filter(|(_, child)| has_value(child)).max_by_key(|(_, child)| sort_key(child))
}
