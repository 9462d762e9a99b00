//! Every verb reads only regular files, and only up to a size limit: devices, pipes, folders and
//! huge files are refused at once, in one line.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::terminal::Terminal;

/// Every verb that reads a file, with `FILE` in place of the name. The second column has the kinds
/// of files that the verb treats differently.
const VERBS: &[(&str, &[&str])] = &[
    ("match tictactoe random random --openings FILE", &[]),
    ("match tictactoe forest:file=FILE random", &[]),
    ("match tictactoe pvs:book=FILE random", &[]),
    ("match gomoku gomoku:weights=FILE random", &[]),
    ("match gomoku critic:file=FILE random", &[]),
    ("match gomoku critic-mcts:file=FILE random", &[]),
    ("match gomoku critic-puct:file=FILE random", &[]),
    ("match gomoku line-mcts:file=FILE random", &[]),
    ("match gomoku line-alphabeta:file=FILE random", &[]),
    ("analyze tictactoe --player forest:file=FILE", &[]),
    ("play tictactoe --second forest:file=FILE", &[]),
    ("play --load FILE", &[]),
    ("tournament FILE", &[]),
    ("train FILE", &[]),
    ("train gomoku-eval FILE", &[]),
    ("solve connect4 --file FILE", &[]),
    ("solve gomoku --file FILE", &[]),
    ("solve connect4 --book FILE", &[]),
    ("book info FILE", &[]),
    ("book convert FILE out.json", &[]),
    ("book build tictactoe FILE --plies 1", &[]),
    ("book build connect4:4x4 FILE --plies 1", &[]),
    ("forest show FILE", &[]),
    ("forest export FILE out.xml", &[]),
    ("forest import FILE", &[]),
    ("forest test FILE", &[]),
    ("gem verify FILE", &[]),
    ("gem log FILE", &["folder"]),
    ("gem bench flat-ucb:eval=nn-utility,file=FILE --games 1", &[]),
    ("store import a.db FILE --format pgn", &["huge"]),
    ("store import a.db FILE --format jsonl", &["huge"]),
    ("store import a.db FILE --format sgf", &["huge"]),
    ("store import a.db FILE --format psq", &["folder", "huge"]),
];

/// A generous limit: a refusal takes milliseconds.
const DEADLINE: Duration = Duration::from_secs(60);

/// Above the size limit of every kind of file. The file is sparse and takes no disk space.
const HUGE: u64 = 1 << 42;

/// The exit code and the error output of a command; `None` after the deadline.
fn refused(folder: &Path, command_line: &str) -> Option<(Option<i32>, String)> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(command_line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > DEADLINE {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    Some((child.wait().unwrap().code(), stderr))
}

#[test]
fn devices_pipes_folders_and_huge_files_are_refused_at_once() {
    let terminal = Terminal::new();
    let folder = terminal.folder();
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    fs::create_dir(folder.join("folder")).unwrap();
    File::create(folder.join("huge")).unwrap().set_len(HUGE).unwrap();
    let kinds = [
        ("/dev/zero", "is a device or a pipe"),
        ("pipe", "is a device or a pipe"),
        ("folder", "is a folder"),
        ("huge", "too large"),
    ];
    let mut faults = Vec::new();
    for (verb, exceptions) in VERBS {
        for (file, problem) in kinds.iter().filter(|(file, _)| !exceptions.contains(file)) {
            let command_line = verb.replace("FILE", file);
            let answer = refused(folder, &command_line);
            let Some((code, stderr)) = &answer else {
                faults.push(format!("tesuji {command_line}: no answer within {DEADLINE:?}"));
                continue;
            };
            let one_line = stderr.starts_with("error: ") && stderr.lines().count() == 1;
            let parts = [*file, *problem, "expected a regular file"];
            let is_complete = parts.iter().all(|part| stderr.contains(part));
            if *code != Some(2) || !one_line || !is_complete {
                faults.push(format!("tesuji {command_line}: {code:?} {stderr}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let mut left: Vec<_> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["folder", "huge", "pipe"], "nothing was written");
}

/// A store that cannot be opened is a failure at run time (exit code 1), reported as quickly.
#[test]
fn a_device_as_store_is_refused() {
    let terminal = Terminal::new();
    assert!(Command::new("mkfifo").arg(terminal.folder().join("pipe")).status().unwrap().success());
    for verb in ["store info FILE", "match tictactoe random random --games 2 --store FILE"] {
        for file in ["/dev/zero", "pipe"] {
            let answer = refused(terminal.folder(), &verb.replace("FILE", file));
            let (code, stderr) = answer.unwrap();
            assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{verb} {file}: {stderr}");
            assert!(stderr.contains("is a device or a pipe"), "{verb} {file}: {stderr}");
        }
    }
}

/// A user who may choose models but not read files cannot learn the contents of other files.
#[test]
fn errors_show_no_contents_of_files_that_are_not_models() {
    let terminal = Terminal::new();
    for (name, text) in [
        ("plain", "secret\n"),
        ("tagged", "<secret attribute='secret'>secret</secret>\n"),
        ("declared", "<?xml version='1.0' encoding='secret'?>\n<secret/>\n"),
        ("json", "{\"secret\": \"secret\"}\n"),
    ] {
        fs::write(terminal.folder().join(name), text).unwrap();
        for player in [
            "forest:file=FILE",
            "pvs:book=FILE",
            "gomoku:weights=FILE",
            "critic:file=FILE",
            "line-mcts:file=FILE",
        ] {
            let player = player.replace("FILE", name);
            let answer = terminal.run(&format!("match gomoku {player} random --games 1"));
            assert_eq!(answer.code, 2, "{player}: {answer:?}");
            assert!(!answer.stderr.contains("secret"), "{player}: {answer:?}");
        }
        let agent = format!("flat-ucb:eval=nn-utility,file={name}");
        let answer = terminal.run(&format!("gem bench {agent} --games 1"));
        assert!(answer.code == 2 && !answer.stderr.contains("secret"), "{answer:?}");
    }
}
