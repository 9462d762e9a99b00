//! Players that ask a critic.
//!
//! * [`OnePly`]: the move after which the critic sees the best chance.
//! * [`CriticMcts`]: the report's Algorithm 1: a tree search after each of the critic's favourite moves, whose answer is
//!   mixed with the critic's.
//! * [`CriticGuide`]: one tree search ([`Puct`](tesuji_search::Puct)) in which the critic says where to look and what a
//!   position is worth.
//!
//! Each is a [`Search`](tesuji_search::Search). Scores are chances in thousandths less 500, unless the end is certain.

mod critic_mcts;
mod guide;
mod one_ply;

use std::sync::Arc;

use tesuji_games::{Grid, Playable, Position, Score, Stones};
use tesuji_search::ending::score_at_end;
use tesuji_search::{Evaluator, Followed, MoveScore, Report};

use super::{Critic, CriticEvaluator, Prospects, Scheme, SchemeError};

pub use critic_mcts::{CriticMcts, CriticMctsOptions};
pub use guide::{CriticGuide, GuideOptions, LeafChance, Prior};
pub use one_ply::OnePly;

/// A critic at a board.
#[derive(Clone, Debug)]
pub struct View {
    scheme: Arc<Scheme>,
    critic: Arc<Critic>,
}

impl View {
    /// The critic at this board.
    pub fn new(grid: &Grid, critic: Arc<Critic>) -> Result<View, SchemeError> {
        Ok(View { scheme: Arc::new(Scheme::new(grid)?), critic })
    }

    /// The position as the critic sees it.
    pub fn of<P: Playable + Stones>(&self, game: &P) -> Followed<P, CriticEvaluator> {
        Followed::new(game.clone(), self.evaluator())
    }

    /// The critic as an evaluator.
    pub fn evaluator(&self) -> CriticEvaluator {
        CriticEvaluator::new(self.scheme.clone(), self.critic.clone())
    }

    /// The moves that basic pruning leaves, best first: one that wins the game, then by the critic's chance.
    fn candidates<P: Playable + Stones>(&self, game: &P) -> Vec<Candidate<P::Move>> {
        let (mut seen, mut found) = (self.evaluator(), Prospects::default());
        seen.start(game);
        seen.prospects(game, &mut found);
        found.sort();
        let mut game = game.clone();
        let mut candidates: Vec<_> = found
            .moves
            .iter()
            .map(|prospect| Candidate::new(&mut game, prospect.m, prospect.chance))
            .collect();
        // Whatever patterns say, a game knows what wins.
        let wins = game.winning_move().filter(|&m| candidates.iter().all(|known| known.m != m));
        candidates.extend(wins.map(|m| Candidate::new(&mut game, m, 1.0)));
        candidates.sort_by_key(|known| !known.wins());
        candidates
    }
}

/// A move that an agent thinks about.
#[derive(Clone, PartialEq, Debug)]
struct Candidate<M> {
    m: M,
    /// How likely the side that plays it wins.
    chance: f64,
    /// How the game ends with it, where it does: as that side sees it.
    end: Option<Score>,
    /// How often it was searched, and what was found to come of it.
    simulations: u64,
    reply: Vec<M>,
}

impl<M: Copy> Candidate<M> {
    fn new<P: Position<Move = M>>(game: &mut P, m: M, chance: f32) -> Self {
        let side = game.to_move();
        let undo = game.play(m);
        let outcome = game.outcome();
        game.undo(m, undo);
        let chance = outcome.map_or(chance.into(), |outcome| outcome.points(side));
        let end = outcome.map(|outcome| score_at_end(outcome, side, 1));
        Candidate { m, chance, end, simulations: 0, reply: Vec::new() }
    }

    fn wins(&self) -> bool {
        self.score().is_win()
    }

    fn score(&self) -> Score {
        self.end.unwrap_or_else(|| score_of(self.chance))
    }
}

/// The report on moves of which the first is the best.
fn report<M: Copy>(candidates: &[Candidate<M>]) -> Report<M> {
    let best = &candidates[0];
    let line: Vec<M> = std::iter::once(best.m).chain(best.reply.iter().copied()).collect();
    let scored = |known: &Candidate<M>| MoveScore {
        m: known.m,
        score: known.score(),
        visits: known.simulations,
    };
    Report {
        best: Some(best.m),
        score: best.score(),
        depth: line.len() as u32,
        line,
        nodes: candidates.iter().map(|known| known.simulations).sum(),
        moves: candidates.iter().map(scored).collect(),
        ..Report::empty()
    }
}

/// A chance as a score.
fn score_of(chance: f64) -> Score {
    Score::estimate((chance * 1000.0).round() as i32 - 500)
}

#[cfg(test)]
mod tests;
