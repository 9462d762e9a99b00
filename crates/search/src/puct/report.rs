//! Reports from a tree, and the search for a new root in an old tree.

use std::cmp::Reverse;
use std::time::Duration;

use tesuji_games::{Position, Score, Side};

use super::tree::{Node, ROOT, Tree};
use crate::mcts::rate_score;
use crate::{MoveScore, SearchReport};

/// The depth to which an old tree is searched for a new root: a turn of each side, even with two
/// moves per turn, and some reserve.
const MAX_PLIES_TO_NEW_ROOT: usize = 4;
/// The maximum number of positions to try on the way.
const MAX_POSITIONS_TO_NEW_ROOT: usize = 20_000;

/// The index of the position `new` in a tree whose root is `old`.
pub(super) fn find_root<P: Position>(tree: &Tree<P::Move>, mut old: P, new: &P) -> Option<u32> {
    let mut budget = MAX_POSITIONS_TO_NEW_ROOT;
    let key = new.key();
    (0..=MAX_PLIES_TO_NEW_ROOT)
        .find_map(|plies| find_below(tree, ROOT, &mut old, key, plies, &mut budget))
}

fn find_below<P: Position>(
    tree: &Tree<P::Move>,
    index: u32,
    position: &mut P,
    key: u64,
    plies: usize,
    budget: &mut usize,
) -> Option<u32> {
    if plies == 0 {
        return (position.key() == key).then_some(index);
    }
    for ordinal in 0..tree.children(index).len() {
        let child = tree.child(index, ordinal);
        let node = tree.node(child);
        let Some(m) = node.m.filter(|_| node.visits > 0 && *budget > 0) else { continue };
        *budget -= 1;
        let undo = position.play(m);
        let found = find_below(tree, child, position, key, plies - 1, budget);
        position.undo(m, undo);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Creates the report of a search.
pub(super) fn report<P: Position>(
    tree: &Tree<P::Move>,
    position: &P,
    simulations: u64,
    time: Duration,
) -> SearchReport<P::Move> {
    let side = position.to_move();
    let mut candidates: Vec<&Node<P::Move>> = tree.children(ROOT).iter().collect();
    let has_draw = candidates
        .iter()
        .any(|child| child.result.is_some_and(|result| result.score(side) == Score::DRAW));
    candidates.sort_by_key(|child| Reverse(sort_key(child, side, has_draw)));
    let best = candidates.first();
    let line = best_line(tree, position, has_draw);
    SearchReport {
        best: best.and_then(|child| child.m),
        score: best.map_or(Score::DRAW, |child| score(child, side)),
        depth: line.len() as u32,
        line,
        nodes: simulations,
        time,
        moves: candidates.iter().filter_map(|child| move_score(child, side)).collect(),
        lines: Vec::new(),
    }
}

/// The score of a move that was visited or decided.
fn move_score<M: Copy>(child: &Node<M>, side: Side) -> Option<MoveScore<M>> {
    let visits = u64::from(child.visits);
    let m = child.m.filter(|_| has_value(child))?;
    Some(MoveScore { m, score: score(child, side), visits })
}

fn has_value<M>(child: &Node<M>) -> bool {
    child.visits > 0 || child.result.is_some()
}

/// The sort key. Wins come first, the shortest before the others; then moves by visits; then
/// losses, the longest before the others. A decided draw gets no more visits: it comes between the
/// moves that win more often than not and those that do not. Unvisited moves are sorted by prior.
fn sort_key<M>(child: &Node<M>, side: Side, has_draw: bool) -> (Score, u32, Score, u32) {
    let score = score(child, side);
    let class = match child.result {
        Some(_) => score,
        None if has_draw && score > Score::DRAW => Score::estimate(1),
        None if has_draw => Score::estimate(-1),
        None => Score::DRAW,
    };
    // The bits of nonnegative floats have the order of the floats.
    (class, child.visits, score, child.prior.to_bits())
}

fn score<M>(child: &Node<M>, side: Side) -> Score {
    match child.result {
        Some(result) => {
            let score = result.score(side);
            // One ply further from the end than the child.
            if score.is_decided() { score.further(1) } else { score }
        }
        None => rate_score(child.mean(side)),
    }
}

/// The expected line of play.
fn best_line<P: Position>(tree: &Tree<P::Move>, root: &P, has_draw: bool) -> Vec<P::Move> {
    let (mut position, mut index, mut line) = (root.clone(), ROOT, Vec::new());
    while position.outcome().is_none() {
        let side = position.to_move();
        let children = tree.children(index).iter().enumerate();
        let candidates = children.filter(|(_, child)| index == ROOT || has_value(child));
        // The first of equals, as in the report.
        let best = candidates.min_by_key(|(_, child)| Reverse(sort_key(child, side, has_draw)));
        let Some((ordinal, m)) = best.and_then(|(n, child)| Some((n, child.m?))) else { break };
        line.push(m);
        position.play(m);
        index = tree.child(index, ordinal);
    }
    line
}
