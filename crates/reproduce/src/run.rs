//! What an experiment is told: how much effort, which seed, how many threads, who watches.

use serde::{Deserialize, Serialize};
use tesuji_games::SpecError;
use tesuji_play::EventError;
use tesuji_search::Game;
use tesuji_train::TrainError;

use crate::gem_island::series::Series;
use crate::loos::training::Trainings;

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
pub struct Engine {
    /// A name of the published table, or any other for one more player.
    pub name: String,
    /// The command that starts it.
    pub command: String,
}

impl std::str::FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Engine, String> {
        match text.split_once('=') {
            Some((name, command)) if !name.trim().is_empty() && !command.trim().is_empty() => {
                Ok(Engine { name: name.trim().to_string(), command: command.trim().to_string() })
            }
            _ => Err(format!("'{text}' is not NAME=COMMAND, such as pela=./pbrain-pela")),
        }
    }
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Steps that are done.
    pub done: u64,
    /// Steps in all.
    pub of: u64,
    /// What is being done.
    pub what: &'a str,
}

/// What an experiment is told, and what experiments of one run share.
pub struct Run<'a> {
    /// How much is played and measured.
    pub effort: Effort,
    /// Decides all chance.
    pub seed: u64,
    /// Games at once. Changes no result, only times.
    pub threads: usize,
    /// Other programs that take part.
    pub engines: &'a [Engine],
    /// Told how far it is.
    pub watch: &'a dyn Fn(Step<'_>),
    /// Forests that were evolved for one experiment and serve others too.
    pub trainings: Trainings,
    /// Games of Gem Island's agents that were played for one experiment and serve others too.
    pub series: Series,
}

impl<'a> Run<'a> {
    /// A run without other programs.
    pub fn new(effort: Effort, seed: u64, threads: usize, watch: &'a dyn Fn(Step<'_>)) -> Run<'a> {
        let (trainings, series) = (Trainings::default(), Series::default());
        Run { effort, seed, threads: threads.max(1), engines: &[], watch, trainings, series }
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
        let engine = |engine: &Engine| format!(" --engine '{}={}'", engine.name, engine.command);
        let engines: String = self.engines.iter().map(engine).collect();
        format!("tesuji reproduce {id}{quick}{seed}{engines}")
    }

    /// Tells how far it is.
    pub fn show(&self, done: u64, of: u64, what: &str) {
        (self.watch)(Step { done, of, what });
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
    Arena(#[from] EventError),
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
