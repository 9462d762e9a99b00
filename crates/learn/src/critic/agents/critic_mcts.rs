//! The report's Algorithm 1. The critic names its favourite moves and their chances w₁; a tree search in the position
//! after each says how likely it wins, w₂; the move with the largest w = λ·w₁ + (1 − λ)·w₂ is played.

use std::time::Instant;

use tesuji_games::{Playable, Position, Score, Stones};
use tesuji_search::analysis::with_others;
use tesuji_search::{Limits, MoveScore, Progress, Puct, PuctOptions, Report, Search};

use super::guide::{CriticGuide, GuideOptions, LeafChance};
use super::{Candidate, View, score_of, seen_before};

/// What the player can be told.
#[derive(Clone, Debug)]
pub struct CriticMctsOptions {
    /// λ, the weight of the critic's own chance, from 0 to 1. With 1 nothing is searched.
    pub lambda: f64,
    /// How many moves are searched.
    pub top: usize,
    /// How the trees grow.
    pub tree: PuctOptions,
    /// How the critic guides them.
    pub guide: GuideOptions,
}

impl Default for CriticMctsOptions {
    fn default() -> Self {
        CriticMctsOptions {
            lambda: 0.5,
            top: 5,
            tree: PuctOptions::default(),
            guide: GuideOptions { value: LeafChance::Critic, ..GuideOptions::default() },
        }
    }
}

/// See the top of this file.
pub struct CriticMcts<P: Playable + Stones> {
    view: View,
    options: CriticMctsOptions,
    puct: Puct<P, CriticGuide<P::Move>>,
}

/// A favourite move after its search.
struct Weighed<P: Position> {
    m: P::Move,
    /// w.
    chance: f64,
    /// Where the end is certain.
    end: Option<Score>,
    simulations: u64,
    reply: Vec<P::Move>,
}

impl<P: Position> Weighed<P> {
    fn score(&self) -> Score {
        self.end.unwrap_or_else(|| score_of(self.chance))
    }
}

impl<P: Playable + Stones> CriticMcts<P> {
    /// A player with this critic.
    pub fn new(view: View, options: CriticMctsOptions) -> Self {
        let guide = CriticGuide::new(view.evaluator(), options.guide.clone());
        let puct = Puct::new(options.tree.clone(), guide);
        CriticMcts { view, options, puct }
    }

    /// w of a move. What is certain is not mixed with what the critic thinks.
    fn weigh(&mut self, position: &P, known: Candidate<P::Move>, limits: &Limits) -> Weighed<P> {
        let own = f64::from(known.chance);
        let said =
            |chance, end| Weighed { m: known.m, chance, end, simulations: 0, reply: Vec::new() };
        if known.end.is_some() || self.options.lambda >= 1.0 {
            return said(own, known.end);
        }
        let mut after = position.clone();
        after.play(known.m);
        self.puct.forget();
        let report = self.puct.run(&after, limits);
        let same_side = after.to_move() == position.to_move();
        let found = seen_before(position.to_move(), after.to_move(), self.puct.chance());
        let score = if same_side { report.score } else { -report.score };
        let end = score.is_decided().then(|| score.further(1));
        let mixed = self.options.lambda * own + (1.0 - self.options.lambda) * found;
        let chance = if end.is_some() { found } else { mixed };
        Weighed { simulations: report.nodes, reply: report.line, ..said(chance, end) }
    }

    /// An equal share of the limits for each of the moves.
    fn share(&self, limits: &Limits, moves: usize) -> Limits {
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

impl<P: Playable + Stones> Search<P> for CriticMcts<P> {
    fn search(
        &mut self,
        position: &P,
        limits: &Limits,
        progress: Progress<'_, P::Move>,
    ) -> Report<P::Move> {
        let started = Instant::now();
        if position.outcome().is_some() {
            return Report::empty();
        }
        let mut candidates = self.view.candidates(position);
        candidates.truncate(self.options.top.max(1));
        if candidates[0].wins() {
            candidates.truncate(1);
        }
        let share = self.share(limits, candidates.len());
        let mut weighed = Vec::new();
        let mut report = Report::empty();
        for known in candidates {
            let next = self.weigh(position, known, &share);
            let is_won = next.score().is_win();
            weighed.push(next);
            report = told(&mut weighed);
            report.time = started.elapsed();
            progress(&report);
            if is_won {
                break;
            }
        }
        report
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

    fn forget(&mut self) {
        self.puct.forget();
    }
}

/// The report on the moves so far, best first; of equals the one that the critic likes better.
fn told<P: Position>(weighed: &mut [Weighed<P>]) -> Report<P::Move> {
    weighed.sort_by(|a, b| {
        let wins = |known: &Weighed<P>| known.score().is_win();
        wins(b).cmp(&wins(a)).then_with(|| b.chance.total_cmp(&a.chance))
    });
    let best = &weighed[0];
    let line: Vec<_> = std::iter::once(best.m).chain(best.reply.iter().copied()).collect();
    let scored = |known: &Weighed<P>| MoveScore {
        m: known.m,
        score: known.score(),
        visits: known.simulations,
    };
    Report {
        best: Some(best.m),
        score: best.score(),
        depth: line.len() as u32,
        line,
        nodes: weighed.iter().map(|known| known.simulations).sum(),
        moves: weighed.iter().map(scored).collect(),
        ..Report::empty()
    }
}
