//! `tesuji gem play`: the game in the terminal. Reads commands line by line, from a person or a pipe.

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
    which: GameArgs,
    #[command(flatten)]
    sitting: SessionArgs,
}

/// One game in the terminal: what `tesuji gem play` and `tesuji play` have in common.
#[derive(Args)]
pub(crate) struct SessionArgs {
    /// Who plays instead of you, such as greedy or flat-ucb
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<AgentSpec>,
    /// Who gives hints
    #[arg(long, value_name = "AGENT", default_value = HINT_AGENT)]
    pub(crate) hints_by: AgentSpec,
    /// Decides the board and all that falls [default: another one each time]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Write states and swaps here while the game goes on; the file must be new
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// When to color the board
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: ColorChoice,
}

/// Who gives hints if nobody is named.
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
        self.sitting.run(self.which.settings()?)
    }
}

impl SessionArgs {
    /// Plays until the game is over or the person leaves.
    pub(crate) fn run(self, settings: GemSettings) -> Result<(), Failure> {
        with_mask(&settings, Begin { sitting: self, settings })
    }
}

struct Begin {
    sitting: SessionArgs,
    settings: GemSettings,
}

impl MaskVisitor for Begin {
    type Output = Result<(), Failure>;

    fn visit<M: Mask>(self) -> Self::Output {
        let Begin { sitting: SessionArgs { agent, hints_by, seed, log, color }, settings } = self;
        let seed = seed.unwrap_or_else(any_seed);
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

/// A board that nobody has seen yet; the number is told, so that it can be played again.
fn any_seed() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    derived(since_1970.as_nanos() as u64, [u64::from(std::process::id())]) % 1_000_000
}
