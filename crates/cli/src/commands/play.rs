//! `tesuji play`: plays a game in the terminal. Reads commands line by line, from a person or a
//! pipe.

mod saved;
mod screen;
mod session;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use tesuji_games::Notation;
use tesuji_games::registry::{Puzzle, PuzzleSettings};
use tesuji_play::PlayerContext;

use super::gem;
use crate::examples::{PLAY, help as example};
use crate::output::ColorChoice;
use crate::prelude::*;
use saved::SavedGame;
use screen::Screen;
use session::{TerminalSession, side_player};

/// Play a game in the terminal
#[derive(clap::Args)]
pub(crate) struct PlayArgs {
    /// The game [default with --load: that of the saved game]
    #[arg(required_unless_present = "load")]
    game: Option<String>,
    /// Let this player or agent move first [default: human]
    #[arg(long, value_name = "PLAYER")]
    first: Option<String>,
    /// Let this player move second [default: pvs:time=1s]
    #[arg(long, value_name = "PLAYER")]
    second: Option<String>,
    /// Start from this position, such as a list of moves
    #[arg(long, value_name = "POSITION", conflicts_with = "load")]
    position: Option<String>,
    /// Continue this saved game
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Seed the random numbers [default: 1, or random for a game of one player]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Store finished games here: a file, or postgres://…
    #[arg(long, value_name = "STORE", env = STORE_VARIABLE, hide_env_values = true)]
    store: Option<String>,
    /// Get hints from this player or agent [default: pvs:time=1s, or belief for gem-island]
    #[arg(long, value_name = "PLAYER")]
    hints_by: Option<String>,
    /// Color the board
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: ColorChoice,
}

/// The default opponent, and the default player for hints.
const OPPONENT: &str = "pvs:time=1s";
const STORE_VARIABLE: &str = "TESUJI_STORE";

pub(super) fn help() -> String {
    format!(
        "While playing:\n{}\n{}\n{}",
        session::COMMANDS,
        PLAY,
        example("tesuji play tictactoe --second minimax:depth=9")
    )
}

impl PlayArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let puzzle = self.game.as_deref().map(|game| games.puzzle(game)).transpose()?.flatten();
        if let Some((puzzle, settings)) = puzzle {
            return self.play_alone(puzzle, settings);
        }
        let loaded = self.load.as_deref().map(SavedGame::read).transpose()?;
        let saved = self.saved_game(loaded)?;
        let game = games.open(&saved.game)?;
        // Two players of one kind need different random numbers.
        let context =
            |n: u64| PlayerContext::new(&game, saved.seed.wrapping_mul(3).wrapping_add(n));
        let players =
            [side_player(&saved.first, &context(0))?, side_player(&saved.second, &context(1))?];
        let hints_by = self.hints_by.as_deref().unwrap_or(OPPONENT);
        let hints_by = tesuji_players::player(hints_by)?.build(&context(2))?;
        let line = game.start().parse_line(&saved.position)?;
        let screen = Screen { colors: self.color.is_on(), prompts: io::stdin().is_terminal() };
        let store = self.store.as_deref().map(tesuji_store::open).transpose()?;
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let session_id = format!("{} {}", since_1970.as_nanos(), std::process::id());
        let start = game.start().clone();
        TerminalSession { start, line, players, hints_by, screen, saved, store, session_id }.run()
    }

    /// Plays a game of one player with its own session.
    fn play_alone(self, puzzle: &Puzzle, settings: PuzzleSettings) -> Result<(), Failure> {
        if let Some(option) = self.two_player_option() {
            return Err(Failure::BadInput(format!(
                "{option}: does not apply to '{}', a game of one player; expected --first, \
                 --hints-by, --seed or --color",
                puzzle.info.name
            )));
        }
        let agent = self.first.as_deref().filter(|first| *first != "human");
        match settings {
            PuzzleSettings::GemIsland(settings) => gem::SessionArgs {
                agent: agent.map(str::parse).transpose()?,
                hints_by: self.hints_by.as_deref().unwrap_or(gem::HINT_AGENT).parse()?,
                seed: self.seed,
                log: None,
                color: self.color,
            }
            .run(settings),
        }
    }

    /// A given option that needs a game of two players. A store that only the environment names is
    /// ignored.
    fn two_player_option(&self) -> Option<&'static str> {
        let environment_store = std::env::var(STORE_VARIABLE).ok();
        let given = [
            ("--second", self.second.is_some()),
            ("--position", self.position.is_some()),
            ("--load", self.load.is_some()),
            ("--store", self.store.is_some() && self.store != environment_store),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The loaded or a new game, with the players and the seed of the arguments.
    fn saved_game(&self, loaded: Option<SavedGame>) -> Result<SavedGame, Failure> {
        let mut saved = loaded.unwrap_or_else(|| SavedGame {
            game: self.game.clone().unwrap_or_default(),
            position: self.position.clone().unwrap_or_default(),
            first: "human".to_string(),
            second: OPPONENT.to_string(),
            seed: 1,
        });
        if let Some(game) = &self.game
            && *game != saved.game
        {
            return Err(Failure::BadInput(format!(
                "--load: a game of '{}', not of '{game}'; expected no GAME argument",
                saved.game
            )));
        }
        saved.first = self.first.clone().unwrap_or(saved.first);
        saved.second = self.second.clone().unwrap_or(saved.second);
        saved.seed = self.seed.unwrap_or(saved.seed);
        for player in [&mut saved.first, &mut saved.second] {
            *player = tesuji_players::roster().canonical(player);
        }
        Ok(saved)
    }
}
