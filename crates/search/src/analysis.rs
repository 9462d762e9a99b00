//! Scores for every move from any search: the default implementation of [`Search::analyze`].

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use tesuji_games::{Position, Score};

use crate::limits::MAX_DEPTH;
use crate::report::sort_best_first;
use crate::terminal::terminal_score;
use crate::{Limits, MoveScore, ProgressFn, Search, SearchReport};

/// Searches the position after each legal move, all to the same depth. With a time or node limit,
/// deepens one ply at a time until the limit is reached; depth 1 is always completed, so there is
/// always a result.
///
/// Moves share no window. This costs more than a search for the best move alone and gives each move
/// its true score.
pub fn analyze_each_move<P: Position>(
    search: &mut (impl Search<P> + ?Sized),
    position: &P,
    limits: &Limits,
    progress: ProgressFn<'_, P::Move>,
) -> SearchReport<P::Move> {
    let deepest = limits.depth.unwrap_or(MAX_DEPTH).max(1);
    let deepens = limits.time.is_some() || limits.nodes.is_some();
    let mut analysis = Analysis::new(search, position, limits);
    let mut report = SearchReport::empty();
    let mut nodes_of_last_depth = 0;
    for depth in (if deepens { 1 } else { deepest })..=deepest {
        let nodes_before = analysis.nodes;
        let Some(mut found) = analysis.all_moves(depth) else { break };
        found.depth = depth;
        report = found;
        progress(&report);
        let all_decided = report.moves.iter().all(|scored| scored.score.is_decided());
        // The same work at a greater depth: the whole game tree has been searched.
        let exhausted = analysis.nodes - nodes_before == nodes_of_last_depth;
        nodes_of_last_depth = analysis.nodes - nodes_before;
        if all_decided || exhausted {
            break;
        }
    }
    SearchReport { nodes: analysis.nodes, time: analysis.started.elapsed(), ..report }
}

/// Searches the position after each legal move once, for a search that gives a final answer or
/// none. Moves without an answer are left out.
pub fn analyze_each_move_once<P: Position>(
    search: &mut (impl Search<P> + ?Sized),
    position: &P,
    limits: &Limits,
) -> SearchReport<P::Move> {
    let mut analysis = Analysis::new(search, position, limits);
    let (mut moves, mut lines) = (Vec::new(), Vec::new());
    for m in std::mem::take(&mut analysis.order) {
        let MoveResult { score, line, has_value } = analysis.one_move(m, MAX_DEPTH);
        if has_value {
            moves.push(MoveScore { m, score, visits: 0 });
            lines.push(line);
        }
    }
    analysis.report(moves, lines)
}

/// Reports the search's own moves, then the other legal moves with the value of the position after
/// each. The other moves come last unless their result is proven. For searches that omit moves and
/// have no depth.
pub fn analyze_with_other_moves<P: Position>(
    search: &mut (impl Search<P> + ?Sized),
    position: &P,
    limits: &Limits,
    progress: ProgressFn<'_, P::Move>,
) -> SearchReport<P::Move> {
    let started = Instant::now();
    let mut others = Vec::new();
    position.push_moves(&mut others);
    // Half of the time goes to the search's own moves, half to the others. The node limit stays
    // that of a game, so the first move is the one that it would play.
    let own_limits = Limits { time: limits.time.map(|time| time / 2), ..limits.clone() };
    let mut report = search.search(position, &own_limits, progress);
    others.retain(|m| report.moves.iter().all(|scored| scored.m != *m));
    let count = others.len().max(1) as u32;
    let limits = Limits {
        time: own_limits.time.map(|time| time / count),
        nodes: limits.nodes.map(|nodes| (nodes / u64::from(count)).max(1)),
        ..limits.clone()
    };
    let mut scores = Vec::new();
    for m in others {
        let (found, nodes) = after_move(search, position, m, &limits);
        report.nodes += nodes;
        scores.push(MoveScore { m, score: found.score, visits: 0 });
    }
    sort_best_first(&mut scores);
    report.moves.extend(scores);
    report.sort_by_proof();
    report.time = started.elapsed();
    report
}

