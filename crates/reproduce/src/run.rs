//! The settings of a run of experiments: effort, seed, threads, progress.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tesuji_games::SpecError;
use tesuji_play::EventError;
use tesuji_search::Game;
use tesuji_train::TrainError;

use crate::gem_island::logs::{NetworkFiles, TrainedCache};
use crate::gem_island::series::AgentGamesCache;
use crate::loos::training::EvolutionCache;

/// The experiments that use logs of games of people, if there are any.
pub const USES_LOGS: [&str; 4] = ["gem-6-3", "gem-fig-6-1", "gem-humans", "gem-policy"];

/// How much is played and measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Under a minute on two cores, with wide error bars.
    Quick,
    /// At least as much as the published experiment, where today's machines allow it.
    Full,
}

/// Another program that takes part under a published name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalEngine {
    /// A name of the published table, or any other name for an additional player.
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
            _ => Err(format!(
                "engine '{text}': invalid; expected NAME=COMMAND, such as pela=./pbrain-pela"
            )),
        }
    }
}

/// The progress of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct ReproductionProgress<'a> {
    /// Steps that are done.
    pub done: u64,
    /// Total number of steps.
    pub total: u64,
    /// The current step.
    pub label: &'a str,
}

/// The settings of a run, and caches that its experiments share.
pub struct ReproductionRun<'a> {
    /// How much is played and measured.
    pub effort: Effort,
    /// The seed of all random choices.
    pub seed: u64,
    /// Number of parallel games. Affects times only.
    pub threads: usize,
    /// Other programs that take part.
    pub engines: &'a [ExternalEngine],
    /// The folder or store with games of people, for Gem Island.
    pub logs: Option<&'a Path>,
    /// Called after every step.
    pub on_progress: &'a dyn Fn(ReproductionProgress<'_>),
    /// Forests that were evolved in this run.
    pub evolutions: EvolutionCache,
    /// Games of Gem Island's agents that were played in this run.
    pub agent_games: AgentGamesCache,
    /// Networks that were trained on logs in this run.
    pub trained: TrainedCache,
    /// Their files.
    pub network_files: NetworkFiles,
}

impl<'a> ReproductionRun<'a> {
    /// Makes a run without other programs.
    pub fn new(
        effort: Effort,
        seed: u64,
        threads: usize,
        on_progress: &'a dyn Fn(ReproductionProgress<'_>),
    ) -> ReproductionRun<'a> {
        let (evolutions, agent_games) = (EvolutionCache::default(), AgentGamesCache::default());
        ReproductionRun {
            effort,
            seed,
            threads: threads.max(1),
            engines: &[],
            logs: None,
            on_progress,
            evolutions,
            agent_games,
            trained: TrainedCache::default(),
            network_files: NetworkFiles::default(),
        }
    }

    /// Returns the value for the run's effort.
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        match self.effort {
            Effort::Quick => quick,
            Effort::Full => full,
        }
    }

    /// Returns the command that makes a report again.
    pub fn command(&self, id: &str) -> String {
        let quick = self.pick(" --quick", "");
        let seed = if self.seed == 1 { String::new() } else { format!(" --seed {}", self.seed) };
        let engine =
            |engine: &ExternalEngine| format!(" --engine '{}={}'", engine.name, engine.command);
        let engines: String = self.engines.iter().map(engine).collect();
        let logs = self.logs.filter(|_| USES_LOGS.contains(&id));
        let logs = logs.map_or(String::new(), |logs| format!(" --logs '{}'", logs.display()));
        format!("tesuji reproduce {id}{quick}{seed}{engines}{logs}")
    }

    /// Reports the progress.
    pub fn report_progress(&self, done: u64, total: u64, label: &str) {
        (self.on_progress)(ReproductionProgress { done, total, label });
    }
}

/// Opens a built-in game.
pub(crate) fn open_game(name: &str) -> Result<Game, ReproduceError> {
    Ok(tesuji_builtin::registry().open(name)?)
}

/// Why an experiment failed.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// Its games could not be played.
    #[error(transparent)]
    Arena(#[from] EventError),
    /// A player or a game is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Its forests could not be evolved.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A file or folder failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Any other error, in one line.
    #[error("{0}")]
    Other(String),
}
