//! `tesuji bench`: measurements next to those of other programs (peers).

use std::os::unix::fs::PermissionsExt;

use crate::error_texts::refuses;
use crate::terminal::Terminal;

/// A peer that reports a thousand games a second.
fn fake_peer(terminal: &Terminal) -> String {
    let path = terminal.folder().join("peer");
    std::fs::write(&path, "#!/bin/sh\nfor t; do printf '%s\\tsnail 1.0\\t1000\\n' \"$t\"; done\n")
        .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn a_peer_is_measured_in_the_same_run() {
    let terminal = Terminal::new();
    let peer = fake_peer(&terminal);
    let line = format!("bench playouts/tictactoe --rounds 1 --json --python none --peers {peer}");
    let result = terminal.run(&line).json();
    let task = &result["tasks"][0];
    let ours = task["figure"].as_f64().unwrap();
    assert_eq!(task["id"], "playouts/tictactoe");
    assert_eq!(task["peers"][0]["peer"], "snail 1.0");
    let ratio = task["peers"][0]["we_are_times_as_fast"].as_f64().unwrap();
    assert!(ours > 1000.0 && (ratio - ours / 1000.0).abs() < 1e-6 * ratio);
    assert_eq!(result["forest"], serde_json::Value::Null);
}

#[test]
fn without_peers_the_output_names_the_setup_command() {
    let line = "bench playouts/tictactoe --rounds 1 --python none";
    let text = Terminal::new().run(line).success();
    assert!(text.contains("games/s") && text.contains("cargo xtask bench"), "{text}");
}

#[test]
fn the_list_names_every_benchmark() {
    let text = Terminal::new().run("bench --list").success();
    for id in ["playouts/chess", "uct/1-thread", "alphabeta/depth-12", "threads/othello"] {
        assert!(text.contains(id), "{text}");
    }
    for id in ["connect4 ", "connect4-boards", "trees ", "forest ", "critic "] {
        assert!(text.contains(id), "{text}");
    }
}

/// The fake Python has PyTorch and reports two training positions a second.
#[test]
fn a_critic_is_compared_with_pytorch() {
    let terminal = Terminal::new();
    let python = terminal.folder().join("python");
    let script = "#!/bin/sh\necho \"$2\" | grep -q torch && echo 9.0 2.0\nexit 0\n";
    std::fs::write(&python, script).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let line = format!("bench critic --rounds 1 --json --python {}", python.display());
    let figures = terminal.run(&line).json()["critic"].clone();
    assert_eq!(figures["peer"]["name"], "PyTorch 9.0");
    let ratio = figures["peer"]["we_are_times_as_fast"].as_f64().unwrap();
    assert_eq!(ratio, figures["samples"].as_f64().unwrap() / 2.0);
    assert!(figures["evaluations"].as_f64().unwrap() > 1.0);
    let text = terminal.run("bench critic --rounds 1 --python none").success();
    assert!(text.contains("no PyTorch") && text.contains("3000000"), "{text}");
}

/// The fake Python has scikit-learn and reports a thousand seconds.
#[test]
fn trees_are_compared_with_scikit_learn() {
    let terminal = Terminal::new();
    let python = terminal.folder().join("python");
    let script =
        "#!/bin/sh\n[ $# -gt 2 ] && [ -s \"$3\" ] && [ -s \"$4\" ] && echo 1.0 1000 0.5\nexit 0\n";
    std::fs::write(&python, script).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let line = format!("bench trees --rounds 1 --json --python {}", python.display());
    let result = terminal.run(&line).json();
    let rows = result["trees"].as_array().unwrap();
    let size = |row: &serde_json::Value| (row["samples"].clone(), row["trees"].clone());
    assert_eq!(size(&rows[0]), (10_000.into(), 1000.into()));
    assert_eq!(size(&rows[1]), (100_000.into(), 10.into()));
    for row in rows {
        assert!(row["seconds"].as_f64().unwrap() > 0.0);
        assert!((0.0..1.0).contains(&row["error"].as_f64().unwrap()));
        assert_eq!(row["peer"]["name"], "scikit-learn 1.0");
        assert!(row["peer"]["we_are_times_as_fast"].as_f64().unwrap() > 1.0);
    }
}

/// A Connect Four solver that reports ten seconds a position and counts its input lines.
fn slow_solver(terminal: &Terminal) -> String {
    let path = terminal.folder().join("slow");
    let script = "#!/bin/sh\n\
        echo \"$1: $(wc -l < $1)/$(wc -l < $1) correct, mean 10000000.0 us, mean 1.0 nodes\"\n\
        cat $1 >> given\n";
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn connect4_sets_are_checked_and_compared_with_other_solvers() {
    let terminal = Terminal::new();
    let write = |name: &str, text: &str| {
        std::fs::write(terminal.folder().join(name), text).unwrap();
    };
    // The value in the first set follows from the rules: the game ends within a few moves.
    write("Test_late", "2252576253462244111563365343671351441 -1\n");
    write("notes", "no set");
    let peer = slow_solver(&terminal);
    let line =
        format!("bench connect4 --sets . --rounds 1 --json --python none --peer slow={peer}");
    let result = terminal.run(&line).json();
    let sets = result["connect4"].as_array().unwrap();
    assert_eq!(sets.len(), 1, "{sets:?}");
    assert_eq!(sets[0]["set"], "late");
    assert_eq!((&sets[0]["positions"], &sets[0]["correct"]), (&1.into(), &1.into()));
    assert_eq!(sets[0]["peers"][0]["peer"], "slow");
    let ratio = sets[0]["peers"][0]["our_time_over_its"].as_f64().unwrap();
    assert!((ratio - sets[0]["mean_seconds"].as_f64().unwrap() / 10.0).abs() < 1e-9);
    let given = std::fs::read_to_string(terminal.folder().join("given")).unwrap();
    assert_eq!(given, "2252576253462244111563365343671351441 -1\n");

    write("Test_late", "2252576253462244111563365343671351441 1\n");
    let answer = terminal.run("bench connect4 --sets . --rounds 1 --python none");
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stdout.contains("0/1"), "{answer:?}");
    assert_eq!(answer.stderr, "error: set late: 1 scores differ; expected 0\n");
}

#[test]
fn braces_in_a_peer_command_become_the_path_of_the_set() {
    let terminal = Terminal::new();
    let set = "2252576253462244111563365343671351441 -1\n";
    std::fs::write(terminal.folder().join("Test_late"), set).unwrap();
    let peer = format!("slow={} {{}} --last", slow_solver(&terminal));
    let words = ["bench", "connect4", "--sets", ".", "--rounds", "1", "--python", "none"];
    let words = [&words[..], &["--peer", &peer]].concat();
    let text = terminal.run_words(&words, b"").success();
    assert!(text.contains("slow  10.0 s"), "{text}");
}

#[test]
fn a_peer_without_output_is_refused() {
    let terminal = Terminal::new();
    let set = "2252576253462244111563365343671351441 -1\n";
    std::fs::write(terminal.folder().join("Test_late"), set).unwrap();
    for peer in ["true", "./none"] {
        let line = format!("bench connect4 --sets . --rounds 1 --python none --peer it={peer}");
        refuses(&terminal, "bench", 2, &line);
    }
}

#[test]
fn a_connect4_board_is_compared_with_its_published_value() {
    let terminal = Terminal::new();
    let line = "bench connect4-boards/4x4 connect4-boards/6x4 --python none";
    let result = terminal.run(&format!("{line} --json")).json();
    let boards = result["connect4_boards"].as_array().unwrap();
    let shown: Vec<_> = boards.iter().map(|b| (&b["board"], &b["result"], &b["agrees"])).collect();
    let yes = &true.into();
    assert_eq!(
        shown,
        [(&"4x4".into(), &"draw".into(), yes), (&"6x4".into(), &"second".into(), yes)]
    );
    assert_eq!(boards[1]["last_move"], 24);
    let text = terminal.run(line).success();
    assert!(text.contains("second 24") && !text.contains("DIFFERS"), "{text}");
}

/// The number of moves left in a game with this score after `stones` moves on the 7x6 board.
fn moves_left(stones: i32, score: i32) -> i32 {
    if score == 0 {
        return 42 - stones;
    }
    // Each side has 21 stones; a score of n means that the winner finishes with its stone 22 - n.
    let of_winner = 22 - score.abs();
    let first_wins = (stones % 2 == 0) == (score > 0);
    2 * of_winner - i32::from(first_wins) - stones
}

#[test]
fn our_connect4_sets_match_their_names() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/connect4");
    for (name, count, stones, left) in [
        ("end-easy", 1000, 29..=41, 0..=14),
        ("middle-easy", 1000, 15..=28, 0..=14),
        ("middle-medium", 1000, 15..=28, 15..=28),
        ("begin-easy", 500, 4..=14, 0..=14),
        ("begin-medium", 50, 4..=14, 15..=28),
        ("begin-hard", 10, 4..=8, 29..=42),
    ] {
        let text = std::fs::read_to_string(format!("{folder}/Test_{name}")).unwrap();
        assert_eq!(text.lines().count(), count, "{name}");
        for line in text.lines() {
            let (moves, score) = line.split_once(' ').unwrap();
            let played = moves.len() as i32;
            assert!(stones.contains(&played), "{name}: {line}");
            assert!(left.contains(&moves_left(played, score.parse().unwrap())), "{name}: {line}");
        }
    }
    for name in ["end-easy", "middle-easy"] {
        let line = format!("solve connect4 --file {folder}/Test_{name} --json");
        assert_eq!(Terminal::new().run(&line).json()["correct"], 1000, "{name}");
    }
}
