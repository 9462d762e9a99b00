//! `tesuji train` with `learner = "line-network"`, and the players that use its networks.

use std::fs;

use crate::error_texts::{check, refuses};
use crate::terminal::Terminal;
use serde_json::Value;

const RUN: &str = "learner = 'line-network'\n[games]\ncount = 10\nnodes = 100\nboards = [9]\nopening = [2, 4]\n\
                   longest = 25\n[learning]\npasses = 2\nbatch = 32\nheld_out = 5\n[measure]\ngames = 2\n";

fn terminal_with(text: &str) -> Terminal {
    let terminal = Terminal::new();
    fs::write(terminal.folder().join("run.toml"), text).unwrap();
    terminal
}

#[test]
fn a_network_is_trained_resumed_and_played() {
    let terminal = terminal_with(RUN);
    let report = terminal.run("train run.toml --threads 2 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(2), &Value::from(2)));
    assert!(report["last"]["positions"].as_u64().unwrap() > 20, "{report}");
    let network = |run: &str| fs::read(terminal.folder().join(run).join("last.lines")).unwrap();
    let before = network("runs/run");
    terminal.run("train --resume runs/run").success();
    assert_eq!(network("runs/run"), before, "a finished run is not changed");
    let report = terminal.run("train run.toml --out short --iterations 1 --json").json();
    assert_eq!((&report["step"], &report["of"]), (&Value::from(1), &Value::from(1)));
    assert_ne!(network("short"), before);
    terminal.run("train run.toml --resume short").success();
    assert_eq!(
        network("short"),
        before,
        "a run that is stopped and resumed ends with the same network"
    );
    let svg = terminal.folder().join("short/plots/policy.svg");
    assert!(fs::read_to_string(svg).unwrap().contains("<svg"));
    let played =
        "match mnk:9x9,k=5 line-mcts:sims=20,file=short/best.lines random --games 2 --json";
    terminal.run(played).success();
}

#[test]
fn bad_files_are_refused_in_one_line() {
    for text in [
        "learner = 'line-network'\nrule = 'pente'",
        "learner = 'line-network'\n[games]\nboards = [21]",
        "learner = 'line-network'\n[learning]\nslopes = 'x'",
    ] {
        let terminal = terminal_with(text);
        let label = format!("train run.toml # {text}");
        check(&terminal, "line network", 2, &label, &terminal.run("train run.toml"));
        assert!(!terminal.folder().join("runs").exists());
    }
    let terminal = terminal_with(
        &RUN.replace("[games]\ncount = 10", "records = ['none.jsonl']\n[games]\ncount = 0"),
    );
    refuses(&terminal, "line network", 2, "train run.toml");
}
