//! A search that values every legal move, also those that its agent would not look at: for analysis.

use std::cmp::Reverse;
use std::time::Instant;

use tesuji_games::{Outcome, Playable, Score, Stones};
use tesuji_search::report::sort_best_first;
use tesuji_search::{Limits, MoveScore, Progress, Report, Search};

/// The agent looks at the position first. The moves that it says nothing of are worth what it thinks of the position
/// after them, but no more than the worst move that it did look at, unless the end is certain: it had its reasons. The
/// limits are shared out.
pub struct EveryMove<S>(pub S);

impl<S> EveryMove<S> {
    fn value_after<P: Playable + Stones>(
        &mut self,
        position: &P,
        m: P::Move,
        limits: &Limits,
    ) -> (Score, u64)
    where
        S: Search<P>,
    {
        let (side, mut after) = (position.to_move(), position.clone());
        after.play(m);
        match after.outcome() {
            Some(Outcome::Draw) => (Score::DRAW, 0),
            Some(Outcome::Win(winner)) if winner == side => (Score::win_in(1), 0),
            Some(Outcome::Win(_)) => (Score::loss_in(1), 0),
            None => {
                let reply = self.0.run(&after, limits);
                let score = if after.to_move() == side { reply.score } else { -reply.score };
                (score.further(1), reply.nodes)
            }
        }
    }
}

impl<P: Playable + Stones, S: Search<P>> Search<P> for EveryMove<S> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        let started = Instant::now();
        let mut others = Vec::new();
        position.push_moves(&mut others);
        // Half for what it would play, half for the others.
        let share = |parts: usize| Limits {
            time: limits.time.map(|time| time / parts as u32),
            nodes: limits.nodes.map(|nodes| (nodes / parts as u64).max(1)),
            ..limits.clone()
        };
        let mut report = self.0.search(position, &share(2), progress);
        others.retain(|m| report.moves.iter().all(|known| known.m != *m));
        let undecided = report.moves.iter().map(|known| known.score).filter(|s| !s.is_decided());
        let most = undecided.min().unwrap_or(Score::MAX);
        let limits = share(2 * others.len().max(1));
        let mut valued = Vec::new();
        for m in others {
            let (score, nodes) = self.value_after(position, m, &limits);
            report.nodes += nodes;
            let score = if score.is_decided() { score } else { score.min(most) };
            valued.push(MoveScore { m, score, visits: 0 });
        }
        merge(&mut report, valued);
        report.time = started.elapsed();
        report
    }

    fn forget(&mut self) {
        self.0.forget();
    }
}

/// Wins, the agent's moves in its own order, the others, losses.
fn merge<M: Copy>(report: &mut Report<M>, mut others: Vec<MoveScore<M>>) {
    sort_best_first(&mut others);
    report.moves.extend(others);
    let class = |known: &MoveScore<M>| match known.score {
        score if score.is_decided() => score,
        _ => Score::DRAW,
    };
    report.moves.sort_by_key(|known| Reverse(class(known)));
    if let Some(&MoveScore { m, score, .. }) = report.moves.first().filter(|m| m.score.is_win())
        && !report.score.is_win()
    {
        (report.best, report.score, report.line) = (Some(m), score, vec![m]);
    }
}
