//! What learns, and what is known of it by name.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::de::DeserializeOwned;
use tesuji_play::Roster;
use tesuji_queue::{Batch, Bench, Finished, Performed, QueueError, WorkQueue};
use tesuji_search::Registry;
use tesuji_store::Store;

use crate::chart::Chart;
use crate::checkpoint::Checkpoint;
use crate::error::TrainError;
use crate::folder::RunFolder;
use crate::measure::check_opponents;
use crate::metrics::{StepMetrics, MetricsRow};
use crate::settings::{CommonSettings, RunSettings, LearnerSettings, SettingsError};
use crate::threads::threads;

/// Something that learns in steps. All chance is made from the seed and the number of the step, never carried
/// along: so a run that was killed continues to the same bytes, on any number of threads and machines.
pub trait Learner: Send {
    /// What it is told.
    type Settings: LearnerSettings
    where
        Self: Sized;

    /// Checks what the settings name, before a folder is made.
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

    /// The state before the first step; `None` when it was stopped on the way.
    fn begin(settings: &Self::Settings, env: &Env<'_>) -> Result<Option<Self>, TrainError>
    where
        Self: Sized;

    /// The state that a checkpoint has, after this many steps.
    fn restore(
        settings: &Self::Settings,
        env: &Env<'_>,
        step: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError>
    where
        Self: Sized;

    /// One step; `None` when it was stopped before its end. A step that was stopped is done again from the last
    /// checkpoint.
    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError>;

    /// What [`restore`](Self::restore) needs.
    fn checkpoint(&self) -> Vec<u8>;

    /// The model as the bytes of a file.
    fn model(&self) -> Result<Vec<u8>, TrainError>;

    /// Why further steps are pointless, if they are.
    fn has_stagnated(&self) -> bool {
        false
    }
}

/// What a step of a learner is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepNoun {
    /// One.
    pub singular: &'static str,
    /// Several.
    pub plural: &'static str,
}

/// A learner by name. A new one is a folder with a [`Learner`] and a line with one of these.
#[derive(Debug)]
pub struct LearnerKind {
    /// The word behind `learner =`.
    pub name: &'static str,
    /// One line for help texts and tables.
    pub summary: &'static str,
    /// What a step is.
    pub step: StepNoun,
    /// What the model is called in sentences.
    pub noun: &'static str,
    /// How the file of a model ends: `best.EXTENSION`, `last.EXTENSION`.
    pub extension: &'static str,
    /// The player with the model of a file, without the file: `critic:file=`; `None` without one.
    pub player: Option<&'static str>,
    /// All players that read such a file.
    pub players: &'static [&'static str],
    /// The charts of its numbers.
    pub charts: &'static [Chart],
    /// The number that says most about a run which was not measured.
    pub main_metric: (&'static str, &'static str),
    /// Keys that may have another value when a run is resumed.
    pub resumable: &'static [&'static str],
    /// Keys of the first edition, and what they are called now.
    pub renamed_keys: &'static [(&'static str, &'static str)],
    /// Whether it keeps samples in a store.
    pub keeps_samples: bool,
    /// Whether the model of every step is kept, not only of measured ones.
    pub keeps_models: bool,
    /// Whether it may take more steps than its settings say.
    pub open_ended: bool,
    /// The least that its settings must say.
    pub example: &'static str,
    /// What it does; [`LearnerKind::new`] makes it.
    pub functions: LearnerFunctions,
}

/// What a learner does, whatever its type. It is told its settings as text.
#[derive(Debug)]
pub struct LearnerFunctions {
    read: fn(&str) -> Result<(String, CommonSettings), SettingsError>,
    check: fn(&str, &Registry, Roster) -> Result<(), TrainError>,
    /// Begins a run or goes on with it; `None` when it was stopped on the way.
    pub(crate) start: fn(&str, &Env<'_>, Option<&Checkpoint>) -> Result<Started, TrainError>,
}

type Started = Option<Box<dyn Learner>>;

impl PartialEq for LearnerKind {
    fn eq(&self, other: &LearnerKind) -> bool {
        self.name == other.name
    }
}

impl LearnerKind {
    /// A learner with nothing said about it yet.
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

