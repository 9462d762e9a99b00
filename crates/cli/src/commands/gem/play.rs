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
use picture::Picture;
use session::Session;

/// Play Gem Island, or watch an agent play it
#[derive(Args)]
#[command(after_help = help())]
pub(crate) struct Play {
    #[command(flatten)]
    which: Which,
    /// Who plays instead of you, such as greedy or flat-ucb
    #[arg(long, value_name = "AGENT")]
    agent: Option<AgentSpec>,
    /// Who gives hints
    #[arg(long, value_name = "AGENT", default_value = HINTS_BY)]
    hints_by: AgentSpec,
    /// Decides the board and all that falls [default: another one each time]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Write states and swaps here while the game goes on; the file must be new
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// When to colour the board
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: Colour,
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
        let settings = self.which.settings()?;
        let Play { agent, hints_by, seed, log, color, .. } = self;
        Sitting { settings, agent, hints_by, seed, log, color }.run()
    }
}

/// One game in the terminal: what `tesuji gem play` and `tesuji play` have in common.
pub(crate) struct Sitting {
    pub(crate) settings: Settings,
    /// Who plays; a person where there is none.
    pub(crate) agent: Option<AgentSpec>,
    pub(crate) hints_by: AgentSpec,
    /// Decides the board and all that falls; without it, it is another one each time.
    pub(crate) seed: Option<u64>,
    /// Where to write states and swaps.
    pub(crate) log: Option<PathBuf>,
    pub(crate) color: Colour,
}

impl Sitting {
    /// Plays until the game is over or the person leaves.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let settings = self.settings;
        with_mask(&settings, self)
    }
}

impl MaskVisitor for Sitting {
    type Output = Result<(), Failure>;

    fn visit<M: Mask>(self) -> Self::Output {
        let Sitting { settings, agent, hints_by, seed, log, color } = self;
        let seed = seed.unwrap_or_else(any_seed);
        let mut rng = seeded(derived(seed, [0]));
        let game = GemIsland::<M>::generate(settings, &mut rng)
            .unwrap_or_else(|| unreachable!("the mask was chosen for these settings"));
        let journal = log.as_deref().map(|path| Journal::new(path, &settings)).transpose()?;
        let agent =
            agent.map(|agent| agent.build::<M>(&settings, derived(seed, [1]))).transpose()?;
        let hints_by = hints_by.build::<M>(&settings, derived(seed, [2]))?;
        let picture = Picture { colours: color.is_on() };
        let prompts = io::stdin().is_terminal();
        Session { game, rng, seed, agent, hints_by, journal, picture, prompts }.run()
    }
}

/// A board that nobody has seen yet; the number is told, so that it can be played again.
fn any_seed() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    derived(since_1970.as_nanos() as u64, [u64::from(std::process::id())]) % 1_000_000
}
