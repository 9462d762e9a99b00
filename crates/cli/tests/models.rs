//! `tesuji model` with the real binary and the built-in models.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error_texts::{check, refuses};
use crate::terminal::{CommandOutput, Terminal};

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

fn run(terminal: &Terminal, words: &[&str], name: &str, more: &[&str]) -> CommandOutput {
    let path = model(name);
    let path = path.to_str().unwrap();
    let words: Vec<&str> =
        words.iter().copied().chain([path]).chain(more.iter().copied()).collect();
    terminal.run_words(&words, b"")
}

#[test]
fn a_model_is_described() {
    let terminal = Terminal::new();
    let text = run(&terminal, &["model", "info"], "critic-gomoku-15x15.net", &[]).success();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "kind     critic",
            "game     gomoku",
            "learner  critic",
            "numbers  2,624",
            "made     critic of gomoku: 40000 games, seed 1, rate 1 to 0.01, lambda 0.7",
            "",
            "tensors:",
            "  layers.0.weight  F32  32 x 81",
            "  layers.1.weight  F32  1 x 32",
        ]
    );
    let info = run(&terminal, &["model", "info", "--json"], "tictactoe.xml.gz", &[]).json();
    let expected = json!({
        "kind": "forest", "learner": "forest", "game": "tictactoe", "size": 15, "made": null,
        "tensors": [],
    });
    assert_eq!(info, expected);
    let text = run(&terminal, &["model", "info"], "tictactoe.xml.gz", &[]).success();
    assert!(text.contains("trees    15\n") && !text.contains("tensors"), "{text}");
    let text = run(&terminal, &["model", "info"], "connect4-7x6.tuples", &[]).success();
    assert!(text.contains(" more; --json lists all\n"), "{text}");
}

#[test]
fn a_network_is_exported() {
    let terminal = Terminal::new();
    let stdout = run(&terminal, &["model", "export"], "gomoku.lines", &["a.safetensors"]).success();
    assert_eq!(stdout, "a.safetensors: 13 tensors, 76,321 numbers\n");
    let bytes = fs::read(terminal.folder().join("a.safetensors")).unwrap();
    let (length, rest) = bytes.split_first_chunk().unwrap();
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let header: Value = serde_json::from_slice(header).unwrap();
    assert_eq!(header["__metadata__"]["game"], "gomoku");
    assert_eq!(header["halves"]["shape"], json!([3, 364, 64]));
    assert_eq!(data.len(), 4 * 76_321);
    let again = run(&terminal, &["model", "export"], "gem-utility.net", &["a.safetensors"]);
    check(&terminal, "models", 2, "model export gem-utility.net a.safetensors", &again);
    let with_force = &["a.safetensors", "--force"];
    let stdout = run(&terminal, &["model", "export"], "gem-utility.net", with_force).success();
    assert!(stdout.starts_with("a.safetensors: 6 tensors, "), "{stdout}");
}

#[test]
fn files_without_a_network_are_refused() {
    let terminal = Terminal::new();
    for (verb, name, to) in [
        ("export", "tictactoe.xml.gz", "a.safetensors"),
        ("export", "connect4-7x6.book", "a.safetensors"),
        ("info", "README.md", ""),
        ("export", "gomoku.lines", "a.onnx"),
        ("export", "gomoku.lines", "missing/a.safetensors"),
    ] {
        let to = Vec::from_iter([to].into_iter().filter(|to| !to.is_empty()));
        let answer = run(&terminal, &["model", verb], name, &to);
        let label = format!("model {verb} {name} {}", to.concat());
        check(&terminal, "models", 2, label.trim_end(), &answer);
    }
    let mut bytes = fs::read(model("gomoku.lines")).unwrap();
    bytes.pop();
    fs::write(terminal.folder().join("cut.lines"), bytes).unwrap();
    for command_line in ["info missing.net", "info .", "", "info cut.lines"] {
        refuses(&terminal, "models", 2, format!("model {command_line}").trim_end());
    }
    assert!(!terminal.folder().join("a.safetensors").exists());
}
