//! Experiments: every combination with every seed, resume without repetition, result files.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use tesuji_app::experiment::{Experiment, ExperimentError, ExperimentOptions, ExperimentResult};

const TRAINING: &str = "
title = 'Trees'
seeds = [1, 2]
[train]
game = 'tictactoe'
data = { random = 20, mixed = 10, heuristic = 10 }
stop = { iterations = 2 }
measure = { opponents = ['random'], games = 4, every = 1 }
[train.forest]
attributes = 4
[train.evolution]
population = 2
[train.search]
depth = 1
[grid]
'forest.trees' = [2, 4]
";

const MATCHES: &str = "
seeds = [1, 2, 3]
[match]
game = 'tictactoe'
player = 'mcts'
opponents = ['random', 'heuristic']
games = 4
[grid]
sims = [5, 50]
c = [0.5]
";

fn run(
    text: &str,
    folder: &Path,
    stop_after: usize,
) -> (Result<Option<ExperimentResult>, ExperimentError>, usize) {
    let games = tesuji_builtin::registry();
    let experiment = Experiment::read(text, &games).unwrap();
    let (stop, made) = (Arc::new(AtomicBool::new(false)), AtomicUsize::new(0));
    let options = ExperimentOptions {
        games: &games,
        queue: None,
        store: None,
        open: &tesuji_store::open_with,
        jobs: 1,
        stop: stop.clone(),
    };
    let result = experiment.run(folder, &options, &|done, _| {
        made.fetch_add(1, Relaxed);
        stop.store(done >= stop_after, Relaxed);
    });
    (result, made.into_inner())
}

#[test]
fn every_combination_is_made_with_every_seed_and_nothing_twice() {
    let place = tempfile::tempdir().unwrap();
    for (text, runs, cells) in [(TRAINING, 4, 2), (MATCHES, 6, 4)] {
        let calm = place.path().join(format!("calm-{runs}"));
        let (result, made) = run(text, &calm, usize::MAX);
        let result = result.unwrap().unwrap();
        assert_eq!((made, result.cells.len()), (runs, cells));
        for cell in &result.cells {
            assert_eq!(cell.scores.len(), result.seeds.len());
            assert!((0.0..=1.0).contains(&cell.score), "{cell:?}");
        }
        for (name, content) in result.files() {
            assert_eq!(fs::read_to_string(calm.join(name)).unwrap(), content);
        }
        let text_table = fs::read_to_string(calm.join("results.txt")).unwrap();
        assert_eq!(text_table.lines().count(), 3 + cells, "{text_table}");
        let csv = fs::read_to_string(calm.join("results.csv")).unwrap();
        assert_eq!(csv.lines().count(), 1 + cells, "{csv}");
        check_curves(&result, &calm);

        // After a stop, it completes the missing runs.
        let stormy = place.path().join(format!("stormy-{runs}"));
        let (stopped, made) = run(text, &stormy, 2);
        assert!(stopped.unwrap().is_none() && made == 2);
        assert!(!stormy.join("results.json").exists());
        let before = written(&stormy);
        let (resumed, _) = run(text, &stormy, usize::MAX);
        assert_eq!(resumed.unwrap().unwrap(), result);
        for (path, content) in before {
            assert_eq!(fs::read(&path).unwrap(), content, "{}: made again", path.display());
        }
        // Another experiment cannot use its folder.
        let (other, _) = run(&text.replace("seeds = [1", "seeds = [7"), &stormy, usize::MAX);
        let error = other.unwrap_err().to_string();
        assert!(error.contains("holds another experiment"), "{error}");
    }
}

/// Training runs have a score after each of their two steps, the last of which is the result;
/// matches have no steps.
fn check_curves(result: &ExperimentResult, folder: &Path) {
    let csv = fs::read_to_string(folder.join("curves.csv")).unwrap_or_default();
    let steps: Vec<u64> = result.steps.iter().map(|it| it.step).collect();
    match result.keys[0].starts_with("forest.") {
        true => {
            assert_eq!((steps, csv.lines().count()), (vec![1, 2, 1, 2], 5), "{csv}");
            let last = result.steps.iter().filter(|it| it.step == 2).map(|it| &it.cell);
            assert!(last.eq(&result.cells));
            assert!(folder.join("curves.svg").is_file());
        }
        false => assert!(steps.is_empty() && csv.is_empty()),
    }
}

/// The files of completed runs, which must not change when the experiment resumes.
fn written(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let runs = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = runs.flat_map(|run| ["metrics.jsonl", "checkpoint"].map(|file| run.join(file)));
    files.filter_map(|path| Some((path.clone(), fs::read(&path).ok()?))).collect()
}

#[test]
fn invalid_files_are_refused_in_one_line() {
    let games = tesuji_builtin::registry();
    for (text, words) in [
        ("x", "line 1"),
        ("seeds = [1]", "[train] or [match]"),
        (&*TRAINING.replace("seeds = [1, 2]", "seeds = []"), "`seeds` is empty"),
        (&*TRAINING.replace("[2, 4]", "[]"), "has no values"),
        (&*TRAINING.replace("[2, 4]", "[2, 100000]"), "`forest.trees` is 100000"),
        (&*TRAINING.replace("forest.trees", "forest.tree"), "unknown field `tree`"),
        (&*TRAINING.replace("tictactoe", "tictactoo"), "tictactoo"),
        (&*TRAINING.replace("stop = { iterations = 2 }", ""), "has no end"),
        (&*TRAINING.replace("every = 1", "every = 0"), "measures nothing"),
        (&*TRAINING.replace("'random'", "'randm'"), "randm"),
        (&*TRAINING.replace("[train]", "[train]\nlearner = 'none'"), "unknown `learner`"),
        (&*MATCHES.replace("games = 4", "games = 5"), "even number of games"),
        (&*MATCHES.replace("sims", "simms"), "simms"),
        (&*MATCHES.replace("'mcts'", "'human'"), "human"),
    ] {
        let error = Experiment::read(text, &games).unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains('\n'), "{text}: {error}");
    }
}
