//! A value and a best line for every legal move of a position.

use std::time::{Duration, Instant};

use tesuji_games::{Playable, Score, SpecError};
use tesuji_search::{Limits, Report, Search};

use crate::players::searching::Style;
use crate::{PlayerContext, PlayerSpec};

/// What is known about a position.
#[derive(Clone, Debug)]
pub struct Analysis<M> {
    /// Every legal move, best first.
    pub moves: Vec<MoveAnalysis<M>>,
    /// Plies that every move was searched, counted from the position; 0 when the search has no depth.
    pub depth: u32,
    /// Positions visited (simulations, for Monte Carlo).
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
}

/// What is known about a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveAnalysis<M> {
    /// The move.
    pub m: M,
    /// Its value for the side that plays it.
    pub score: Score,
    /// Best play from the move on, the move included.
    pub line: Vec<M>,
    /// Monte Carlo: how often it was tried.
    pub visits: u64,
}

fn sort_best_first<M>(moves: &mut [MoveAnalysis<M>]) {
    moves.sort_by_key(|entry| std::cmp::Reverse(entry.score));
}

/// Called with what is known so far.
pub type AnalysisProgress<'a, M> = &'a mut dyn FnMut(&Analysis<M>);

/// Values every legal move of an unfinished position with the search behind `player`. Of a finished
/// position there is nothing to say.
pub fn analyze<P: Playable>(
    position: &P,
    player: &PlayerSpec,
    given: &Limits,
    context: &PlayerContext,
    progress: AnalysisProgress<'_, P::Move>,
) -> Result<Analysis<P::Move>, SpecError> {
    let mut search = player.build_search::<P>(context)?;
    let (limits, style) = match player.searching() {
        Some(spec) => (spec.limits(given), spec.style()),
        None => (given.clone(), Style::Deepening),
    };
    if position.outcome().is_some() {
        return Ok(Analysis { moves: Vec::new(), depth: 0, nodes: 0, time: Duration::ZERO });
    }
    Ok(match style {
        Style::AllMovesAtOnce => {
            let mut tell = |so_far: &Report<P::Move>| progress(&from_report(so_far.clone()));
            from_report(search.search(position, &limits, &mut tell))
        }
        Style::Deepening => Deepening::new(position, search.as_mut(), limits).run(progress),
        Style::Exact => Deepening::new(position, search.as_mut(), limits).once(),
    })
}

/// Of a search that values all moves of the root by itself.
fn from_report<M: Copy + Eq>(report: Report<M>) -> Analysis<M> {
    let line_of = |m: M| {
        if report.line.first() == Some(&m) { report.line.clone() } else { vec![m] }
    };
    let moves = report
        .moves
        .iter()
        .map(|entry| MoveAnalysis {
            m: entry.m,
            score: entry.score,
            line: line_of(entry.m),
            visits: entry.visits,
        })
        .collect();
    Analysis { moves, depth: report.depth, nodes: report.nodes, time: report.time }
}

/// No game here lasts longer than this in a search.
const DEEPEST: u32 = 1000;

/// Searches the position after each move, all to the same depth, then all one deeper. A search without
/// windows between the moves costs more than one for the best move alone, and gives a true value for each.
struct Deepening<'a, P: Playable> {
    position: &'a P,
    search: &'a mut dyn Search<P>,
    limits: Limits,
    started: Instant,
    nodes: u64,
}

impl<'a, P: Playable> Deepening<'a, P> {
    fn new(position: &'a P, search: &'a mut dyn Search<P>, limits: Limits) -> Self {
        Deepening { position, search, limits, started: Instant::now(), nodes: 0 }
    }

