//! The folder in which a document is read: what the repository offers, and stand-ins for what a reader has.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::amounts::smaller_file;
use super::root;

/// What the documents presuppose, and what stands for it: a file of the repository.
const FILES: &[(&str, &str)] = &[
    ("openings.txt", "examples/openings/gomoku.txt"),
    ("problems.jsonl", "examples/gomoku-problems.jsonl"),
    ("sets/Test_end-easy", "crates/cli/data/connect4/Test_end-easy"),
];

/// Words that stand for something else here: the game that a chapter adds is not in the program.
pub(crate) const STAND_INS: &[(&str, &str)] =
    &[("take-away:matches=15", "tictactoe"), ("take-away", "tictactoe")];

/// Another solver of Connect Four, as far as `tesuji bench` looks.
const SOLVER: &str = "#!/bin/sh\necho mean 1.5 us\n";

/// A new folder, with the files that the reader is told to make.
pub(crate) fn make(files: &[(String, String)]) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    let place = |name: &str| folder.path().join(name);
    for name in ["examples", "models"] {
        copy(&root().join(name), &place(name));
    }
    fs::create_dir(place("sets")).expect("it is new");
    for (name, of) in FILES {
        fs::copy(root().join(of), place(name)).expect("the repository has it");
    }
    for (name, text) in files {
        fs::write(place(name), smaller_file(text)).expect("there is room");
    }
    fs::write(place("solver"), SOLVER).expect("there is room");
    fs::set_permissions(place("solver"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    fs::create_dir(place("bin")).expect("it is new");
    symlink(env!("CARGO_BIN_EXE_tesuji"), place("bin/tesuji")).expect("it is new");
    folder
}

/// Puts an engine wherever a command names one, `./pbrain-…`: the program itself, which is one under such a name.
pub(crate) fn provide_engines(folder: &Path, text: &str) {
    for part in text.split("./").skip(1).filter(|part| part.starts_with("pbrain-")) {
        let is_end = |letter: char| letter.is_whitespace() || "\"',".contains(letter);
        let place = folder.join(part.split(is_end).next().unwrap_or(part));
        if !place.exists() {
            symlink(env!("CARGO_BIN_EXE_tesuji"), place).expect("it is new");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("it is new");
    for entry in fs::read_dir(from).expect("the repository has it") {
        let (path, name) = entry.map(|it| (it.path(), it.file_name())).expect("it can be listed");
        let to = to.join(name);
        if path.is_dir() {
            copy(&path, &to);
        } else if path.extension().is_some_and(|kind| kind == "toml" || kind == "properties") {
            let text = fs::read_to_string(&path).expect("it is a text");
            fs::write(to, smaller_file(&text)).expect("there is room");
        } else {
            fs::copy(&path, to).expect("there is room");
        }
    }
}
