//! `tesuji gem play`, `tesuji play gem-island` and `tesuji gem verify` with the real binary and
//! real files.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::terminal::Terminal;
use serde_json::json;
use tesuji_games::rules::gem_island::log::{GemLog, LogRepair};

use crate::error_texts::{check, refuses};

const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/engines/gem_deepest.py");
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gem-cases.json");

#[test]
fn cases_are_verified() {
    let terminal = Terminal::new();
    let expected = "\
KIND                               MATCHES  MISMATCHES
unit_tests                         5        0
state_strings                      3        0
legal_moves                        3        0
full_turns_real_game               4        0
simulator_turns_with_original_bug  4        0
evaluations                        4        0
";
    assert_eq!(terminal.run(&format!("gem verify {CASES}")).success(), expected);
    let found = terminal.run(&format!("gem verify {CASES} --json")).json();
    assert_eq!(found["mismatches"], 0);
    assert_eq!(found["kinds"][2], json!({ "kind": "legal_moves", "matches": 3, "mismatches": [] }));
}

#[test]
fn a_mismatch_gives_exit_code_1() {
    let terminal = Terminal::new();
    let text =
        fs::read_to_string(CASES).unwrap().replace("\"cascade_passes\":5", "\"cascade_passes\":6");
    fs::write(terminal.folder().join("wrong.json"), text).unwrap();
    let answer = terminal.run("gem verify wrong.json");
    assert_eq!((answer.code, answer.stderr.lines().count()), (1, 1), "{answer:?}");
    assert!(answer.stderr.contains("wrong.json: 1 cases are not reproduced"), "{answer:?}");
    let line = "full_turns_real_game case 2: bit planes: passes: 5, expected 6\n";
    assert!(answer.stdout.ends_with(line), "{answer:?}");
    let answer = terminal.run("gem verify wrong.json --json");
    assert_eq!(answer.code, 1);
    let found: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(found["mismatches"], 1);
}

/// The first swap that `moves` lists.
fn first_move(terminal: &Terminal, options: &str) -> String {
    let output = terminal.run_with_input(&format!("gem play {options}"), "moves\n").success();
    let line = output.lines().last().unwrap();
    line.split(", ").next().unwrap().to_string()
}

#[test]
fn a_game_is_played_by_hand() {
    let terminal = Terminal::new();
    let swap = first_move(&terminal, "--seed 3");
    let (a, b) = swap.split_once(' ').unwrap();
    let typed =
        format!("help\nboard\n\nhint\nundo\na1 left\nz9 up\na1 c1\nnonsense\n9-9\n{swap}\nquit\n",);
    let options = "gem play --seed 3 --hints-by greedy";
    let output = terminal.run_with_input(options, &typed).success();
    for words in [
        "gem-island, seed 3\n",
        "score 0, moves left 20, medals left 3",
        "R G Y P C W O L",
        "hint: ",
        "undo: not supported",
        "'a1 left': not on the board",
        "'z9 up': not a swap; expected one such as e5 right",
        "'a1 c1': cells are not neighbors",
        "'nonsense': not a swap",
        "'9-9': not an action",
        &format!("{swap}: "),
        "moves left 19",
    ] {
        assert!(output.contains(words), "{words}: {output}");
    }
    assert!(output.contains("░") && !output.contains('\x1b'), "{output}");
    assert!(terminal.run("gem play --seed 3 --color always").success().contains("\x1b[1;"));
    // The same swap in another notation.
    let joined = terminal.run_with_input(options, &format!("{a}{b}\n")).success();
    let spaced = terminal.run_with_input(options, &format!("{swap}\n")).success();
    assert_eq!(joined, spaced);
}

