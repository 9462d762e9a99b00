//! Training with the real binary: killed at any moment, it ends with the forest of a run that nobody disturbed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tesuji_games::random::{below, seeded};

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

fn with(text: &str) -> Terminal {
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
    let terminal = with(RUN);
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
        let told = terminal.run(&format!("train run.toml --out {out} --resume --json")).json();
        assert_eq!(told["step"], 12);
        assert_eq!(results(&terminal, &out), expected, "{out}");
        let metrics =
            fs::read_to_string(terminal.folder().join(&out).join("metrics.jsonl")).unwrap();
        let lines: Vec<Value> =
            metrics.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let iterations: Vec<u64> =
            lines.iter().map(|line| line["step"].as_u64().unwrap()).collect();
        assert_eq!(iterations, Vec::from_iter(1..=12), "each iteration once");
    }
}

#[test]
fn two_threads_train_what_one_trains() {
    let terminal = with(RUN);
    terminal.run("train run.toml --out one --iterations 4").success();
    terminal.run("train run.toml --out two --iterations 4 --threads 2").success();
    assert_eq!(results(&terminal, "one"), results(&terminal, "two"));
}

#[test]
fn a_run_is_carried_on_with_only_when_asked_and_as_it_was() {
    let terminal = with(RUN);
    let told = terminal.run("train run.toml --iterations 1 --json").json();
    assert_eq!((&told["step"], &told["folder"]), (&Value::from(1), &Value::from("runs/run")));
    let before = results(&terminal, "runs/run");
    for (command, code, words) in [
        ("train run.toml", 2, ["runs/run already holds a run", "--resume"]),
        ("train run.toml --resume elsewhere --out x", 2, ["--resume DIR", "--out DIR"]),
        ("train --resume run.toml", 2, ["run.toml", "expected the folder of a run"]),
        ("train --resume nowhere", 2, ["nowhere holds no run", "tesuji train FILE --out nowhere"]),
        ("train --resume", 2, ["--resume needs a folder or a file", "runs/tictactoe"]),
    ] {
        let answer = terminal.run(command);
        assert_eq!(answer.code, code, "{command}: {answer:?}");
        assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
        assert!(words.iter().all(|word| answer.stderr.contains(word)), "{answer:?}");
    }
    fs::write(terminal.folder().join("run.toml"), RUN.replace("trees = 8", "trees = 9")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("`forest.trees` is 8 in the run and 9 now"), "{answer:?}");
    assert_eq!(results(&terminal, "runs/run"), before, "nothing was touched");
    let told = terminal.run("train --resume runs/run --iterations 2 --json").json();
    assert_eq!(told["step"], 2);
    let info = terminal.run("store info runs/run/samples.db --json").json();
    assert_eq!(info["counts"]["sample"], 300 + 2 * 32);
    assert_eq!(info["counts"]["run"], 1);
    assert!(info["counts"]["metric"].as_u64().unwrap() >= 10, "{info}");
}

/// An iteration of this learner is a block of games.
#[test]
fn weights_stop_after_some_iterations_and_go_on() {
    let text = "learner = 'weights'\ngame = 'mnk:5x5,k=4'\n[patterns]\ncount = 4\ncells = [4]\nwindow = 4\n\
                [learning]\ngames = 50\nblock = 20\n[measure]\nevery = 0\n";
    let terminal = with(text);
    let told = |command: &str| {
        let told = terminal.run(command).json();
        [&told["step"], &told["of"]].map(|number| number.as_u64().unwrap())
    };
    assert_eq!(told("train run.toml --steps 1 --json"), [1, 1]);
    assert_eq!(told("train --resume runs/run --iterations 2 --json"), [2, 2]);
    assert_eq!(told("train --resume runs/run --steps 2 --json"), [2, 2]);
    assert_eq!(told("train --resume runs/run --steps 9 --json"), [3, 3]);
    assert_eq!(told("train run.toml --out whole --json"), [3, 3]);
    let weights = |run: &str| fs::read(terminal.folder().join(run).join("best.tuples")).unwrap();
    assert_eq!(weights("runs/run"), weights("whole"), "stops change nothing");
    let answer = terminal.run("train run.toml --out other --threads 2");
    assert!(answer.code == 2 && answer.stderr.contains("uses one thread"), "{answer:?}");
    assert!(!terminal.folder().join("other").exists());
}

