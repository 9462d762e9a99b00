//! Results of players and searches as data: the chosen move, the value of every move, the visit
//! distribution of Monte Carlo, and the result at each depth of iterative deepening.

use serde::Serialize;
use tesuji_games::{Score, State};
use tesuji_play::{
    Choice, MoveAnalysis, PlayerContext, PlayerSpec, PositionAnalysis, SearchProfile,
};
use tesuji_search::{Limits, SearchReport};

use super::exact::{self, SolvedMove, SolvedPosition};
use super::snapshot::{BoardMove, step, steps};
use super::{PositionViewError, unfinished};

/// A move chosen by a player, with its search result.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ChosenMove {
    /// The move.
    #[serde(flatten)]
    pub step: BoardMove,
    /// The player's score for its own side.
    pub score: Option<Score>,
    /// The principal variation, beginning with the move.
    pub line: Vec<BoardMove>,
    /// The search depth in plies.
    pub depth: u32,
    /// Searched positions.
    pub nodes: u64,
    /// Search time.
    pub seconds: f64,
}

/// The values of all legal moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveTable {
    /// Best first; moves without a score come last.
    pub moves: Vec<ValuedMove>,
    /// The search depth in plies of the moves with a score.
    pub depth: u32,
    /// Searched positions.
    pub nodes: u64,
    /// Search time.
    pub seconds: f64,
    /// Whether the values are exact; 0 is then a draw and not an estimate.
    pub exact: bool,
}

/// The value of one move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValuedMove {
    /// The move.
    #[serde(flatten)]
    pub step: BoardMove,
    /// The value for the side that makes it; `None` if the move was neither searched nor proven.
    pub score: Option<Score>,
    /// The best line, beginning with the move.
    pub line: Vec<BoardMove>,
    /// Visits in a Monte Carlo search.
    pub visits: u64,
}

impl ChosenMove {
    /// Converts a player's choice.
    pub fn of(position: &State, choice: &Choice) -> ChosenMove {
        let report = choice.report.as_ref();
        ChosenMove {
            step: step(position, choice.m),
            score: choice.score(),
            line: steps(position, report.map_or(&[][..], |report| &report.line)),
            depth: report.map_or(0, |report| report.depth),
            nodes: report.map_or(0, |report| report.nodes),
            seconds: report.map_or(0.0, |report| report.time.as_secs_f64()),
        }
    }
}

/// The share of the time for a proof; the rest is for an estimate if the proof fails.
const PROOF_SHARE: f64 = 0.8;
/// The player for the estimate.
const ESTIMATOR: &str = "pvs:tt=8M";

/// Returns the values of all legal moves; `progress` gets intermediate tables.
pub fn analyze(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, PositionViewError> {
    let line = unfinished(&context.game, moves)?;
    let mut estimated = |player: &PlayerSpec, limits: &Limits| {
        let mut on_progress = |so_far: &PositionAnalysis| progress(&table(&line.end, so_far));
        let found = tesuji_play::analyze(&line.end, player, limits, context, &mut on_progress)?;
        Ok(table(&line.end, &found))
    };
    let Some(solver) = player.search_profile().filter(|search| search.exact) else {
        return estimated(player, limits);
    };
    let limits = solver.limits(limits);
    let share =
        |share: f64| Limits { time: limits.time.map(|time| time.mul_f64(share)), ..limits.clone() };
    match exact::solve_line(&context.game, &line, &share(PROOF_SHARE)) {
        // A position that is not proven in time is estimated.
        Err(PositionViewError::Unsolved(_)) => {
            estimated(&tesuji_players::player(ESTIMATOR)?, &share(1.0 - PROOF_SHARE))
        }
        known => known.map(MoveTable::from),
    }
}

impl From<SolvedPosition> for MoveTable {
    fn from(known: SolvedPosition) -> MoveTable {
        let valued = |known: SolvedMove| ValuedMove {
            step: known.step,
            score: Some(known.score),
            line: known.line,
            visits: 0,
        };
        MoveTable {
            moves: known.moves.into_iter().map(valued).collect(),
            depth: 0,
            nodes: known.nodes,
            seconds: known.seconds,
            exact: true,
        }
    }
}

fn table(position: &State, found: &PositionAnalysis) -> MoveTable {
    let valued = |known: &MoveAnalysis| ValuedMove {
        step: step(position, known.m),
        score: known.score,
        line: steps(position, &known.line),
        visits: known.visits,
    };
    MoveTable {
        moves: found.moves.iter().map(valued).collect(),
        depth: found.depth,
        nodes: found.nodes,
        seconds: found.time.as_secs_f64(),
        exact: false,
    }
}

/// The distribution of the visits of a Monte Carlo search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VisitDistribution {
    /// All simulations.
    pub simulations: u64,
    /// Best first.
    pub moves: Vec<MoveVisits>,
}

