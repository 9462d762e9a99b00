//! The legal moves of a position with their values and best lines, as far as a player's search or a
//! look at the next two moves finds them.

use std::time::{Duration, Instant};

use tesuji_games::{Playable, Score, SpecError};
use tesuji_search::ending::score_at_end;
use tesuji_search::{Limits, MoveScore, Report, Search};

use crate::players::searching::Style;
use crate::{PlayerContext, PlayerSpec};

/// What is known about a position.
#[derive(Clone, Debug)]
pub struct Analysis<M> {
    /// Every legal move. First the moves that are proven to win, then the others that have a score in
    /// the order of the player's preference, then those that are proven to lose; moves without a
    /// score come last.
    pub moves: Vec<MoveAnalysis<M>>,
    /// Plies that every move with a score was searched, counted from the position; 0 when the search
    /// has no depth.
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
    /// Its value for the side that plays it; `None` when it was neither searched nor proven.
    pub score: Option<Score>,
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

/// Values the legal moves of an unfinished position with the search behind `player`. Of a finished
/// position there is nothing to say.
///
/// Whatever the player sees, a move that wins at once is first and says so, a move that lets the
/// other side win at once is known to lose, and a move that the player did not search has no score.
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
    let proofs = ProofsAtOnce::of(position);
    let tell = &mut |so_far: Analysis<P::Move>| progress(&proofs.added_to(so_far));
    let found = match style {
        Style::AllMovesAtOnce => {
            let mut tell = |so_far: &Report<P::Move>| tell(from_report(so_far));
            from_report(&search.search(position, &limits, &mut tell))
        }
        Style::Deepening => Deepening::new(position, search.as_mut(), limits, style).run(tell),
        Style::Exact => Deepening::new(position, search.as_mut(), limits, style).once(),
    };
    Ok(proofs.added_to(found))
}

/// Of a search that values moves of the root by itself.
fn from_report<M: Copy + Eq>(report: &Report<M>) -> Analysis<M> {
    let valued = |entry: &MoveScore<M>| MoveAnalysis {
        m: entry.m,
        score: Some(entry.score),
        line: report.line_from(entry.m),
        visits: entry.visits,
    };
    let moves = report.moves.iter().map(valued).collect();
    Analysis { moves, depth: report.depth, nodes: report.nodes, time: report.time }
}

/// What one move and one answer prove about each legal move. Searches differ in what they notice:
/// some leave moves out, some err on purpose. This look is the same for all of them.
struct ProofsAtOnce<M> {
    /// Every legal move; with a score where the game ends at once or with the next move.
    moves: Vec<MoveAnalysis<M>>,
    /// The only move that does not lose to the next move.
    only_defense: Option<M>,
}

impl<M: Copy + Eq> ProofsAtOnce<M> {
    fn of<P: Playable<Move = M>>(position: &P) -> Self {
        let mut moves = Vec::new();
        position.for_each_move(|m| moves.push(proven_at_once(position, m)));
        let mut defenses = moves.iter().filter(|entry| entry.score != Some(Score::loss_in(2)));
        let only_defense = match (defenses.next(), defenses.next()) {
            (Some(defense), None) => Some(defense.m),
            _ => None,
        };
        ProofsAtOnce { moves, only_defense }
    }

    /// The analysis with every legal move, proven scores instead of others, and the moves in order.
    fn added_to(&self, mut found: Analysis<M>) -> Analysis<M> {
        for proven in &self.moves {
            match found.moves.iter_mut().find(|entry| entry.m == proven.m) {
                None => found.moves.push(proven.clone()),
                Some(entry) if proven.score.is_some() && entry.score != proven.score => {
                    (entry.score, entry.line) = (proven.score, proven.line.clone());
                }
                Some(_) => {}
            }
        }
        // The sort is stable: moves of which nothing is proven keep the player's order.
        found.moves.sort_by_key(|entry| std::cmp::Reverse(self.rank(entry)));
        found
    }

    fn rank(&self, entry: &MoveAnalysis<M>) -> Option<Score> {
        let is_forced = self.only_defense == Some(entry.m);
        entry.score.map(Score::proven_or_even).or(is_forced.then_some(Score::DRAW))
    }
}

/// A move, with its score if the game is over after it, or after the best move that follows.
pub(crate) fn proven_at_once<P: Playable>(position: &P, m: P::Move) -> MoveAnalysis<P::Move> {
    let mover = position.to_move();
    let mut after = position.clone();
    after.play(m);
    let proven = |score, line| MoveAnalysis { m, score, line, visits: 0 };
    if let Some(outcome) = after.outcome() {
        return proven(Some(score_at_end(outcome, mover, 1)), vec![m]);
    }
    match winning_move(&after) {
        // The second stone of a turn, or the answer of the other side.
        Some(next) if after.to_move() == mover => proven(Some(Score::win_in(2)), vec![m, next]),
        Some(next) => proven(Some(Score::loss_in(2)), vec![m, next]),
        None => proven(None, vec![m]),
    }
}

/// A move that wins at once, if there is one.
fn winning_move<P: Playable>(position: &P) -> Option<P::Move> {
    if P::WIN_DETECTION {
        return position.winning_move();
    }
    let mut winning = None;
    position.for_each_move(|m| {
        if winning.is_none() {
            let mut after = position.clone();
            after.play(m);
            let won = after.outcome().and_then(|outcome| outcome.winner());
            winning = (won == Some(position.to_move())).then_some(m);
        }
    });
    winning
}

/// No game here lasts longer than this in a search.
const DEEPEST: u32 = 1000;

/// Searches the position after each move, all to the same depth, then all one deeper. A search without
/// windows between the moves costs more than one for the best move alone, and gives a true value for each.
struct Deepening<'a, P: Playable> {
    position: &'a P,
    search: &'a mut dyn Search<P>,
    limits: Limits,
    style: Style,
    started: Instant,
    nodes: u64,
}

impl<'a, P: Playable> Deepening<'a, P> {
    fn new(position: &'a P, search: &'a mut dyn Search<P>, limits: Limits, style: Style) -> Self {
        Deepening { position, search, limits, style, started: Instant::now(), nodes: 0 }
    }

    fn run(mut self, tell: &mut dyn FnMut(Analysis<P::Move>)) -> Analysis<P::Move> {
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
            tell(best.clone());
            let all_decided =
                best.moves.iter().all(|entry| entry.score.is_some_and(Score::is_decided));
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
            Some(outcome) => (Some(score_at_end(outcome, mover, 1)), Vec::new()),
            None => {
                let (score, rest) = self.after(&child, depth - 1);
                let sign = |score: Score| if child.to_move() == mover { score } else { -score };
                (score.map(|score| sign(score).further(1)), rest)
            }
        };
        let line = std::iter::once(m).chain(rest).collect();
        MoveAnalysis { m, score, line, visits: 0 }
    }

    /// The value of a position for its side to move, if one was found, and its best line.
    fn after(&mut self, child: &P, depth: u32) -> (Option<Score>, Vec<P::Move>) {
        if depth == 0 {
            return (Some(Score::estimate(child.estimate())), Vec::new());
        }
        let limits = Limits {
            depth: Some(depth),
            nodes: self.limits.nodes.map(|limit| limit.saturating_sub(self.nodes).max(1)),
            time: self.limits.time.map(|limit| limit.saturating_sub(self.started.elapsed())),
            stop: self.limits.stop.clone(),
        };
        let report = self.search.run(child, &limits);
        self.nodes += report.nodes;
        let is_known = self.style != Style::Exact || !report.moves.is_empty();
        (is_known.then_some(report.score), report.line)
    }
}
