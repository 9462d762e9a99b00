//! The player without a search: it asks the critic about every position that it can reach by one move.

use std::time::Instant;

use tesuji_games::{Playable, Stones};
use tesuji_search::analysis::with_others;
use tesuji_search::{Limits, Progress, Report, Search};

use super::{BoardCritic, report};

/// The move after which the critic sees the best chance, of equals the first; one that wins the game before all.
#[derive(Clone, Debug)]
pub struct OnePly {
    critic: BoardCritic,
}

impl OnePly {
    /// A player with this critic.
    pub fn new(critic: BoardCritic) -> Self {
        OnePly { critic }
    }
}

impl<P: Playable + Stones> Search<P> for OnePly {
    /// There is nothing to limit.
    fn search(&mut self, position: &P, _: &Limits, _: Progress<'_, P::Move>) -> Report<P::Move> {
        let started = Instant::now();
        if position.outcome().is_some() {
            return Report::empty();
        }
        let root_moves = self.critic.root_moves(position);
        let (nodes, time) = (root_moves.len() as u64, started.elapsed());
        Report { nodes, time, ..report(&root_moves) }
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
