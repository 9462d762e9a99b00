//! `tesuji engine`: a player served over a protocol plays the same moves as in the program itself,
//! and engines are checked.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use serde_json::Value;

/// Longer than any step here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

const TESUJI: &str = env!("CARGO_BIN_EXE_tesuji");

/// Our own program as an external engine.
fn served_player(player: &str, protocol: &str) -> String {
    let command = format!("{TESUJI} engine --protocol {protocol} --player {player}");
    format!("external:cmd=\"{command}\",protocol={protocol}")
}

fn play_match(game: &str, first: &str, second: &str, options: &[&str]) -> Value {
    let words = ["match", game, first, second, "--games", "2", "--json"];
    let answer = Terminal::new().run_words(&[&words, options].concat(), b"").json();
    assert_eq!(answer["result"]["failures"], 0, "{game}: {answer}");
    answer
}

fn moves(result: &Value) -> Vec<&str> {
    let games = result["result"]["games"].as_array().unwrap();
    games.iter().map(|game| game["moves"].as_str().unwrap()).collect()
}

/// With the same seed the served player makes the same moves as without the protocol.
#[test]
fn a_served_player_makes_the_same_moves() {
    let games = [
        "tictactoe",
        "connect4",
        "othello:4x4",
        "checkers",
        "chess",
        "connect6",
        "qubic",
        "mnk:7x7,k=5",
    ];
    for game in games {
        for player in ["random", "pvs:depth=2"] {
            let options = ["--max-plies", "12", "--random-plies", "2"];
            let served_result =
                play_match(game, &served_player(player, "lines"), "random", &options);
            let direct_result = play_match(game, player, "random", &options);
            assert_eq!(moves(&served_result), moves(&direct_result), "{game}: {player}");
        }
    }
    for game in ["mnk:7x7,k=5", "mnk:9x6,k=5,exact"] {
        let served_result =
            play_match(game, &served_player("pvs:depth=2", "gomocup"), "random", &[]);
        let direct_result = play_match(game, "pvs:depth=2", "random", &[]);
        assert_eq!(moves(&served_result), moves(&direct_result), "{game}");
    }
}

#[test]
fn our_own_engine_passes_the_check() {
    for (protocol, game, player, checks) in [
        ("gomocup", "mnk:9x9,k=5", "gomoku:tt=1M", 26),
        ("gomocup", "renju", "gomoku:tt=1M", 26),
        ("lines", "chess", "pvs:nodes=5000", 12),
        ("lines", "connect4", "pvs:nodes=5000", 12),
    ] {
        let words = ["engine", "--check", &served_player(player, protocol), "--game", game];
        let stdout = Terminal::new().run_words(&words, b"").success();
        let all_right = stdout.lines().all(|line| line.starts_with("ok "));
        assert!(all_right && stdout.lines().count() == checks, "{stdout}");
    }
}

#[test]
fn a_program_that_is_not_an_engine_fails_the_check() {
    let answer = Terminal::new().run_words(&["engine", "--check", "true", "--json"], b"");
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("checks failed"), "{answer:?}");
    let checks: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(checks["checks"][1]["detail"], "ended with exit status 0");
    let answer = Terminal::new().run("engine --check ./nothing");
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("./nothing: no such file"), "{answer:?}");
    let answer = Terminal::new().run("engine --player human");
    assert_eq!(answer.code, 2, "{answer:?}");
}

/// A program that cannot be started stops a match before it begins.
#[test]
fn a_missing_program_is_bad_input() {
    let answer = Terminal::new().run("match gomoku external:cmd=./nothing random");
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("./nothing: no such file"), "{answer:?}");
}

