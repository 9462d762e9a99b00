//! Complete small runs on tic-tac-toe: every option is reproducible, and the stop conditions work.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use tesuji_learn::evolution::properties;
use tesuji_learn::evolution::settings::{
    FitnessSource, ForestLearnerSettings, GameSchedule, Mating, StopSettings, TreeWeights,
};
use tesuji_learn::forest::{PatternShape, SearchStyle, TieBreak, xml};
use tesuji_store::{Record, RecordKind, Selection};
use tesuji_train::{LearnerSettings as _, RunSettings, StopReason, TrainError, TrainingSummary};

use crate::run::{self, results, train};

fn settings() -> ForestLearnerSettings {
    let text = "game = 'tictactoe'\nseed = 11\nthreads = 1\n\
        [forest]\ntrees = 6\nattributes = 4\nwindow = 3\n\
        [evolution]\npopulation = 3\nmutation = 0.4\n\
        [search]\ndepth = 1\nradius = 0\n\
        [stop]\niterations = 5\n\
        [data]\nrandom = 20\nmixed = 20\nheuristic = 10\nopenings = 1\n";
    ForestLearnerSettings::from_toml(text).unwrap()
}

fn erased(settings: &ForestLearnerSettings) -> RunSettings {
    run::settings(&settings.to_toml())
}

fn run_training(
    path: &Path,
    settings: &ForestLearnerSettings,
) -> Result<TrainingSummary, TrainError> {
    train(path, &erased(settings))
}

/// The results of a complete run.
fn complete_run(settings: &ForestLearnerSettings) -> (Vec<Vec<u8>>, Vec<serde_json::Value>) {
    let folder = tempfile::tempdir().unwrap();
    run_training(folder.path(), settings).unwrap();
    results(folder.path(), &erased(settings))
}

#[test]
fn an_extended_run_equals_a_longer_run() {
    let mut settings = settings();
    let folder = tempfile::tempdir().unwrap();
    run_training(folder.path(), &settings).unwrap();
    assert_eq!(fs::read_dir(folder.path().join("models")).unwrap().count(), 6);
    settings.stop.iterations = Some(7);
    run_training(folder.path(), &settings).unwrap();
    assert_eq!(results(folder.path(), &erased(&settings)), complete_run(&settings));
}

#[test]
fn every_option_is_reproducible() {
    let plain = settings();
    let variants: [fn(&mut ForestLearnerSettings); 6] = [
        |it| it.forest.tree_weights = TreeWeights::Evolved,
        |it| it.forest.tree_weights = TreeWeights::Error,
        |it| it.evolution.mating = Mating::Full,
        |it| {
            it.evolution.games = GameSchedule::Full;
            it.forest.shape = PatternShape::Lines;
        },
        |it| it.evolution.fitness = FitnessSource::Both,
        |it| {
            it.search.ties = TieBreak::Random;
            it.search.style = SearchStyle::Strong;
            it.data.openings = 0;
        },
    ];
    let mut seen = vec![complete_run(&ForestLearnerSettings { stop: stop(2), ..plain.clone() })];
    for change in variants {
        let mut settings = ForestLearnerSettings { stop: stop(2), ..plain.clone() };
        change(&mut settings);
        let one = complete_run(&settings);
        assert_eq!(complete_run(&ForestLearnerSettings { threads: 2, ..settings }), one);
        assert!(!seen.contains(&one), "the option has an effect");
        seen.push(one);
    }
}

fn stop(iterations: u64) -> StopSettings {
    StopSettings { iterations: Some(iterations), ..Default::default() }
}

#[test]
fn a_run_stops_by_time_and_by_stagnation() {
    let mut settings = settings();
    settings.stop = stop(1000);
    settings.stop.stagnation = Some(2);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run_training(folder.path(), &settings).unwrap().ending, StopReason::Stagnation);
    settings.stop.stagnation = None;
    settings.stop.seconds = Some(0.0);
    assert_eq!(run_training(folder.path(), &settings).unwrap().ending, StopReason::Time);
}

/// The numbers of windows of the games before the first iteration and of later ones.
fn stored_windows(settings: &ForestLearnerSettings) -> [Vec<usize>; 2] {
    let folder = tempfile::tempdir().unwrap();
    run_training(folder.path(), settings).unwrap();
    let store = tesuji_store::open_existing(folder.path().join("samples.db").to_str().unwrap());
    let mut counts = [Vec::new(), Vec::new()];
    let each = &mut |record| {
        if let Record::Sample(sample) = record {
            let is_later = !sample.key.contains("/seed/");
            counts[usize::from(is_later)].push(sample.position.split(' ').count());
        }
        ControlFlow::Continue(())
    };
    store.unwrap().for_each(&Selection::all(RecordKind::Sample), each).unwrap();
    counts
}

/// Games that do not become samples are stored with their last window only.
#[test]
fn only_samples_have_earlier_windows() {
    for growing in [true, false] {
        let mut settings = ForestLearnerSettings { stop: stop(2), ..settings() };
        (settings.data.earlier, settings.data.growing) = (2, growing);
        let [before, later] = stored_windows(&settings);
        let windows = if growing { 3 } else { 1 };
        assert!(before.len() == 50 && before.iter().all(|&count| count == 3), "{before:?}");
        assert!(!later.is_empty() && later.iter().all(|&count| count == windows), "{later:?}");
    }
}

/// Samples that do not match the checkpoint are detected.
#[test]
fn other_samples_are_detected() {
    let settings = settings();
    let folder = tempfile::tempdir().unwrap();
    run_training(folder.path(), &settings).unwrap();
    let other = tempfile::tempdir().unwrap();
    run_training(other.path(), &ForestLearnerSettings { seed: 5, ..settings.clone() }).unwrap();
    let before = results(folder.path(), &erased(&settings));
    fs::copy(other.path().join("samples.db"), folder.path().join("samples.db")).unwrap();
    let error = run_training(folder.path(), &settings).unwrap_err().to_string();
    assert!(error.contains("the samples in the store have changed"), "{error}");
    for file in ["samples.db", "samples.db-wal", "samples.db-shm"] {
        let _ = fs::remove_file(folder.path().join(file));
    }
    let error = run_training(folder.path(), &settings).unwrap_err().to_string();
    assert!(error.contains("has 0 of the 140 samples"), "{error}");
    assert_eq!(results(folder.path(), &erased(&settings)), before, "nothing was overwritten");
}

#[test]
fn the_best_forest_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings();
    run_training(folder.path(), &settings).unwrap();
    let forest = xml::load(&folder.path().join("best.xml")).unwrap();
    assert_eq!(forest.trees.len(), 6);
    assert_eq!(forest.game, "tictactoe");
}

/// Every example is valid, and the `.properties` file is equivalent to the TOML file of the same
/// name.
#[test]
fn examples_come_in_equivalent_pairs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/training");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut pairs = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        let toml = ForestLearnerSettings::from_toml(&read(path))
            .unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let twin = path.with_extension("properties");
        let java = properties::read(&read(&twin)).unwrap_or_else(|e| panic!("{twin:?}: {e}"));
        assert_eq!(java, toml, "{path:?}");
        pairs += 1;
    }
    assert_eq!(pairs, 5);
}
