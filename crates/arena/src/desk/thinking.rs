//! What players and searches have to say about a position, as data.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::{Line, Playable, Score};
use tesuji_search::ending::score_at_end;
use tesuji_search::{Limits, Search};

use super::DeskError;
use super::exact::{self, ExactMove, ExactTable};
use super::snapshot::{Step, step, steps};
use crate::players::searching::Style;
use crate::{Analysis, Choice, MoveAnalysis, Player, PlayerContext, PlayerSpec, Turn, analyze};

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
    /// Best first.
    pub moves: Vec<ValuedMove>,
    /// Plies that every move was searched.
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
    /// Its value for the side that makes it.
    pub score: Score,
    /// Best play from it on, the move included.
    pub line: Vec<Step>,
    /// Monte Carlo: how often it was tried.
    pub visits: u64,
}

pub(super) fn choose<P: Playable>(
    line: &Line<P>,
    player: &PlayerSpec,
    context: &PlayerContext,
    turn: &Turn,
) -> Result<ChosenMove, DeskError> {
    let mut player: Box<dyn Player<P>> = player.build(context)?;
    let choice = player.choose(line, turn)?;
    Ok(chosen(&line.end, &choice))
}

/// A choice as data.
pub(super) fn chosen<P: Playable>(position: &P, choice: &Choice<P::Move>) -> ChosenMove {
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

pub(super) fn analyze_all<P: Playable>(
    line: &Line<P>,
    player: &PlayerSpec,
    context: &PlayerContext,
    limits: &Limits,
    progress: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, DeskError> {
    let is_solver = player.searching().is_some_and(|search| search.style() == Style::Exact);
    if !is_solver {
        return estimated(line, player, context, limits, progress);
    }
    let share =
        |share: f64| Limits { time: limits.time.map(|time| time.mul_f64(share)), ..limits.clone() };
    match exact::solve(line, &share(FOR_PROOF)) {
        Ok(known) => Ok(known.into()),
        // What could not be proven in time is estimated, and says so.
        Err(DeskError::Unsolved(_)) => {
            let estimator: PlayerSpec = ESTIMATOR.parse()?;
            estimated(line, &estimator, context, &share(1.0 - FOR_PROOF), progress)
        }
        Err(error) => Err(error),
    }
}

/// How much of the time a proof may take, before an estimate must do.
const FOR_PROOF: f64 = 0.8;
/// Who estimates then.
const ESTIMATOR: &str = "pvs:tt=8M";

fn estimated<P: Playable>(
    line: &Line<P>,
    player: &PlayerSpec,
    context: &PlayerContext,
    limits: &Limits,
    progress: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, DeskError> {
    let started = Instant::now();
    let main =
        Limits { time: limits.time.map(|time| time.mul_f64(FOR_THE_BEST)), ..limits.clone() };
    let mut tell = |so_far: &Analysis<P::Move>| progress(&table(&line.end, so_far));
    let mut found = analyze(&line.end, player, &main, context, &mut tell)?;
    let rest = limits.time.map(|time| time.saturating_sub(started.elapsed()));
    glance_at_the_rest(
        &line.end,
        player,
        context,
        &Limits { time: rest, ..limits.clone() },
        &mut found,
    )?;
    Ok(table(&line.end, &found))
}

/// How much of the time goes into the moves that a search thinks about.
const FOR_THE_BEST: f64 = 0.85;
/// Positions that are looked at for a move that the search does not think about.
const GLANCE: u64 = 200;

/// Engines of large boards value the few moves that they think about. The others get a glance each, as far as there is
/// time; since the engine prefers its own, none of them is worth more than the last of those.
fn glance_at_the_rest<P: Playable>(
    position: &P,
    player: &PlayerSpec,
    context: &PlayerContext,
    limits: &Limits,
    found: &mut Analysis<P::Move>,
) -> Result<(), DeskError> {
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    moves.retain(|m| found.moves.iter().all(|known| known.m != *m));
    let Some(worst) = found.moves.last().map(|known| known.score).filter(|_| !moves.is_empty())
    else {
        return Ok(());
    };
    let (started, mut search) = (Instant::now(), player.build_search::<P>(context)?);
    let mut others = Vec::with_capacity(moves.len());
    for m in moves {
        let left = limits.time.map(|time| time.saturating_sub(started.elapsed()));
        if left == Some(Duration::ZERO) || is_raised(limits) {
            break;
        }
        let glance = Limits { nodes: Some(GLANCE), time: left, ..limits.clone() };
        let (score, nodes) = worth(position, m, search.as_mut(), &glance);
        found.nodes += nodes;
        others.push(MoveAnalysis { m, score: score.min(worst), line: vec![m], visits: 0 });
    }
    others.sort_by_key(|known| std::cmp::Reverse(known.score));
    found.moves.append(&mut others);
    found.time += started.elapsed();
    Ok(())
}

/// What a move is worth to the side that makes it, and how many positions were looked at for that.
fn worth<P: Playable>(
    position: &P,
    m: P::Move,
    search: &mut dyn Search<P>,
    limits: &Limits,
) -> (Score, u64) {
    let mover = position.to_move();
    let mut after = position.clone();
    after.play(m);
    if let Some(outcome) = after.outcome() {
        return (score_at_end(outcome, mover, 1), 1);
    }
    let report = search.run(&after, limits);
    let score = if after.to_move() == mover { report.score } else { -report.score };
    (score.further(1), report.nodes)
}

fn is_raised(limits: &Limits) -> bool {
    limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

impl From<ExactTable> for MoveTable {
    fn from(known: ExactTable) -> MoveTable {
        let valued = |known: ExactMove| ValuedMove {
            step: known.step,
            score: known.score,
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

fn table<P: Playable>(position: &P, found: &Analysis<P::Move>) -> MoveTable {
    let valued = |known: &MoveAnalysis<P::Move>| ValuedMove {
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
