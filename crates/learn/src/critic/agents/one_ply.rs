//! The agent without a search: it evaluates every position after one move.

use std::time::Instant;

use tesuji_games::{Playable, RowPosition};
use tesuji_search::analysis::analyze_with_other_moves;
use tesuji_search::{Limits, ProgressFn, Search, SearchReport};

use super::{BoardCritic, report};

/// Plays a winning move if there is one, else the first move with the critic's best estimate.
#[derive(Clone, Debug)]
pub struct OnePly {
    critic: BoardCritic,
}

impl OnePly {
    /// An agent with this critic.
    pub fn new(critic: BoardCritic) -> Self {
        OnePly { critic }
    }
}

impl<P: Playable + RowPosition> Search<P> for OnePly {
    /// Ignores the limits.
    fn search(
        &mut self,
        position: &P,
        _: &Limits,
        _: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        let started = Instant::now();
        if position.outcome().is_some() {
            return SearchReport::empty();
        }
        let root_moves = self.critic.root_moves(position);
        let (nodes, time) = (root_moves.len() as u64, started.elapsed());
        SearchReport { nodes, time, ..report(&root_moves) }
    }

    /// Includes the moves that basic pruning drops.
    fn analyze(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        analyze_with_other_moves(self, position, limits, progress)
    }
}
