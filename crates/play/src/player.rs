//! Players: anything that chooses moves, such as a search, a heuristic, a random generator or
//! another program.

use std::time::Duration;

use tesuji_games::{GameLine, Move, Score};
use tesuji_search::{Limits, SearchReport};
use tesuji_store::EndingKind;

use crate::clock::shorter;
use crate::search_info::InfoListener;

/// A player of one game. One value plays one game at a time.
pub trait Player: Send {
    /// The player's text, such as `alphabeta:depth=4`.
    fn name(&self) -> &str;

    /// Chooses a move in an unfinished game.
    fn choose(&mut self, game: &GameLine, turn: &Turn) -> Result<Choice, PlayerError>;

    /// Chooses a move with options for the set and number of moves to value; `None` if the player
    /// does not support options.
    fn analyze(
        &mut self,
        _game: &GameLine,
        _turn: &Turn,
        _options: &AnalyzeOptions,
    ) -> Option<Result<Choice, PlayerError>> {
        None
    }

    /// Creates tables and loads weights, so that the first move does not wait for them.
    fn prepare(&mut self) {}

    /// Discards the state of earlier games and sets the seed of its random numbers.
    fn new_game(&mut self, seed: u64);
}

/// The limits, the clock and the listener for one move.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Limits of a search, for players without limits of their own.
    pub limits: Limits,
    /// The clock; a player that exceeds it loses the game.
    pub clock: Clock,
    /// Receives the progress of the search.
    pub listener: InfoListener,
}

/// Options of an analysis beyond the best move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnalyzeOptions<M = Move> {
    /// Number of best moves to value in [`SearchReport::moves`] (MultiPV); 0 and 1: only the best.
    pub best: usize,
    /// Moves to exclude.
    pub avoid: Vec<M>,
}

impl<M> Default for AnalyzeOptions<M> {
    fn default() -> Self {
        AnalyzeOptions { best: 0, avoid: Vec::new() }
    }
}

impl<M> AnalyzeOptions<M> {
    /// Whether only the best of all moves is wanted.
    pub fn is_default(&self) -> bool {
        self.best <= 1 && self.avoid.is_empty()
    }
}

/// The clock of the player to move at the start of its move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Maximum time for this move.
    pub per_move: Option<Duration>,
    /// Time for the whole game, at its start.
    pub per_game: Option<Duration>,
    /// Remaining time of the game.
    pub left: Option<Duration>,
    /// Increment after every move.
    pub increment: Duration,
    /// Tolerance: overstepping by this much is accepted.
    pub margin: Duration,
}

impl Turn {
    /// Creates a turn with search limits and without a clock.
    pub fn limited(limits: Limits) -> Turn {
        Turn { limits, ..Turn::default() }
    }

    /// Subtracts spent time from limits and clock.
    pub fn without(&self, spent: Duration) -> Turn {
        let mut turn = self.clone();
        for time in [&mut turn.limits.time, &mut turn.clock.per_move, &mut turn.clock.left] {
            *time = time.map(|time| time.saturating_sub(spent));
        }
        turn
    }
}

impl Clock {
    /// The time until the move is due, without the margin; `None` without a clock.
    pub fn allowed(&self) -> Option<Duration> {
        shorter(self.per_move, self.left)
    }
}

/// A chosen move with the report of its search.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move to play.
    pub m: Move,
    /// The report of the search; `None` for a player that does not search.
    pub report: Option<SearchReport>,
}

impl Choice {
    /// A move that was chosen without a search.
    pub fn without_report(m: Move) -> Self {
        Choice { m, report: None }
    }

    /// The value of the position for the player.
    pub fn score(&self) -> Option<Score> {
        self.report.as_ref().map(|report| report.score)
    }
}

/// Why a player returned no move. It loses the game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The game is already over.
    #[error("{0} was asked for a move after the end of the game")]
    GameOver(String),
    /// The search ended without a move.
    #[error("{0} found no move within its limits")]
    NoMove(String),
    /// Its program ended or could not be started.
    #[error("{0}")]
    Crash(String),
    /// It did not answer in time.
    #[error("{0}")]
    Timeout(String),
    /// It answered with an illegal move.
    #[error("{0}")]
    IllegalMove(String),
    /// Its answer is not a move.
    #[error("{0}")]
    InvalidAnswer(String),
    /// It resigned.
    #[error("{0}")]
    Resigned(String),
}

impl PlayerError {
    /// The reason for the end of the game.
    pub fn ending(&self) -> EndingKind {
        match self {
            PlayerError::GameOver(_) | PlayerError::NoMove(_) | PlayerError::InvalidAnswer(_) => {
                EndingKind::Error
            }
            PlayerError::Crash(_) => EndingKind::Crash,
            PlayerError::Timeout(_) => EndingKind::Time,
            PlayerError::IllegalMove(_) => EndingKind::Illegal,
            PlayerError::Resigned(_) => EndingKind::Resigned,
        }
    }
}
