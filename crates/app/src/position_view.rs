//! Positions and searches as serializable data for user interfaces. Positions come in as text;
//! boards, legal moves, chosen moves and analyses go out as data.
//!
//! ```
//! let connect4 = tesuji_builtin::registry().open("connect4")?;
//! let shown = tesuji_app::position_view::snapshot(&connect4, "4453")?;
//! assert_eq!((shown.moves.len(), shown.outcome), (7, None));
//! # Ok::<(), tesuji_app::PositionViewError>(())
//! ```

mod activations;
mod exact;
pub mod review;
mod searches;
mod snapshot;
mod threats;
mod tree;
mod variety;
mod votes;

use tesuji_games::{GameLine, Position, SpecError};
use tesuji_play::{PlayerError, PlayerSpec};
use tesuji_search::Game;

pub use activations::{CriticActivations, InputChange, InputUnit, MoveActivations, activations};
pub use exact::{SolvedMove, SolvedPosition, solve};
pub use searches::{
    ChosenMove, DepthResult, MoveTable, MoveVisits, ValuedMove, VisitDistribution, analyze, deepen,
    simulate,
};
pub use snapshot::{BoardMove, LegalMove, PlayedMove, ScoreSheet, Snapshot};
pub use threats::{ForcedLine, Threats, threats};
pub use tree::{NodeCount, SearchTree, TreeNode, tree};
pub use variety::vary;
pub use votes::{ForestVotes, MoveVotes, PlacementVote, votes};

/// Why a request about a position failed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PositionViewError {
    /// The game or the player is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The moves are not legal.
    #[error("{0}")]
    InvalidPosition(String),
    /// The player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The game is over.
    #[error("the game is over: take back a move or start a new game")]
    GameOver,
    /// The position cannot be solved, or not within the limits.
    #[error("{0}")]
    Unsolved(&'static str),
}

impl PositionViewError {
    fn invalid_position(error: impl std::fmt::Display) -> PositionViewError {
        PositionViewError::InvalidPosition(error.to_string())
    }

    /// The error for a player that a visualization does not support.
    fn unsupported_player(picture: &str, player: &PlayerSpec, expected: &str) -> PositionViewError {
        PositionViewError::Spec(SpecError::BadValue {
            owner: picture.to_string(),
            option: "player".to_string(),
            value: player.text().to_string(),
            expected: expected.to_string(),
        })
    }
}

/// Plays a list of moves; an error if the game is over after them.
fn unfinished(game: &Game, moves: &str) -> Result<GameLine, PositionViewError> {
    let line = game.line(moves).map_err(PositionViewError::invalid_position)?;
    if line.end.outcome().is_some() { Err(PositionViewError::GameOver) } else { Ok(line) }
}

/// Returns the view of the position after a list of moves.
pub fn snapshot(game: &Game, moves: &str) -> Result<Snapshot, PositionViewError> {
    Ok(ScoreSheet::read(game, moves)?.snapshot())
}

/// Appends a move to a list of moves.
pub fn played(game: &Game, moves: &str, one_more: &str) -> Result<String, PositionViewError> {
    let mut sheet = ScoreSheet::read(game, moves)?;
    sheet.play_text(one_more)?;
    Ok(sheet.position)
}
