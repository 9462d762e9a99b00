//! The error texts of the program, in one file: `error_texts.txt`. Tests compare the errors that
//! they get with this file. After a change of texts, write the file again and read the difference:
//!
//! ```sh
//! rm crates/cli/tests/error_texts.txt
//! TESUJI_WRITE_ERROR_TEXTS=1 cargo test -p tesuji --test all
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::sync::Mutex;

use crate::terminal::{CommandOutput, Terminal};

/// If this variable is set, the tests write the file instead of comparing with it.
const WRITE: &str = "TESUJI_WRITE_ERROR_TEXTS";
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/error_texts.txt");
const HEADER: &str = "\
The error texts of the program, a section for each file of tests: what was run, then the exit code
and the error. error_texts.rs says how to write this file again.
";

/// The errors by section and label.
type Texts = BTreeMap<String, BTreeMap<String, String>>;

/// Runs a command that fails with this exit code and compares its error.
#[track_caller]
pub(crate) fn refuses(terminal: &Terminal, section: &str, code: i32, command_line: &str) {
    check(terminal, section, code, command_line, &terminal.run(command_line));
}

/// Compares the error of a command with the file. The label is the command line, with a comment if
/// the same command line fails in several ways. The text has `FOLDER` for the terminal's folder.
#[track_caller]
pub(crate) fn check(
    terminal: &Terminal,
    section: &str,
    code: i32,
    label: &str,
    answer: &CommandOutput,
) {
    let one_line = answer.stderr.starts_with("error: ") && answer.stderr.lines().count() == 1;
    assert!(answer.code == code && one_line, "{label}: expected exit code {code}, {answer:?}");
    let text = answer.stderr["error: ".len()..].trim_end();
    let text = text.replace(&terminal.folder().display().to_string(), "FOLDER");
    let text = text.replace(concat!(env!("CARGO_MANIFEST_DIR"), "/../../"), "");
    let text = format!("{code}: {text}");
    let label = label.replace('\n', "\\n");
    static FILE: Mutex<()> = Mutex::new(());
    let _locked = FILE.lock();
    let mut texts = read();
    let entry = texts.entry(section.to_string()).or_default().entry(label.clone());
    if std::env::var_os(WRITE).is_some() {
        entry.insert_entry(text);
        write(&texts);
    } else {
        let expected = entry.or_default();
        assert_eq!(&text, expected, "{label}, [{section}] in error_texts.txt; {WRITE}=1 writes it");
    }
}

fn read() -> Texts {
    let file = fs::read_to_string(PATH).unwrap_or_default();
    let mut texts = Texts::new();
    let (mut section, mut label) = (None, None);
    for line in file.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = Some(texts.entry(name.to_string()).or_default());
        } else if let Some(command_line) = line.strip_prefix("$ ") {
            label = Some(command_line.to_string());
        } else if let (Some(section), Some(label)) = (&mut section, label.take()) {
            section.insert(label, line.to_string());
        }
    }
    texts
}

fn write(texts: &Texts) {
    let mut file = HEADER.to_string();
    for (section, errors) in texts {
        write!(file, "\n[{section}]\n").unwrap();
        for (label, text) in errors {
            write!(file, "$ {label}\n{text}\n").unwrap();
        }
    }
    fs::write(PATH, file).unwrap();
}
