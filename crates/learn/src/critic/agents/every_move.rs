//! A search that values every legal move, also those that its agent would not look at: for analysis.

use std::time::Instant;

use tesuji_games::{Outcome, Playable, Score, Stones};
use tesuji_search::report::sort_best_first;
use tesuji_search::{Limits, MoveScore, Progress, Report, Search};

/// The agent looks at the position first. The moves that it says nothing of are worth what it thinks of the position
/// after them; they come after its own, unless the end is certain.
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
        // Half of the time for what it would play, half for the others. It simulates as often as in
        // a game, so that what comes first is what it would play.
        let own = Limits { time: limits.time.map(|time| time / 2), ..limits.clone() };
        let mut report = self.0.search(position, &own, progress);
        others.retain(|m| report.moves.iter().all(|known| known.m != *m));
        let parts = others.len().max(1) as u32;
        let limits = Limits {
            time: own.time.map(|time| time / parts),
            nodes: limits.nodes.map(|nodes| (nodes / u64::from(parts)).max(1)),
            ..limits.clone()
        };
        let mut valued = Vec::new();
        for m in others {
            let (score, nodes) = self.value_after(position, m, &limits);
            report.nodes += nodes;
            valued.push(MoveScore { m, score, visits: 0 });
        }
        sort_best_first(&mut valued);
        report.moves.extend(valued);
        report.sort_by_proof();
        report.time = started.elapsed();
        report
    }

    fn forget(&mut self) {
        self.0.forget();
    }
}
