//! `tesuji gem play`: the game in the terminal. Reads commands line by line, from a person or a pipe.

mod journal;
mod picture;
mod session;
mod typed;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, Mask, MaskVisitor, Settings, with_mask};
use tesuji_players::gem_island::AgentSpec;

use super::Which;
use crate::examples;
use crate::failure::Failure;
use crate::output::Colour;
use journal::Journal;
use session::Session;

/// Play Gem Island, or watch an agent play it
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct Play {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    sitting: Sitting,
}

/// One game in the terminal: what `tesuji gem play` and `tesuji play` have in common.
#[derive(Args)]
pub(crate) struct Sitting {
    /// Who plays instead of you, such as greedy or flat-ucb
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<AgentSpec>,
    /// Who gives hints
    #[arg(long, value_name = "AGENT", default_value = HINTS_BY)]
    pub(crate) hints_by: AgentSpec,
    /// Decides the board and all that falls [default: another one each time]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Write states and swaps here while the game goes on; the file must be new
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// When to colour the board
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: Colour,
}

/// Who gives hints if nobody is named.
pub(crate) const HINTS_BY: &str = "belief";

fn help() -> String {
    format!(
        "On the board:\n{}\nWhile playing:\n{}\n{}",
        picture::LEGEND,
        session::COMMANDS,
        examples::help(examples::GEM_PLAY)
    )
}

impl Play {
    pub(crate) fn run(self, _: &tesuji_search::Registry) -> Result<(), Failure> {
        self.sitting.run(self.which.settings()?)
    }
}

impl Sitting {
    /// Plays until the game is over or the person leaves.
    pub(crate) fn run(self, settings: Settings) -> Result<(), Failure> {
        with_mask(&settings, Begin { sitting: self, settings })
    }
}

struct Begin {
    sitting: Sitting,
    settings: Settings,
}

impl MaskVisitor for Begin {
    type Output = Result<(), Failure>;

    fn visit<M: Mask>(self) -> Self::Output {
        let Begin { sitting: Sitting { agent, hints_by, seed, log, color }, settings } = self;
        let seed = seed.unwrap_or_else(any_seed);
        let mut rng = seeded(derived(seed, [0]));
        let game = GemIsland::<M>::generate(settings, &mut rng)
            .unwrap_or_else(|| unreachable!("the mask was chosen for these settings"));
        let journal = log.as_deref().map(|path| Journal::new(path, &settings)).transpose()?;
        let agent =
            agent.map(|agent| agent.build::<M>(&settings, derived(seed, [1]))).transpose()?;
        let hints_by = hints_by.build::<M>(&settings, derived(seed, [2]))?;
        let (colours, prompts) = (color.is_on(), io::stdin().is_terminal());
        Session { game, rng, seed, agent, hints_by, journal, colours, prompts }.run()
    }
}

/// A board that nobody has seen yet; the number is told, so that it can be played again.
fn any_seed() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    derived(since_1970.as_nanos() as u64, [u64::from(std::process::id())]) % 1_000_000
}
