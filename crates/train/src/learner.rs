//! Learners: the trait, and their declaration by name.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::de::DeserializeOwned;
use tesuji_play::Roster;
use tesuji_queue::{Batch, BatchSummary, FinishedItem, JobSpec, QueueError, WorkQueue};
use tesuji_search::Registry;
use tesuji_store::Store;

use crate::chart::Chart;
use crate::checkpoint::Checkpoint;
use crate::error::TrainError;
use crate::folder::RunFolder;
use crate::measure::check_opponents;
use crate::metrics::{MetricsRow, StepMetrics};
use crate::settings::{CommonSettings, LearnerSettings, RunSettings, SettingsError};
use crate::threads::threads;

/// A model that learns in steps. All randomness derives from the seed and the number of the step,
/// never from state: so a killed run resumes to the same bytes, on any number of threads and
/// machines.
pub trait Learner: Send {
    /// Its settings.
    type Settings: LearnerSettings
    where
        Self: Sized;

    /// Checks everything that the settings name, before the folder is created.
    fn check(
        _settings: &Self::Settings,
        _games: &Registry,
        _players: Roster,
    ) -> Result<(), TrainError>
    where
        Self: Sized,
    {
        Ok(())
    }

    /// Creates the state before the first step; `None` if stopped on the way.
    fn begin(settings: &Self::Settings, env: &Env<'_>) -> Result<Option<Self>, TrainError>
    where
        Self: Sized;

    /// Restores the state after `step` steps from a checkpoint.
    fn restore(
        settings: &Self::Settings,
        env: &Env<'_>,
        step: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError>
    where
        Self: Sized;

    /// Performs one step; `None` if stopped before its end. A stopped step is repeated from the
    /// last checkpoint.
    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError>;

    /// The state for [`restore`](Self::restore).
    fn checkpoint(&self) -> Vec<u8>;

    /// The model as the content of a file.
    fn model(&self) -> Result<Vec<u8>, TrainError>;

    /// Whether further steps would make no progress.
    fn has_stagnated(&self) -> bool {
        false
    }
}

/// The noun for a step of a learner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepNoun {
    /// The singular.
    pub singular: &'static str,
    /// The plural.
    pub plural: &'static str,
}

/// The declaration of a learner. To add one, write a folder with a [`Learner`] and a line with one
/// of these.
#[derive(Debug)]
pub struct LearnerKind {
    /// The value of `learner =`.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// The noun for a step.
    pub step: StepNoun,
    /// The noun for the model.
    pub noun: &'static str,
    /// The extension of model files: `best.EXTENSION`, `last.EXTENSION`.
    pub extension: &'static str,
    /// The player that uses a model, up to the file name: `critic:file=`; `None` without one.
    pub player: Option<&'static str>,
    /// All players that can read such a file.
    pub players: &'static [&'static str],
    /// The charts of its metrics.
    pub charts: &'static [Chart],
    /// The main metric of a run without measurements: its key and its title.
    pub main_metric: (&'static str, &'static str),
    /// Keys whose value may change when a run is resumed.
    pub resumable: &'static [&'static str],
    /// Keys of the first version of the program with their current names.
    pub renamed_keys: &'static [(&'static str, &'static str)],
    /// Whether it stores samples.
    pub keeps_samples: bool,
    /// Whether the model of every step is kept, not only of measured ones.
    pub keeps_models: bool,
    /// Whether it may run for more steps than its settings say.
    pub open_ended: bool,
    /// The minimal settings.
    pub example: &'static str,
    /// The type-erased functions of the learner; created by [`LearnerKind::new`].
    pub functions: LearnerFunctions,
}

/// The functions of a learner, independent of its type. They take the settings as text.
#[derive(Debug)]
pub struct LearnerFunctions {
    read: fn(&str) -> Result<(String, CommonSettings), SettingsError>,
    check: fn(&str, &Registry, Roster) -> Result<(), TrainError>,
    /// Starts or resumes a run; `None` if stopped on the way.
    pub(crate) start: fn(&str, &Env<'_>, Option<&Checkpoint>) -> Result<Started, TrainError>,
}

type Started = Option<Box<dyn Learner>>;

impl PartialEq for LearnerKind {
    fn eq(&self, other: &LearnerKind) -> bool {
        self.name == other.name
    }
}

impl LearnerKind {
    /// Creates a declaration with defaults.
    pub const fn new<L: Learner + 'static>(
        name: &'static str,
        summary: &'static str,
    ) -> LearnerKind {
        LearnerKind {
            name,
            summary,
            step: StepNoun { singular: "step", plural: "steps" },
            noun: "model",
            extension: "model",
            player: None,
            players: &[],
            charts: &[],
            main_metric: ("seconds", "seconds"),
            resumable: &["threads"],
            renamed_keys: &[],
            keeps_samples: false,
            keeps_models: false,
            open_ended: false,
            example: "",
            functions: LearnerFunctions {
                read: |text| {
                    let settings = L::Settings::from_toml(text)?;
                    Ok((settings.to_toml(), settings.common()))
                },
                check: |text, games, players| {
                    L::check(&L::Settings::from_toml(text)?, games, players)
                },
                start: |text, env, saved| {
                    let settings = L::Settings::from_toml(text)?;
                    let learner = match saved {
                        Some(saved) => Some(L::restore(&settings, env, saved.step, &saved.body)?),
                        None => L::begin(&settings, env)?,
                    };
                    Ok(learner.map(|learner| Box::new(learner) as Box<dyn Learner>))
                },
            },
        }
    }