    fn run(mut self, progress: AnalysisProgress<'_, P::Move>) -> Analysis<P::Move> {
        let deepest = self.limits.depth.unwrap_or(DEEPEST).max(1);
        let step_by_step = self.limits.time.is_some() || self.limits.nodes.is_some();
        let mut order = Vec::new();
        self.position.push_moves(&mut order);
        let mut best = self.analysis(Vec::new(), 0);
        let mut nodes_of_last_depth = 0;
        for depth in (if step_by_step { 1 } else { deepest })..=deepest {
            let nodes_before = self.nodes;
            let Some(mut moves) = self.all_moves(&order, depth) else { break };
            // Stable, so that equal moves keep their order from depth to depth.
            sort_best_first(&mut moves);
            order = moves.iter().map(|entry| entry.m).collect();
            best = self.analysis(moves, depth);
            progress(&best);
            let all_decided = best.moves.iter().all(|entry| entry.score.is_decided());
            // Twice the same work at growing depth: the game tree has been seen to its end.
            let exhausted = self.nodes - nodes_before == nodes_of_last_depth;
            nodes_of_last_depth = self.nodes - nodes_before;
            if all_decided || exhausted {
                break;
            }
        }
        best.time = self.started.elapsed();
        best.nodes = self.nodes;
        best
    }

    /// Every move once: for a search that gives the final answer.
    fn once(mut self) -> Analysis<P::Move> {
        let mut order = Vec::new();
        self.position.push_moves(&mut order);
        let mut moves: Vec<_> = order.iter().map(|&m| self.one_move(m, DEEPEST)).collect();
        sort_best_first(&mut moves);
        self.analysis(moves, 0)
    }

    fn analysis(&self, moves: Vec<MoveAnalysis<P::Move>>, depth: u32) -> Analysis<P::Move> {
        Analysis { moves, depth, nodes: self.nodes, time: self.started.elapsed() }
    }

    /// All moves to this depth; `None` when time or nodes ran out on the way. Depth 1 is always finished,
    /// so that there is an answer.
    fn all_moves(&mut self, order: &[P::Move], depth: u32) -> Option<Vec<MoveAnalysis<P::Move>>> {
        let mut moves = Vec::with_capacity(order.len());
        for &m in order {
            if depth > 1 && self.is_out_of_budget() {
                return None;
            }
            moves.push(self.one_move(m, depth));
        }
        (depth == 1 || !self.is_out_of_budget()).then_some(moves)
    }

    fn is_out_of_budget(&self) -> bool {
        let stop = self.limits.stop.as_ref();
        self.limits.time.is_some_and(|limit| self.started.elapsed() >= limit)
            || self.limits.nodes.is_some_and(|limit| self.nodes >= limit)
            || stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed))
    }

    fn one_move(&mut self, m: P::Move, depth: u32) -> MoveAnalysis<P::Move> {
        let mover = self.position.to_move();
        let mut child = self.position.clone();
        child.play(m);
        self.nodes += 1;
        let (score, rest) = match child.outcome() {
            Some(outcome) => (decided(outcome.winner().map(|winner| winner == mover)), Vec::new()),
            None => {
                let (score, rest) = self.after(&child, depth - 1);
                (if child.to_move() == mover { score } else { -score }, rest)
            }
        };
        let line = std::iter::once(m).chain(rest).collect();
        MoveAnalysis { m, score: score.further(1), line, visits: 0 }
    }

    /// The value of a position for its side to move, and its best line.
    fn after(&mut self, child: &P, depth: u32) -> (Score, Vec<P::Move>) {
        if depth == 0 {
            return (Score::estimate(child.evaluate()), Vec::new());
        }
        let limits = Limits {
            depth: Some(depth),
            nodes: self.limits.nodes.map(|limit| limit.saturating_sub(self.nodes).max(1)),
            time: self.limits.time.map(|limit| limit.saturating_sub(self.started.elapsed())),
            stop: self.limits.stop.clone(),
        };
        let report = self.search.run(child, &limits);
        self.nodes += report.nodes;
        (report.score, report.line)
    }
}

fn decided(won: Option<bool>) -> Score {
    match won {
        Some(true) => Score::win_in(0),
        Some(false) => Score::loss_in(0),
        None => Score::DRAW,
    }
}
