//! What players and searches have to say about a position, as data.

use serde::Serialize;
use tesuji_games::{Line, Score, State};
use tesuji_search::Limits;

use super::DeskError;
use super::exact::{self, ExactMove, ExactTable};
use super::snapshot::{Step, step, steps};
use tesuji_play::{Analysis, MoveAnalysis, analyze};
use tesuji_play::{Choice, PlayerContext, PlayerSpec};

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

/// A choice as data.
pub(super) fn chosen(position: &State, choice: &Choice) -> ChosenMove {
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

pub(super) fn analyze_all(
    line: &Line,
    player: &PlayerSpec,
    context: &PlayerContext,
    limits: &Limits,
    progress: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, DeskError> {
    let solver = player.search_facts().filter(|search| search.exact);
    let Some(solver) = solver else {
        return estimated(line, player, context, limits, progress);
    };
    let limits = solver.limits(limits);
    let share =
        |share: f64| Limits { time: limits.time.map(|time| time.mul_f64(share)), ..limits.clone() };
    match exact::solve(&context.game, line, &share(FOR_PROOF)) {
        Ok(known) => Ok(known.into()),
        // What could not be proven in time is estimated, and says so.
        Err(DeskError::Unsolved(_)) => {
            let estimator = tesuji_players::player(ESTIMATOR)?;
            estimated(line, &estimator, context, &share(1.0 - FOR_PROOF), progress)
        }
        Err(error) => Err(error),
    }
}

/// How much of the time a proof may take, before an estimate must do.
const FOR_PROOF: f64 = 0.8;
/// Who estimates then.
const ESTIMATOR: &str = "pvs:tt=8M";

fn estimated(
    line: &Line,
    player: &PlayerSpec,
    context: &PlayerContext,
    limits: &Limits,
    progress: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, DeskError> {
    let mut tell = |so_far: &Analysis| progress(&table(&line.end, so_far));
    let found = analyze(&line.end, player, limits, context, &mut tell)?;
    Ok(table(&line.end, &found))
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

fn table(position: &State, found: &Analysis) -> MoveTable {
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
