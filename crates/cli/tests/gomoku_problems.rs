//! `tesuji solve gomoku --file`: wins by fours are found, checked and counted.

use crate::terminal::Terminal;

const PROBLEMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gomoku-problems.jsonl");

/// Black wins nowhere; the second line is solved by one stone.
const MIXED: &str = r#"{"rule":"renju","size":15,"side":"black","black":["H8"],"white":["H9"]}

{"rule":"renju","size":15,"side":"white","black":["A1","A3","C1"],"white":["H8","I8","J8","K8"],"vcf_len":0}
"#;

#[test]
fn our_problems_are_solved_by_every_rule() {
    let words = ["solve", "gomoku", "--file", PROBLEMS];
    let stdout = Terminal::new().run_words(&words, b"").success();
    assert!(stdout.contains("12 of 12 solved") && stdout.contains("median time"), "{stdout}");
    let answer = Terminal::new().run_words(&[&words[..], &["--json"]].concat(), b"").json();
    assert_eq!((&answer["solved"], &answer["total"]), (&12.into(), &12.into()));
    let text = std::fs::read_to_string(PROBLEMS).unwrap();
    for (problem, line) in answer["positions"].as_array().unwrap().iter().zip(text.lines()) {
        let given: serde_json::Value = serde_json::from_str(line).unwrap();
        let moves = problem["moves"].as_array().unwrap();
        let fours = moves.len() as u64 / 2;
        assert!(fours >= given["vcf_len"].as_u64().unwrap(), "the shortest is known: {problem}");
        assert!(problem["seconds"].as_f64().unwrap() > 0.0, "{problem}");
    }
}

#[test]
fn what_is_not_solved_makes_the_exit_code_1() {
    let terminal = Terminal::new();
    std::fs::write(terminal.folder().join("mixed.jsonl"), MIXED).unwrap();
    let answer = terminal.run("solve gomoku --file mixed.jsonl");
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("1 of 2 not solved; line 1 has no win by fours"), "{answer:?}");
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines[0].starts_with("line 1") && lines[0].ends_with("no win by fours"), "{lines:?}");
    assert!(lines[1].starts_with("line 3") && lines[1].ends_with("g8"), "{lines:?}");
    assert_eq!(lines[2], "1 of 2 solved");

    let limited = terminal.run_words(&["solve", "gomoku", "--file", PROBLEMS, "--nodes", "2"], b"");
    assert_eq!(limited.code, 1, "{limited:?}");
    assert!(limited.stderr.contains("is unknown within the limits"), "{limited:?}");
    let timed = terminal.run_words(&["solve", "gomoku", "--file", PROBLEMS, "--time", "5s"], b"");
    assert!(timed.success().contains("12 of 12 solved"));
}

#[test]
fn bad_lines_are_named() {
    let terminal = Terminal::new();
    let write = |text: &str| std::fs::write(terminal.folder().join("bad.jsonl"), text).unwrap();
    for (text, words) in [
        ("{}\n", "bad.jsonl: line 1: missing field `rule`"),
        (&MIXED.replace("\"I8\"", "\"H8\""), "bad.jsonl: line 3: h8: occupied"),
        (&MIXED.replace("\"white\",", "\"grey\","), "line 3: side \"grey\""),
    ] {
        write(text);
        let answer = terminal.run("solve gomoku --file bad.jsonl --nodes 1");
        assert!(answer.code == 2 && answer.stderr.contains(words), "{text}: {answer:?}");
        assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
    }
    write("{\"rule\"");
    let other = terminal.run("solve connect4 --file bad.jsonl");
    assert_eq!(other.code, 2, "problems are for Gomoku: {other:?}");
}