    /// Reads settings for this learner.
    pub fn read(&'static self, text: &str) -> Result<RunSettings, SettingsError> {
        let (toml, common) = (self.functions.read)(text)?;
        if let Some(measure) = &common.measure {
            measure.check()?;
        }
        Ok(RunSettings { kind: self, toml, common })
    }

    /// Checks what the settings name, before a folder is made.
    pub fn check(
        &self,
        settings: &RunSettings,
        games: &Registry,
        players: Roster,
    ) -> Result<(), TrainError> {
        (self.functions.check)(&settings.toml, games, players)?;
        check_opponents(settings, games, players)
    }

    /// A text with the keys of today. Only texts with old keys are written anew, as that loses their lines.
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
            let place = table.entry(to).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(place) = place {
                place.entry(name).or_insert(value);
            }
        }
        match is_old {
            true => toml::to_string(&table).unwrap_or_default(),
            false => text.to_string(),
        }
    }

    /// The player with the model of a file, if that can be said in a text.
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

/// What a run tells on its way.
pub enum TrainEvent<'a> {
    /// Part of a step is done.
    Progress {
        /// Steps that are done.
        step: u64,
        /// What is counted within the step: `game`.
        what: &'a str,
        /// How many of them are done,
        done: u64,
        /// and of how many.
        of: u64,
    },
    /// A step is done.
    Step {
        /// What was measured.
        row: &'a MetricsRow,
        /// The same in one line.
        line: &'a str,
    },
}

/// What a learner works with.
pub struct Env<'a> {
    /// What the run leaves behind.
    pub folder: &'a RunFolder,
    /// The name of the run in queue and store.
    pub run: &'a str,
    /// Who plays its games.
    pub queue: &'a dyn WorkQueue,
    /// Where its samples are, if it keeps any.
    pub store: Option<&'a Arc<dyn Store>>,
    /// Raised to end the run soon; what is done is kept.
    pub stop: &'a Arc<AtomicBool>,
    /// Threads of this process.
    pub threads: usize,
    /// The games.
    pub games: &'a Registry,
    /// The players.
    pub players: Roster,
    pub(crate) step: std::cell::Cell<u64>,
    pub(crate) observer: &'a dyn Fn(&TrainEvent<'_>),
}

impl Env<'_> {
    /// Whether the run is to end soon.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Threads as a setting says: 0 for all of the machine.
    pub fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// Says how far the step is.
    pub fn progress(&self, what: &str, done: u64, of: u64) {
        (self.observer)(&TrainEvent::Progress { step: self.step.get(), what, done, of });
    }

    /// Has the units of a batch done; an error of `each` ends it. Their records are kept in the store of the run, if it
    /// has one.
    pub fn run_batch<E: From<QueueError>>(
        &self,
        stage: &str,
        units: &[u64],
        bench: &dyn Bench,
        each: &mut dyn FnMut(&Finished) -> Result<(), E>,
    ) -> Result<Performed, E> {
        if units.is_empty() {
            return Ok(Performed::default());
        }
        let mut heard = Ok(());
        let batch = Batch::new(self.run, stage, units, bench).stopped_by(self.stop.clone());
        let batch = batch.kept_in(self.store.map(|store| &**store));
        let performed = self.queue.perform(&batch, &mut |finished| {
            heard = finished.iter().try_for_each(&mut *each);
            if heard.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        heard.map(|()| performed)
    }

    /// The notes of all units, in their order; `None` when the batch was stopped before its end.
    pub fn notes<T: DeserializeOwned>(
        &self,
        stage: &str,
        units: &[u64],
        bench: &dyn Bench,
    ) -> Result<Option<Vec<T>>, QueueError> {
        let mut notes: Vec<Option<T>> = units.iter().map(|_| None).collect();
        self.run_batch(stage, units, bench, &mut |finished| {
            if let Ok(place) = units.binary_search(&finished.unit) {
                notes[place] = Some(finished.product.note()?);
            }
            Ok::<(), QueueError>(())
        })?;
        Ok(notes.into_iter().collect())
    }
}
