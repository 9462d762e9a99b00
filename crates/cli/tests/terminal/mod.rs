//! Runs the real binary in a temporary folder.
#![allow(dead_code, reason = "each test file uses a part")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A temporary folder in which the program runs.
pub(crate) struct Terminal {
    folder: TempDir,
}

/// The result of a command: exit code and output.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Terminal {
    pub(crate) fn new() -> Terminal {
        Terminal { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `tesuji` with the words of a command line; `''` is an empty word.
    pub(crate) fn run(&self, command_line: &str) -> CommandOutput {
        self.run_with_input(command_line, "")
    }

    /// Runs a command line with text on stdin.
    pub(crate) fn run_with_input(&self, command_line: &str, input: &str) -> CommandOutput {
        let words =
            command_line.split_whitespace().map(|word| if word == "''" { "" } else { word });
        self.run_words(&words.collect::<Vec<_>>(), input.as_bytes())
    }

    /// Runs `tesuji` with these arguments.
    pub(crate) fn run_words(&self, words: &[&str], input: &[u8]) -> CommandOutput {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(words)
            .current_dir(self.folder())
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that refuses its arguments does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        CommandOutput {
            code: output.status.code().expect("killed by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl CommandOutput {
    /// The output of a command that must succeed.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self.stdout
    }

    /// The output of a command that must succeed, as JSON.
    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.success()).unwrap()
    }
}
