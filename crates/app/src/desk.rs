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
mod snapshot;
mod thinking;
mod threats;
mod tree;
mod variety;
mod votes;

use tesuji_games::{GameLine, Position, SpecError};
use tesuji_play::{PlayerError, PlayerSpec};
use tesuji_search::Game;

pub use exact::{ExactMove, ExactTable, solve};
pub use lamps::{ChangedLamp, CriticLamps, Lamp, LitMove, lamps};
pub use snapshot::{LegalMove, PlayedMove, ScoreSheet, Snapshot, Step};
pub use thinking::{
    ChosenMove, DepthReached, MoveTable, ValuedMove, VisitShares, VisitedMove, analyze, deepen,
    simulate,
};
pub use threats::{ForcedLine, Threats, threats};
pub use tree::{NodeCount, SearchTree, TreeNode, tree};
pub use variety::vary;
pub use votes::{ForestVotes, PlacementVote, VotedMove, votes};

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

impl DeskError {
    fn position(error: impl std::fmt::Display) -> DeskError {
        DeskError::Position(error.to_string())
    }

    /// The complaint about a player that has nothing to show in a picture.
    fn another_player(picture: &str, player: &PlayerSpec, expected: &str) -> DeskError {
        DeskError::Spec(SpecError::BadValue {
            owner: picture.to_string(),
            option: "player".to_string(),
            value: player.text().to_string(),
            expected: expected.to_string(),
        })
    }
}

/// The position after a list of moves, if there is something left to play.
fn unfinished(game: &Game, moves: &str) -> Result<GameLine, DeskError> {
    let line = game.line(moves).map_err(DeskError::position)?;
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
    Ok(sheet.position)
}
