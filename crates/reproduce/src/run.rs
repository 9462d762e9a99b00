//! What an experiment is told: how much effort, which seed, how many threads, who watches.

use serde::{Deserialize, Serialize};
use tesuji_games::SpecError;
use tesuji_play::ArenaError;
use tesuji_search::Game;
use tesuji_train::TrainError;

use crate::gem_island::series::AgentGamesCache;
use crate::loos::training::EvolutionCache;

/// How much is played and measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Under a minute on two cores: wide error bars.
    Quick,
    /// As much as the published experiment or more, where machines of today can.
    Full,
}

/// Another program that takes part under a published name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalEngine {
    /// A name of the published table, or any other for one more player.
    pub name: String,
    /// The command that starts it.
    pub command: String,
}

impl std::str::FromStr for ExternalEngine {
    type Err = String;

    fn from_str(text: &str) -> Result<ExternalEngine, String> {
        match text.split_once('=') {
            Some((name, command)) if !name.trim().is_empty() && !command.trim().is_empty() => {
                Ok(ExternalEngine {
                    name: name.trim().to_string(),
                    command: command.trim().to_string(),
                })
            }
            _ => Err(format!("'{text}' is not NAME=COMMAND, such as pela=./pbrain-pela")),
        }
    }
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentProgress<'a> {
    /// Steps that are done.
    pub done: u64,
    /// Steps in all.
    pub total: u64,
    /// What is being done.
    pub label: &'a str,
}

/// What an experiment is told, and what experiments of one run share.
pub struct ExperimentRun<'a> {
    /// How much is played and measured.
    pub effort: Effort,
    /// Decides all chance.
    pub seed: u64,
    /// Games at once. Changes no result, only times.
    pub threads: usize,
    /// Other programs that take part.
    pub engines: &'a [ExternalEngine],
    /// Told how far it is.
    pub on_progress: &'a dyn Fn(ExperimentProgress<'_>),
    /// Forests that were evolved for one experiment and serve others too.
    pub evolutions: EvolutionCache,
    /// Games of Gem Island's agents that were played for one experiment and serve others too.
    pub agent_games: AgentGamesCache,
}

impl<'a> ExperimentRun<'a> {
    /// A run without other programs.
    pub fn new(
        effort: Effort,
        seed: u64,
        threads: usize,
        on_progress: &'a dyn Fn(ExperimentProgress<'_>),
    ) -> ExperimentRun<'a> {
        let (evolutions, agent_games) = (EvolutionCache::default(), AgentGamesCache::default());
        ExperimentRun {
            effort,
            seed,
            threads: threads.max(1),
            engines: &[],
            on_progress,
            evolutions,
            agent_games,
        }
    }

    /// The one or the other, by how much effort is wanted.
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        match self.effort {
            Effort::Quick => quick,
            Effort::Full => full,
        }
    }

    /// The command that makes this report again.
    pub fn command(&self, id: &str) -> String {
        let quick = self.pick(" --quick", "");
        let seed = if self.seed == 1 { String::new() } else { format!(" --seed {}", self.seed) };
        let engine =
            |engine: &ExternalEngine| format!(" --engine '{}={}'", engine.name, engine.command);
        let engines: String = self.engines.iter().map(engine).collect();
        format!("tesuji reproduce {id}{quick}{seed}{engines}")
    }

    /// Tells how far it is.
    pub fn report_progress(&self, done: u64, total: u64, label: &str) {
        (self.on_progress)(ExperimentProgress { done, total, label });
    }
}

/// A game that an experiment is about. Published systems play games that come with the program.
pub(crate) fn open_game(name: &str) -> Result<Game, ReproduceError> {
    Ok(tesuji_builtin::registry().open(name)?)
}

/// Why an experiment could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// Its games could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// A player or a game cannot be had.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Its forests could not be evolved.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A file or folder failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Anything else, in one line.
    #[error("{0}")]
    Other(String),
}
