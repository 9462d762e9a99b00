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

use super::{Candidates, Critic, CriticEvaluator, MatcherError, PatternMatcher};

pub use critic_mcts::{CriticMcts, CriticMctsOptions};
pub use guide::{CriticGuide, GuideOptions, LeafValue, Prior};
pub use one_ply::OnePly;

/// A critic at a board.
#[derive(Clone, Debug)]
pub struct BoardCritic {
    matcher: Arc<PatternMatcher>,
    critic: Arc<Critic>,
}

impl BoardCritic {
    /// The critic at this board.
    pub fn new(grid: &Grid, critic: Arc<Critic>) -> Result<BoardCritic, MatcherError> {
        Ok(BoardCritic { matcher: Arc::new(PatternMatcher::new(grid)?), critic })
    }

    /// The position as the critic sees it.
    pub fn of<P: Playable + Stones>(&self, game: &P) -> Followed<P, CriticEvaluator> {
        Followed::new(game.clone(), self.evaluator())
    }

    /// The critic as an evaluator.
    pub fn evaluator(&self) -> CriticEvaluator {
        CriticEvaluator::new(self.matcher.clone(), self.critic.clone())
    }

    /// The moves that basic pruning leaves, best first: one that wins the game, then by the critic's chance.
    fn root_moves<P: Playable + Stones>(&self, game: &P) -> Vec<RootMove<P::Move>> {
        let (mut seen, mut found) = (self.evaluator(), Candidates::default());
        seen.start(game);
        seen.candidates(game, &mut found);
        found.sort();
        let mut game = game.clone();
        let mut root_moves: Vec<_> = found
            .moves
            .iter()
            .map(|candidate| RootMove::new(&mut game, candidate.m, candidate.chance))
            .collect();
        // Whatever patterns say, a game knows what wins.
        let wins =
            game.winning_move().filter(|&m| root_moves.iter().all(|root_move| root_move.m != m));
        root_moves.extend(wins.map(|m| RootMove::new(&mut game, m, 1.0)));
        root_moves.sort_by_key(|root_move| !root_move.wins());
        root_moves
    }
}

/// A move that an agent thinks about.
#[derive(Clone, PartialEq, Debug)]
struct RootMove<M> {
    m: M,
    /// How likely the side that plays it wins.
    chance: f64,
    /// How the game ends with it, where it does: as that side sees it.
    end: Option<Score>,
    /// How often it was searched, and what was found to come of it.
    simulations: u64,
    reply: Vec<M>,
}

impl<M: Copy> RootMove<M> {
    fn new<P: Position<Move = M>>(game: &mut P, m: M, chance: f32) -> Self {
        let side = game.to_move();
        let undo = game.play(m);
        let outcome = game.outcome();
        game.undo(m, undo);
        let chance = outcome.map_or(chance.into(), |outcome| outcome.points(side));
        let end = outcome.map(|outcome| score_at_end(outcome, side, 1));
        RootMove { m, chance, end, simulations: 0, reply: Vec::new() }
    }

    fn wins(&self) -> bool {
        self.score().is_win()
    }

    fn score(&self) -> Score {
        self.end.unwrap_or_else(|| score_of(self.chance))
    }
}

/// The report on moves of which the first is the best.
fn report<M: Copy>(root_moves: &[RootMove<M>]) -> Report<M> {
    let best = &root_moves[0];
    let line: Vec<M> = std::iter::once(best.m).chain(best.reply.iter().copied()).collect();
    let scored = |root_move: &RootMove<M>| MoveScore {
        m: root_move.m,
        score: root_move.score(),
        visits: root_move.simulations,
    };
    Report {
        best: Some(best.m),
        score: best.score(),
        depth: line.len() as u32,
        line,
        nodes: root_moves.iter().map(|root_move| root_move.simulations).sum(),
        moves: root_moves.iter().map(scored).collect(),
        ..Report::empty()
    }
}

/// A chance as a score.
fn score_of(chance: f64) -> Score {
    Score::estimate((chance * 1000.0).round() as i32 - 500)
}

#[cfg(test)]
mod tests;
