//! A game of whatever type behind one door, for those who serve many games at once, such as pages: positions as text
//! in, boards, legal moves, choices and analyses as data out. Rules and searches stay where they are; what is behind
//! the door is compiled for each game once, here.
//!
//! ```
//! let desk = tesuji_arena::desk::open("connect4")?;
//! let shown = desk.snapshot("4453")?;
//! assert_eq!((shown.moves.len(), shown.outcome), (7, None));
//! # Ok::<(), tesuji_arena::DeskError>(())
//! ```

mod exact;
mod lamps;
pub mod review;
mod snapshot;
mod thinking;
mod threats;
mod tree;
mod variety;
mod visits;
mod votes;

use tesuji_games::registry::{self, Visitor};
use tesuji_games::{Line, Playable, SpecError};
use tesuji_search::Limits;

use crate::{PlayerContext, PlayerError, PlayerSpec, Turn};

pub use exact::{ExactMove, ExactTable, KnownFrom};
pub use lamps::{ChangedLamp, CriticLamps, Lamp, LitMove};
pub use snapshot::{LegalMove, PlayedMove, Snapshot, Step};
pub use thinking::{ChosenMove, MoveTable, ValuedMove};
pub use threats::{ForcedLine, ThreatKind, Threats};
pub use tree::{NodeCount, SearchTree, TreeNode, TreeOrder};
pub use visits::{DepthReached, VisitShares, VisitedMove};
pub use votes::{ForestVotes, PlacementVote, VotedMove};

/// See the top of this file. A position is given as the list of moves that lead to it.
pub trait Desk: Send + Sync {
    /// A position as it is shown.
    fn snapshot(&self, moves: &str) -> Result<Snapshot, DeskError>;

    /// The list of moves with one more.
    fn played(&self, moves: &str, one_more: &str) -> Result<String, DeskError>;

    /// Whether a player can play this game, or why not.
    fn admits(&self, player: &PlayerSpec, context: &PlayerContext) -> Result<(), DeskError>;

    /// What a player would play.
    fn choose(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        turn: &Turn,
    ) -> Result<ChosenMove, DeskError>;

    /// The same with a seed for the choice among moves that the player values equally, or nearly so
    /// in the opening: another seed, another game.
    fn choose_seeded(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        turn: &Turn,
        seed: u64,
    ) -> Result<ChosenMove, DeskError>;

    /// The legal moves with their values; `progress` hears what is known so far.
    fn analyze(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        limits: &Limits,
        progress: &mut dyn FnMut(&MoveTable),
    ) -> Result<MoveTable, DeskError>;

    /// The tree that alpha-beta walks through, and what the classic searches cost.
    fn tree(
        &self,
        moves: &str,
        depth: u32,
        order: TreeOrder,
        context: &PlayerContext,
        limits: &Limits,
    ) -> Result<SearchTree, DeskError>;

    /// How a player that simulates shares out its visits; `progress` hears how they stand so far.
    fn simulate(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        limits: &Limits,
        progress: &mut dyn FnMut(&VisitShares),
    ) -> Result<VisitShares, DeskError>;

    /// Tells what a player that looks deeper and deeper thinks at each depth.
    fn deepen(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        limits: &Limits,
        progress: &mut dyn FnMut(&DepthReached),
    ) -> Result<(), DeskError>;

    /// What every move is worth with best play to the end.
    fn solve(&self, moves: &str, limits: &Limits) -> Result<ExactTable, DeskError>;

    /// How a forest votes, and why.
    fn votes(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
    ) -> Result<ForestVotes, DeskError>;

    /// What a critic looks at, and what it makes of that.
    fn lamps(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
    ) -> Result<CriticLamps, DeskError>;

    /// What both sides can force by threats at five in a row.
    fn threats(
        &self,
        moves: &str,
        context: &PlayerContext,
        limits: &Limits,
    ) -> Result<Threats, DeskError>;
}

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

