//! Starts, interrupts and resumes runs for tests, locally or on other machines.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tesuji_learn::read_settings;
use tesuji_play::{ProgramPolicy, Roster};
use tesuji_queue::testing::LoopbackQueue;
use tesuji_queue::{JobKinds, Pool, WorkQueue};
use tesuji_train::{
    RunFolder, RunInfo, RunSettings, SettingsFile, TrainError, TrainEvent, Training,
    TrainingSummary,
};

/// An empty table of players, so runs are not measured.
pub(crate) const NO_PLAYERS: Roster = Roster::new(&[]);

/// Settings without a measurement.
pub(crate) fn settings(text: &str) -> RunSettings {
    let settings = read_settings(text).unwrap();
    match settings.common.measure {
        Some(_) => with(&settings, "measure.every", 0),
        None => settings,
    }
}

/// The same settings with another value.
pub(crate) fn with(
    settings: &RunSettings,
    key: &str,
    value: impl Into<toml::Value>,
) -> RunSettings {
    settings.with(&[(key.to_string(), value.into())]).unwrap()
}

/// A queue that simulates workers on other machines.
pub(crate) fn loopback() -> LoopbackQueue {
    let games = tesuji_builtin::registry();
    LoopbackQueue::new(JobKinds::new(tesuji_learn::job_kinds(
        &games,
        NO_PLAYERS,
        ProgramPolicy::Refused,
    )))
}

/// Resumes the run in a folder, or begins it.
pub(crate) fn train(path: &Path, settings: &RunSettings) -> Result<TrainingSummary, TrainError> {
    train_by(&Pool::new(2), path, settings, &mut |_, _| {})
}

/// The same; the run is stopped after this many events.
pub(crate) fn train_until(
    path: &Path,
    settings: &RunSettings,
    events: usize,
) -> Result<TrainingSummary, TrainError> {
    let mut left = events;
    train_by(&Pool::new(2), path, settings, &mut |_, stop| {
        left = left.saturating_sub(1);
        stop.store(left == 0, Relaxed);
    })
}

/// Trains on a queue; the observer may set the stop flag.
pub(crate) fn train_by(
    queue: &dyn WorkQueue,
    path: &Path,
    settings: &RunSettings,
    observer: &mut dyn FnMut(&TrainEvent<'_>, &AtomicBool),
) -> Result<TrainingSummary, TrainError> {
    let folder = match RunFolder::holds_run(path) {
        true => RunFolder::open(path)?,
        false => {
            let original = SettingsFile { extension: "toml", text: settings.toml.clone() };
            let info = RunInfo::new("test".to_string(), settings.kind.name);
            RunFolder::create(path, &original, &settings.toml, &info)?
        }
    };
    let database = path.join("samples.db");
    let store = settings.kind.keeps_samples.then(|| {
        let store = tesuji_store::open(database.to_str().unwrap()).unwrap();
        Arc::from(store)
    });
    let stop = Arc::new(AtomicBool::new(false));
    let training = Training {
        settings,
        folder: &folder,
        queue,
        store,
        games: &tesuji_builtin::registry(),
        players: NO_PLAYERS,
        threads: None,
        steps: None,
        tensorboard: false,
        stop: stop.clone(),
    };
    training.run(&mut |event| observer(event, &stop))
}

/// The results that must not depend on threads, machines and interruptions: the models, the
/// checkpoint, and the metrics without times.
pub(crate) fn results(
    path: &Path,
    settings: &RunSettings,
) -> (Vec<Vec<u8>>, Vec<serde_json::Value>) {
    let extension = settings.kind.extension;
    let files =
        [format!("best.{extension}"), format!("last.{extension}"), "checkpoint".to_string()];
    let files = files.map(|file| std::fs::read(path.join(file)).unwrap()).to_vec();
    (files, metrics(path))
}

/// The lines of the metrics without times.
pub(crate) fn metrics(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path.join("metrics.jsonl")).unwrap();
    let without_time = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields = line.as_object_mut().unwrap();
        fields.retain(|name, _| !name.contains("second"));
        // Games in the store are not played again, so these may differ.
        for name in ["nodes", "plies"] {
            fields.remove(name);
        }
        line
    };
    text.lines().map(without_time).collect()
}
