//! Anything that chooses moves: a search, a rule of thumb, chance, another program.

use std::time::Duration;

use tesuji_games::{Line, Move, Score};
use tesuji_search::{Limits, Report};
use tesuji_store::EndingKind;

use crate::clock::shorter;
use crate::search_info::InfoListener;

/// A player of one game. One value plays one game at a time.
pub trait Player: Send {
    /// The text it was made from, such as `alphabeta:depth=4`.
    fn name(&self) -> &str;

    /// Chooses a move in an unfinished game.
    fn choose(&mut self, game: &Line, turn: &Turn) -> Result<Choice, PlayerError>;

    /// The same with options about which moves and how many; `None` from a player that cannot heed them.
    fn analyze(
        &mut self,
        _game: &Line,
        _turn: &Turn,
        _options: &AnalyzeOptions,
    ) -> Option<Result<Choice, PlayerError>> {
        None
    }

    /// Makes ready what the first move would otherwise have to wait for: tables, weights.
    fn prepare(&mut self) {}

    /// Forgets earlier games and takes a new seed for whatever it leaves to chance.
    fn new_game(&mut self, seed: u64);
}

/// What a player may spend on a move.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// For a search. Count where the player's own options say nothing.
    pub limits: Limits,
    /// What stands on the clock; whoever exceeds it has lost the game.
    pub clock: Clock,
    /// Who watches.
    pub listener: InfoListener,
}

/// What somebody who analyses with a player may want beside the best move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnalyzeOptions<M = Move> {
    /// How many of the best moves to value, in [`Report::moves`]; 0 and 1: the best.
    pub best: usize,
    /// Moves that are not to be chosen.
    pub avoid: Vec<M>,
}

impl<M> Default for AnalyzeOptions<M> {
    fn default() -> Self {
        AnalyzeOptions { best: 0, avoid: Vec::new() }
    }
}

impl<M> AnalyzeOptions<M> {
    /// Whether nothing is wished for but the best move.
    pub fn is_default(&self) -> bool {
        self.best <= 1 && self.avoid.is_empty()
    }
}

/// The clock of the player to move, as it stands when the move is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time for this move at most.
    pub per_move: Option<Duration>,
    /// Time for the whole game, at its beginning.
    pub per_game: Option<Duration>,
    /// What is left of it.
    pub left: Option<Duration>,
    /// What is added to it after every move.
    pub increment: Duration,
    /// How much too late is still in time.
    pub margin: Duration,
}

impl Turn {
    /// No clock, only what a search may spend.
    pub fn limited(limits: Limits) -> Turn {
        Turn { limits, ..Turn::default() }
    }

    /// What is left of it after so much time.
    pub fn without(&self, spent: Duration) -> Turn {
        let mut turn = self.clone();
        for time in [&mut turn.limits.time, &mut turn.clock.per_move, &mut turn.clock.left] {
            *time = time.map(|time| time.saturating_sub(spent));
        }
        turn
    }
}

impl Clock {
    /// When the move must be there, the margin not counted; `None` without a clock.
    pub fn allowed(&self) -> Option<Duration> {
        shorter(self.per_move, self.left)
    }
}

/// A move and the thinking behind it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move to play.
    pub m: Move,
    /// What the search found; `None` for a player that does not search.
    pub report: Option<Report>,
}

impl Choice {
    /// A move without a search behind it.
    pub fn without_report(m: Move) -> Self {
        Choice { m, report: None }
    }

    /// The value of the position as the player sees it.
    pub fn score(&self) -> Option<Score> {
        self.report.as_ref().map(|report| report.score)
    }
}

/// Why a player came up with nothing. It loses the game for it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayerError {
    /// It was asked to move in a finished game.
    #[error("{0} was asked for a move after the end of the game")]
    GameOver(String),
    /// The search ended before it had found any move.
    #[error("{0} found no move within its limits")]
    NoMove(String),
    /// Its program ended, or could not be started.
    #[error("{0}")]
    Crash(String),
    /// It gave no answer in time.
    #[error("{0}")]
    Timeout(String),
    /// It answered with a move that the rules forbid.
    #[error("{0}")]
    IllegalMove(String),
    /// It answered with something else than a move.
    #[error("{0}")]
    InvalidAnswer(String),
    /// It gave up.
    #[error("{0}")]
    Resigned(String),
}

impl PlayerError {
    /// How the game ended by it.
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
