//! Training runs with real players: opponents, measurement, the best model, runs of older versions,
//! and a full disk.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tesuji_app::training::{TrainingOptions, TrainingPlan};
use tesuji_learn::read_settings;
use tesuji_play::ProgramPolicy;
use tesuji_queue::testing::LoopbackQueue;
use tesuji_queue::{JobKinds, Pool, WorkQueue};
use tesuji_train::{
    MetricsRow, RunFolder, RunState, SettingsFile, StopReason, TrainError, TrainEvent,
    TrainingSummary,
};

const RIVALS: &str = "
game = 'tictactoe'
seed = 4
[forest]
trees = 5
attributes = 4
window = 3
[evolution]
population = 2
fitness = 'scenarios'
[evolution.scenarios]
count = 2
games = 2
rivals = ['alphabeta:depth=2', 'mcts:sims=20']
[search]
depth = 1
[stop]
iterations = 2
[data]
random = 20
mixed = 10
heuristic = 10
[measure]
every = 0
";

/// A run that is measured after every second step.
const MEASURED: &str = "
game = 'tictactoe'
seed = 4
[forest]
trees = 5
attributes = 4
window = 3
[evolution]
population = 2
[search]
depth = 1
[stop]
iterations = 5
[data]
random = 20
mixed = 10
heuristic = 10
[measure]
every = 2
games = 8
opponents = ['start', 'random', 'champion']
";

fn elsewhere() -> LoopbackQueue {
    let games = tesuji_builtin::registry();
    LoopbackQueue::new(JobKinds::new(tesuji_app::job_kinds(&games, ProgramPolicy::Refused)))
}

fn plan(text: &str, path: &Path) -> TrainingPlan {
    let settings = read_settings(text).unwrap();
    if RunFolder::holds_run(path) {
        return TrainingPlan::resumed(settings, path.to_path_buf()).unwrap();
    }
    let given = SettingsFile { extension: "toml", text: text.to_string() };
    TrainingPlan::new(settings, given, path.to_path_buf()).unwrap()
}

/// Starts or resumes a run; the observer may set the stop flag.
fn train(
    text: &str,
    path: &Path,
    queue: &dyn WorkQueue,
    observer: &mut dyn FnMut(&TrainEvent<'_>, &AtomicBool),
) -> Result<TrainingSummary, TrainError> {
    let (games, stop) = (tesuji_builtin::registry(), Arc::new(AtomicBool::new(false)));
    let plan = plan(text, path);
    plan.check(&games)?;
    let options = TrainingOptions {
        games: &games,
        queue,
        threads: None,
        steps: None,
        tensorboard: true,
        stop: stop.clone(),
    };
    plan.run(&options, None, &tesuji_store::open_with, &mut |event| observer(event, &stop))
}

fn calmly(text: &str, path: &Path) -> Result<TrainingSummary, TrainError> {
    train(text, path, &Pool::new(2), &mut |_, _| {})
}

/// The best model, the last one, the checkpoint, and the metrics without times.
fn results(path: &Path) -> (Vec<Vec<u8>>, Vec<MetricsRow>) {
    let files = ["best.xml", "last.xml", "checkpoint"];
    (files.map(|file| fs::read(path.join(file)).unwrap()).to_vec(), rows(path))
}

fn rows(path: &Path) -> Vec<MetricsRow> {
    let text = fs::read_to_string(path.join("metrics.jsonl")).unwrap();
    let row = |line: &str| {
        let mut row: MetricsRow = serde_json::from_str(line).unwrap();
        // Games from the store are not searched again.
        row.values
            .retain(|name, _| !name.contains("second") && !["nodes", "plies"].contains(&&**name));
        MetricsRow { seconds: 0.0, ..row }
    };
    text.lines().map(row).collect()
}

#[test]
fn rivals_play_the_same_on_other_machines() {
    let place = tempfile::tempdir().unwrap();
    let [here, there] = ["here", "there"].map(|name| place.path().join(name));
    let last = calmly(RIVALS, &here).unwrap().last.unwrap();
    assert!(last.number("solved").is_some_and(|share| share > 0.0), "{last:?}");
    train(RIVALS, &there, &elsewhere(), &mut |_, _| {}).unwrap();
    assert_eq!(results(&here), results(&there));
}

#[test]
fn players_that_cannot_be_are_refused_before_a_folder_is_made() {
    let place = tempfile::tempdir().unwrap();
    for (rival, words) in [
        ("nobody", "player 'nobody': unknown"),
        ("gomoku", "'gomoku': does not support"),
        ("human", "human"),
    ] {
        for text in [
            RIVALS.replace("'alphabeta:depth=2'", &format!("'{rival}'")),
            MEASURED.replace("'random'", &format!("'{rival}'")),
        ] {
            let path = place.path().join("none");
            let error = plan(&text, &path).check(&tesuji_builtin::registry()).unwrap_err();
            let error = error.to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{text}: {error}");
            assert!(!path.exists());
        }
    }
}

#[test]
fn a_run_measures_itself_and_keeps_the_best_model() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("calm");
    let summary = calmly(MEASURED, &path).unwrap();
    let expected = results(&path);
    let measured: Vec<u64> =
        expected.1.iter().filter(|row| !row.strength.is_empty()).map(|row| row.step).collect();
    assert_eq!(measured, [2, 4, 5], "every second step, and the last one");
    for row in expected.1.iter().filter(|row| measured.contains(&row.step)) {
        let opponents: Vec<&String> = row.strength.keys().collect();
        assert_eq!(opponents, ["champion", "random", "start"]);
        let score = |name: &str| row.strength[name].score;
        assert!(row.strength.values().all(|score| score.games == 8 && score.error > 0.0));
        assert_eq!(row.score, Some((score("random") + score("start")) / 2.0), "the fixed ones");
    }
    let best = expected.1.iter().max_by(|a, b| a.score.partial_cmp(&b.score).unwrap()).unwrap();
    assert_eq!(summary.best, Some(best.step));
    let model = fs::read(path.join(format!("models/step-{:04}.xml", best.step))).unwrap();
    assert_eq!(fs::read(path.join("best.xml")).unwrap(), model);
    let svg = fs::read_to_string(path.join("plots/strength.svg")).unwrap();
    assert!(svg.contains("random") && svg.contains("champion"), "{svg}");

    // Stop after every few events, also in the middle of a measurement, and resume.
    let (stormy, mut interruptions) = (place.path().join("stormy"), 0);
    loop {
        let mut left = 2 + 7 * (interruptions % 9);
        let summary = train(MEASURED, &stormy, &Pool::new(2), &mut |_, stop| {
            left -= 1;
            stop.store(left == 0, Relaxed);
            left = left.max(1);
        });
        if summary.unwrap().ending != StopReason::Interrupted {
            break;
        }
        interruptions += 1;
        assert!(interruptions < 500, "no progress");
    }
    assert!(interruptions > 2);
    assert_eq!(results(&stormy), expected);
    // The event file has a record for each row, however often the run was resumed.
    let events = |path: &Path| {
        let mut files = fs::read_dir(path.join("tensorboard")).unwrap();
        let bytes = fs::read(files.next().unwrap().unwrap().path()).unwrap();
        assert!(files.next().is_none(), "one file for a run");
        let (mut at, mut records) = (0, 0);
        while at < bytes.len() {
            let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
            at += 16 + length as usize;
            records += 1;
        }
        assert_eq!(at, bytes.len());
        records
    };
    assert_eq!([events(&path), events(&stormy)], [6, 6], "the version and five rows");
}

