//! The folder in which the commands of a document run: files of the repository, and stand-ins for
//! files of the reader.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::amounts::smaller_file;
use super::root;

/// Files that the documents presuppose, and the files of the repository that replace them.
const FILES: &[(&str, &str)] = &[
    ("openings.txt", "examples/openings/gomoku.txt"),
    ("problems.jsonl", "examples/gomoku-problems.jsonl"),
    ("sets/Test_end-easy", "crates/cli/data/connect4/Test_end-easy"),
];

/// Words and their replacements: the program does not have the game that a chapter adds.
pub(crate) const STAND_INS: &[(&str, &str)] =
    &[("take-away:matches=15", "tictactoe"), ("take-away", "tictactoe")];

/// A fake solver of Connect Four for `tesuji bench`.
const SOLVER: &str = "#!/bin/sh\necho mean 1.5 us\n";

/// Creates a folder, with the files that the document has its reader create.
pub(crate) fn create(files: &[(String, String)]) -> TempDir {
    let folder = tempfile::tempdir().expect("the folder is writable");
    let path = |name: &str| folder.path().join(name);
    for name in ["examples", "models"] {
        copy(&root().join(name), &path(name));
    }
    fs::create_dir(path("sets")).expect("the folder is new");
    for (name, of) in FILES {
        fs::copy(root().join(of), path(name)).expect("the repository has the file");
    }
    for (name, text) in files {
        fs::write(path(name), smaller_file(text)).expect("the folder is writable");
    }
    fs::write(path("solver"), SOLVER).expect("the folder is writable");
    fs::set_permissions(path("solver"), fs::Permissions::from_mode(0o755))
        .expect("the file was just written");
    fs::create_dir(path("bin")).expect("the folder is new");
    symlink(env!("CARGO_BIN_EXE_tesuji"), path("bin/tesuji")).expect("the folder is new");
    folder
}

/// Creates every engine `./pbrain-…` of a command as a link to the program itself, which is an
/// engine under such a name.
pub(crate) fn provide_engines(folder: &Path, text: &str) {
    for part in text.split("./").skip(1).filter(|part| part.starts_with("pbrain-")) {
        let is_end = |letter: char| letter.is_whitespace() || "\"',".contains(letter);
        let path = folder.join(part.split(is_end).next().unwrap_or(part));
        if !path.exists() {
            symlink(env!("CARGO_BIN_EXE_tesuji"), path).expect("the folder is new");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("the folder is new");
    for entry in fs::read_dir(from).expect("the repository has the file") {
        let (path, name) = entry.map(|it| (it.path(), it.file_name())).expect("it can be listed");
        let to = to.join(name);
        if path.is_dir() {
            copy(&path, &to);
        } else if path.extension().is_some_and(|kind| kind == "toml" || kind == "properties") {
            let text = fs::read_to_string(&path).expect("the file is text");
            fs::write(to, smaller_file(&text)).expect("the folder is writable");
        } else {
            fs::copy(&path, to).expect("the folder is writable");
        }
    }
}
