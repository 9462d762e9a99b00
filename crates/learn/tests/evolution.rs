//! Whole runs on tic-tac-toe, small enough for a test: they repeat, on any number of threads, and after any
//! interruption.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tesuji_learn::evolution::scenarios::{self, RivalSource};
use tesuji_learn::evolution::settings::{
    Fitness, Games, Mating, SearchStyle, TieRule, TreeWeights,
};
use tesuji_learn::evolution::{
    Ending, Given, Progress, RunFolder, RunName, Settings, Summary, TrainError, Training,
    properties,
};
use tesuji_learn::forest::{Shape, xml};
use tesuji_queue::rehearsal::Elsewhere;
use tesuji_queue::{Batch, Finished, Performed, Pool, QueueError, Task, Tasks, WorkQueue};

fn settings() -> Settings {
    let text = "game = 'tictactoe'\nseed = 11\nthreads = 1\n\
        [forest]\ntrees = 6\nattributes = 4\nwindow = 3\n\
        [evolution]\npopulation = 3\nmutation = 0.4\n\
        [search]\ndepth = 1\nradius = 0\n\
        [stop]\niterations = 5\n\
        [data]\nrandom = 20\nmixed = 20\nheuristic = 10\nopenings = 1\n";
    Settings::from_toml(text).unwrap()
}

fn begin(path: &Path, settings: &Settings) {
    let given = Given { form: "toml", text: settings.to_toml() };
    let name = RunName { id: "test".to_string(), started_at: 1 };
    RunFolder::create(path, &given, &settings.to_toml(), &name).unwrap();
}

/// Games are too short to be interrupted among many: these come four at a time.
struct Fours(Pool);

impl WorkQueue for Fours {
    fn perform(
        &self,
        batch: &Batch<'_>,
        each: &mut dyn FnMut(Vec<Finished>) -> ControlFlow<()>,
    ) -> Result<Performed, QueueError> {
        for units in batch.units.chunks(4) {
            self.0.perform(&Batch { units, ..batch.clone() }, each)?;
        }
        Ok(Performed::default())
    }
}

/// Goes on with a run; `stop_after` games it is interrupted.
fn go_on(path: &Path, settings: &Settings, stop_after: Option<u64>) -> Result<Summary, TrainError> {
    go_on_with(path, settings, stop_after, Arc::new(Fours(Pool::new(settings.threads))))
}

fn go_on_with(
    path: &Path,
    settings: &Settings,
    stop_after: Option<u64>,
    queue: Arc<dyn WorkQueue>,
) -> Result<Summary, TrainError> {
    let store = tesuji_store::open(path.join("samples.db").to_str().unwrap()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let training = Training {
        settings: settings.clone(),
        folder: RunFolder::open(path).unwrap(),
        store,
        rivals: Arc::new(|_, player| Err(format!("nobody is called {player}"))),
        queue,
        stop: stop.clone(),
    };
    let mut games = 0;
    training.run(&mut |_: &Progress<'_>| {
        games += 1;
        stop.fetch_or(stop_after.is_some_and(|most| games > most), Ordering::Relaxed);
    })
}

fn results(path: &Path) -> [String; 2] {
    ["best.xml", "checkpoint.json"].map(|file| fs::read_to_string(path.join(file)).unwrap())
}

/// A run from its beginning to its end.
fn whole(settings: &Settings) -> [String; 2] {
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path(), settings);
    let summary = go_on(folder.path(), settings, None).unwrap();
    assert_eq!(summary.iterations, settings.stop.iterations.unwrap());
    results(folder.path())
}

#[test]
fn a_run_repeats_on_any_number_of_threads() {
    let one = settings();
    let expected = whole(&one);
    for threads in [1, 2, 5] {
        assert_eq!(whole(&Settings { threads, ..one.clone() }), expected, "{threads} threads");
    }
    assert_ne!(whole(&Settings { seed: 12, ..one }), expected);
}

/// Workers on other machines, as far as this crate has them.
fn elsewhere() -> Arc<dyn WorkQueue> {
    let nobody: RivalSource = Arc::new(|_, player| Err(format!("nobody is {player}")));
    let exercises = Task::new(scenarios::TASK, move |parcel| scenarios::open(parcel, &nobody));
    Arc::new(Elsewhere::new(Tasks::new(tesuji_learn::tasks().into_iter().chain([exercises]))))
}

#[test]
fn a_run_repeats_on_other_machines() {
    let mut settings = settings();
    settings.evolution.fitness = Fitness::Both;
    settings.forest.tree_weights = TreeWeights::Evolved;
    let expected = whole(&settings);
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path(), &settings);
    // Some of it here, the rest elsewhere.
    go_on(folder.path(), &settings, Some(25)).unwrap();
    let summary = go_on_with(folder.path(), &settings, None, elsewhere()).unwrap();
    assert_eq!(summary.ending, Ending::Iterations);
    assert_eq!(results(folder.path()), expected);
    // All of it elsewhere, the seed games included.
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path(), &settings);
    go_on_with(folder.path(), &settings, None, elsewhere()).unwrap();
    assert_eq!(results(folder.path()), expected);
}

