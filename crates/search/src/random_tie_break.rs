//! Anigmo's way to choose a move (Woebker, 2013): every legal move is made and the position after it
//! searched for itself, then chance decides among the best.

use std::time::Instant;

use tesuji_games::random::choose;
use tesuji_games::{Position, Rng};

use crate::report::sort_best_first;
use crate::terminal::terminal_score;
use crate::{Limits, MoveScore, Report, Search};

/// Searches the position after every legal move to `depth` plies with `search`, and picks one of the
/// best moves, each as likely as any other. The report holds every move's value, best first. The
/// position must not be finished.
///
/// No move's search knows of the others, so every value is exact; that is what the choice among equals
/// needs, and what it costs. Depth 0 picks by the evaluator alone.
pub fn choose_randomly_among_best<P: Position>(
    position: &P,
    depth: u32,
    search: &mut (impl Search<P> + ?Sized),
    rng: &mut Rng,
) -> Report<P::Move> {
    let started = Instant::now();
    let mut lines = Vec::new();
    let mut report = Report { depth: depth + 1, ..Report::empty() };
    position.for_each_move(|m| {
        let (score, line) = value_of_move(position, m, depth, search, &mut report.nodes);
        report.moves.push(MoveScore { m, score, visits: 0 });
        lines.push((m, line));
    });
    sort_best_first(&mut report.moves);
    let best = report.moves.first().map(|known| known.score);
    let equals = report.moves.partition_point(|known| Some(known.score) == best);
    if let Some(chosen) = choose(rng, &report.moves[..equals]) {
        report.best = Some(chosen.m);
        report.score = chosen.score;
        report.line.push(chosen.m);
        report.line.extend(lines.into_iter().filter(|(m, _)| *m == chosen.m).flat_map(|(_, l)| l));
    }
    report.time = started.elapsed();
    report
}

/// What a move is worth to the side that makes it, and how play goes on.
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
