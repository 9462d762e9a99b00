//! `cargo` commands would build and test everything again inside a test. This module only checks
//! that the packages, targets, tests and options that they name exist.

use std::fs;
use std::path::PathBuf;

use super::root;
use super::words::split;

/// The `cargo` command in a line; assignments of variables may precede it.
pub(crate) fn in_line(text: &str) -> Option<&str> {
    match text.split_once(' ')? {
        ("cargo", _) => Some(text),
        (word, rest) if word.contains('=') => in_line(rest),
        _ => None,
    }
}

/// Checks that everything in a command exists; the error names what is missing.
pub(crate) fn look_up(text: &str) -> Result<(), String> {
    let words = split(text);
    match words.as_slice() {
        ["cargo", "xtask", rest @ ..] => xtask(rest),
        ["cargo", "test", "-p", package] => folder_of(package).map(|_| ()),
        ["cargo", "test", "-p", package, "--test", target, rest @ ..] => {
            test(package, target, rest)
        }
        ["cargo", "run", "--release", "-p", package, "--example", name, ..] => {
            let file = folder_of(package)?.join(format!("examples/{name}.rs"));
            require(file.exists(), &format!("example {name} of {package}"))
        }
        ["cargo", "install", "--path", path] => {
            require(root().join(path).join("Cargo.toml").exists(), path)
        }
        _ => Err("no rule for this command".to_string()),
    }
}

/// Checks a command of `xtask`: its help has each command at the beginning of a line.
fn xtask(words: &[&str]) -> Result<(), String> {
    let text = fs::read_to_string(root().join("xtask/src/main.rs")).map_err(|e| e.to_string())?;
    let verb = words.first().copied().unwrap_or("help");
    require(text.lines().any(|line| line.starts_with(&format!("  {verb} "))), verb)?;
    let known = |word: &&&str| contains_text(&root().join("xtask/src"), word);
    let unknown = words.iter().filter(|word| word.starts_with("--")).find(|word| !known(word));
    require(unknown.is_none(), unknown.unwrap_or(&""))
}

/// Checks a test target, and that a filter matches a test.
fn test(package: &str, target: &str, rest: &[&str]) -> Result<(), String> {
    let tests = folder_of(package)?.join("tests");
    let (file, folder) = (tests.join(format!("{target}.rs")), tests.join(target));
    require(file.exists() || folder.join("main.rs").exists(), target)?;
    let name = rest.iter().find(|word| !word.starts_with("--"));
    let has = |name: &&str| match name.split_once("::") {
        Some((module, part)) => contains_text(&tests.join(format!("{module}.rs")), part),
        None if target == "all" => contains_text(&tests, name),
        None => contains_text(&file, name) || contains_text(&folder, name),
    };
    require(name.is_none_or(has), name.unwrap_or(&""))
}

/// Whether a file, or any file in a folder, contains a text.
fn contains_text(path: &std::path::Path, text: &str) -> bool {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().any(|entry| contains_text(&entry.path(), text)),
        Err(_) => fs::read_to_string(path).is_ok_and(|all| all.contains(text)),
    }
}

fn folder_of(package: &str) -> Result<PathBuf, String> {
    let name = format!("name = \"{package}\"");
    let crates = fs::read_dir(root().join("crates")).map_err(|e| e.to_string())?;
    let mut folders = crates.flatten().map(|entry| entry.path());
    folders
        .find(|folder| contains_text(&folder.join("Cargo.toml"), &name))
        .ok_or_else(|| format!("there is no package {package}"))
}

fn require(exists: bool, name: &str) -> Result<(), String> {
    if exists { Ok(()) } else { Err(format!("there is no {name}")) }
}

#[test]
fn variables_may_precede_a_command() {
    assert_eq!(in_line("A=1 B=x cargo xtask test"), Some("cargo xtask test"));
    assert_eq!(in_line("cargo xtask test"), Some("cargo xtask test"));
    assert_eq!(in_line("tesuji games cargo"), None);
}

#[test]
fn missing_names_are_found() {
    for known in [
        "cargo xtask test",
        "cargo xtask soak web --seconds 10",
        "cargo test -p tesuji --test cluster -- a_queue_comes_back",
        "cargo test -p tesuji-games --test all playthroughs",
        "cargo test -p tesuji --test all documentation::every_command_works",
        "cargo install --path crates/cli",
    ] {
        assert_eq!(look_up(known), Ok(()), "{known}");
    }
    for unknown in [
        "cargo xtask tset",
        "cargo xtask soak web --no-such-option",
        "cargo test -p tesuji --test cluster -- no_such_test_anywhere",
        "cargo test -p tesuji --test all documentation::no_such_test_anywhere",
        "cargo test -p tesuji-nothing",
        "cargo install --path crates/none",
        "cargo frobnicate",
    ] {
        assert!(look_up(unknown).is_err(), "{unknown}");
    }
}
