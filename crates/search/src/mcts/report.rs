//! Reports from a tree, and the search for a new root in an old tree.

use std::cmp::Reverse;
use std::time::Duration;

use tesuji_games::{Outcome, Position, Score};

use super::proven::Proven;
use super::simulate::nth_move;
use super::tree::{Node, Tree};
use crate::{MoveScore, SearchReport};

/// Expands the root, and marks a win in one move as proven.
pub(crate) fn open_root<P: Position>(tree: &Tree, position: &P, solver: bool) {
    let root = tree.root();
    tree.expand(root, position.move_count(), |each| {
        position.for_each_move(|m| each(position.move_index(m)));
    });
    let Some(winning) = position.winning_move().filter(|_| solver) else { return };
    let side = position.to_move();
    for (ordinal, child) in tree.children(root).iter().enumerate() {
        if nth_move(position, ordinal) == winning {
            child.prove(Proven::at_end(Outcome::Win(side)));
            root.prove(Proven::win_next(side));
        }
    }
}

/// The depth to which an old tree is searched for a new root: a turn of each side, even with two
/// moves per turn, and some reserve.
const PLIES_TO_NEW_ROOT: usize = 4;
/// The maximum number of positions to try on the way.
const POSITIONS_TO_NEW_ROOT: usize = 20_000;

/// The path of ordinals from the root, at position `old`, to the position `new`.
pub(crate) fn way_to<P: Position>(tree: &Tree, old: &P, new: &P) -> Option<Vec<usize>> {
    let mut budget = POSITIONS_TO_NEW_ROOT;
    (0..=PLIES_TO_NEW_ROOT).find_map(|plies| {
        let mut way = Vec::new();
        way_in(tree, tree.root(), old, new.key(), plies, &mut way, &mut budget).then_some(way)
    })
}

fn way_in<P: Position>(
    tree: &Tree,
    node: &Node,
    position: &P,
    key: u64,
    plies: usize,
    way: &mut Vec<usize>,
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
        way.push(ordinal);
        if way_in(tree, child, &next, key, plies - 1, way, budget) {
            return true;
        }
        way.pop();
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
    sort_by_merit(&mut candidates);
    let best = candidates.first();
    let line = best.map_or(Vec::new(), |best| best_line(trees, position, best));
    let others = candidates.iter().filter(|other| other.is_known()).skip(1).take(OTHER_LINES);
    SearchReport {
        best: best.map(|best| best.m),
        score: best.map_or(Score::DRAW, Candidate::score),
        depth: line.len() as u32,
        line,
        nodes: simulations,
        time,
        moves: candidates.iter().filter(|c| c.is_known()).map(Candidate::scored).collect(),
        lines: others.map(|other| best_line(trees, position, other)).collect(),
    }
}

fn sort_by_merit<M: Copy>(candidates: &mut [Candidate<M>]) {
    let draw_known = candidates.iter().any(|c| c.proven == Some(Score::DRAW));
    candidates.sort_by_key(|c| Reverse(c.merit(draw_known)));
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
    fn merit(&self, draw_known: bool) -> (Score, u64, Score) {
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
    fn is_known(&self) -> bool {
        self.visits > 0 || self.proven.is_some()
    }

    fn scored(&self) -> MoveScore<M> {
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
            let record = node.record();
            candidate.visits += u64::from(record.visits());
            candidate.points += record.mean() * f64::from(record.visits());
            let known = node.proven().map(|known| known.one_ply_earlier().score(side));
            candidate.proven = candidate.proven.max(known);
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
    let merit = |child: &Node| {
        let known = child.proven().map_or(Score::DRAW, |known| known.score(side));
        (known, child.visits())
    };
    let seen = |child: &Node| child.visits() > 0 || child.proven().is_some();
    let children = tree.children(node).iter().enumerate();
    children.filter(|(_, child)| seen(child)).max_by_key(|(_, child)| merit(child))
}
