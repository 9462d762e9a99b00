//! Anigmo's method of choosing a move (Woebker, 2013): each legal move is searched independently,
//! and a random choice is made among the best.

use std::time::Instant;

use tesuji_games::random::choose;
use tesuji_games::{Position, Rng};

use crate::report::sort_best_first;
use crate::terminal::terminal_score;
use crate::{Limits, MoveScore, Search, SearchReport};

/// Searches the position after every legal move to `depth` plies with `search`, and chooses
/// uniformly among the best moves. The report has the value of every move, best first. The position
/// must not be finished.
///
/// Searches of different moves share no window, so every value is exact; the choice among equals
/// needs this, at the cost of more nodes. Depth 0 uses the evaluator alone.
pub fn choose_randomly_among_best<P: Position>(
    position: &P,
    depth: u32,
    search: &mut (impl Search<P> + ?Sized),
    rng: &mut Rng,
) -> SearchReport<P::Move> {
    let started = Instant::now();
    let mut lines = Vec::new();
    let mut report = SearchReport { depth: depth + 1, ..SearchReport::empty() };
    position.for_each_move(|m| {
        let (score, line) = value_of_move(position, m, depth, search, &mut report.nodes);
        report.moves.push(MoveScore { m, score, visits: 0 });
        lines.push((m, line));
    });
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

/// The value of a move for the side that plays it, and the continuation.
fn value_of_move<P: Position>(
    position: &P,
    m: P::Move,
    depth: u32,
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
    let found = search.run(&after, &Limits::depth(depth));
    *nodes += found.nodes;
    let score = if after.to_move() == side { found.score } else { -found.score };
    (score.further(1), found.line)
}
