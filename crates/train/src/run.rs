//! The training loop: step, measure, save.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;
use tesuji_play::Roster;
use tesuji_queue::WorkQueue;
use tesuji_search::Registry;
use tesuji_store::{Metric, Record as StoreRecord, RunRecord, Store};

use crate::chart;
use crate::checkpoint::Checkpoint;
use crate::error::TrainError;
use crate::folder::{RunFolder, RunInfo, RunState, now};
use crate::learner::{Env, Learner, TrainEvent};
use crate::measure::{self, Measurement};
use crate::metrics::MetricsRow;
use crate::settings::RunSettings;
use crate::tensorboard::EventFile;

/// A run, ready to start or resume.
pub struct Training<'a> {
    /// The settings.
    pub settings: &'a RunSettings,
    /// The folder of the run.
    pub folder: &'a RunFolder,
    /// Where its games are played.
    pub queue: &'a dyn WorkQueue,
    /// The store of its samples, if it stores any.
    pub store: Option<Arc<dyn Store>>,
    /// The games.
    pub games: &'a Registry,
    /// The players for the opponents.
    pub players: Roster,
    /// Number of threads; overrides the settings.
    pub threads: Option<usize>,
    /// Number of steps; overrides the settings.
    pub steps: Option<u64>,
    /// Whether the metrics are also written for TensorBoard.
    pub tensorboard: bool,
    /// Set to stop the run soon; completed steps are kept.
    pub stop: Arc<AtomicBool>,
}

/// The log span of a run; it tells a subscriber the log file of the run.
pub const SPAN: &str = "run";
/// The target of the span and of its events.
pub const SPAN_TARGET: &str = "train";
/// The field of the span with the path of the run's folder.
pub const SPAN_FOLDER: &str = "folder";

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// All steps are done.
    Steps,
    /// The time limit is reached.
    Time,
    /// The learner makes no progress.
    Stagnation,
    /// The run was stopped.
    Interrupted,
}

/// The summary of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrainingSummary {
    /// The run's name in its store.
    pub run: String,
    /// The learner.
    pub learner: &'static str,
    /// Why it ended.
    pub ending: StopReason,
    /// Number of completed steps.
    pub step: u64,
    /// Number of steps of the whole run, if limited.
    pub of: Option<u64>,
    /// Seconds of all steps.
    pub seconds: f64,
    /// The file of the best model.
    pub model: PathBuf,
    /// The step of the best model, if the run was measured.
    pub best: Option<u64>,
    /// The metrics of the last step.
    pub last: Option<MetricsRow>,
}

impl Training<'_> {
    /// Runs to the end and returns a summary. `observer` receives the progress.
    pub fn run(
        &self,
        observer: &mut dyn FnMut(&TrainEvent<'_>),
    ) -> Result<TrainingSummary, TrainError> {
        let folder = self.folder.path().to_string_lossy();
        let _span = tracing::info_span!(target: "train", "run", folder = &*folder).entered();
        let info = self.folder.info()?;
        if info.learner != self.settings.kind.name {
            let (learner, run) = (self.settings.kind.name, &info.learner);
            return Err(TrainError::settings(format!(
                "the run belongs to the learner {run}; expected {learner}"
            )));
        }
        self.set_state(&info, RunState::Running, None)?;
        let summary = self.learn(&info, observer);
        let (state, why) = match &summary {
            Ok(summary) if summary.ending == StopReason::Interrupted => {
                (RunState::Interrupted, None)
            }
            Ok(_) => (RunState::Finished, None),
            Err(error) => (RunState::Failed, Some(error.to_string())),
        };
        if let Some(why) = &why {
            tracing::info!(target: "train", "failed: {why}");
        }
        let recorded = self.set_state(&info, state, why);
        let summary = summary?;
        recorded?;
        tracing::info!(target: "train", "{} after step {}", state.word(), summary.step);
        Ok(summary)
    }

    /// Records the state of the run in the folder and in the store.
    fn set_state(
        &self,
        info: &RunInfo,
        state: RunState,
        why: Option<String>,
    ) -> Result<(), TrainError> {
        if let Some(store) = &self.store {
            let earlier = store.run(&info.id)?;
            store.add(&[StoreRecord::Run(RunRecord {
                id: info.id.clone(),
                kind: "train".to_string(),
                name: info.id.clone(),
                config: self.settings.toml.clone(),
                state: state.word().to_string(),
                started_at: info.started_at,
                // The version with the later time counts, so each gets a later one, even within a
                // second.
                updated_at: earlier.map_or(now(), |earlier| now().max(earlier.updated_at + 1)),
            })])?;
        }
        Ok(self.folder.set_state(state, why)?)
    }

    fn learn(
        &self,
        info: &RunInfo,
        observer: &mut dyn FnMut(&TrainEvent<'_>),
    ) -> Result<TrainingSummary, TrainError> {
        let observer = RefCell::new(observer);
        let env = Env {
            folder: self.folder,
            run: &info.id,
            queue: self.queue,
            store: self.store.as_ref(),
            stop: &self.stop,
            threads: self.threads.or(self.settings.common.threads).unwrap_or(1),
            games: self.games,
            players: self.players,
            step: Cell::new(0),
            observer: &|event| (observer.borrow_mut())(event),
        };
        RunLoop::new(self, &env)?.finish()
    }
}

/// The state of the loop between two steps.
struct RunLoop<'a> {
    training: &'a Training<'a>,
    env: &'a Env<'a>,
    /// `None` if the run was stopped before it was created.
    learner: Option<Box<dyn Learner>>,
    measurement: Option<Measurement<'a>>,
    rows: Vec<MetricsRow>,
    events: Option<EventFile>,
    step: u64,
}

