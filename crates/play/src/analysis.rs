//! The legal moves of a position with their values and best lines, as far as a player's search or a
//! look at the next two moves finds them.

use std::time::Duration;

use crate::{PlayerContext, PlayerSpec};
use tesuji_games::{Move, Position, Score, SpecError, State};
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, MoveScore, Report};

/// What is known about a position.
#[derive(Clone, Debug)]
pub struct PositionAnalysis {
    /// Every legal move. First the moves that are proven to win, then the others that have a score in
    /// the order of the player's preference, then those that are proven to lose; moves without a
    /// score come last.
    pub moves: Vec<MoveAnalysis>,
    /// Plies that every move with a score was searched, counted from the position; 0 when the search
    /// has no depth.
    pub depth: u32,
    /// Positions visited (simulations, for Monte Carlo).
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
}

/// What is known about a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveAnalysis {
    /// The move.
    pub m: Move,
    /// Its value for the side that plays it; `None` when it was neither searched nor proven.
    pub score: Option<Score>,
    /// Best play from the move on, the move included.
    pub line: Vec<Move>,
    /// Monte Carlo: how often it was tried.
    pub visits: u64,
}

/// Values the legal moves of an unfinished position with the search behind `player`. Of a finished
/// position there is nothing to say.
///
/// Whatever the player sees, a move that wins at once is first and says so, a move that lets the
/// other side win at once is known to lose, and a move that the player did not search has no score.
/// `progress` is called with what is known so far.
pub fn analyze(
    position: &State,
    player: &PlayerSpec,
    given: &Limits,
    context: &PlayerContext,
    progress: &mut dyn FnMut(&PositionAnalysis),
) -> Result<PositionAnalysis, SpecError> {
    let mut search = player.build_search(context)?;
    let limits = player.limits(given);
    if position.outcome().is_some() {
        return Ok(PositionAnalysis { moves: Vec::new(), depth: 0, nodes: 0, time: Duration::ZERO });
    }
    let proofs = ShallowProofs::of(position);
    let mut tell = |so_far: &Report| progress(&proofs.added_to(from_report(so_far)));
    let found = from_report(&search.analyze(position, &limits, &mut tell));
    Ok(proofs.added_to(found))
}

/// Of a search that values moves of the root by itself.
fn from_report(report: &Report) -> PositionAnalysis {
    let valued = |entry: &MoveScore| MoveAnalysis {
        m: entry.m,
        score: Some(entry.score),
        line: report.line_from(entry.m),
        visits: entry.visits,
    };
    let moves = report.moves.iter().map(valued).collect();
    PositionAnalysis { moves, depth: report.depth, nodes: report.nodes, time: report.time }
}

/// What one move and one answer prove about each legal move. Searches differ in what they notice:
/// some leave moves out, some err on purpose. This look is the same for all of them.
struct ShallowProofs {
    /// Every legal move; with a score where the game ends at once or with the next move.
    moves: Vec<MoveAnalysis>,
    /// The only move that does not lose to the next move.
    only_defense: Option<Move>,
}

impl ShallowProofs {
    fn of(position: &State) -> Self {
        let moves = position.legal_moves().into_iter();
        let moves: Vec<MoveAnalysis> = moves.map(|m| shallow_proof(position, m)).collect();
        let mut defenses = moves.iter().filter(|entry| entry.score != Some(Score::loss_in(2)));
        let only_defense = match (defenses.next(), defenses.next()) {
            (Some(defense), None) => Some(defense.m),
            _ => None,
        };
        ShallowProofs { moves, only_defense }
    }

    /// The analysis with every legal move, proven scores instead of others, and the moves in order.
    fn added_to(&self, mut found: PositionAnalysis) -> PositionAnalysis {
        for proven in &self.moves {
            match found.moves.iter_mut().find(|entry| entry.m == proven.m) {
                None => found.moves.push(proven.clone()),
                Some(entry) if proven.score.is_some() && entry.score != proven.score => {
                    (entry.score, entry.line) = (proven.score, proven.line.clone());
                }
                Some(_) => {}
            }
        }
        // The sort is stable: moves of which nothing is proven keep the player's order.
        found.moves.sort_by_key(|entry| std::cmp::Reverse(self.rank(entry)));
        found
    }

    fn rank(&self, entry: &MoveAnalysis) -> Option<Score> {
        let is_forced = self.only_defense == Some(entry.m);
        entry.score.map(Score::proven_or_even).or(is_forced.then_some(Score::DRAW))
    }
}

/// A move, with its score if the game is over after it, or after the best move that follows.
pub fn shallow_proof(position: &State, m: Move) -> MoveAnalysis {
    let mover = position.to_move();
    let mut after = position.clone();
    after.play(m);
    let proven = |score, line| MoveAnalysis { m, score, line, visits: 0 };
    if let Some(outcome) = after.outcome() {
        return proven(Some(terminal_score(outcome, mover, 1)), vec![m]);
    }
    match winning_move(&after) {
        // The second stone of a turn, or the answer of the other side.
        Some(next) if after.to_move() == mover => proven(Some(Score::win_in(2)), vec![m, next]),
        Some(next) => proven(Some(Score::loss_in(2)), vec![m, next]),
        None => proven(None, vec![m]),
    }
}

/// A move that wins at once, if there is one.
fn winning_move(position: &State) -> Option<Move> {
    if position.detects_wins() {
        return position.winning_move();
    }
    let wins = |m: &Move| {
        let mut after = position.clone();
        after.play(*m);
        after.outcome().and_then(|outcome| outcome.winner()) == Some(position.to_move())
    };
    position.legal_moves().into_iter().find(wins)
}