/// `tesuji play` has the same session as `tesuji gem play`.
#[test]
fn play_accepts_the_game_for_one_player() {
    let terminal = Terminal::new();
    let swap = first_move(&terminal, "--seed 3");
    let typed = format!("help\nhint\nundo\n{swap}\nmoves\nquit\n");
    for (play, gem_play) in [
        ("play gem-island --seed 3", "gem play --seed 3"),
        ("play gem-island --seed 3 --first human", "gem play --seed 3"),
        (
            "play gem-island:level=2,kinds=5 --seed 3 --hints-by greedy --color always",
            "gem play --game gem-island:level=2,kinds=5 --seed 3 --hints-by greedy --color always",
        ),
        (
            "play gem-island:level=2 --seed 5 --first greedy:width=5",
            "gem play --level 2 --seed 5 --agent greedy:width=5",
        ),
    ] {
        let output = terminal.run_with_input(play, &typed).success();
        assert_eq!(output, terminal.run_with_input(gem_play, &typed).success(), "{play}");
        assert!(output.starts_with("gem-island, seed "), "{play}: {output}");
    }
    // Without a seed every game has a different board.
    let boards = [1, 2].map(|_| terminal.run("play gem-island").success());
    assert_ne!(boards[0], boards[1]);
    assert_eq!(std::fs::read_dir(terminal.folder()).unwrap().count(), 0, "something was written");
}

/// A store in the environment, which this game does not support, is no error.
#[test]
fn play_ignores_the_store_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["play", "gem-island", "--first", "greedy", "--seed", "1"])
        .env("TESUJI_STORE", "games.db")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a store was created");
}

#[test]
fn a_swap_without_effect_costs_no_move() {
    let terminal = Terminal::new();
    let every: String =
        (1..=9).flat_map(|row| ["a", "c", "e", "g"].map(|c| format!("{c}{row}r\n"))).collect();
    let output =
        terminal.run_with_input("gem play --seed 1 --game gem-island:kinds=8", &every).success();
    assert!(output.contains("puts no three in a row (moves lists the swaps that do)"), "{output}");
    let played = output.matches("gems gone").count();
    assert!(output.contains(&format!("moves left {}", 20 - played)), "{output}");
}

#[test]
fn an_agent_plays_and_the_log_reads_back() {
    let terminal = Terminal::new();
    let command = "gem play --level 2 --agent greedy --seed 5 --log game.txt";
    let output = terminal.run(command).success();
    assert!(output.lines().last().unwrap().contains("score "), "{output}");
    let bytes = fs::read(terminal.folder().join("game.txt")).unwrap();
    let reading = GemLog::read(&bytes).unwrap();
    assert_eq!(reading.repairs, []);
    let log = reading.log.unwrap();
    assert_eq!(log.header.level(), Some(2));
    assert_eq!(log.won(), output.contains(": won, score"));
    assert_eq!(log.turns.len(), output.matches("gems gone").count());
    assert_eq!(terminal.run(command).code, 2, "an existing log is not overwritten");
    let again = terminal.run("gem play --level 2 --agent greedy --seed 5").success();
    assert_eq!(again, output, "the same seed gives the same game");
}

#[test]
fn an_abandoned_game_has_a_log_without_end() {
    let terminal = Terminal::new();
    let swap = first_move(&terminal, "--seed 8");
    terminal.run_with_input("gem play --seed 8 --log left.txt", &swap).success();
    let reading = GemLog::read(&fs::read(terminal.folder().join("left.txt")).unwrap()).unwrap();
    assert_eq!((reading.log, reading.repairs), (None, vec![LogRepair::NoEnd]));
}

#[test]
fn logs_are_described_and_repaired() {
    let terminal = Terminal::new();
    terminal.run("gem play --level 2 --agent greedy --seed 5 --log game.txt").success();
    let whole = fs::read_to_string(terminal.folder().join("game.txt")).unwrap();
    let stdout = terminal.run("gem log game.txt -o copy.txt").success();
    assert!(stdout.starts_with("level 2, 9x9: ") && stdout.lines().count() == 1, "{stdout}");
    assert_eq!(fs::read_to_string(terminal.folder().join("copy.txt")).unwrap(), whole);
    assert_eq!(
        terminal.run("gem log game.txt -o copy.txt").code,
        2,
        "an existing file is not overwritten"
    );

    let numbered = |line: &&str| line.split('\t').next().is_some_and(|n| n.parse::<u32>().is_ok());
    let first = whole.lines().position(|line| numbered(&line) && line.starts_with("0\t")).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.swap(first, first + 4);
    fs::write(terminal.folder().join("mixed.txt"), lines.join("\n") + "\n").unwrap();
    let stdout = terminal.run("gem log mixed.txt -o mended.txt").success();
    assert!(stdout.contains("lines sorted"), "{stdout}");
    assert_eq!(fs::read_to_string(terminal.folder().join("mended.txt")).unwrap(), whole);
    let found = terminal.run("gem log mixed.txt --json").json();
    assert_eq!((&found["game"]["level"], &found["game"]["columns"]), (&json!(2), &json!(9)));

    let cut = lines[..lines.len() - 1].join("\n");
    fs::write(terminal.folder().join("cut.txt"), cut).unwrap();
    let answer = terminal.run("gem log cut.txt -o never.txt");
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(!terminal.folder().join("never.txt").exists());
    let broken = whole.replacen("\t1\t", "\tone\t", 1);
    fs::write(terminal.folder().join("broken.txt"), broken).unwrap();
    let answer = terminal.run("gem log broken.txt");
    assert_eq!((answer.code, answer.stderr.lines().count()), (2, 1), "{answer:?}");
    assert!(
        answer.stderr.contains(&format!("line {}: row 0 column 0: invalid 'one'", first + 1)),
        "{answer:?}"
    );
}