#[test]
fn a_program_name_with_the_prefix_pbrain_starts_the_engine() {
    let terminal = Terminal::new();
    let link = terminal.folder().join("pbrain-tesuji");
    std::os::unix::fs::symlink(TESUJI, &link).unwrap();
    let mut engine =
        Command::new(&link).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let talk = b"ABOUT\r\nSTART 15\r\nINFO timeout_turn 100\r\nBEGIN\r\nEND\r\n";
    engine.stdin.take().unwrap().write_all(talk).unwrap();
    let output = engine.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = stdout.lines().filter(|line| !line.starts_with("MESSAGE")).collect();
    assert!(lines.len() == 3 && lines[0].contains("Tesuji gomoku") && lines[1] == "OK", "{stdout}");
    assert_eq!(lines[2], "7,7", "{stdout}");
    let answer = Command::new(&link).args(["--player", "nobody"]).output().unwrap();
    assert_eq!(answer.status.code(), Some(2), "{answer:?}");
    // The same through the player: it does not resolve the symbolic link.
    let player = format!("external:cmd={}", link.display());
    let words = ["engine", "--check", &player, "--game", "mnk:7x7,k=5", "--json"];
    let answer = terminal.run_words(&words, b"");
    assert!(answer.stdout.contains("Tesuji gomoku"), "{answer:?}");
}

/// The example for external engines, with our own engine in their place and less time.
#[test]
fn a_tournament_takes_engines_from_the_environment() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = std::fs::read_to_string(examples.join("engines/gomoku-engines.toml")).unwrap();
    let openings = examples.join("openings/gomoku.txt");
    let text = text
        .replace("../openings/gomoku.txt", openings.to_str().unwrap())
        .replace("pvs:time=500ms", "pvs:depth=1")
        .replace("pairs = 3", "pairs = 1");
    let terminal = Terminal::new();
    std::fs::write(terminal.folder().join("t.toml"), text).unwrap();
    let output = Command::new(TESUJI)
        .args(["tournament", "t.toml", "--json"])
        .current_dir(terminal.folder())
        .env("ENGINE_A", format!("{TESUJI} engine --player random"))
        .env("ENGINE_B", format!("{TESUJI} engine --player pvs:depth=1"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["done"], &result["total"]), (&6.into(), &6.into()));
    assert_eq!(result["failures"], serde_json::json!([]));
    assert_eq!(result["points"][0], 0.0, "chance wins against nobody: {}", result["points"]);
}

/// The list has the names and the valid values of the options `tune.NAME`.
#[test]
fn constants_of_the_search_are_listed_and_can_be_set() {
    let list = Terminal::new().run_words(&["engine", "--tunables", "--json"], b"").json();
    let constants = list.as_array().unwrap();
    assert!(constants.len() > 30, "{list}");
    let options: Vec<String> = constants
        .iter()
        .map(|it| format!("tune.{}={}", it["name"].as_str().unwrap(), it["least"]))
        .collect();
    let player = format!("gomoku:nodes=200,tt=1M,{}", options.join(","));
    play_match("gomoku:9x9", &player, "random", &[]);
    let plain = Terminal::new().run_words(&["engine", "--tunables"], b"");
    assert_eq!(plain.stdout.lines().count(), constants.len());
}

/// An engine and its child processes end with the program, even if the program is killed or a child
/// has left its session.
#[test]
fn no_engine_process_outlives_a_killed_match() {
    let terminal = Terminal::new();
    let engine = terminal.folder().join("engine");
    let script = "#!/bin/sh\ncd FOLDER\nsetsid sh -c 'echo $$ > child; exec sleep 1000' &\n\
                  echo $$ > engine.pid\nexec sleep 1000\n";
    std::fs::write(&engine, script.replace("FOLDER", terminal.folder().to_str().unwrap())).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&engine, mode).unwrap();
    let player = format!("external:cmd={},timeout=10m", engine.display());
    let mut program = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["match", "gomoku", &player, "random", "--games", "2"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let number = |name: &str| {
        let text = std::fs::read_to_string(terminal.folder().join(name)).unwrap_or_default();
        text.trim().parse::<u32>().ok()
    };
    let deadline = Instant::now() + TIMEOUT;
    let numbers = loop {
        if let (Some(engine), Some(child)) = (number("engine.pid"), number("child")) {
            break [engine, child];
        }
        assert!(Instant::now() < deadline, "the engine was not started");
        std::thread::sleep(Duration::from_millis(10));
    };
    program.kill().unwrap();
    program.wait().unwrap();
    // A zombie counts as ended.
    let lives = |number: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    };
    while numbers.iter().any(lives) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let left: Vec<&u32> = numbers.iter().filter(|number| lives(number)).collect();
    for number in &left {
        let _ = Command::new("kill").args(["-s", "KILL", &number.to_string()]).status();
    }
    assert!(left.is_empty(), "processes {left:?} of {numbers:?} still run");
}