#[test]
fn an_interrupted_run_ends_as_if_nothing_had_happened() {
    let mut settings = settings();
    settings.threads = 2;
    let expected = whole(&settings);
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path(), &settings);
    let mut interruptions = 0;
    loop {
        let summary = go_on(folder.path(), &settings, Some(7)).unwrap();
        if summary.ending == Ending::Iterations {
            break;
        }
        assert_eq!(summary.ending, Ending::Interrupted);
        interruptions += 1;
        assert!(interruptions < 100, "it does not come any further");
    }
    assert!(interruptions > 5, "{interruptions}");
    assert_eq!(results(folder.path()), expected);
    let metrics = fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 5);
    for picture in ["score", "time", "error", "speed"] {
        assert!(folder.path().join(format!("plots/{picture}.svg")).is_file());
    }
    assert_eq!(fs::read_dir(folder.path().join("forests")).unwrap().count(), 6);
    // Finished, it stays as it is; made longer, it goes on as one that was longer from the beginning.
    assert_eq!(go_on(folder.path(), &settings, None).unwrap().ending, Ending::Iterations);
    assert_eq!(results(folder.path()), expected);
    settings.stop.iterations = Some(7);
    go_on(folder.path(), &settings, None).unwrap();
    assert_eq!(results(folder.path()), whole(&settings));
}

#[test]
fn every_option_repeats_too() {
    let plain = settings();
    let variants: [fn(&mut Settings); 6] = [
        |it| it.forest.tree_weights = TreeWeights::Evolved,
        |it| it.forest.tree_weights = TreeWeights::Error,
        |it| it.evolution.mating = Mating::Full,
        |it| {
            it.evolution.games = Games::Full;
            it.forest.shape = Shape::Lines;
        },
        |it| it.evolution.fitness = Fitness::Both,
        |it| {
            it.search.ties = TieRule::Random;
            it.search.style = SearchStyle::Strong;
            it.data.openings = 0;
        },
    ];
    let mut seen = vec![whole(&Settings { stop: stop(2), ..plain.clone() })];
    for change in variants {
        let mut settings = Settings { stop: stop(2), ..plain.clone() };
        change(&mut settings);
        let one = whole(&settings);
        assert_eq!(whole(&Settings { threads: 2, ..settings }), one);
        assert!(!seen.contains(&one), "it changes nothing");
        seen.push(one);
    }
}

fn stop(iterations: u64) -> tesuji_learn::evolution::settings::StopSettings {
    let iterations = Some(iterations);
    tesuji_learn::evolution::settings::StopSettings { iterations, ..Default::default() }
}

#[test]
fn a_run_stops_by_time_and_by_stagnation() {
    let mut settings = settings();
    settings.stop = stop(1000);
    settings.stop.stagnation = Some(2);
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path(), &settings);
    assert_eq!(go_on(folder.path(), &settings, None).unwrap().ending, Ending::Stagnation);
    settings.stop.stagnation = None;
    settings.stop.seconds = Some(0.0);
    assert_eq!(go_on(folder.path(), &settings, None).unwrap().ending, Ending::Time);
}

/// A checkpoint and samples that do not belong together are noticed.
#[test]
fn other_samples_are_noticed() {
    let settings = settings();
    let folder = tempfile::tempdir().unwrap();
    begin(folder.path(), &settings);
    go_on(folder.path(), &settings, None).unwrap();
    let other = tempfile::tempdir().unwrap();
    begin(other.path(), &settings);
    go_on(other.path(), &Settings { seed: 5, ..settings.clone() }, None).unwrap();
    let before = results(folder.path());
    fs::copy(other.path().join("samples.db"), folder.path().join("samples.db")).unwrap();
    let error = go_on(folder.path(), &settings, None).unwrap_err().to_string();
    assert!(error.contains("the samples in the store have changed"), "{error}");
    for file in ["samples.db", "samples.db-wal", "samples.db-shm"] {
        let _ = fs::remove_file(folder.path().join(file));
    }
    let error = go_on(folder.path(), &settings, None).unwrap_err().to_string();
    assert!(error.contains("has 0 of the 140 samples"), "{error}");
    assert_eq!(results(folder.path()), before, "nothing was overwritten");
}

#[test]
fn the_forest_that_is_kept_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings();
    begin(folder.path(), &settings);
    go_on(folder.path(), &settings, None).unwrap();
    let forest = xml::load(&folder.path().join("best.xml")).unwrap();
    assert_eq!(forest.woods.len(), 6);
    assert_eq!(forest.game, "tictactoe");
}

/// Every example is valid, and the `.properties` say the same as the TOML beside them.
#[test]
fn examples_come_in_equal_pairs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/training");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut pairs = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        let toml = Settings::from_toml(&read(path)).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let twin = path.with_extension("properties");
        let java = properties::read(&read(&twin)).unwrap_or_else(|e| panic!("{twin:?}: {e}"));
        assert_eq!(java, toml, "{path:?}");
        pairs += 1;
    }
    assert_eq!(pairs, 5);
}
