//! `tesuji solve gomoku --file`: finds, checks and counts wins by continuous fours.

use crate::error_texts::check;
use crate::terminal::Terminal;

const PROBLEMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gomoku-problems.jsonl");

/// Black has no win in the first line; one stone solves the second.
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
        assert!(
            fours >= given["vcf_len"].as_u64().unwrap(),
            "shorter than the shortest solution: {problem}"
        );
        assert!(problem["seconds"].as_f64().unwrap() > 0.0, "{problem}");
    }
}

#[test]
fn an_unsolved_problem_gives_exit_code_1() {
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
fn errors_name_the_bad_line() {
    let terminal = Terminal::new();
    let write = |text: &str| std::fs::write(terminal.folder().join("bad.jsonl"), text).unwrap();
    for (what, text) in [
        ("no rule", "{}\n"),
        ("two stones on h8", &MIXED.replace("\"I8\"", "\"H8\"")),
        ("the side grey", &MIXED.replace("\"white\",", "\"grey\",")),
    ] {
        write(text);
        let command_line = "solve gomoku --file bad.jsonl --nodes 1";
        let label = format!("{command_line} # {what}");
        check(&terminal, "problems", 2, &label, &terminal.run(command_line));
    }
    write("{\"rule\"");
    let other = terminal.run("solve connect4 --file bad.jsonl");
    assert_eq!(other.code, 2, "only Gomoku has problem files: {other:?}");
}
