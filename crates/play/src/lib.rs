//! Players by name, games between them, matches, tournaments, and the statistics of their results.
//! This crate contains no particular player: a program passes its players as a [`Roster`].
//!
//! ```
//! use tesuji_games::{GameLine, Position, SpecError};
//! use tesuji_play::{
//!     Choice, Match, Openings, Player, PlayerContext, PlayerError, PlayerKind, PlayerSetup, Roster,
//!     Turn,
//! };
//!
//! /// A player that always plays the first legal move.
//! #[derive(Debug)]
//! struct First;
//!
//! impl Player for First {
//!     fn name(&self) -> &str {
//!         "first"
//!     }
//!     fn choose(&mut self, game: &GameLine, _: &Turn) -> Result<Choice, PlayerError> {
//!         let mut moves = Vec::new();
//!         game.end.for_each_move(|m| moves.push(m));
//!         Ok(Choice::without_report(moves[0]))
//!     }
//!     fn new_game(&mut self, _: u64) {}
//! }
//!
//! impl PlayerSetup for First {
//!     fn build(&self, _: &str, _: &PlayerContext) -> Result<Option<Box<dyn Player>>, SpecError> {
//!         Ok(Some(Box::new(First)))
//!     }
//! }
//!
//! static PLAYERS: &[&[PlayerKind]] = &[&[PlayerKind {
//!     name: "first",
//!     former_name: None,
//!     summary: "the first legal move",
//!     options: &[],
//!     read: |_| Ok(Box::new(First)),
//! }]];
//!
//! let first = Roster::new(PLAYERS).read("first")?;
//! let tictactoe = tesuji_builtin::registry().open("tictactoe")?;
//! let settings = Match { games: 20, ..Match::default() };
//! let openings = Openings::Random { plies: 2 };
//! let result = settings.run(&tictactoe, &[first.clone(), first], &openings, &|_| {})?;
//! assert_eq!(result.score.tally.games(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything here is reproducible: the same seed gives the same games, whatever the number of
//! parallel games, as long as the players are limited by depth or nodes and not by time.

pub mod adjudication;
pub mod analysis;
pub mod attachments;
pub mod clock;
pub mod event;
mod event_runner;
pub mod file;
pub mod game;
mod job_kinds;
pub mod matches;
pub mod openings;
pub mod options;
pub mod player;
pub mod quantity;
pub mod recorded_pool;
pub mod report;
mod roster;
mod round;
pub mod schedule;
pub mod search_info;
mod search_player;
mod setup;
mod spec;
pub mod statistics;
#[cfg(test)]
mod testing;
pub mod tournament;

pub use adjudication::{Adjudication, Adjudicator, ScoreRule, SolverRule};
pub use analysis::{MoveAnalysis, PositionAnalysis, analyze};
pub use clock::TimeControl;
pub use event::{Event, EventError, Participant, ScheduledGame};
pub use file::{EngineFile, PlayerFile};
pub use game::{GameConditions, PlayedGame, play_game};
pub use job_kinds::{ProgramPolicy, job_kinds};
pub use matches::{Match, MatchGame, MatchResult, MatchScore, PreparedMatch};
pub use openings::{OpeningOrder, Openings};
pub use options::{OptionInfo, ValueType};
pub use player::{AnalyzeOptions, Choice, Clock, Player, PlayerError, Turn};
pub use roster::{PlayerKind, Roster};
pub use search_info::{InfoListener, SearchInfo};
pub use setup::{PlayerSetup, SearchKind, SearchProfile};
pub use spec::{PlayerContext, PlayerSpec};
pub use statistics::{
    Pentanomial, PoolGame, Rating, Sprt, SprtModel, SprtState, SprtVerdict, WinDrawLoss,
};
pub use tournament::settings::TournamentSettings;
pub use tournament::{Tournament, TournamentResult, TournamentScore};

/// Invalid input: one line that names the subject, the problem and what is expected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidInput(pub String);