/// The desk of a game by its name, such as `connect4` or `mnk:10x10,k=5`.
#[inline(never)]
pub fn open(game: &str) -> Result<Box<dyn Desk>, SpecError> {
    registry::open(game, Door)
}

struct Door;

impl Visitor for Door {
    type Output = Box<dyn Desk>;

    fn visit<P: Playable>(self, start: P) -> Self::Output {
        Box::new(GameDesk { start })
    }
}

/// The desk of one game.
struct GameDesk<P> {
    start: P,
}

impl<P: Playable> GameDesk<P> {
    fn line(&self, moves: &str) -> Result<Line<P>, DeskError> {
        self.start.parse_line(moves).map_err(|error| DeskError::Position(error.to_string()))
    }

    fn unfinished(&self, moves: &str) -> Result<Line<P>, DeskError> {
        let line = self.line(moves)?;
        if line.end.outcome().is_some() { Err(DeskError::Over) } else { Ok(line) }
    }
}

impl<P: Playable> Desk for GameDesk<P> {
    fn snapshot(&self, moves: &str) -> Result<Snapshot, DeskError> {
        Ok(snapshot::of(&self.start, &self.line(moves)?))
    }

    fn played(&self, moves: &str, one_more: &str) -> Result<String, DeskError> {
        let mut line = self.unfinished(moves)?;
        let refused = |error: &dyn std::fmt::Display| DeskError::Position(error.to_string());
        let m = line.end.parse_move(one_more.trim()).map_err(|error| refused(&error))?;
        line.play(m).map_err(|error| refused(&error))?;
        Ok(snapshot::position_text(&self.start, &line))
    }

    fn admits(&self, player: &PlayerSpec, context: &PlayerContext) -> Result<(), DeskError> {
        Ok(player.check::<P>(context)?)
    }

    fn choose(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        turn: &Turn,
    ) -> Result<ChosenMove, DeskError> {
        thinking::choose(&self.unfinished(moves)?, player, context, turn)
    }

    fn choose_seeded(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        turn: &Turn,
        seed: u64,
    ) -> Result<ChosenMove, DeskError> {
        let line = self.unfinished(moves)?;
        let choice = variety::choose(&line, player, context, turn, seed)?;
        Ok(thinking::chosen(&line.end, &choice))
    }

    fn analyze(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        limits: &Limits,
        progress: &mut dyn FnMut(&MoveTable),
    ) -> Result<MoveTable, DeskError> {
        thinking::analyze_all(&self.unfinished(moves)?, player, context, limits, progress)
    }

    fn tree(
        &self,
        moves: &str,
        depth: u32,
        order: TreeOrder,
        context: &PlayerContext,
        limits: &Limits,
    ) -> Result<SearchTree, DeskError> {
        tree::draw(&self.unfinished(moves)?, depth, order, context, limits)
    }

    fn simulate(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        limits: &Limits,
        progress: &mut dyn FnMut(&VisitShares),
    ) -> Result<VisitShares, DeskError> {
        visits::simulate(&self.unfinished(moves)?, player, context, limits, progress)
    }

    fn deepen(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
        limits: &Limits,
        progress: &mut dyn FnMut(&DepthReached),
    ) -> Result<(), DeskError> {
        visits::deepen(&self.unfinished(moves)?, player, context, limits, progress)
    }

    fn solve(&self, moves: &str, limits: &Limits) -> Result<ExactTable, DeskError> {
        exact::solve(&self.unfinished(moves)?, limits)
    }

    fn votes(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
    ) -> Result<ForestVotes, DeskError> {
        votes::of(&self.unfinished(moves)?, player, context)
    }

    fn lamps(
        &self,
        moves: &str,
        player: &PlayerSpec,
        context: &PlayerContext,
    ) -> Result<CriticLamps, DeskError> {
        lamps::of(&self.unfinished(moves)?, player, context)
    }

    fn threats(
        &self,
        moves: &str,
        context: &PlayerContext,
        limits: &Limits,
    ) -> Result<Threats, DeskError> {
        threats::of(&self.unfinished(moves)?, context, limits)
    }
}
