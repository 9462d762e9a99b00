//! `tesuji experiment` with the real binary: an experiment that is killed at any moment and resumed
//! ends with the same results.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use tesuji_games::random::{below, seeded};

use crate::error_texts::{check, refuses};
use crate::terminal::Terminal;

const TRAINING: &str = "\
seeds = [1, 2]
[train]
game = 'tictactoe'
stop = { iterations = 4 }
measure = { opponents = ['random', 'start'], games = 10 }
[train.forest]
attributes = 4
[train.evolution]
population = 3
[train.search]
depth = 1
[grid]
'forest.trees' = [3, 6, 9]
";

fn terminal_with(text: &str) -> Terminal {
    let terminal = Terminal::new();
    fs::write(terminal.folder().join("trees.toml"), text).unwrap();
    terminal
}

#[test]
fn a_killed_experiment_ends_with_the_same_results() {
    let terminal = terminal_with(TRAINING);
    let report = terminal.run("experiment trees.toml --out calm --jobs 2 --json").json();
    assert_eq!(
        (report["folder"].as_str(), report["cells"].as_array().unwrap().len()),
        (Some("calm"), 6)
    );
    let result =
        |out: &str, file: &str| fs::read_to_string(terminal.folder().join(out).join(file)).unwrap();
    let mut rng = seeded(5);
    for _ in 0..6 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["experiment", "trees.toml", "--out", "stormy", "--jobs", "2"])
            .current_dir(terminal.folder())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 + u64::from(below(&mut rng, 150))));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let answer = terminal.run("experiment trees.toml --out stormy");
    assert!(answer.code == 0 && answer.stdout.contains("saved in stormy: "), "{answer:?}");
    for file in ["results.json", "results.csv", "results.txt", "results.svg"] {
        assert_eq!(result("stormy", file), result("calm", file), "{file}");
    }
    let finished = result("stormy", "trees-6_seed-2/metrics.jsonl");
    terminal.run("experiment trees.toml --out stormy").success();
    assert_eq!(
        result("stormy", "trees-6_seed-2/metrics.jsonl"),
        finished,
        "a finished run is not changed"
    );
    let names = terminal.run("experiment trees.toml --dry-run").success();
    assert_eq!(names.lines().count(), 6, "{names}");
    assert!(names.contains("trees-9_seed-2\n"), "{names}");
}

#[test]
fn bad_input_is_refused_in_one_line_before_a_run_starts() {
    let (randm, tree, zero) = (
        TRAINING.replace("'random'", "'randm'"),
        TRAINING.replace("forest.trees", "forest.tree"),
        TRAINING.replace("9]", "0]"),
    );
    let learner = TRAINING.replace("game =", "learner = 'x'\ngame =");
    for (what, text, options) in [
        ("six runs", TRAINING, "--limit 5"),
        ("no TOML", "x", ""),
        ("no table", "seeds = [1]", ""),
        ("opponent randm", &randm, ""),
        ("forest.tree", &tree, ""),
        ("forest.trees = 0", &zero, ""),
        ("learner x", &learner, ""),
    ] {
        let terminal = terminal_with(text);
        let command_line = format!("experiment trees.toml {options}");
        let label = format!("{command_line} # {what}");
        check(&terminal, "experiments", 2, &label, &terminal.run(&command_line));
        assert!(!terminal.folder().join("runs").exists(), "{text}: a run was started");
    }
    let terminal = terminal_with(TRAINING);
    fs::create_dir(terminal.folder().join("other")).unwrap();
    fs::write(terminal.folder().join("other/experiment.toml"), "seeds = [7]\n").unwrap();
    refuses(&terminal, "experiments", 2, "experiment trees.toml --out other");
}
