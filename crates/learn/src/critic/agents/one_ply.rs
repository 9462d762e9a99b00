//! The player without a search: it asks the critic about every position that it can reach by one move.

use std::time::Instant;

use tesuji_games::{Playable, Score, Stones};
use tesuji_search::analysis::with_others;
use tesuji_search::{Limits, MoveScore, Progress, Report, Search};

use super::View;

/// The move after which the critic sees the best chance, of equals the first; one that wins the game before all.
#[derive(Clone, Debug)]
pub struct OnePly {
    view: View,
}

impl OnePly {
    /// A player with this critic.
    pub fn new(view: View) -> Self {
        OnePly { view }
    }
}

impl<P: Playable + Stones> Search<P> for OnePly {
    /// There is nothing to limit.
    fn search(&mut self, position: &P, _: &Limits, _: Progress<'_, P::Move>) -> Report<P::Move> {
        let started = Instant::now();
        if position.outcome().is_some() {
            return Report::empty();
        }
        let candidates = self.view.candidates(position);
        let scored = |known: &super::Candidate<P::Move>| MoveScore {
            m: known.m,
            score: known.score(),
            visits: 0,
        };
        let moves: Vec<_> = candidates.iter().map(scored).collect();
        Report {
            best: moves.first().map(|best| best.m),
            score: moves.first().map_or(Score::DRAW, |best| best.score),
            line: moves.first().map(|best| best.m).into_iter().collect(),
            depth: 1,
            nodes: moves.len() as u64,
            time: started.elapsed(),
            moves,
            lines: Vec::new(),
        }
    }

    /// Also the moves that it would not look at.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        with_others(self, position, limits, progress)
    }
}
