//! Searches while they run: how Monte Carlo shares out its visits, and what a deepening search thinks at each depth.

use serde::Serialize;
use tesuji_games::{Line, Score, SpecError, State};
use tesuji_search::{Limits, Report};

use super::DeskError;
use super::snapshot::{Step, step, steps};
use tesuji_play::SearchFacts;
use tesuji_play::{PlayerContext, PlayerSpec};

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

pub(super) fn simulate(
    line: &Line,
    player: &PlayerSpec,
    context: &PlayerContext,
    limits: &Limits,
    progress: &mut dyn FnMut(&VisitShares),
) -> Result<VisitShares, DeskError> {
    let simulates = player.search_facts().filter(SearchFacts::simulates);
    let expected = "one that plays many games in its head, such as mcts";
    let search = simulates.ok_or_else(|| another("the picture of visits", player, expected))?;
    let mut tell = |report: &Report| progress(&shares(&line.end, report));
    let report = run(line, player, &search, context, limits, &mut tell)?;
    Ok(shares(&line.end, &report))
}

pub(super) fn deepen(
    line: &Line,
    player: &PlayerSpec,
    context: &PlayerContext,
    limits: &Limits,
    progress: &mut dyn FnMut(&DepthReached),
) -> Result<(), DeskError> {
    let deepens = player.search_facts().filter(SearchFacts::deepens);
    let expected = "one that looks deeper and deeper, such as pvs";
    let search = deepens.ok_or_else(|| another("the picture of deepening", player, expected))?;
    let mut deepest = None;
    let mut tell = |report: &Report| {
        if deepest < Some(report.depth) {
            deepest = Some(report.depth);
            progress(&depth_reached(&line.end, report));
        }
    };
    let report = run(line, player, &search, context, limits, &mut tell)?;
    // A move that was known without looking ahead is told as well.
    if deepest.is_none() {
        progress(&depth_reached(&line.end, &report));
    }
    Ok(())
}

fn run(
    line: &Line,
    player: &PlayerSpec,
    search: &SearchFacts,
    context: &PlayerContext,
    limits: &Limits,
    tell: &mut dyn FnMut(&Report),
) -> Result<Report, DeskError> {
    // As for a move: an analysis would give moves a part of the time that the player does not look at.
    let mut thinking = player.build_search(context)?;
    Ok(thinking.search(&line.end, &search.limits(limits), tell))
}

fn another(owner: &str, player: &PlayerSpec, expected: &str) -> SpecError {
    SpecError::BadValue {
        owner: owner.to_string(),
        option: "player".to_string(),
        value: player.text().to_string(),
        expected: expected.to_string(),
    }
}

fn shares(position: &State, report: &Report) -> VisitShares {
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

fn depth_reached(position: &State, report: &Report) -> DepthReached {
    DepthReached {
        depth: report.depth,
        score: report.score,
        line: steps(position, &report.line),
        nodes: report.nodes,
        seconds: report.time.as_secs_f64(),
    }
}