/// A damaged log is left out and named on stderr; where there is no other, the run ends.
#[test]
fn damaged_logs_are_named_and_left_out() {
    let terminal = with(
        "learner = 'gem-outcome'\ndata = 'logs'\nlogs = 'logs'\nthreads = 1\n\
         [learning]\nblocks = 1\n[games]\nblock = 4\n[measure]\nevery = 0\n",
    );
    fs::create_dir(terminal.folder().join("logs")).unwrap();
    fs::write(terminal.folder().join("logs/bad.txt"), "20\t3\t9\t9\n0\tx\n").unwrap();
    let answer = terminal.run("train run.toml --out none");
    assert_eq!((answer.code, answer.stderr.lines().count()), (2, 1), "{answer:?}");
    assert!(answer.stderr.contains("bad.txt"), "{answer:?}");
    terminal.run("gem play --agent random --seed 1 --log logs/good.txt").success();
    let answer = terminal.run("train run.toml --out some");
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("warning: left out: logs/bad.txt: "), "{answer:?}");
    let log = fs::read_to_string(terminal.folder().join("some/log.txt")).unwrap();
    assert!(log.contains("left out: logs/bad.txt: ") && log.contains("finished after"), "{log}");
}

/// The log of a run has its steps whatever is said on stderr, where areas and levels choose.
#[test]
fn a_log_says_what_was_asked_for() {
    let terminal = with(&RUN.replace("iterations = 12", "iterations = 2"));
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
        let told = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["train", "run.toml", "--out", &format!("run-{number}")])
            .args(words.split_whitespace())
            .env("TESUJI_LOG", variable)
            .current_dir(terminal.folder())
            .output()
            .unwrap();
        let stderr = String::from_utf8(told.stderr).unwrap();
        match expected {
            None => assert_eq!(stderr, "", "{words} {variable}"),
            Some(line) => assert!(stderr.contains(line), "{words} {variable}: {stderr}"),
        }
        let log = terminal.folder().join(format!("run-{number}/log.txt"));
        let log = fs::read_to_string(log).unwrap();
        assert!(log.contains(" begun at step 0 ") && log.contains(" iteration 2: "), "{log}");
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

