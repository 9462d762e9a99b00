//! Searches that use a critic.
//!
//! * [`OnePly`]: plays the move after which the critic's estimate is best.
//! * [`CriticMcts`]: the report's Algorithm 1: a tree search after each of the critic's best moves,
//!   whose result is averaged with the critic's estimate.
//! * [`CriticGuide`]: one tree search ([`Puct`](tesuji_search::Puct)); the critic supplies priors
//!   and leaf values.
//!
//! Each is a [`Search`](tesuji_search::Search). A score is the winning chance in thousandths minus
//! 500, unless the result is proved.

mod critic_mcts;
mod guide;
mod one_ply;

use std::sync::Arc;

use tesuji_games::{Playable, Position, RowGrid, RowPosition, Score};
use tesuji_search::terminal::terminal_score;
use tesuji_search::{EvaluatedPosition, Evaluator, MoveScore, SearchReport};

use super::{Candidates, Critic, CriticEvaluator, MatcherError, PatternMatcher};

pub use critic_mcts::{CriticMcts, CriticMctsOptions};
pub use guide::{CriticGuide, CriticLeafValue, GuideOptions, PriorSource};
pub use one_ply::OnePly;

/// A critic bound to the board of one game.
#[derive(Clone, Debug)]
pub struct BoardCritic {
    matcher: Arc<PatternMatcher>,
    critic: Arc<Critic>,
}

impl BoardCritic {
    /// Binds the critic to this board.
    pub fn new(grid: &RowGrid, critic: Arc<Critic>) -> Result<BoardCritic, MatcherError> {
        Ok(BoardCritic { matcher: Arc::new(PatternMatcher::new(grid)?), critic })
    }

    /// The critic at this position.
    pub fn of<P: Playable + RowPosition>(&self, game: &P) -> EvaluatedPosition<P, CriticEvaluator> {
        EvaluatedPosition::new(game.clone(), self.evaluator())
    }

    /// The critic as an evaluator of an empty board.
    pub fn evaluator(&self) -> CriticEvaluator {
        CriticEvaluator::new(self.matcher.clone(), self.critic.clone())
    }

    /// The moves that basic pruning keeps: a winning move first, then by the critic's estimate.
    fn root_moves<P: Playable + RowPosition>(&self, game: &P) -> Vec<RootMove<P::Move>> {
        let (mut evaluator, mut candidates) = (self.evaluator(), Candidates::default());
        evaluator.start(game);
        evaluator.candidates(game, &mut candidates);
        candidates.sort();
        let mut game = game.clone();
        let mut root_moves: Vec<_> = candidates
            .moves
            .iter()
            .map(|candidate| RootMove::new(&mut game, candidate.m, candidate.chance))
            .collect();
        // The patterns may miss a win of the game's own rules.
        let wins =
            game.winning_move().filter(|&m| root_moves.iter().all(|root_move| root_move.m != m));
        root_moves.extend(wins.map(|m| RootMove::new(&mut game, m, 1.0)));
        root_moves.sort_by_key(|root_move| !root_move.wins());
        root_moves
    }
}

/// A move at the root of an agent's search.
#[derive(Clone, PartialEq, Debug)]
struct RootMove<M> {
    m: M,
    /// The chance that the side to move wins.
    chance: f64,
    /// The score for the side to move if this move ends the game.
    end: Option<Score>,
    /// The number of simulations, and the best line of the tree search after the move.
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
        let end = outcome.map(|outcome| terminal_score(outcome, side, 1));
        RootMove { m, chance, end, simulations: 0, reply: Vec::new() }
    }

    fn wins(&self) -> bool {
        self.score().is_win()
    }

    fn score(&self) -> Score {
        self.end.unwrap_or_else(|| score_of(self.chance))
    }
}

/// The search report for moves sorted best first.
fn report<M: Copy>(root_moves: &[RootMove<M>]) -> SearchReport<M> {
    let best = &root_moves[0];
    let line: Vec<M> = std::iter::once(best.m).chain(best.reply.iter().copied()).collect();
    let scored = |root_move: &RootMove<M>| MoveScore {
        m: root_move.m,
        score: root_move.score(),
        visits: root_move.simulations,
    };
    SearchReport {
        best: Some(best.m),
        score: best.score(),
        depth: line.len() as u32,
        line,
        nodes: root_moves.iter().map(|root_move| root_move.simulations).sum(),
        moves: root_moves.iter().map(scored).collect(),
        ..SearchReport::empty()
    }
}

/// Converts a winning chance to a score.
fn score_of(chance: f64) -> Score {
    Score::estimate((chance * 1000.0).round() as i32 - 500)
}

#[cfg(test)]
mod tests;
