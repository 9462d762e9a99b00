//! The report's Algorithm 1. The critic selects its best moves and their chances w₁; a tree search
//! in the position after each estimates its winning chance w₂; the agent plays the move with the
//! largest w = λ·w₁ + (1 − λ)·w₂.

use std::time::Instant;

use tesuji_games::{Playable, RowPosition};
use tesuji_search::analysis::analyze_with_other_moves;
use tesuji_search::{Limits, ProgressFn, Puct, PuctOptions, Search, SearchReport};

use super::guide::{CriticGuide, CriticLeafValue, GuideOptions};
use super::{BoardCritic, RootMove, report};

/// Options of the search.
#[derive(Clone, Debug)]
pub struct CriticMctsOptions {
    /// λ, the weight of the critic's estimate, from 0 to 1. With 1 there is no search.
    pub lambda: f64,
    /// The number of moves to search.
    pub top: usize,
    /// Options of the trees.
    pub tree: PuctOptions,
    /// How the critic guides the trees.
    pub guide: GuideOptions,
}

impl Default for CriticMctsOptions {
    fn default() -> Self {
        CriticMctsOptions {
            lambda: 0.5,
            top: 5,
            tree: PuctOptions::default(),
            guide: GuideOptions { value: CriticLeafValue::Critic, ..GuideOptions::default() },
        }
    }
}

/// See the top of this file.
pub struct CriticMcts<P: Playable + RowPosition> {
    critic: BoardCritic,
    options: CriticMctsOptions,
    puct: Puct<P, CriticGuide<P::Move>>,
}

impl<P: Playable + RowPosition> CriticMcts<P> {
    /// A search with this critic.
    pub fn new(critic: BoardCritic, options: CriticMctsOptions) -> Self {
        let guide = CriticGuide::new(critic.evaluator(), options.guide.clone());
        let puct = Puct::new(options.tree.clone(), guide);
        CriticMcts { critic, options, puct }
    }

    /// Computes w of a move. Proved results are not averaged with the critic's estimate.
    fn evaluate(
        &mut self,
        position: &P,
        root_move: RootMove<P::Move>,
        limits: &Limits,
    ) -> RootMove<P::Move> {
        if root_move.end.is_some() || self.options.lambda >= 1.0 {
            return root_move;
        }
        let mut after = position.clone();
        after.play(root_move.m);
        self.puct.forget();
        let report = self.puct.run(&after, limits);
        let (found, score) = match after.to_move() == position.to_move() {
            true => (self.puct.chance(), report.score),
            false => (1.0 - self.puct.chance(), -report.score),
        };
        let end = score.is_decided().then(|| score.further(1));
        let average = self.options.lambda * root_move.chance + (1.0 - self.options.lambda) * found;
        let chance = if end.is_some() { found } else { average };
        RootMove { chance, end, simulations: report.nodes, reply: report.line, ..root_move }
    }

    /// The limits divided equally among the moves.
    fn limits_per_move(&self, limits: &Limits, moves: usize) -> Limits {
        let count = moves.max(1) as u32;
        let unlimited = limits.nodes.is_none() && limits.time.is_none() && limits.stop.is_none();
        let nodes = limits.nodes.or(unlimited.then_some(self.options.tree.default_simulations));
        Limits {
            time: limits.time.map(|time| time / count),
            nodes: nodes.map(|nodes| (nodes / u64::from(count)).max(1)),
            ..limits.clone()
        }
    }
}

impl<P: Playable + RowPosition> Search<P> for CriticMcts<P> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: ProgressFn<'_, P::Move>,
    ) -> SearchReport<P::Move> {
        let started = Instant::now();
        if position.outcome().is_some() {
            return SearchReport::empty();
        }
        let mut root_moves = self.critic.root_moves(position);
        root_moves.truncate(self.options.top.max(1));
        if root_moves[0].wins() {
            root_moves.truncate(1);
        }
        let limits = self.limits_per_move(limits, root_moves.len());
        let (mut evaluated, mut latest) = (Vec::new(), SearchReport::empty());
        for root_move in root_moves {
            let next = self.evaluate(position, root_move, &limits);
            let is_won = next.wins();
            evaluated.push(next);
            // Stable sort: equal moves stay in the critic's order.
            evaluated.sort_by(|a, b| b.wins().cmp(&a.wins()).then(b.chance.total_cmp(&a.chance)));
            latest = SearchReport { time: started.elapsed(), ..report(&evaluated) };
            progress(&latest);
            if is_won {
                break;
            }
        }
        latest
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

    fn forget(&mut self) {
        self.puct.forget();
    }
}