#[test]
fn other_boards_are_played() {
    let terminal = Terminal::new();
    for game in [
        "gem-island:31x31,kinds=8",
        "gem-island:3x5,kinds=4,ice=2,medals=1",
        "gem-island:rules=original,layers=3",
    ] {
        let output =
            terminal.run(&format!("gem play --game {game} --agent random --seed 2")).success();
        assert!(output.contains("score"), "{game}: {output}");
    }
    let bytes = [b"\xff\xfe\x00\n".to_vec(), vec![b'a'; 100_000], b"\n".to_vec()].concat();
    let answer = terminal.run_words(&["gem", "play", "--seed", "1"], &bytes);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stdout.len() < 5000, "long input is not repeated in full");
}

/// The logs of a series can be read, and their games are those of the same series without logs.
#[test]
fn a_bench_writes_logs() {
    let terminal = Terminal::new();
    let line = "gem bench greedy random greedy:width=3 --games 12 --level 2 --seed 4 --json";
    let summaries = terminal.run(&format!("{line} --logs many --threads 2")).json();
    let without = terminal.run(line).json();
    for (with, without) in summaries.as_array().unwrap().iter().zip(without.as_array().unwrap()) {
        assert_eq!(
            (&with["wins"], &with["mean_score"]),
            (&without["wins"], &without["mean_score"])
        );
    }
    let files: Vec<String> = fs::read_dir(terminal.folder().join("many"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files.len(), 36);
    for name in ["greedy1-000001.txt", "random-000012.txt", "greedy3-000007.txt"] {
        assert!(files.iter().any(|file| file == name), "{name}: {files:?}");
        let one = terminal.run(&format!("gem log many/{name}")).success();
        assert!(one.starts_with("level 2, 9x9: ") && one.lines().count() == 1, "{one}");
    }
    let found = terminal.run("gem log many --json").json();
    let wins: u64 =
        summaries.as_array().unwrap().iter().map(|summary| summary["wins"].as_u64().unwrap()).sum();
    let group = &found["games"][0];
    assert_eq!((&group["level"], &group["games"]), (&json!(2), &json!(36)));
    assert_eq!((group["won_percent"].as_f64().unwrap() * 0.36).round() as u64, wins);
    assert_eq!((&found["damaged"], &found["unfinished"]), (&json!(0), &json!(0)));
    // The folder is not touched again.
    refuses(&terminal, "gem", 2, "gem bench random --games 1 --logs many");
    assert_eq!(fs::read_dir(terminal.folder().join("many")).unwrap().count(), 36);
    let answer = terminal.run("gem log many -o copy.txt");
    check(&terminal, "gem", 2, "gem log many -o copy.txt", &answer);
}

/// Damaged and unfinished logs of a folder are skipped, counted and named.
#[test]
fn a_folder_of_logs_is_described() {
    let terminal = Terminal::new();
    fs::create_dir(terminal.folder().join("logs")).unwrap();
    refuses(&terminal, "gem", 2, "gem log logs");
    fs::write(terminal.folder().join("logs/damaged.txt"), "20\t3\t9\t9\n0\tx\n").unwrap();
    let answer = terminal.run("gem log logs");
    check(&terminal, "gem", 2, "gem log logs # a damaged log", &answer);
    for seed in 1..=3 {
        let line = format!("gem play --agent greedy --seed {seed} --log logs/{seed}.txt");
        terminal.run(&line).success();
    }
    terminal.run_with_input("gem play --seed 1 --log logs/left.txt", "quit\n").success();
    let answer = terminal.run("gem log logs");
    assert_eq!(answer.code, 0, "{answer:?}");
    let rows: Vec<&str> = answer.stdout.lines().collect();
    assert!(rows.len() == 2 && rows[1].starts_with("1      3 "), "{answer:?}");
    let line = "warning: logs: skipped 1 damaged (damaged.txt) and 1 unfinished of 5 logs\n";
    assert_eq!(answer.stderr, line);
    let answer = terminal.run("gem log logs -v");
    assert!(answer.stderr.contains("skipped left.txt: no end marker"), "{answer:?}");
}

#[test]
fn weights_are_tuned() {
    let terminal = Terminal::new();
    let line = "gem tune --agent flat-ucb:sims=10,depth=2 --candidates 5 --games 6 --held-out 40";
    let tuned = terminal.run(&format!("{line} --threads 2 --json")).json();
    let rounds = tuned["rounds"].as_array().unwrap();
    let sizes = |key: &str| -> Vec<u64> {
        rounds.iter().map(|round| round[key].as_u64().unwrap()).collect()
    };
    assert_eq!((sizes("candidates"), sizes("games")), (vec![5, 3, 2], vec![6, 12, 24]));
    let percent = |key: &str| tuned[key]["win_percent"].as_f64().unwrap();
    let gain = tuned["gain"].as_f64().unwrap();
    assert!((percent("tuned") - percent("published") - gain).abs() < 1e-9, "{tuned}");
    assert!(tuned["gain_error"].as_f64().unwrap() > 0.0, "{tuned}");
    let weights = tuned["weights"].as_str().unwrap();
    let series = format!("gem bench flat-ucb:sims=10,depth=2,weights={weights} --games 2");
    assert!(terminal.run(&series).success().contains(weights));
    let text = terminal.run(line).success();
    assert!(text.contains(&format!("tuned {weights}")) && text.contains("gain: "), "{text}");
    refuses(&terminal, "gem", 2, "gem tune --agent greedy");
    refuses(&terminal, "gem", 2, "gem tune --agent flat-ucb:weights=1/2/3");
}

/// A real Python process plays whole games; its faults are named.
#[test]
fn another_program_plays() {
    let terminal = Terminal::new();
    let agent = format!("external:cmd={AGENT}");
    let bench =
        |more: &str| terminal.run(&format!("gem bench {agent}{more} random --games 25 --json"));
    let summaries = bench(",log=lines.txt").json();
    let score = |n: usize| summaries[n]["mean_score"].as_f64().unwrap();
    assert!(score(0) > score(1), "{summaries}");
    assert_eq!(bench("").json()[0]["mean_score"], summaries[0]["mean_score"]);
    let lines = fs::read_to_string(terminal.folder().join("lines.txt")).unwrap();
    for words in ["> tesuji 1", "< ok Deepest", "> game gem-island:level=1", "> new ", "> quit"] {
        assert!(lines.contains(words), "{words}");
    }
    let played = terminal.run(&format!("gem play --seed 1 --agent {agent}")).success();
    assert!(played.contains("score "), "{played}");

    let program = |name: &str, text: &str| {
        let path = terminal.folder().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let loyal = "while read -r word rest; do case $word in tesuji|game|new) echo ok;; go)";
    program("illegal.sh", &format!("{loyal} echo swap 0-0-8-8;; esac; done"));
    program("garbage.sh", &format!("{loyal} echo swap up;; esac; done"));
    program("crash.sh", &format!("{loyal} echo no more >&2; exit 3;; esac; done"));
    program("refuses.sh", "read -r word; echo error not today");
    program("silent.sh", "sleep 100");
    for name in ["illegal", "garbage", "crash"] {
        let line = format!("gem bench external:cmd=./{name}.sh --games 1");
        refuses(&terminal, "gem", 1, &line);
    }
    for line in [
        "gem bench external:cmd=./refuses.sh --games 1",
        "gem bench external:cmd=./silent.sh,timeout=100ms --games 1",
        "gem bench external:cmd=./missing.sh --games 1",
        "gem bench external --games 1",
    ] {
        refuses(&terminal, "gem", 2, line);
    }
    refuses(&terminal, "gem", 1, "gem play --seed 1 --agent external:cmd=./illegal.sh");
}
