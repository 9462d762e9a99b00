//! Training with the real binary: a run that is killed at any moment and resumed ends with the same
//! model.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tesuji_games::random::{below, seeded};

use crate::error_texts::{check, refuses};
use crate::terminal::Terminal;

const RUN: &str = "\
game = 'mnk:5x5,k=4'
seed = 3
threads = 1
[forest]
trees = 8
attributes = 5
window = 5
[evolution]
population = 4
mutation = 0.3
[search]
depth = 2
[stop]
iterations = 12
[data]
random = 100
mixed = 100
heuristic = 100
openings = 2
";

fn terminal_with(text: &str) -> Terminal {
    let terminal = Terminal::new();
    fs::write(terminal.folder().join("run.toml"), text).unwrap();
    terminal
}

fn results(terminal: &Terminal, folder: &str) -> [Vec<u8>; 2] {
    ["best.xml", "checkpoint"]
        .map(|file| fs::read(terminal.folder().join(folder).join(file)).unwrap())
}

fn start(folder: &Path, words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(words)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn kills() -> u64 {
    std::env::var("TESUJI_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

#[test]
fn a_killed_run_ends_with_the_same_forest() {
    let terminal = terminal_with(RUN);
    terminal.run("train run.toml --out calm").success();
    let expected = results(&terminal, "calm");
    let mut rng = seeded(9);
    let (mut killed, mut round) = (0, 0);
    while killed < kills() {
        let out = format!("stormy-{round}");
        let mut child = start(terminal.folder(), &["train", "run.toml", "--out", &out, "--resume"]);
        std::thread::sleep(Duration::from_millis(5 + u64::from(below(&mut rng, 250))));
        let running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        killed += u64::from(running);
        round += u64::from(!running);
    }
    for round in 0..=round {
        let out = format!("stormy-{round}");
        let report = terminal.run(&format!("train run.toml --out {out} --resume --json")).json();
        assert_eq!(report["step"], 12);
        assert_eq!(results(&terminal, &out), expected, "{out}");
        let metrics =
            fs::read_to_string(terminal.folder().join(&out).join("metrics.jsonl")).unwrap();
        let lines: Vec<Value> =
            metrics.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let iterations: Vec<u64> =
            lines.iter().map(|line| line["step"].as_u64().unwrap()).collect();
        assert_eq!(iterations, Vec::from_iter(1..=12), "each iteration is logged once");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let terminal = terminal_with(RUN);
    terminal.run("train run.toml --out one --iterations 4").success();
    terminal.run("train run.toml --out two --iterations 4 --threads 2").success();
    assert_eq!(results(&terminal, "one"), results(&terminal, "two"));
}

#[test]
fn a_run_is_resumed_only_on_request_and_with_the_same_settings() {
    let terminal = terminal_with(RUN);
    let report = terminal.run("train run.toml --iterations 1 --json").json();
    assert_eq!((&report["step"], &report["folder"]), (&Value::from(1), &Value::from("runs/run")));
    let before = results(&terminal, "runs/run");
    for command in [
        "train run.toml",
        "train run.toml --resume elsewhere --out x",
        "train --resume run.toml",
        "train --resume nowhere",
        "train --resume",
    ] {
        refuses(&terminal, "training", 2, command);
    }
    fs::write(terminal.folder().join("run.toml"), RUN.replace("trees = 8", "trees = 9")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    check(&terminal, "training", 2, "train run.toml --resume # 9 trees", &answer);
    assert_eq!(results(&terminal, "runs/run"), before, "the run is unchanged");
    let report = terminal.run("train --resume runs/run --iterations 2 --json").json();
    assert_eq!(report["step"], 2);
    let info = terminal.run("store info runs/run/samples.db --json").json();
    assert_eq!(info["counts"]["sample"], 300 + 2 * 32);
    assert_eq!(info["counts"]["run"], 1);
    assert!(info["counts"]["metric"].as_u64().unwrap() >= 10, "{info}");
}

/// An iteration of this learner is a block of games.
#[test]
fn training_of_weights_stops_after_some_iterations_and_resumes() {
    let text = "learner = 'weights'\ngame = 'mnk:5x5,k=4'\n[patterns]\ncount = 4\ncells = [4]\nwindow = 4\n\
                [learning]\ngames = 50\nblock = 20\n[measure]\nevery = 0\n";
    let terminal = terminal_with(text);
    let steps = |command: &str| {
        let report = terminal.run(command).json();
        [&report["step"], &report["of"]].map(|number| number.as_u64().unwrap())
    };
    assert_eq!(steps("train run.toml --steps 1 --json"), [1, 1]);
    assert_eq!(steps("train --resume runs/run --iterations 2 --json"), [2, 2]);
    assert_eq!(steps("train --resume runs/run --steps 2 --json"), [2, 2]);
    assert_eq!(steps("train --resume runs/run --steps 9 --json"), [3, 3]);
    assert_eq!(steps("train run.toml --out whole --json"), [3, 3]);
    let weights = |run: &str| fs::read(terminal.folder().join(run).join("best.tuples")).unwrap();
    assert_eq!(
        weights("runs/run"),
        weights("whole"),
        "a stopped and resumed run gives the same weights"
    );
    let answer = terminal.run("train run.toml --out other --threads 2");
    assert!(answer.code == 2 && answer.stderr.contains("uses one thread"), "{answer:?}");
    assert!(!terminal.folder().join("other").exists());
}

/// Damaged logs are skipped, counted and named in one line, all of them with -v; without any other
/// log, the run fails.
#[test]
fn damaged_logs_are_named_and_skipped() {
    let terminal = terminal_with(
        "learner = 'gem-outcome'\ndata = 'logs'\nlogs = 'logs'\nthreads = 1\n\
         [learning]\nblocks = 1\n[games]\nblock = 4\n[measure]\nevery = 0\n",
    );
    fs::create_dir(terminal.folder().join("logs")).unwrap();
    fs::write(terminal.folder().join("logs/bad.txt"), "20\t3\t9\t9\n0\tx\n").unwrap();
    let answer = terminal.run("train run.toml --out none");
    assert_eq!((answer.code, answer.stderr.lines().count()), (2, 1), "{answer:?}");
    assert!(answer.stderr.contains("bad.txt"), "{answer:?}");
    assert!(!terminal.folder().join("none").exists());
    terminal.run("gem play --agent random --seed 1 --log logs/good.txt").success();
    terminal.run_with_input("gem play --seed 1 --log logs/left.txt", "quit\n").success();
    for name in ["worse.txt", "other.txt", "empty.txt"] {
        fs::write(terminal.folder().join("logs").join(name), "1\t2\n").unwrap();
    }
    let answer = terminal.run("train run.toml --out some");
    assert_eq!(answer.code, 0, "{answer:?}");
    let line = "warning: logs: skipped 4 damaged (bad.txt, empty.txt, other.txt, …) and 1 unfinished \
                of 6 logs\n";
    assert_eq!(answer.stderr, line, "{answer:?}");
    let log = fs::read_to_string(terminal.folder().join("some/log.txt")).unwrap();
    assert!(log.contains("skipped 4 damaged") && log.contains("finished after"), "{log}");
    let answer = terminal.run("train run.toml --out all -v");
    for name in ["bad.txt: line 2", "worse.txt: header: missing", "left.txt: no end marker"] {
        assert!(answer.stderr.contains(&format!("skipped {name}")), "{name}: {answer:?}");
    }
}

/// The log file of a run always has its steps; the filter of areas and levels applies to stderr.
#[test]
fn log_filters_apply_to_stderr_only() {
    let terminal = terminal_with(&RUN.replace("iterations = 12", "iterations = 2"));
    for (number, (words, variable, expected)) in [
        ("", "", None),
        ("-v", "", Some(" info  train: iteration 2: ")),
        ("", "train=info", Some(" info  train: iteration 2: ")),
        ("", "web=debug", None),
        ("-q", "train=info", None),
        ("-vv", "off", Some(" debug match: game 1 of 40: ")),
    ]
    .into_iter()
    .enumerate()
    {
        let output = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["train", "run.toml", "--out", &format!("run-{number}")])
            .args(words.split_whitespace())
            .env("TESUJI_LOG", variable)
            .current_dir(terminal.folder())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        match expected {
            None => assert_eq!(stderr, "", "{words} {variable}"),
            Some(line) => assert!(stderr.contains(line), "{words} {variable}: {stderr}"),
        }
        let log = terminal.folder().join(format!("run-{number}/log.txt"));
        let log = fs::read_to_string(log).unwrap();
        assert!(log.contains(" started at step 0 ") && log.contains(" iteration 2: "), "{log}");
        assert!(!log.contains("game 1 of"), "{log}");
    }
    let answer = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["games"])
        .env("TESUJI_LOG", "trian=debug")
        .output()
        .unwrap();
    let stderr = String::from_utf8(answer.stderr).unwrap();
    assert_eq!((answer.status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
    assert!(stderr.contains("'trian=debug'") && stderr.contains("train"), "{stderr}");
}

#[test]
fn training_of_weights_is_resumed() {
    let text = "learner = 'weights'\ngame = 'mnk:6x6,k=4'\n[patterns]\ncount = 4\ncells = [4]\nwindow = 4\n\
                [learning]\ngames = 60\nblock = 20\n[measure]\nevery = 0\n";
    let terminal = terminal_with(text);
    let report = terminal.run("train run.toml --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(3), &Value::from(3)));
    let weights = || fs::read(terminal.folder().join("runs/run/best.tuples")).unwrap();
    let before = weights();
    terminal.run("train --resume runs/run").success();
    assert_eq!(weights(), before, "a finished run is not changed");
    let answer = terminal.run("train run.toml");
    assert!(answer.code == 2 && answer.stderr.contains("already contains a run"), "{answer:?}");
    fs::write(terminal.folder().join("run.toml"), text.replace("[4]", "[5]")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    assert!(answer.stderr.contains("`patterns.cells` is [4] in the run and [5] now"), "{answer:?}");
    fs::write(terminal.folder().join("run.toml"), text.replace("games = 60", "games = 80"))
        .unwrap();
    assert_eq!(terminal.run("train run.toml --resume --json").json()["step"], 4);
}

#[test]
fn training_of_gem_networks_is_resumed() {
    let text = "learner = 'gem-utility'\n[games]\nblock = 20\n\
                [learning]\nblocks = 2\nfilters = 2\nunits = 4\n[measure]\nevery = 0\n";
    let terminal = terminal_with(text);
    let report = terminal.run("train run.toml --threads 2 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(2), &Value::from(2)));
    assert!(report["last"]["loss"].as_f64().unwrap() > 0.0, "{report}");
    let network = || fs::read(terminal.folder().join("runs/run/best.net")).unwrap();
    let before = network();
    terminal.run("train --resume runs/run").success();
    assert_eq!(network(), before, "a finished run is not changed");
    let report = terminal.run("train run.toml --out short --iterations 1 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(1), &Value::from(1)));
    terminal.run("train --resume short --iterations 1").success();
    terminal.run("train --resume short").success();
    let resumed = fs::read(terminal.folder().join("short/best.net")).unwrap();
    assert_eq!(resumed, before, "a resumed run gives the same model");
    fs::write(terminal.folder().join("run.toml"), text.replace("units = 4", "units = 5")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    assert!(answer.stderr.contains("`learning.units` is 4 in the run and 5 now"), "{answer:?}");
}

#[test]
fn tuning_of_the_gomoku_engine_is_resumed() {
    let text = "learner = 'gomoku-eval'\nrounds = 2\n[games]\ncount = 10\nnodes = 100\nboards = [9]\n\
                opening = [2, 4]\nlongest = 25\n[measure]\ngames = 2\n[estimate.fit]\npasses = 2\n[order.fit]\npasses = 2\n";
    let terminal = terminal_with(text);
    let report = terminal.run("train gomoku-eval run.toml --threads 2 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(2), &Value::from(2)));
    assert!(report["last"]["positions"].as_u64().unwrap() > 20, "{report}");
    let weights = |run: &str| fs::read(terminal.folder().join(run).join("last.weights")).unwrap();
    let before = weights("runs/run");
    terminal.run("train --resume runs/run").success();
    assert_eq!(weights("runs/run"), before, "a finished run is not changed");
    let report = terminal.run("train run.toml --out short --iterations 1 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(1), &Value::from(1)));
    assert_ne!(weights("short"), before);
    terminal.run("train run.toml --resume short").success();
    assert_eq!(weights("short"), before, "a resumed run gives the same model");
    for plot in ["estimate", "order", "found"] {
        let svg = terminal.folder().join(format!("short/plots/{plot}.svg"));
        assert!(fs::read_to_string(svg).unwrap().contains("<svg"), "{plot}");
    }
    for command in [
        "train gomoku-evil run.toml",
        "train weights run.toml",
        "train gomoku-eval run.toml --out short",
    ] {
        refuses(&terminal, "training", 2, command);
    }
    fs::write(terminal.folder().join("run.toml"), text.replace("= 100", "= 200")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    check(&terminal, "training", 2, "train run.toml --resume # 200 nodes", &answer);
}

#[test]
fn training_of_a_critic_is_resumed() {
    let text = "learner = 'critic'\ngame = 'mnk:9x9,k=5'\n[learning]\ngames = 60\nblock = 20\n\
                [measure]\nevery = 1\ngames = 2\n";
    let terminal = terminal_with(text);
    let report = terminal.run("train critic run.toml --threads 2 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(3), &Value::from(3)));
    assert!(report["last"]["samples_per_second"].as_f64().unwrap() > 1.0, "{report}");
    let network = |run: &str| fs::read(terminal.folder().join(run).join("last.net")).unwrap();
    let before = network("runs/run");
    terminal.run("train --resume runs/run").success();
    assert_eq!(network("runs/run"), before, "a finished run is not changed");
    let report = terminal.run("train run.toml --out short --iterations 1 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(1), &Value::from(1)));
    assert_ne!(network("short"), before);
    terminal.run("train --resume short").success();
    assert_eq!(network("short"), before, "a resumed run gives the same model");
    let svg = fs::read_to_string(terminal.folder().join("short/plots/strength.svg")).unwrap();
    assert!(svg.contains("<svg"));
    // With a far too high learning rate the run fails with a hint, and resumes with a lower one.
    let large =
        text.replace("games = 60", "games = 60\nrate = 1000\nrate_end = 1000\nlargest = 20");
    fs::write(terminal.folder().join("run.toml"), &large).unwrap();
    let answer = terminal.run("train run.toml --out wild");
    assert!(answer.code == 1 && answer.stderr.contains("lower `learning.rate`"), "{answer:?}");
    fs::write(terminal.folder().join("run.toml"), text).unwrap();
    terminal.run("train run.toml --resume wild").success();
    assert_eq!(network("wild"), before);
    let other = text.replace("9x9", "8x8");
    fs::write(terminal.folder().join("run.toml"), other).unwrap();
    let answer = terminal.run("train run.toml --resume");
    check(&terminal, "training", 2, "train run.toml --resume # another game", &answer);
}

/// A kill may come while the tuner plays, learns or writes.
#[test]
fn a_killed_tuner_ends_with_the_same_weights() {
    let text = "learner = 'gomoku-eval'\nrounds = 3\n[games]\ncount = 40\nnodes = 200\nboards = [11]\n\
                longest = 60\n[measure]\nevery = 0\n[estimate.fit]\npasses = 3\n[order.fit]\npasses = 3\n";
    let terminal = terminal_with(text);
    terminal.run("train run.toml --out calm").success();
    let weights = |run: &str| fs::read(terminal.folder().join(run).join("last.weights")).unwrap();
    let mut rng = seeded(4);
    for _ in 0..kills() {
        let words = ["train", "run.toml", "--out", "stormy", "--resume"];
        let mut child = start(terminal.folder(), &words);
        std::thread::sleep(Duration::from_millis(5 + u64::from(below(&mut rng, 150))));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    terminal.run("train run.toml --out stormy --resume").success();
    assert_eq!(weights("stormy"), weights("calm"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_finished_steps() {
    let terminal = terminal_with(&RUN.replace("iterations = 12", "iterations = 100000"));
    let mut child = start(terminal.folder(), &["train", "run.toml"]);
    let metrics = terminal.folder().join("runs/run/metrics.jsonl");
    while !metrics.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before the signal");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let log = fs::read_to_string(terminal.folder().join("runs/run/log.txt")).unwrap();
    assert!(log.contains("interrupted after step"), "{log}");
}

#[test]
fn bad_files_are_refused_in_one_line_before_a_run_starts() {
    let file = |name: &str| name.to_string();
    for (name, text) in [
        ("a.toml", ""),
        ("a.toml", "game = 'tictactoe'\nsede = 3"),
        ("a.toml", "game = 'tictactoo'"),
        ("a.toml", "game = 'othello'"),
        ("a.toml", "learner = 'gomoku-eval'\nrule = 'pente'"),
        ("a.toml", "learner = 'gomoku-eval'\ngame = 'gomoku'"),
        ("a.toml", "learner = 'gomoku-eval'\n[games]\nboards = [30]"),
        ("a.toml", "learner = 'critic'\ngame = 'othello'"),
        ("a.toml", "learner = 'critic'\ngame = 'mnk:12x12,k=9'"),
        ("a.toml", "learner = 'critic'\ngame = 'connect4'\n[opponents]\nalphabeta = 0.5"),
        ("a.toml", "learner = 'critic'\ngame = 'gomoku'\n[learning]\nlambda = 2"),
        ("a.toml", "game = 'tictactoe'\nlearner = 'magic'"),
        ("a.toml", "game = 'tictactoe'\n[forest]\nattributes = 10"),
        ("a.toml", "game = 'tictactoe'\n[data]\nopenings = 9"),
        ("a.toml", "game = 'tictactoe'\n[data]\nimport = ['empty.db']"),
        (
            "a.toml",
            "game = 'tictactoe'\n[evolution]\nfitness = 'both'\nscenarios = { rivals = ['randm'] }",
        ),
        ("a.properties", "board.row = 3"),
        ("a.properties", "board.rows = x"),
        ("a.toml", "game = 'tictactoe'\n[data]\nstore = 'mysql://x'"),
    ] {
        let terminal = Terminal::new();
        fs::write(terminal.folder().join(file(name)), text).unwrap();
        tesuji_store::open(terminal.folder().join("empty.db").to_str().unwrap()).unwrap();
        let answer = terminal.run(&format!("train {name}"));
        check(&terminal, "training", 2, &format!("train {name} # {text}"), &answer);
        assert!(!terminal.folder().join("runs").exists(), "{text}: a run was started");
    }
}
