//! Players by name, games between them, matches, and what a result means.
//!
//! ```
//! use tesuji_arena::{Match, Openings, PlayerSpec};
//!
//! let tictactoe = tesuji_builtin::registry().open("tictactoe")?;
//! let players = ["heuristic".parse::<PlayerSpec>()?, "random".parse()?];
//! let settings = Match { games: 20, seed: 1, ..Match::default() };
//! let result = settings.run(&tictactoe, &players, &Openings::none(), &|_| {})?;
//! assert_eq!(result.score.tally.games(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything here repeats: the same seed gives the same games, however many run at once, as long as
//! the players are limited by depth or nodes and not by the clock.

pub mod adjudication;
pub mod analysis;
pub mod books;
pub mod clock;
pub mod compliance;
pub mod desk;
pub mod event;
pub mod game;
pub mod gem_island;
mod hall;
pub mod matches;
pub mod openings;
pub mod options;
pub mod player;
pub mod players;
pub mod quantity;
pub mod recorded;
pub mod report;
mod round;
pub mod schedule;
pub mod serve;
pub mod statistics;
mod tasks;
pub mod tournament;
pub mod travel;
pub mod watch;

/// A built-in game, for tests.
#[cfg(test)]
pub(crate) fn opened(game: &str) -> tesuji_search::Game {
    tesuji_builtin::registry().open(game).unwrap_or_else(|error| panic!("{game}: {error}"))
}

pub use adjudication::{Adjudication, Agreement, Judge, SolverRule};
pub use analysis::{Analysis, MoveAnalysis, analyze};
pub use clock::TimeControl;
pub use desk::DeskError;
pub use event::{ArenaError, Entrant, Event, Job};
pub use game::{Conditions, PlayedGame, play_game};
pub use matches::{Match, MatchGame, MatchResult, MatchScore, ReadyMatch};
pub use openings::{OpeningError, Openings, Order};
pub use options::{OptionInfo, Takes};
pub use player::{Choice, Clock, Player, PlayerError, Turn, Wishes};
pub use players::{PlayerContext, PlayerKind, PlayerSpec};
pub use statistics::{Pairs, PoolGame, Rating, Sprt, SprtModel, SprtState, Tally, Verdict};
pub use tasks::{Programs, rivals, tasks};
pub use tournament::settings::Settings;
pub use tournament::{Tournament, TournamentResult, TournamentScore};
pub use watch::{Glimpse, Watch};