    /// Parses settings of this learner.
    pub fn read(&'static self, text: &str) -> Result<RunSettings, SettingsError> {
        let (toml, common) = (self.functions.read)(text)?;
        if let Some(measure) = &common.measure {
            measure.check()?;
        }
        Ok(RunSettings { kind: self, toml, common })
    }

    /// Checks everything that the settings name, before the folder is created.
    pub fn check(
        &self,
        settings: &RunSettings,
        games: &Registry,
        players: Roster,
    ) -> Result<(), TrainError> {
        (self.functions.check)(&settings.toml, games, players)?;
        check_opponents(settings, games, players)
    }

    /// Replaces old keys by current ones. Only texts with old keys are rewritten, since that loses
    /// their line numbers.
    pub(crate) fn renamed(&self, text: &str, mut table: toml::Table) -> String {
        let mut is_old = false;
        for (old, new) in self.renamed_keys {
            let (Some((from, key)), Some((to, name))) = (old.split_once('.'), new.split_once('.'))
            else {
                continue;
            };
            let value = table.get_mut(from).and_then(|it| it.as_table_mut()?.remove(key));
            let Some(value) = value else { continue };
            is_old = true;
            let target = table.entry(to).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(target) = target {
                target.entry(name).or_insert(value);
            }
        }
        match is_old {
            true => toml::to_string(&table).unwrap_or_default(),
            false => text.to_string(),
        }
    }

    /// The player that uses a model file; `None` if a player's text cannot contain the file name.
    pub fn player_with(&self, file: &std::path::Path, options: &str) -> Option<String> {
        let (player, file) = (self.player?, file.to_str()?);
        if file.contains(|c: char| c.is_control() || c == '"') {
            return None;
        }
        let quote = if file.contains([',', ' ']) { "\"" } else { "" };
        let comma = if options.is_empty() { "" } else { "," };
        Some(format!("{player}{quote}{file}{quote}{comma}{options}"))
    }
}

/// Progress of a training run.
pub enum TrainEvent<'a> {
    /// Part of a step is done.
    Progress {
        /// Number of completed steps.
        step: u64,
        /// What is counted within the step, such as `game`.
        what: &'a str,
        /// Number of completed items.
        done: u64,
        /// Total number of items.
        of: u64,
    },
    /// A step is done.
    Step {
        /// The metrics.
        row: &'a MetricsRow,
        /// The metrics in one line.
        line: &'a str,
    },
}

/// The environment of a learner: folder, queue, store, games and players.
pub struct Env<'a> {
    /// The folder of the run.
    pub folder: &'a RunFolder,
    /// The name of the run in queue and store.
    pub run: &'a str,
    /// Where its games are played.
    pub queue: &'a dyn WorkQueue,
    /// The store of its samples, if it stores any.
    pub store: Option<&'a Arc<dyn Store>>,
    /// Set to stop the run soon; completed steps are kept.
    pub stop: &'a Arc<AtomicBool>,
    /// Number of threads of this process; 0 for one per core.
    pub threads: usize,
    /// The games.
    pub games: &'a Registry,
    /// The players.
    pub players: Roster,
    pub(crate) step: std::cell::Cell<u64>,
    pub(crate) observer: &'a dyn Fn(&TrainEvent<'_>),
}

impl Env<'_> {
    /// Whether the run should stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Number of threads, with 0 resolved.
    pub fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// Reports progress within the step.
    pub fn progress(&self, what: &str, done: u64, of: u64) {
        (self.observer)(&TrainEvent::Progress { step: self.step.get(), what, done, of });
    }

    /// Runs a batch on the queue; an error of `each` ends it. Records are written to the run's
    /// store, if it has one.
    pub fn run_batch<E: From<QueueError>>(
        &self,
        stage: &str,
        items: &[u64],
        job: &dyn JobSpec,
        each: &mut dyn FnMut(&FinishedItem) -> Result<(), E>,
    ) -> Result<BatchSummary, E> {
        if items.is_empty() {
            return Ok(BatchSummary::default());
        }
        let mut result = Ok(());
        let batch = Batch::new(self.run, stage, items, job).stopped_by(self.stop.clone());
        let batch = batch.with_store(self.store.map(|store| &**store));
        let summary = self.queue.run_batch(&batch, &mut |finished| {
            result = finished.iter().try_for_each(&mut *each);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        result.map(|()| summary)
    }

    /// Runs a batch and returns the notes of all items in order; `None` if it was stopped before
    /// its end.
    pub fn notes<T: DeserializeOwned>(
        &self,
        stage: &str,
        items: &[u64],
        job: &dyn JobSpec,
    ) -> Result<Option<Vec<T>>, QueueError> {
        let mut notes: Vec<Option<T>> = items.iter().map(|_| None).collect();
        self.run_batch(stage, items, job, &mut |finished| {
            if let Ok(index) = items.binary_search(&finished.item) {
                notes[index] = Some(finished.output.note()?);
            }
            Ok::<(), QueueError>(())
        })?;
        Ok(notes.into_iter().collect())
    }
}
