//! Position analysis: the legal moves with their values and best lines, from a player's search and
//! a two-ply look-ahead.

use std::time::Duration;

use crate::{PlayerContext, PlayerSpec};
use tesuji_games::{Move, Position, Score, SpecError, State};
use tesuji_search::terminal::terminal_score;
use tesuji_search::{Limits, MoveScore, SearchReport};

/// The analysis of a position.
#[derive(Clone, Debug)]
pub struct PositionAnalysis {
    /// Every legal move: first the proven wins, then the other scored moves in the player's order
    /// of preference, then the proven losses, then the moves without a score.
    pub moves: Vec<MoveAnalysis>,
    /// Search depth of every scored move, in plies from the position; 0 if the search has no depth.
    pub depth: u32,
    /// Positions visited (simulations, for Monte Carlo).
    pub nodes: u64,
    /// Wall-clock time spent.
    pub time: Duration,
}

/// The analysis of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveAnalysis {
    /// The move.
    pub m: Move,
    /// The value for the side that plays it; `None` if the move was neither searched nor proven.
    pub score: Option<Score>,
    /// Best line, starting with the move itself.
    pub line: Vec<Move>,
    /// Number of visits in a Monte Carlo search.
    pub visits: u64,
}

/// Analyzes the legal moves of a position with the search of `player`. The analysis of a finished
/// position is empty.
///
/// Whatever the search returns, an immediate win is scored and listed first, a move that allows an
/// immediate win by the other side is scored as a loss, and a move that was not searched has no
/// score. `progress` receives the intermediate results.
pub fn analyze(
    position: &State,
    player: &PlayerSpec,
    default_limits: &Limits,
    context: &PlayerContext,
    progress: &mut dyn FnMut(&PositionAnalysis),
) -> Result<PositionAnalysis, SpecError> {
    let mut search = player.build_search(context)?;
    let limits = player.limits(default_limits);
    if position.outcome().is_some() {
        return Ok(PositionAnalysis {
            moves: Vec::new(),
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
        });
    }
    let proofs = ShallowProofs::new(position);
    let mut on_report = |so_far: &SearchReport| progress(&proofs.complete(from_report(so_far)));
    let found = from_report(&search.analyze(position, &limits, &mut on_report));
    Ok(proofs.complete(found))
}

/// Converts the report of a search.
fn from_report(report: &SearchReport) -> PositionAnalysis {
    let valued = |entry: &MoveScore| MoveAnalysis {
        m: entry.m,
        score: Some(entry.score),
        line: report.line_from(entry.m),
        visits: entry.visits,
    };
    let moves = report.moves.iter().map(valued).collect();
    PositionAnalysis { moves, depth: report.depth, nodes: report.nodes, time: report.time }
}

/// The scores that are proven by one move and one reply. Searches differ here: some leave moves
/// out, some make mistakes on purpose. This check is the same for all of them.
struct ShallowProofs {
    /// Every legal move, scored if the game ends with it or with the next move.
    moves: Vec<MoveAnalysis>,
    /// The only move after which the next move does not lose.
    only_defense: Option<Move>,
}

impl ShallowProofs {
    fn new(position: &State) -> Self {
        let moves = position.legal_moves().into_iter();
        let moves: Vec<MoveAnalysis> = moves.map(|m| shallow_proof(position, m)).collect();
        let mut defenses = moves.iter().filter(|entry| entry.score != Some(Score::loss_in(2)));
        let only_defense = match (defenses.next(), defenses.next()) {
            (Some(defense), None) => Some(defense.m),
            _ => None,
        };
        ShallowProofs { moves, only_defense }
    }

    /// Completes an analysis: adds missing moves, replaces scores by proven ones, and sorts the
    /// moves.
    fn complete(&self, mut found: PositionAnalysis) -> PositionAnalysis {
        for proven in &self.moves {
            match found.moves.iter_mut().find(|entry| entry.m == proven.m) {
                None => found.moves.push(proven.clone()),
                Some(entry) if proven.score.is_some() && entry.score != proven.score => {
                    (entry.score, entry.line) = (proven.score, proven.line.clone());
                }
                Some(_) => {}
            }
        }
        // The sort is stable: moves without a proof keep the player's order.
        found.moves.sort_by_key(|entry| std::cmp::Reverse(self.rank(entry)));
        found
    }

    fn rank(&self, entry: &MoveAnalysis) -> Option<Score> {
        let is_forced = self.only_defense == Some(entry.m);
        entry.score.map(Score::proven_or_even).or(is_forced.then_some(Score::DRAW))
    }
}

/// A move with its exact score if the game is over after it or after the best next move.
pub fn shallow_proof(position: &State, m: Move) -> MoveAnalysis {
    let mover = position.to_move();
    let mut after = position.clone();
    after.play(m);
    let proven = |score, line| MoveAnalysis { m, score, line, visits: 0 };
    if let Some(outcome) = after.outcome() {
        return proven(Some(terminal_score(outcome, mover, 1)), vec![m]);
    }
    match winning_move(&after) {
        // The next move is the second stone of the turn, or the reply of the other side.
        Some(next) if after.to_move() == mover => proven(Some(Score::win_in(2)), vec![m, next]),
        Some(next) => proven(Some(Score::loss_in(2)), vec![m, next]),
        None => proven(None, vec![m]),
    }
}

/// An immediately winning move, if there is one.
fn winning_move(position: &State) -> Option<Move> {
    if position.finds_wins() {
        return position.winning_move();
    }
    let wins = |m: &Move| {
        let mut after = position.clone();
        after.play(*m);
        after.outcome().and_then(|outcome| outcome.winner()) == Some(position.to_move())
    };
    position.legal_moves().into_iter().find(wins)
}