impl<'a> RunLoop<'a> {
    /// Starts from the checkpoint, if there is one.
    fn new(training: &'a Training<'a>, env: &'a Env<'a>) -> Result<RunLoop<'a>, TrainError> {
        let (settings, folder) = (training.settings, training.folder);
        let saved = folder.checkpoint()?;
        let saved =
            saved.map(|bytes| Checkpoint::from_bytes(&bytes, settings.kind.name)).transpose()?;
        let step = saved.as_ref().map_or(0, |saved| saved.step);
        env.step.set(step);
        let rows = folder.metrics(|row: &MetricsRow| row.step <= step)?;
        let measurement = Measurement::prepare(settings, env)?;
        let started_at = folder.info()?.started_at;
        let events = training.tensorboard.then(|| EventFile::create(folder, started_at, &rows));
        let events = events.transpose()?;
        let learner = (settings.kind.functions.start)(&settings.toml, env, saved.as_ref())?;
        let run_loop = RunLoop { training, env, learner, measurement, rows, events, step };
        if let (None, Some(learner)) = (&saved, &run_loop.learner) {
            let model = learner.model()?;
            for name in [&*measure::file_of(0), "best", "last"] {
                folder.replace(&run_loop.model_file(name), &model)?;
            }
            run_loop.save(&**learner)?;
        }
        let word = if saved.is_some() { "resumed" } else { "started" };
        tracing::info!(target: "train", "{word} at step {step} on {} threads", env.threads());
        Ok(run_loop)
    }

    fn model_file(&self, name: &str) -> String {
        format!("{name}.{}", self.training.settings.kind.extension)
    }

    fn save(&self, learner: &dyn Learner) -> Result<(), TrainError> {
        let checkpoint = Checkpoint { step: self.step, body: learner.checkpoint() };
        let bytes = checkpoint.to_bytes(self.training.settings.kind.name);
        Ok(self.training.folder.save_checkpoint(&bytes)?)
    }

    /// Performs steps until the run ends.
    fn finish(mut self) -> Result<TrainingSummary, TrainError> {
        let Some(mut learner) = self.learner.take() else {
            return Ok(self.summary(StopReason::Interrupted));
        };
        let ending = loop {
            if let Some(ending) = self.ending(&*learner) {
                break ending;
            }
            if !self.step(&mut *learner)? {
                break StopReason::Interrupted;
            }
        };
        Ok(self.summary(ending))
    }

    fn goal(&self) -> Option<u64> {
        self.training.settings.goal(self.training.steps)
    }

    /// Why the run ends now, if it does.
    fn ending(&self, learner: &dyn Learner) -> Option<StopReason> {
        if self.goal().is_some_and(|goal| self.step >= goal) {
            Some(StopReason::Steps)
        } else if self.is_out_of_time(self.seconds()) {
            Some(StopReason::Time)
        } else if learner.has_stagnated() {
            Some(StopReason::Stagnation)
        } else {
            self.env.is_stopped().then_some(StopReason::Interrupted)
        }
    }

    fn is_out_of_time(&self, seconds: f64) -> bool {
        self.training.settings.common.seconds.is_some_and(|most| seconds >= most)
    }

    fn seconds(&self) -> f64 {
        self.rows.iter().map(|row| row.seconds).sum()
    }

    /// Performs one step with its measurement; `false` if stopped before its end.
    fn step(&mut self, learner: &mut dyn Learner) -> Result<bool, TrainError> {
        let started = Instant::now();
        let Some(record) = learner.step(self.env)? else { return Ok(false) };
        let seconds = started.elapsed().as_secs_f64();
        self.step += 1;
        let mut row = MetricsRow {
            step: self.step,
            values: record.values,
            strength: record.strength,
            score: None,
            seconds,
        };
        let model = learner.model()?;
        let is_last = self.goal() == Some(self.step)
            || self.is_out_of_time(self.seconds() + seconds)
            || learner.has_stagnated();
        let due = self.measurement.as_ref().filter(|it| it.is_due(self.step, is_last));
        if due.is_some() || self.training.settings.kind.keeps_models {
            let file = self.model_file(&measure::file_of(self.step));
            self.training.folder.replace(&file, &model)?;
        }
        if let Some(measurement) = due {
            let champion = self.best().unwrap_or(0);
            let played = measurement.play(self.env, self.step, champion)?;
            let Some(strength) = played else { return Ok(false) };
            row.strength.extend(strength);
        }
        row.score = measure::mean_score(&row.strength);
        let line = match row.strength.is_empty() {
            true => record.line,
            false => format!("{}; {}", record.line, measure::line(&row.strength)),
        };
        self.save_step(learner, row, &line, &model)?;
        Ok(true)
    }

    /// Saves a step. The checkpoint is written last: until then, the step is repeated on resume.
    fn save_step(
        &mut self,
        learner: &dyn Learner,
        row: MetricsRow,
        line: &str,
        model: &[u8],
    ) -> Result<(), TrainError> {
        let (folder, kind) = (self.training.folder, self.training.settings.kind);
        folder.replace(&self.model_file("last"), model)?;
        folder.add_metrics(&row)?;
        tracing::info!(target: "train", "{} {}: {line}", kind.step.singular, row.step);
        if let Some(store) = &self.training.store {
            store.add(&metric_records(self.env.run, &row))?;
        }
        if let Some(events) = &mut self.events {
            events.add(&row)?;
        }
        self.rows.push(row);
        // Without measurements the last model counts as the best.
        if self.best().is_none_or(|best| best == self.step) {
            folder.replace(&self.model_file("best"), model)?;
        }
        chart::draw(folder, kind.charts, kind.step.singular, &self.rows)?;
        self.save(learner)?;
        self.env.step.set(self.step);
        let row = &self.rows[self.rows.len() - 1];
        (self.env.observer)(&TrainEvent::Step { row, line });
        Ok(())
    }

    /// The step with the best score; the latest one of equals.
    fn best(&self) -> Option<u64> {
        let scored = self.rows.iter().filter_map(|row| Some((row.score?, row.step)));
        scored.max_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)).map(|it| it.1)
    }

    fn summary(&self, ending: StopReason) -> TrainingSummary {
        TrainingSummary {
            run: self.env.run.to_string(),
            learner: self.training.settings.kind.name,
            ending,
            step: self.step,
            of: self.goal(),
            seconds: self.seconds(),
            model: self.training.folder.path().join(self.model_file("best")),
            best: self.best(),
            last: self.rows.last().cloned(),
        }
    }
}

/// The metrics of a row as records for a store.
fn metric_records(run: &str, row: &MetricsRow) -> Vec<StoreRecord> {
    let record = |(name, value): (String, f64)| {
        StoreRecord::Metric(Metric { run: run.to_string(), name, step: row.step, value, at: now() })
    };
    row.numbers().into_iter().map(record).collect()
}
