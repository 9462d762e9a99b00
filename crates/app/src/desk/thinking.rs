//! What players and searches have to say about a position, as data: choices, the value of every move, how Monte Carlo
//! shares out its visits, what a deepening search thinks at each depth.

use serde::Serialize;
use tesuji_games::{Score, State};
use tesuji_play::{
    Choice, MoveAnalysis, PlayerContext, PlayerSpec, PositionAnalysis, SearchProfile,
};
use tesuji_search::{Limits, SearchReport};

use super::exact::{self, ExactMove, ExactTable};
use super::snapshot::{Step, step, steps};
use super::{DeskError, unfinished};

/// A move that a player chose, with its thoughts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ChosenMove {
    /// The move.
    #[serde(flatten)]
    pub step: Step,
    /// What the player thinks of the position, for itself.
    pub score: Option<Score>,
    /// How it thinks that the game goes on, beginning with the move.
    pub line: Vec<Step>,
    /// Plies that it looked ahead.
    pub depth: u32,
    /// Positions that it looked at.
    pub nodes: u64,
    /// What it took.
    pub seconds: f64,
}

/// What is known of all moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveTable {
    /// Best first; moves without a score come last.
    pub moves: Vec<ValuedMove>,
    /// Plies that every move with a score was searched.
    pub depth: u32,
    /// Positions that were looked at.
    pub nodes: u64,
    /// What it took.
    pub seconds: f64,
    /// Whether the values are those of perfect play: 0 is a draw then, and not an estimate.
    pub exact: bool,
}

/// What is known of one move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValuedMove {
    /// The move.
    #[serde(flatten)]
    pub step: Step,
    /// Its value for the side that makes it; `None` when it was neither searched nor proven.
    pub score: Option<Score>,
    /// Best play from it on, the move included.
    pub line: Vec<Step>,
    /// Monte Carlo: how often it was tried.
    pub visits: u64,
}

impl ChosenMove {
    /// A player's choice in a position.
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

/// How much of the time a proof may take, before an estimate must do.
const FOR_PROOF: f64 = 0.8;
/// Who estimates then.
const ESTIMATOR: &str = "pvs:tt=8M";

/// The legal moves with their values; `progress` hears what is known so far.
pub fn analyze(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, DeskError> {
    let line = unfinished(&context.game, moves)?;
    let mut estimated = |player: &PlayerSpec, limits: &Limits| {
        let mut tell = |so_far: &PositionAnalysis| progress(&table(&line.end, so_far));
        let found = tesuji_play::analyze(&line.end, player, limits, context, &mut tell)?;
        Ok(table(&line.end, &found))
    };
    let Some(solver) = player.search_profile().filter(|search| search.exact) else {
        return estimated(player, limits);
    };
    let limits = solver.limits(limits);
    let share =
        |share: f64| Limits { time: limits.time.map(|time| time.mul_f64(share)), ..limits.clone() };
    match exact::solve_line(&context.game, &line, &share(FOR_PROOF)) {
        // What could not be proven in time is estimated, and says so.
        Err(DeskError::Unsolved(_)) => {
            estimated(&tesuji_players::player(ESTIMATOR)?, &share(1.0 - FOR_PROOF))
        }
        known => known.map(MoveTable::from),
    }
}

impl From<ExactTable> for MoveTable {
    fn from(known: ExactTable) -> MoveTable {
        let valued = |known: ExactMove| ValuedMove {
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

/// How many simulations went where.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VisitShares {
    /// All of them.
    pub simulations: u64,
    /// Best first.
    pub moves: Vec<VisitedMove>,
}

/// What simulations say of one move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VisitedMove {
    /// The move.
    #[serde(flatten)]
    pub step: Step,
    /// How often it was tried.
    pub visits: u64,
    /// Its part of all visits, from 0 to 1.
    pub share: f64,
    /// How often it won, from 0 to 1, a draw being half a win.
    pub win_rate: f64,
    /// Whether that is proven.
    pub proven: bool,
}

/// What a deepening search thinks at one depth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DepthReached {
    /// Plies searched in full.
    pub depth: u32,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Best play.
    pub line: Vec<Step>,
    /// Positions that it has looked at so far.
    pub nodes: u64,
    /// How long that took.
    pub seconds: f64,
}

/// How a player that simulates shares out its visits; `progress` hears how they stand so far.
pub fn simulate(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&VisitShares),
) -> Result<VisitShares, DeskError> {
    let position = unfinished(&context.game, moves)?.end;
    let facts = player.search_profile().filter(SearchProfile::simulates).ok_or_else(|| {
        let expected = "one that plays many games in its head, such as mcts";
        DeskError::another_player("the picture of visits", player, expected)
    })?;
    let mut tell = |report: &SearchReport| progress(&shares(&position, report));
    // As for a move: an analysis would give moves a part of the time that the player does not look at.
    let mut search = player.build_search(context)?;
    Ok(shares(&position, &search.search(&position, &facts.limits(limits), &mut tell)))
}

/// Tells what a player that looks deeper and deeper thinks at each depth.
pub fn deepen(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&DepthReached),
) -> Result<(), DeskError> {
    let position = unfinished(&context.game, moves)?.end;
    let facts = player.search_profile().filter(SearchProfile::deepens).ok_or_else(|| {
        let expected = "one that looks deeper and deeper, such as pvs";
        DeskError::another_player("the picture of deepening", player, expected)
    })?;
    let mut deepest = None;
    let mut tell = |report: &SearchReport| {
        if deepest < Some(report.depth) {
            deepest = Some(report.depth);
            progress(&depth_reached(&position, report));
        }
    };
    let mut search = player.build_search(context)?;
    let report = search.search(&position, &facts.limits(limits), &mut tell);
    // A move that was known without looking ahead is told as well.
    if deepest.is_none() {
        progress(&depth_reached(&position, &report));
    }
    Ok(())
}

fn shares(position: &State, report: &SearchReport) -> VisitShares {
    let all: u64 = report.moves.iter().map(|known| known.visits).sum();
    let moves = report.moves.iter().map(|known| VisitedMove {
        step: step(position, known.m),
        visits: known.visits,
        share: known.visits as f64 / all.max(1) as f64,
        win_rate: win_rate(known.score),
        proven: known.score.is_decided(),
    });
    VisitShares { simulations: report.nodes, moves: moves.collect() }
}

/// Simulating searches tell win rates in thousandths, less 500.
fn win_rate(score: Score) -> f64 {
    match score.raw() {
        _ if score.is_win() => 1.0,
        _ if score.is_loss() => 0.0,
        thousandths => (f64::from(thousandths) / 1000.0 + 0.5).clamp(0.0, 1.0),
    }
}

fn depth_reached(position: &State, report: &SearchReport) -> DepthReached {
    DepthReached {
        depth: report.depth,
        score: report.score,
        line: steps(position, &report.line),
        nodes: report.nodes,
        seconds: report.time.as_secs_f64(),
    }
}
