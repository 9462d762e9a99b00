//! Positions as text in; boards, legal moves, choices and analyses as data out: what pages show.
//!
//! ```
//! let connect4 = tesuji_builtin::registry().open("connect4")?;
//! let shown = tesuji_app::desk::snapshot(&connect4, "4453")?;
//! assert_eq!((shown.moves.len(), shown.outcome), (7, None));
//! # Ok::<(), tesuji_app::DeskError>(())
//! ```

mod exact;
mod lamps;
pub mod review;
mod score_sheet;
mod snapshot;
mod thinking;
mod threats;
mod tree;
mod variety;
mod visits;
mod votes;

use tesuji_games::{Line, Position, SpecError};
use tesuji_search::{Game, Limits};

use tesuji_play::{PlayerContext, PlayerError, PlayerSpec, Turn};

pub use exact::{ExactMove, ExactTable, KnownFrom};
pub use lamps::{ChangedLamp, CriticLamps, Lamp, LitMove};
pub use score_sheet::ScoreSheet;
pub use snapshot::{LegalMove, PlayedMove, Snapshot, Step};
pub use thinking::{ChosenMove, MoveTable, ValuedMove};
pub use threats::{ForcedLine, ThreatKind, Threats};
pub use tree::{NodeCount, SearchTree, TreeNode, TreeOrder};
pub use visits::{DepthReached, VisitShares, VisitedMove};
pub use votes::{ForestVotes, PlacementVote, VotedMove};

/// Why a desk has no answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum DeskError {
    /// The game or the player is none.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The moves cannot be played.
    #[error("{0}")]
    Position(String),
    /// The player came up with nothing.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// There is nothing to choose.
    #[error("the game is over: take a move back, or begin another")]
    Over,
    /// What was asked cannot be found out, or not in time.
    #[error("{0}")]
    Unsolved(&'static str),
}

/// A position of a game, given as the list of moves that lead to it.
pub fn line(game: &Game, moves: &str) -> Result<Line, DeskError> {
    game.line(moves).map_err(|error| DeskError::Position(error.to_string()))
}

fn unfinished(game: &Game, moves: &str) -> Result<Line, DeskError> {
    let line = line(game, moves)?;
    if line.end.outcome().is_some() { Err(DeskError::Over) } else { Ok(line) }
}

/// A position as it is shown.
pub fn snapshot(game: &Game, moves: &str) -> Result<Snapshot, DeskError> {
    Ok(ScoreSheet::read(game, moves)?.snapshot())
}

/// The list of moves with one more.
pub fn played(game: &Game, moves: &str, one_more: &str) -> Result<String, DeskError> {
    let mut sheet = ScoreSheet::read(game, moves)?;
    sheet.play_text(one_more)?;
    Ok(sheet.position().to_string())
}

/// What a player would play.
pub fn choose(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    turn: &Turn,
) -> Result<ChosenMove, DeskError> {
    let sheet = ScoreSheet::read(&context.game, moves)?.unfinished()?;
    let choice = sheet.choose(&mut *player.build(context)?, turn)?;
    Ok(sheet.chosen(&choice))
}

/// The same with a seed for the choice among moves that the player values equally, or nearly so in
/// the opening: another seed, another game.
pub fn choose_seeded(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    turn: &Turn,
    seed: u64,
) -> Result<ChosenMove, DeskError> {
    let sheet = ScoreSheet::read(&context.game, moves)?.unfinished()?;
    let choice = sheet.choose(&mut *player.build(context)?, turn)?;
    let choice = sheet.varied(choice, player, context, turn, seed)?;
    Ok(sheet.chosen(&choice))
}

/// The legal moves with their values; `progress` hears what is known so far.
pub fn analyze(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, DeskError> {
    thinking::analyze_all(&unfinished(&context.game, moves)?, player, context, limits, progress)
}

/// The tree that alpha-beta walks through, and what the classic searches cost.
pub fn tree(
    context: &PlayerContext,
    moves: &str,
    depth: u32,
    order: TreeOrder,
    limits: &Limits,
) -> Result<SearchTree, DeskError> {
    tree::draw(&unfinished(&context.game, moves)?, depth, order, context, limits)
}

/// How a player that simulates shares out its visits; `progress` hears how they stand so far.
pub fn simulate(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&VisitShares),
) -> Result<VisitShares, DeskError> {
    visits::simulate(&unfinished(&context.game, moves)?, player, context, limits, progress)
}

/// Tells what a player that looks deeper and deeper thinks at each depth.
pub fn deepen(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
    limits: &Limits,
    progress: &mut dyn FnMut(&DepthReached),
) -> Result<(), DeskError> {
    visits::deepen(&unfinished(&context.game, moves)?, player, context, limits, progress)
}

/// What every move is worth with best play to the end.
pub fn solve(game: &Game, moves: &str, limits: &Limits) -> Result<ExactTable, DeskError> {
    exact::solve(game, &unfinished(game, moves)?, limits)
}

/// How a forest votes, and why.
pub fn votes(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
) -> Result<ForestVotes, DeskError> {
    votes::of(&unfinished(&context.game, moves)?, player, context)
}

/// What a critic looks at, and what it makes of that.
pub fn lamps(
    context: &PlayerContext,
    moves: &str,
    player: &PlayerSpec,
) -> Result<CriticLamps, DeskError> {
    lamps::of(&unfinished(&context.game, moves)?, player, context)
}

/// What both sides can force by threats at five in a row.
pub fn threats(
    context: &PlayerContext,
    moves: &str,
    limits: &Limits,
) -> Result<Threats, DeskError> {
    threats::of(&unfinished(&context.game, moves)?, context, limits)
}
