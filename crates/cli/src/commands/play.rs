//! `tesuji play`: a game in the terminal. Reads commands line by line, from a person or a pipe.

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
use session::{TerminalSession, seat};

/// Play a game in the terminal
#[derive(clap::Args)]
pub(crate) struct PlayArgs {
    /// The game; may be left out with --load
    #[arg(required_unless_present = "load")]
    game: Option<String>,
    /// Who moves first, or alone [default: human]
    #[arg(long, value_name = "PLAYER")]
    first: Option<String>,
    /// Who moves second [default: a computer]
    #[arg(long, value_name = "PLAYER")]
    second: Option<String>,
    /// Begin here: a list of moves
    #[arg(long, value_name = "POSITION", conflicts_with = "load")]
    position: Option<String>,
    /// Go on with a saved game
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Decides chance [default: 1, or another each time for one player]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Keep the finished game here: a file, or postgres://…
    #[arg(long, value_name = "STORE", env = STORE_VARIABLE, hide_env_values = true)]
    store: Option<String>,
    /// Who gives hints [default: pvs:time=1s, or belief for gem-island]
    #[arg(long, value_name = "PLAYER")]
    hints_by: Option<String>,
    /// When to color the board
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: ColorChoice,
}

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
        let saved = self.setup(loaded)?;
        let game = games.open(&saved.game)?;
        // Two players of one kind must not think the same random thoughts.
        let context =
            |seat: u64| PlayerContext::new(&game, saved.seed.wrapping_mul(3).wrapping_add(seat));
        let seats = [seat(&saved.first, &context(0))?, seat(&saved.second, &context(1))?];
        let hints_by = self.hints_by.as_deref().unwrap_or(OPPONENT);
        let hints_by = tesuji_players::player(hints_by)?.build(&context(2))?;
        let line = game.start().parse_line(&saved.position)?;
        let screen = Screen { colors: self.color.is_on(), prompts: io::stdin().is_terminal() };
        let store = self.store.as_deref().map(tesuji_store::open).transpose()?;
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let sitting = format!("{} {}", since_1970.as_nanos(), std::process::id());
        let start = game.start().clone();
        TerminalSession { start, line, seats, hints_by, screen, saved, store, sitting }.run()
    }

    /// A game of one player, by its own session.
    fn play_alone(self, puzzle: &Puzzle, settings: PuzzleSettings) -> Result<(), Failure> {
        if let Some(option) = self.option_for_two() {
            return Err(Failure::BadInput(format!(
                "{option} does not apply to '{}', a game of one player; expected --first, \
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

    /// An option that was given and needs a game of two players. A store that the environment names
    /// was not meant for this game in particular.
    fn option_for_two(&self) -> Option<&'static str> {
        let usual_store = std::env::var(STORE_VARIABLE).ok();
        let given = [
            ("--second", self.second.is_some()),
            ("--position", self.position.is_some()),
            ("--load", self.load.is_some()),
            ("--store", self.store.is_some() && self.store != usual_store),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// What to play: a saved game with the arguments laid over it, or a new one.
    fn setup(&self, loaded: Option<SavedGame>) -> Result<SavedGame, Failure> {
        let mut setup = loaded.unwrap_or_else(|| SavedGame {
            game: self.game.clone().unwrap_or_default(),
            position: self.position.clone().unwrap_or_default(),
            first: "human".to_string(),
            second: OPPONENT.to_string(),
            seed: 1,
        });
        if let Some(game) = &self.game
            && *game != setup.game
        {
            return Err(Failure::BadInput(format!(
                "the saved game is one of '{}', not of '{game}'; leave the game out",
                setup.game
            )));
        }
        setup.first = self.first.clone().unwrap_or(setup.first);
        setup.second = self.second.clone().unwrap_or(setup.second);
        setup.seed = self.seed.unwrap_or(setup.seed);
        for player in [&mut setup.first, &mut setup.second] {
            *player = tesuji_players::roster().canonical(player);
        }
        Ok(setup)
    }
}