#[test]
fn a_run_of_the_first_edition_is_refused_and_kept() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("old");
    calmly(RIVALS, &path).unwrap();
    fs::write(path.join("run.json"), "{\"id\":\"old-1\",\"started_at\":1}\n").unwrap();
    fs::write(path.join("checkpoint.json"), "{}").unwrap();
    let before = fs::read(path.join("metrics.jsonl")).unwrap();
    let error = calmly(RIVALS, &path).unwrap_err().to_string();
    assert!(error.contains("the first version") && error.contains("start again"), "{error}");
    assert!(!error.contains('\n'), "{error}");
    assert_eq!(fs::read(path.join("metrics.jsonl")).unwrap(), before);
}

/// A model that cannot be written, as on a full disk, is an error, and the last checkpoint stays.
/// With free space the run then ends like an undisturbed one.
#[test]
fn a_write_that_fails_keeps_the_last_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let [calm, full] = ["calm", "full"].map(|name| place.path().join(name));
    calmly(RIVALS, &calm).unwrap();
    let interrupted = train(RIVALS, &full, &Pool::new(2), &mut |event, stop| {
        stop.store(matches!(event, TrainEvent::Step { .. }), Relaxed);
    });
    assert_eq!(interrupted.unwrap().step, 1);
    let checkpoint = fs::read(full.join("checkpoint")).unwrap();
    let model = full.join("models/step-0002.xml");
    fs::create_dir_all(model.join("in the way")).unwrap();
    let error = calmly(RIVALS, &full).unwrap_err();
    assert!(matches!(error, TrainError::Folder(_)), "{error}");
    assert!(error.to_string().contains("step-0002.xml"), "{error}");
    let info = RunFolder::open(&full).unwrap().info().unwrap();
    assert_eq!((info.state, info.why), (RunState::Failed, Some(error.to_string())));
    assert_eq!(fs::read(full.join("checkpoint")).unwrap(), checkpoint);
    fs::remove_dir_all(&model).unwrap();
    calmly(RIVALS, &full).unwrap();
    assert_eq!(results(&full), results(&calm));
}
