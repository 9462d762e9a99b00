//! `tesuji gem play`: plays the game in the terminal. Reads commands line by line, from a person or
//! a pipe.

mod board_text;
mod log_writer;
mod session;
mod swap_text;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, Mask, MaskVisitor, with_mask};
use tesuji_players::gem_island::AgentSpec;

use super::GameArgs;
use crate::examples;
use crate::failure::Failure;
use crate::output::ColorChoice;
use log_writer::LogWriter;
use session::GemSession;

/// Play Gem Island, or watch an agent play it
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    game_args: GameArgs,
    #[command(flatten)]
    session_args: SessionArgs,
}

/// The options of a game in the terminal, shared by `tesuji gem play` and `tesuji play`.
#[derive(Args)]
pub(crate) struct SessionArgs {
    /// Let this agent play instead of you, such as greedy or flat-ucb
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<AgentSpec>,
    /// Get hints from this agent
    #[arg(long, value_name = "AGENT", default_value = HINT_AGENT)]
    pub(crate) hints_by: AgentSpec,
    /// Seed the board and the falling gems [default: random]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Write states and swaps to this file during the game; it must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Color the board
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: ColorChoice,
}

/// The default agent for hints.
pub(crate) const HINT_AGENT: &str = "belief";

fn help() -> String {
    format!(
        "On the board:\n{}\nWhile playing:\n{}\n{}",
        board_text::LEGEND,
        session::COMMANDS,
        examples::help(examples::GEM_PLAY)
    )
}

impl PlayArgs {
    pub(crate) fn run(self, _: &tesuji_search::Registry) -> Result<(), Failure> {
        self.session_args.run(self.game_args.settings()?)
    }
}

impl SessionArgs {
    /// Plays until the end of the game or of the input.
    pub(crate) fn run(self, settings: GemSettings) -> Result<(), Failure> {
        with_mask(&settings, StartSession { session_args: self, settings })
    }
}

struct StartSession {
    session_args: SessionArgs,
    settings: GemSettings,
}

impl MaskVisitor for StartSession {
    type Output = Result<(), Failure>;

    fn visit<M: Mask>(self) -> Self::Output {
        let StartSession {
            session_args: SessionArgs { agent, hints_by, seed, log, color },
            settings,
        } = self;
        let seed = seed.unwrap_or_else(random_seed);
        let mut rng = seeded(derived(seed, [0]));
        let game = GemIsland::<M>::generate(settings, &mut rng)
            .unwrap_or_else(|| unreachable!("the mask was chosen for these settings"));
        let log_writer = log.as_deref().map(|path| LogWriter::new(path, &settings)).transpose()?;
        let agent =
            agent.map(|agent| agent.build::<M>(&settings, derived(seed, [1]))).transpose()?;
        let hints_by = hints_by.build::<M>(&settings, derived(seed, [2]))?;
        let (colors, prompts) = (color.is_on(), io::stdin().is_terminal());
        GemSession { game, rng, seed, agent, hints_by, log_writer, colors, prompts }.run()
    }
}

/// A random seed, which the session prints so that the game can be played again.
fn random_seed() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    derived(since_1970.as_nanos() as u64, [u64::from(std::process::id())]) % 1_000_000
}
