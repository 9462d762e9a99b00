//! Players by name, games between them, matches, and what a result means.
//!
//! ```
//! use tesuji_arena::{Match, Openings, PlayerSpec};
//! use tesuji_games::rules::tictactoe::TicTacToe;
//!
//! let players = ["heuristic".parse::<PlayerSpec>()?, "random".parse()?];
//! let settings = Match { games: 20, seed: 1, ..Match::default() };
//! let result = settings.run(&TicTacToe::new(), &players, &Openings::none(), &|_| {})?;
//! assert_eq!(result.tally.games(), 20);
//! # Ok::<(), tesuji_games::SpecError>(())
//! ```
//!
//! Everything here repeats: the same seed gives the same games, however many run at once, as long as
//! the players are limited by depth or nodes and not by the clock.

pub mod analysis;
pub mod game;
pub mod matches;
pub mod openings;
pub mod player;
pub mod players;
pub mod quantity;
pub mod report;
pub mod statistics;

pub use analysis::{Analysis, MoveAnalysis, analyze};
pub use game::{GameRecord, PlyRecord, Reason, play_game};
pub use matches::{Match, MatchGame, MatchResult};
pub use openings::{OpeningError, Openings};
pub use player::{Choice, Clock, Player, PlayerError, Turn};
pub use players::{PlayerContext, PlayerInfo, PlayerSpec};
pub use statistics::{Pairs, PoolGame, Rating, Sprt, Tally};