/// The visits and wins of one move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveVisits {
    /// The move.
    #[serde(flatten)]
    pub step: BoardMove,
    /// Visits of the move.
    pub visits: u64,
    /// Its share of all visits, from 0 to 1.
    pub share: f64,
    /// Its win rate from 0 to 1; a draw counts as half a win.
    pub win_rate: f64,
    /// Whether the result is proven.
    pub proven: bool,
}

/// The result of iterative deepening at one depth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DepthResult {
    /// The completed depth in plies.
    pub depth: u32,
    /// The value for the side to move.
    pub score: Score,
    /// The principal variation.
    pub line: Vec<BoardMove>,
    /// Positions searched so far.
    pub nodes: u64,
    /// Search time so far.
    pub seconds: f64,
}

/// Returns the visit distribution of a Monte Carlo player; `progress` gets intermediate results.
pub fn simulate(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&VisitDistribution),
) -> Result<VisitDistribution, PositionViewError> {
    let position = unfinished(&context.game, moves)?.end;
    let facts = player.search_profile().filter(SearchProfile::simulates).ok_or_else(|| {
        let expected = "a Monte Carlo player, such as mcts";
        PositionViewError::unsupported_player("the visits view", player, expected)
    })?;
    let mut on_progress = |report: &SearchReport| progress(&distribution(&position, report));
    // Searches as for a move: an analysis would also spend time on moves that the player ignores.
    let mut search = player.build_search(context)?;
    Ok(distribution(&position, &search.search(&position, &facts.limits(limits), &mut on_progress)))
}

/// Calls `progress` with the result at each depth of a player with iterative deepening.
pub fn deepen(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&DepthResult),
) -> Result<(), PositionViewError> {
    let position = unfinished(&context.game, moves)?.end;
    let facts = player.search_profile().filter(SearchProfile::deepens).ok_or_else(|| {
        let expected = "a player with iterative deepening, such as pvs";
        PositionViewError::unsupported_player("the deepening view", player, expected)
    })?;
    let mut deepest = None;
    let mut on_progress = |report: &SearchReport| {
        if deepest < Some(report.depth) {
            deepest = Some(report.depth);
            progress(&depth_result(&position, report));
        }
    };
    let mut search = player.build_search(context)?;
    let report = search.search(&position, &facts.limits(limits), &mut on_progress);
    // A move found without a search is reported as well.
    if deepest.is_none() {
        progress(&depth_result(&position, &report));
    }
    Ok(())
}

fn distribution(position: &State, report: &SearchReport) -> VisitDistribution {
    let all: u64 = report.moves.iter().map(|known| known.visits).sum();
    let moves = report.moves.iter().map(|known| MoveVisits {
        step: step(position, known.m),
        visits: known.visits,
        share: known.visits as f64 / all.max(1) as f64,
        win_rate: win_rate(known.score),
        proven: known.score.is_decided(),
    });
    VisitDistribution { simulations: report.nodes, moves: moves.collect() }
}

/// Monte Carlo searches report win rates in thousandths minus 500.
fn win_rate(score: Score) -> f64 {
    match score.raw() {
        _ if score.is_win() => 1.0,
        _ if score.is_loss() => 0.0,
        thousandths => (f64::from(thousandths) / 1000.0 + 0.5).clamp(0.0, 1.0),
    }
}

fn depth_result(position: &State, report: &SearchReport) -> DepthResult {
    DepthResult {
        depth: report.depth,
        score: report.score,
        line: steps(position, &report.line),
        nodes: report.nodes,
        seconds: report.time.as_secs_f64(),
    }
}
