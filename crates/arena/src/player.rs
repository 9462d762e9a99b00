//! Anything that chooses moves: a search, a rule of thumb, chance, later a network or another program.

use tesuji_games::{Line, Playable, Score};
use tesuji_search::{Limits, Report};

/// A player of the game `P`. One value plays one game at a time.
pub trait Player<P: Playable>: Send {
    /// The text it was made from, such as `alphabeta:depth=4`.
    fn name(&self) -> &str;

    /// Chooses a move in an unfinished game. `limits` count where the player's own options say nothing.
    fn choose(&mut self, game: &Line<P>, limits: &Limits) -> Result<Choice<P::Move>, PlayerError>;

    /// Forgets earlier games and takes a new seed for whatever it leaves to chance.
    fn new_game(&mut self, seed: u64);
}

/// A move and the thinking behind it.
#[derive(Clone, Debug)]
pub struct Choice<M> {
    /// The move to play.
    pub m: M,
    /// What the search found; `None` for a player that does not search.
    pub report: Option<Report<M>>,
}

impl<M> Choice<M> {
    /// A move without a search behind it.
    pub fn unexplained(m: M) -> Self {
        Choice { m, report: None }
    }

    /// The value of the position as the player sees it.
    pub fn score(&self) -> Option<Score> {
        self.report.as_ref().map(|report| report.score)
    }
}

/// Why a player came up with nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayerError {
    /// It was asked to move in a finished game.
    #[error("{0} was asked for a move after the end of the game")]
    GameOver(String),
    /// The search ended before it had found any move.
    #[error("{0} found no move within its limits")]
    NoMove(String),
}