/// The other learner of the same verb.
#[test]
fn weights_are_learned_and_carried_on_with() {
    let text = "learner = 'weights'\ngame = 'mnk:6x6,k=4'\n[patterns]\ncount = 4\ncells = [4]\nwindow = 4\n\
                [learning]\ngames = 60\nblock = 20\n[measure]\nevery = 0\n";
    let terminal = with(text);
    let told = terminal.run("train run.toml --json").json();
    assert_eq!((&told["step"], &told["of"]), (&Value::from(3), &Value::from(3)));
    let weights = || fs::read(terminal.folder().join("runs/run/best.tuples")).unwrap();
    let before = weights();
    terminal.run("train --resume runs/run").success();
    assert_eq!(weights(), before, "finished is finished");
    let answer = terminal.run("train run.toml");
    assert!(answer.code == 2 && answer.stderr.contains("already holds a run"), "{answer:?}");
    fs::write(terminal.folder().join("run.toml"), text.replace("[4]", "[5]")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    assert!(answer.stderr.contains("`patterns.cells` is [4] in the run and [5] now"), "{answer:?}");
    fs::write(terminal.folder().join("run.toml"), text.replace("games = 60", "games = 80"))
        .unwrap();
    assert_eq!(terminal.run("train run.toml --resume --json").json()["step"], 4);
}

/// And the learners of Gem Island.
#[test]
fn networks_are_taught_and_carried_on_with() {
    let text = "learner = 'gem-utility'\n[games]\nblock = 20\n\
                [learning]\nblocks = 2\nfilters = 2\nunits = 4\n[measure]\nevery = 0\n";
    let terminal = with(text);
    let told = terminal.run("train run.toml --threads 2 --json").json();
    assert_eq!((&told["step"], &told["of"]), (&Value::from(2), &Value::from(2)));
    assert!(told["last"]["loss"].as_f64().unwrap() > 0.0, "{told}");
    let network = || fs::read(terminal.folder().join("runs/run/best.net")).unwrap();
    let before = network();
    terminal.run("train --resume runs/run").success();
    assert_eq!(network(), before, "finished is finished");
    let told = terminal.run("train run.toml --out short --iterations 1 --json").json();
    assert_eq!((&told["step"], &told["of"]), (&Value::from(1), &Value::from(1)));
    terminal.run("train --resume short --iterations 1").success();
    terminal.run("train --resume short").success();
    let carried_on = fs::read(terminal.folder().join("short/best.net")).unwrap();
    assert_eq!(carried_on, before, "stopped early, it goes on as if nothing had happened");
    fs::write(terminal.folder().join("run.toml"), text.replace("units = 4", "units = 5")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    assert!(answer.stderr.contains("`learning.units` is 4 in the run and 5 now"), "{answer:?}");
}

/// And the tuner of the Gomoku engine.
#[test]
fn the_gomoku_engine_is_tuned_and_carried_on_with() {
    let text = "learner = 'gomoku-eval'\nrounds = 2\n[games]\ncount = 10\nnodes = 100\nboards = [9]\n\
                opening = [2, 4]\nlongest = 25\n[measure]\ngames = 2\n[estimate.fit]\npasses = 2\n[order.fit]\npasses = 2\n";
    let terminal = with(text);
    let told = terminal.run("train gomoku-eval run.toml --threads 2 --json").json();
    assert_eq!((&told["step"], &told["of"]), (&Value::from(2), &Value::from(2)));
    assert!(told["last"]["positions"].as_u64().unwrap() > 20, "{told}");
    let weights = |run: &str| fs::read(terminal.folder().join(run).join("last.weights")).unwrap();
    let before = weights("runs/run");
    terminal.run("train --resume runs/run").success();
    assert_eq!(weights("runs/run"), before, "finished is finished");
    let told = terminal.run("train run.toml --out short --iterations 1 --json").json();
    assert_eq!((&told["step"], &told["of"]), (&Value::from(1), &Value::from(1)));
    assert_ne!(weights("short"), before);
    terminal.run("train run.toml --resume short").success();
    assert_eq!(weights("short"), before, "stopped early, it goes on as if nothing had happened");
    for plot in ["estimate", "order", "found"] {
        let svg = terminal.folder().join(format!("short/plots/{plot}.svg"));
        assert!(fs::read_to_string(svg).unwrap().contains("<svg"), "{plot}");
    }
    for (command, words) in [
        ("train gomoku-evil run.toml", "learner 'gomoku-evil': unknown; expected forest"),
        (
            "train weights run.toml",
            "run.toml: `learner` is \"gomoku-eval\"; expected learner = \"weights\"",
        ),
        ("train gomoku-eval run.toml --out short", "short already holds a run"),
    ] {
        let answer = terminal.run(command);
        assert!(answer.code == 2 && answer.stderr.contains(words), "{command}: {answer:?}");
    }
    fs::write(terminal.folder().join("run.toml"), text.replace("= 100", "= 200")).unwrap();
    let answer = terminal.run("train run.toml --resume");
    assert!(answer.stderr.contains("`games.nodes` is 100 in the run and 200 now"), "{answer:?}");
}

/// And a critic.
#[test]
fn a_critic_is_taught_and_carried_on_with() {
    let text = "learner = 'critic'\ngame = 'mnk:9x9,k=5'\n[learning]\ngames = 60\nblock = 20\n\
                [measure]\nevery = 1\ngames = 2\n";
    let terminal = with(text);
    let told = terminal.run("train critic run.toml --threads 2 --json").json();
    assert_eq!((&told["step"], &told["of"]), (&Value::from(3), &Value::from(3)));
    assert!(told["last"]["samples_per_second"].as_f64().unwrap() > 1.0, "{told}");
    let network = |run: &str| fs::read(terminal.folder().join(run).join("last.net")).unwrap();
    let before = network("runs/run");
    terminal.run("train --resume runs/run").success();
    assert_eq!(network("runs/run"), before, "finished is finished");
    let told = terminal.run("train run.toml --out short --iterations 1 --json").json();
    assert_eq!((&told["step"], &told["of"]), (&Value::from(1), &Value::from(1)));
    assert_ne!(network("short"), before);
    terminal.run("train --resume short").success();
    assert_eq!(network("short"), before, "stopped early, it goes on as if nothing had happened");
    let svg = fs::read_to_string(terminal.folder().join("short/plots/strength.svg")).unwrap();
    assert!(svg.contains("<svg"));
    // Steps that are far too large: it stops, says so, and goes on with smaller ones.
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
    assert!(answer.code == 2 && answer.stderr.contains("`game` is "), "{answer:?}");
}

/// It may be killed at any moment: while it plays, learns or writes.
#[test]
fn a_killed_tuner_ends_with_the_same_weights() {
    let text = "learner = 'gomoku-eval'\nrounds = 3\n[games]\ncount = 40\nnodes = 200\nboards = [11]\n\
                longest = 60\n[measure]\nevery = 0\n[estimate.fit]\npasses = 3\n[order.fit]\npasses = 3\n";
    let terminal = with(text);
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
fn ctrl_c_keeps_what_is_done() {
    let terminal = with(&RUN.replace("iterations = 12", "iterations = 100000"));
    let mut child = start(terminal.folder(), &["train", "run.toml"]);
    let metrics = terminal.folder().join("runs/run/metrics.jsonl");
    while !metrics.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let log = fs::read_to_string(terminal.folder().join("runs/run/log.txt")).unwrap();
    assert!(log.contains("interrupted after step"), "{log}");
}

#[test]
fn bad_files_are_refused_in_one_line_and_nothing_is_begun() {
    let file = |name: &str| name.to_string();
    for (name, text, words) in [
        ("a.toml", "", ["a.toml", "`game` is missing"]),
        ("a.toml", "game = 'tictactoe'\nsede = 3", ["line 2", "unknown field `sede`"]),
        ("a.toml", "game = 'tictactoo'", ["a.toml", "did you mean 'tictactoe'"]),
        ("a.toml", "game = 'othello'", ["'othello'", "expected a game such as tictactoe"]),
        ("a.toml", "learner = 'gomoku-eval'\nrule = 'pente'", ["unknown rule \"pente\"", "caro"]),
        ("a.toml", "learner = 'gomoku-eval'\ngame = 'gomoku'", ["line 2", "unknown field `game`"]),
        (
            "a.toml",
            "learner = 'gomoku-eval'\n[games]\nboards = [30]",
            ["`games.boards` is 30", "expected 5 to 22"],
        ),
        ("a.toml", "learner = 'critic'\ngame = 'othello'", ["a.toml", "stones in a row"]),
        ("a.toml", "learner = 'critic'\ngame = 'mnk:12x12,k=9'", ["9 in a row", "rows of 3 to 8"]),
        (
            "a.toml",
            "learner = 'critic'\ngame = 'connect4'\n[opponents]\nalphabeta = 0.5",
            ["`opponents.alphabeta`", "five in a row"],
        ),
        (
            "a.toml",
            "learner = 'critic'\ngame = 'gomoku'\n[learning]\nlambda = 2",
            ["`learning.lambda` is 2", "expected 0 to 1"],
        ),
        (
            "a.toml",
            "game = 'tictactoe'\nlearner = 'magic'",
            ["unknown `learner`", "\"forest\", \"weights\""],
        ),
        (
            "a.toml",
            "game = 'tictactoe'\n[forest]\nattributes = 10",
            ["`forest.attributes` is 10", "3x3 window on this board has 9 cells"],
        ),
        (
            "a.toml",
            "game = 'tictactoe'\n[data]\nopenings = 9",
            ["`data.openings` is 9", "the board has 9 cells"],
        ),
        (
            "a.toml",
            "game = 'tictactoe'\n[data]\nimport = ['empty.db']",
            ["empty.db: no samples of tictactoe with a 3x3 window", "data.import"],
        ),
        (
            "a.toml",
            "game = 'tictactoe'\n[evolution]\nfitness = 'both'\nscenarios = { rivals = ['randm'] }",
            ["unknown player 'randm'", "did you mean 'random'"],
        ),
        ("a.properties", "board.row = 3", ["line 1", "did you mean 'board.rows'?"]),
        (
            "a.properties",
            "board.rows = x",
            ["line 1: 'board.rows' is 'x'", "a whole number"],
        ),
        (
            "a.toml",
            "game = 'tictactoe'\n[data]\nstore = 'mysql://x'",
            ["'mysql://x'", "postgres://"],
        ),
    ] {
        let terminal = Terminal::new();
        fs::write(terminal.folder().join(file(name)), text).unwrap();
        tesuji_store::open(terminal.folder().join("empty.db").to_str().unwrap()).unwrap();
        let answer = terminal.run(&format!("train {name}"));
        let complete = words.iter().all(|word| answer.stderr.contains(word));
        assert!(answer.code == 2 && complete, "{text}: {answer:?}");
        assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
        assert!(!terminal.folder().join("runs").exists(), "{text}: something was begun");
    }
}
