//! Anigmo's method of choosing a move (Woebker, 2013): each legal move is searched independently,
//! and a random choice is made among the best.

use std::sync::atomic::Ordering;
use std::time::Instant;

use tesuji_games::random::choose;
use tesuji_games::{Position, Rng};

use crate::report::sort_best_first;
use crate::terminal::terminal_score;
use crate::{Limits, MoveScore, Search, SearchReport};

/// Searches the position after every legal move with `search`, and chooses uniformly among the best
/// moves. `after` limits the search after each move: `after.depth` does not count the move itself,
/// and depth 0 uses the evaluator alone. The report has the value of every move, best first. The
/// position must not be finished.
///
/// Searches of different moves share no window, so every value is exact; the choice among equals
/// needs this, at the cost of more nodes. For the same reason a limit of nodes is ignored, and a
/// search that the time or the stop flag of `after` interrupts does not count: the choice is then
/// among the moves searched before.
pub fn choose_randomly_among_best<P: Position>(
    position: &P,
    after: &Limits,
    search: &mut (impl Search<P> + ?Sized),
    rng: &mut Rng,
) -> SearchReport<P::Move> {
    let started = Instant::now();
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    let mut lines = Vec::new();
    let mut report = SearchReport { best: moves.first().copied(), ..SearchReport::empty() };
    report.depth = after.plies() + 1;
    for m in moves {
        let time = after.time.map(|time| time.saturating_sub(started.elapsed()));
        let limits = Limits { time, nodes: None, ..after.clone() };
        let (score, line) = value_of_move(position, m, &limits, search, &mut report.nodes);
        if is_over(after, started) {
            report.depth = 0;
            break;
        }
        report.moves.push(MoveScore { m, score, visits: 0 });
        lines.push((m, line));
    }
    sort_best_first(&mut report.moves);
    let best = report.moves.first().map(|scored| scored.score);
    let equals = report.moves.partition_point(|scored| Some(scored.score) == best);
    if let Some(chosen) = choose(rng, &report.moves[..equals]) {
        report.best = Some(chosen.m);
        report.score = chosen.score;
        report.line.push(chosen.m);
        report.line.extend(lines.into_iter().filter(|(m, _)| *m == chosen.m).flat_map(|(_, l)| l));
    }
    report.time = started.elapsed();
    report
}

/// Whether the time is over or the stop flag is set.
fn is_over(limits: &Limits, started: Instant) -> bool {
    limits.time.is_some_and(|time| started.elapsed() >= time)
        || limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// The value of a move for the side that plays it, and the continuation.
fn value_of_move<P: Position>(
    position: &P,
    m: P::Move,
    limits: &Limits,
    search: &mut (impl Search<P> + ?Sized),
    nodes: &mut u64,
) -> (tesuji_games::Score, Vec<P::Move>) {
    let side = position.to_move();
    let mut after = position.clone();
    after.play(m);
    if let Some(outcome) = after.outcome() {
        *nodes += 1;
        return (terminal_score(outcome, side, 1), Vec::new());
    }
    let found = search.run(&after, limits);
    *nodes += found.nodes;
    let score = if after.to_move() == side { found.score } else { -found.score };
    (score.further(1), found.line)
}