/// The result for one move.
struct MoveResult<M> {
    /// From the point of view of the side that plays it.
    score: Score,
    /// The move and best play after it.
    line: Vec<M>,
    /// Whether the search returned a move with a value. Always true when the move ends the game.
    has_value: bool,
}

/// Searches the position after a move; returns the move's value and the number of nodes searched.
fn after_move<P: Position>(
    search: &mut (impl Search<P> + ?Sized),
    position: &P,
    m: P::Move,
    limits: &Limits,
) -> (MoveResult<P::Move>, u64) {
    let side = position.to_move();
    let mut after = position.clone();
    after.play(m);
    if let Some(outcome) = after.outcome() {
        let score = terminal_score(outcome, side, 1);
        return (MoveResult { score, line: vec![m], has_value: true }, 0);
    }
    let reply = search.run(&after, limits);
    let score = if after.to_move() == side { reply.score } else { -reply.score };
    let line = std::iter::once(m).chain(reply.line).collect();
    (MoveResult { score: score.further(1), line, has_value: !reply.moves.is_empty() }, reply.nodes)
}

/// Searches the moves of a position one by one.
struct Analysis<'a, P: Position, S: ?Sized> {
    search: &'a mut S,
    position: &'a P,
    limits: &'a Limits,
    started: Instant,
    nodes: u64,
    /// Best first, according to the last completed depth.
    order: Vec<P::Move>,
}

impl<'a, P: Position, S: Search<P> + ?Sized> Analysis<'a, P, S> {
    fn new(search: &'a mut S, position: &'a P, limits: &'a Limits) -> Self {
        let mut order = Vec::new();
        position.push_moves(&mut order);
        Analysis { search, position, limits, started: Instant::now(), nodes: 0, order }
    }

    /// Searches all moves to this depth; `None` when time or nodes run out.
    fn all_moves(&mut self, depth: u32) -> Option<SearchReport<P::Move>> {
        let (mut moves, mut lines) = (Vec::new(), Vec::new());
        for index in 0..self.order.len() {
            if depth > 1 && self.is_out_of_budget() {
                return None;
            }
            let m = self.order[index];
            let MoveResult { score, line, .. } = self.one_move(m, depth);
            moves.push(MoveScore { m, score, visits: 0 });
            lines.push(line);
        }
        if depth > 1 && self.is_out_of_budget() {
            return None;
        }
        let report = self.report(moves, lines);
        // Equal moves keep their order from depth to depth.
        self.order.clear();
        self.order.extend(report.moves.iter().map(|scored| scored.m));
        Some(report)
    }

    fn one_move(&mut self, m: P::Move, depth: u32) -> MoveResult<P::Move> {
        self.nodes += 1;
        let limits = Limits {
            depth: Some(depth - 1),
            nodes: self.limits.nodes.map(|limit| limit.saturating_sub(self.nodes).max(1)),
            time: self.limits.time.map(|limit| limit.saturating_sub(self.started.elapsed())),
            stop: self.limits.stop.clone(),
        };
        // Depth 0 is a static evaluation: no limit may prevent it.
        let limits = if depth == 1 { Limits::depth(0) } else { limits };
        let (found, nodes) = after_move(self.search, self.position, m, &limits);
        self.nodes += if depth == 1 { 0 } else { nodes };
        found
    }

    fn is_out_of_budget(&self) -> bool {
        let stop = self.limits.stop.as_ref();
        self.limits.time.is_some_and(|limit| self.started.elapsed() >= limit)
            || self.limits.nodes.is_some_and(|limit| self.nodes >= limit)
            || stop.is_some_and(|stop| stop.load(Relaxed))
    }

    fn report(
        &self,
        mut moves: Vec<MoveScore<P::Move>>,
        mut lines: Vec<Vec<P::Move>>,
    ) -> SearchReport<P::Move> {
        sort_best_first(&mut moves);
        let best = moves.first().map(|scored| scored.m);
        let index = lines.iter().position(|line| line.first().copied() == best);
        let line = index.map(|index| lines.swap_remove(index)).unwrap_or_default();
        let score = moves.first().map_or(Score::DRAW, |scored| scored.score);
        let (nodes, time) = (self.nodes, self.started.elapsed());
        SearchReport { best, score, line, depth: 0, nodes, time, moves, lines }
    }
}
