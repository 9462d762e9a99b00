//! Players by name, games between them, matches, tournaments, and what a result means. This crate
//! knows no particular player: a [`Roster`] has those of a program.
//!
//! ```
//! use tesuji_games::{Line, Position, SpecError};
//! use tesuji_play::{
//!     Choice, Match, Openings, Player, PlayerContext, PlayerError, PlayerKind, Roster, PlayerSetup, Turn,
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
//!     fn choose(&mut self, game: &Line, _: &Turn) -> Result<Choice, PlayerError> {
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
//! Everything here repeats: the same seed gives the same games, however many run at once, as long as
//! the players are limited by depth or nodes and not by the clock.

pub mod adjudication;
pub mod analysis;
pub mod clock;
pub mod event;
pub mod file;
pub mod game;
pub mod matches;
pub mod openings;
pub mod options;
pub mod player;
mod event_runner;
pub mod quantity;
pub mod recorded_pool;
pub mod report;
mod roster;
mod round;
pub mod schedule;
mod search_player;
mod setup;
mod spec;
pub mod statistics;
mod job_kinds;
#[cfg(test)]
mod testing;
pub mod tournament;
pub mod attachments;
pub mod search_info;

pub use adjudication::{Adjudication, ScoreRule, Adjudicator, SolverRule};
pub use analysis::{PositionAnalysis, MoveAnalysis, analyze};
pub use clock::TimeControl;
pub use event::{EventError, Participant, Event, ScheduledGame};
pub use file::{EngineFile, PlayerFile};
pub use game::{GameConditions, PlayedGame, play_game};
pub use matches::{Match, MatchGame, MatchResult, MatchScore, PreparedMatch};
pub use openings::{Openings, OpeningOrder};
pub use options::{OptionInfo, ValueType};
pub use player::{Choice, Clock, Player, PlayerError, Turn, AnalyzeOptions};
pub use roster::{PlayerKind, Roster};
pub use setup::{SearchKind, SearchProfile, PlayerSetup};
pub use spec::{PlayerContext, PlayerSpec};
pub use statistics::{Pentanomial, PoolGame, Rating, Sprt, SprtModel, SprtState, WinDrawLoss, SprtVerdict};
pub use job_kinds::{ProgramPolicy, job_kinds};
pub use tournament::settings::TournamentSettings;
pub use tournament::{Tournament, TournamentResult, TournamentScore};
pub use search_info::{SearchInfo, InfoListener};

/// Why something that was given makes no sense, in one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidInput(pub String);
