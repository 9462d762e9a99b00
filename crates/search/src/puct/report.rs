//! Reports from a tree, and the search for a new root in an old tree.

use std::cmp::Reverse;
use std::time::Duration;

use tesuji_games::{Position, Score, Side};

use super::tree::{Node, ROOT, Tree};
use crate::mcts::rate_score;
use crate::{MoveScore, SearchReport};

/// The depth to which an old tree is searched for a new root: a turn of each side, even with two
/// moves per turn, and some reserve.
const PLIES_TO_NEW_ROOT: usize = 4;
/// The maximum number of positions to try on the way.
const POSITIONS_TO_NEW_ROOT: usize = 20_000;

/// The index of the position `new` in a tree whose root is `old`.
pub(super) fn place_of<P: Position>(tree: &Tree<P::Move>, mut old: P, new: &P) -> Option<u32> {
    let mut budget = POSITIONS_TO_NEW_ROOT;
    let key = new.key();
    (0..=PLIES_TO_NEW_ROOT)
        .find_map(|plies| place_below(tree, ROOT, &mut old, key, plies, &mut budget))
}

fn place_below<P: Position>(
    tree: &Tree<P::Move>,
    place: u32,
    position: &mut P,
    key: u64,
    plies: usize,
    budget: &mut usize,
) -> Option<u32> {
    if plies == 0 {
        return (position.key() == key).then_some(place);
    }
    for ordinal in 0..tree.children(place).len() {
        let child = tree.child(place, ordinal);
        let node = tree.node(child);
        let Some(m) = node.m.filter(|_| node.visits > 0 && *budget > 0) else { continue };
        *budget -= 1;
        let undo = position.play(m);
        let found = place_below(tree, child, position, key, plies - 1, budget);
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
    let draw_known = candidates
        .iter()
        .any(|child| child.verdict.is_some_and(|verdict| verdict.score(side) == Score::DRAW));
    candidates.sort_by_key(|child| Reverse(merit(child, side, draw_known)));
    let best = candidates.first();
    let line = best_line(tree, position, draw_known);
    SearchReport {
        best: best.and_then(|child| child.m),
        score: best.map_or(Score::DRAW, |child| score(child, side)),
        depth: line.len() as u32,
        line,
        nodes: simulations,
        time,
        moves: candidates.iter().filter_map(|child| scored(child, side)).collect(),
        lines: Vec::new(),
    }
}

/// The score of a move that was visited or decided.
fn scored<M: Copy>(child: &Node<M>, side: Side) -> Option<MoveScore<M>> {
    let visits = u64::from(child.visits);
    let m = child.m.filter(|_| is_seen(child))?;
    Some(MoveScore { m, score: score(child, side), visits })
}

fn is_seen<M>(child: &Node<M>) -> bool {
    child.visits > 0 || child.verdict.is_some()
}

/// The sort key. Wins come first, the shortest before the others; then moves by visits; then
/// losses, the longest before the others. A decided draw gets no more visits: it comes between the
/// moves that win more often than not and those that do not. Unvisited moves are sorted by prior.
fn merit<M>(child: &Node<M>, side: Side, draw_known: bool) -> (Score, u32, Score, u32) {
    let score = score(child, side);
    let class = match child.verdict {
        Some(_) => score,
        None if draw_known && score > Score::DRAW => Score::estimate(1),
        None if draw_known => Score::estimate(-1),
        None => Score::DRAW,
    };
    // The bits of nonnegative floats have the order of the floats.
    (class, child.visits, score, child.weight.to_bits())
}

fn score<M>(child: &Node<M>, side: Side) -> Score {
    match child.verdict {
        Some(verdict) => {
            let score = verdict.score(side);
            // One ply further from the end than the child.
            if score.is_decided() { score.further(1) } else { score }
        }
        None => rate_score(child.mean(side)),
    }
}

/// The expected line of play.
fn best_line<P: Position>(tree: &Tree<P::Move>, root: &P, draw_known: bool) -> Vec<P::Move> {
    let (mut position, mut place, mut line) = (root.clone(), ROOT, Vec::new());
    while position.outcome().is_none() {
        let side = position.to_move();
        let children = tree.children(place).iter().enumerate();
        let seen = children.filter(|(_, child)| place == ROOT || is_seen(child));
        // The first of equals, as in the report.
        let best = seen.min_by_key(|(_, child)| Reverse(merit(child, side, draw_known)));
        let Some((ordinal, m)) = best.and_then(|(n, child)| Some((n, child.m?))) else { break };
        line.push(m);
        position.play(m);
        place = tree.child(place, ordinal);
    }
    line
}
