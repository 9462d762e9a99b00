//! Players that ask a critic.
//!
//! * [`OnePly`]: the move after which the critic sees the best chance.
//! * [`CriticMcts`]: the report's Algorithm 1: a tree search after each of the critic's favourite moves, whose answer is
//!   mixed with the critic's.
//! * [`CriticUct`]: one tree search in which the critic says where to look and what a position is worth.
//!
//! Each is a [`Search`](tesuji_search::Search). Scores are chances in thousandths less 500, unless the end is certain.

mod critic_mcts;
mod guide;
mod one_ply;
mod playout;
mod uct;

use std::sync::Arc;

use tesuji_games::{Grid, Outcome, Playable, Position, Score, Side, Stones};
use tesuji_search::{Evaluator, Followed};

use super::{Critic, CriticEvaluator, Prospects, Scheme, SchemeError};

pub use critic_mcts::{CriticMcts, CriticMctsOptions};
pub use guide::{CriticGuide, GuideOptions, LeafChance, Prior};
pub use one_ply::OnePly;
pub use uct::CriticUct;

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
#[derive(Clone, Copy, PartialEq, Debug)]
struct Candidate<M> {
    m: M,
    /// How likely the side that plays it wins.
    chance: f32,
    /// How the game ends with it, where it does: as that side sees it.
    end: Option<Score>,
}

impl<M: Copy> Candidate<M> {
    fn new<P: Position<Move = M>>(game: &mut P, m: M, chance: f32) -> Self {
        let side = game.to_move();
        let undo = game.play(m);
        let outcome = game.outcome();
        game.undo(m, undo);
        let Some(outcome) = outcome else { return Candidate { m, chance, end: None } };
        let (chance, end) = match outcome {
            Outcome::Draw => (0.5, Score::DRAW),
            Outcome::Win(winner) if winner == side => (1.0, Score::win_in(1)),
            Outcome::Win(_) => (0.0, Score::loss_in(1)),
        };
        Candidate { m, chance, end: Some(end) }
    }

    fn wins(&self) -> bool {
        self.end == Some(Score::win_in(1))
    }

    fn score(&self) -> Score {
        self.end.unwrap_or_else(|| score_of(f64::from(self.chance)))
    }
}

/// A chance as a score.
fn score_of(chance: f64) -> Score {
    Score::estimate((chance * 1000.0).round() as i32 - 500)
}

/// A number that belongs to the side to move after a move, as the side that moved sees it.
fn seen_before(before: Side, after: Side, chance: f64) -> f64 {
    if before == after { chance } else { 1.0 - chance }
}

#[cfg(test)]
mod tests;
