//! Tournaments with the real binary and a real store: killed at any moment, they end as if nothing had
//! happened.

mod terminal;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use terminal::Terminal;

const TOURNAMENT: &str = "\
name = 'killed'
game = 'tictactoe'
pairs = 40
concurrency = 2
openings = { random-plies = 1 }
players = ['random', 'heuristic', 'minimax:depth=3', 'mcts:sims=50', 'flat-ucb:sims=20']
";

fn write(terminal: &Terminal, name: &str, text: &str) {
    std::fs::write(terminal.folder().join(name), text).unwrap();
}

fn run(terminal: &Terminal, store: &str) -> Value {
    terminal.run(&format!("tournament t.toml --store {store} --json")).json()
}

/// What must be equal: everything but how many games came from the store.
fn table(result: &Value) -> Value {
    let mut result = result.clone();
    result.as_object_mut().unwrap().remove("resumed");
    result
}

/// Starts the tournament and kills it without warning after a while; true when it was still running.
fn start_and_kill(folder: &Path, store: &str, after: Duration) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["tournament", "t.toml", "--store", store])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// How many times; `cargo xtask soak` asks for more.
fn kills() -> u64 {
    std::env::var("TESUJI_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

#[test]
fn a_killed_tournament_is_carried_on_with() {
    let terminal = Terminal::new();
    write(&terminal, "t.toml", TOURNAMENT);
    let undisturbed = run(&terminal, "calm.db");
    let mut rng = tesuji_games::random::seeded(4);
    let (mut killed, mut before, mut round) = (0, 0, 0);
    while killed < kills() {
        // A new store whenever the last one is complete.
        let store = format!("stormy-{round}.db");
        let after = 5 + u64::from(tesuji_games::random::below(&mut rng, 120));
        killed +=
            u64::from(start_and_kill(terminal.folder(), &store, Duration::from_millis(after)));
        let there = games_in(&terminal, &store);
        assert!(there >= before, "{there} games where {before} were");
        before = there;
        if there == undisturbed["total"] {
            (round, before) = (round + 1, 0);
        }
    }
    for round in 0..=round {
        let result = run(&terminal, &format!("stormy-{round}.db"));
        assert_eq!(table(&result), table(&undisturbed));
        assert_eq!(result["done"], undisturbed["total"]);
    }
}

/// How many games a store has; none when it was killed before it was made.
fn games_in(terminal: &Terminal, store: &str) -> u64 {
    if !terminal.folder().join(store).exists() {
        return 0;
    }
    let info = terminal.run(&format!("store info {store} --json")).json();
    info["counts"]["game"].as_u64().unwrap_or(0)
}

#[test]
fn a_finished_tournament_is_only_shown() {
    let terminal = Terminal::new();
    write(&terminal, "t.toml", &TOURNAMENT.replace("40", "2"));
    let once = run(&terminal, "t.db");
    let again = run(&terminal, "t.db");
    assert_eq!(once["resumed"], 0);
    assert_eq!(again["resumed"], once["total"]);
    assert_eq!(table(&once), table(&again));
    // More pairs, and a player more: what is there counts.
    let more = TOURNAMENT.replace("40", "3").replace("players = [", "players = ['pvs:depth=2', ");
    write(&terminal, "t.toml", &more);
    let longer = run(&terminal, "t.db");
    assert_eq!(longer["resumed"], once["total"]);
    assert_eq!(longer["total"], 15 * 6);
}

/// Two programs on one tournament and one file: both end with the same table, no game is there twice.
#[test]
fn two_at_once_on_one_store() {
    let terminal = Terminal::new();
    write(&terminal, "t.toml", &TOURNAMENT.replace("40", "10"));
    let (one, other) = std::thread::scope(|scope| {
        let run = || run(&terminal, "shared.db");
        let (one, other) = (scope.spawn(run), scope.spawn(run));
        (one.join().unwrap(), other.join().unwrap())
    });
    assert_eq!(table(&one), table(&other));
    assert_eq!(games_in(&terminal, "shared.db"), one["total"]);
}

/// Every example that comes with the program works as it stands.
#[test]
fn the_examples_work() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .filter(|path| path.ends_with(".toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 9, "{files:?}");
    let terminal = Terminal::new();
    for file in &files {
        let answer = terminal.run_words(&["tournament", file, "--out", "tables", "--json"], b"");
        let result = answer.json();
        assert_eq!(result["done"], result["total"], "{file}");
        assert_eq!(result["failures"].as_array().unwrap().len(), 0, "{file}");
    }
    assert!(terminal.folder().join("tesuji.db").is_file());
}

#[test]
fn tables_are_printed_and_written() {
    let terminal = Terminal::new();
    write(&terminal, "t.toml", &TOURNAMENT.replace("40", "2"));
    let stdout = terminal.run("tournament t.toml --out tables").success();
    for words in ["minimax:depth=3", "Elo", "saved in tesuji.db"] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    for (file, words) in [
        ("cross-table.txt", "heuristic"),
        ("cross-table.csv", "heuristic"),
        ("cross-table.svg", "</svg>"),
        ("ratings.txt", "heuristic"),
        ("ratings.csv", "heuristic"),
        ("ratings.svg", "</svg>"),
        ("tables.json", "\"ratings\""),
    ] {
        let path = terminal.folder().join("tables").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(text.contains(words), "{file}: {text}");
    }
}

#[test]
fn engines_are_named_by_the_environment() {
    let terminal = Terminal::new();
    let text = TOURNAMENT.replace("'random'", "'${TESUJI_TEST_NOBODY_HAS_THIS}'");
    write(&terminal, "t.toml", &text);
    let answer = terminal.run("tournament t.toml");
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("the environment has no TESUJI_TEST_NOBODY_HAS_THIS"));
    assert!(!terminal.folder().join("tesuji.db").exists(), "nothing was begun");
}
