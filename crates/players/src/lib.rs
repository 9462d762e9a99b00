//! All players by name. A player is written `name[:key=value,…]`, such as `alphabeta:depth=4`.
//!
//! ```
//! use tesuji_play::{Match, Openings};
//!
//! let tictactoe = tesuji_builtin::registry().open("tictactoe")?;
//! let players = [tesuji_players::player("heuristic")?, tesuji_players::player("random")?];
//! let settings = Match { games: 20, seed: 1, ..Match::default() };
//! let result = settings.run(&tictactoe, &players, &Openings::none(), &|_| {})?;
//! assert_eq!(result.score.tally.games(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * One file for each player or family of players, and one line in [`roster`].
//! * [`external`]: other programs as players. [`serve`]: players as engines for other programs.
//!   [`compliance`]: checks of a program's protocol.
//! * [`gem_island`]: the agents of the puzzle, series of their games, and recorded cases.

mod book;
pub mod compliance;
mod connect6;
pub mod critic;
pub mod external;
pub mod five_in_a_row;
pub mod forest;
mod fudan;
pub mod gem_island;
pub mod gomoku;
mod graded;
mod line_network;
mod minimax_family;
mod model_source;
mod monte_carlo;
mod random_ties;
#[cfg(test)]
mod renames;
mod rows;
mod searching;
pub mod serve;
mod simple;
mod solver;

use tesuji_games::SpecError;
use tesuji_play::{PlayerKind, PlayerSpec, ProgramPolicy, Roster};
use tesuji_queue::JobKind;
use tesuji_search::Registry;

/// All players, in the order of the help. A new player needs a file and a line here.
static PLAYERS: &[&[PlayerKind]] = &[
    simple::PLAYERS,
    minimax_family::PLAYERS,
    monte_carlo::PLAYERS,
    solver::PLAYERS,
    forest::PLAYERS,
    gomoku::PLAYERS,
    connect6::PLAYERS,
    fudan::PLAYERS,
    critic::PLAYERS,
    line_network::PLAYERS,
    external::PLAYERS,
];

/// Returns all players by name.
pub const fn roster() -> Roster {
    Roster::new(PLAYERS)
}

/// Reads the text of a player, such as `alphabeta:depth=4`. Opens no file and starts no program.
pub fn player(text: &str) -> Result<PlayerSpec, SpecError> {
    roster().read(text)
}

/// Whether the player is a person at the terminal.
pub fn is_human(player: &PlayerSpec) -> bool {
    player.name() == simple::HUMAN
}

/// Returns the kinds of jobs that a worker can run for players, learners and agents.
pub fn job_kinds(games: &Registry, programs: ProgramPolicy) -> Vec<JobKind> {
    let mut tasks = tesuji_play::job_kinds(games, roster(), programs);
    tasks.extend(tesuji_learn::job_kinds(games, roster(), programs));
    tasks.push(gem_island::series::task(programs));
    tasks
}

/// Opens a built-in game.
#[cfg(test)]
pub(crate) fn opened(game: &str) -> tesuji_search::Game {
    tesuji_builtin::registry().open(game).unwrap_or_else(|error| panic!("{game}: {error}"))
}

#[cfg(test)]
mod tests {
    use tesuji_play::PlayerContext;

    use super::*;

    #[test]
    fn what_a_player_supports_can_be_built() {
        let registry = tesuji_builtin::registry();
        let games = registry.names().chain([
            "gomoku:20x20,exact",
            "renju",
            "connect6",
            "mnk:10x10,k=5",
            "mnk:5x5,k=4",
            "mnk:20x5,k=5",
            "mnk:15x15,k=6,p=2,q=1",
            "connect4:9x7",
        ]);
        let more =
            ["pvs:quiesce=on", "pvs:book=/nowhere", "forest:model=none", "critic:file=/none"];
        let names = roster().all().map(|player| player.name).filter(|name| *name != external::NAME);
        let players: Vec<&str> = names.chain(more).collect();
        let mut counts = [0, 0];
        for game in games {
            let context = PlayerContext::new(&registry.open(game).unwrap(), 1);
            for text in &players {
                let player: PlayerSpec = crate::player(text).unwrap();
                let player = player.with_default("tt", "1M");
                let checked = player.supports(&context);
                let built = player.build(&context).map(drop);
                assert_eq!(checked, built, "{text} at {game}");
                counts[usize::from(built.is_ok())] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }
}
