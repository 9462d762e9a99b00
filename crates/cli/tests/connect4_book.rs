//! Books of exact scores with the real binary: built, killed, carried on with, looked into, converted and
//! used.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::terminal::Terminal;
use serde_json::{Value, json};

const BUILD_5X4: &str = "book build connect4 --board 5x4 --plies 4";

/// A line on stderr with exit code 2.
#[track_caller]
fn refused(terminal: &Terminal, command_line: &str, words: &[&str]) {
    let answer = terminal.run(command_line);
    assert_eq!(answer.code, 2, "{command_line}: {answer:?}");
    assert_eq!(answer.stderr.lines().count(), 1, "{command_line}: {answer:?}");
    let complete = words.iter().all(|word| answer.stderr.contains(word));
    assert!(complete, "{command_line}: wanted {words:?}, {answer:?}");
}

#[test]
fn a_book_is_built_once_and_described() {
    let terminal = Terminal::new();
    let said = terminal.run(BUILD_5X4).success();
    assert!(said.starts_with("connect4-5x4.book: 243 exact positions"), "{said}");
    let names: Vec<_> = std::fs::read_dir(terminal.folder()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "the journal is gone: {names:?}");
    let path = terminal.folder().join("connect4-5x4.book");
    let before = std::fs::read(&path).unwrap();
    let time = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let written = time(&path);
    terminal.run(BUILD_5X4).success();
    assert_eq!(time(&path), written, "what is there is not built again");

    let info = terminal.run("book info connect4-5x4.book --json").json();
    assert_eq!((&info["board"], &info["plies"]), (&json!("5x4"), &json!(4)));
    assert_eq!(info["bytes"], before.len());
    let positions = |ply: &Value| ply["positions"].as_u64().unwrap();
    let by_ply = info["by_ply"].as_array().unwrap();
    assert_eq!(by_ply.iter().map(positions).sum::<u64>(), info["positions"].as_u64().unwrap());
    assert_eq!(by_ply[0], json!({ "ply": 0, "positions": 1, "won": 0, "drawn": 1, "lost": 0 }));
    let quiet = &info["quiet"];
    let number = |key: &str| quiet[key].as_u64().unwrap();
    assert_eq!(number("won") + number("drawn") + number("lost"), positions(quiet));
    let text = terminal.run("book info connect4-5x4.book").success();
    assert!(text.contains("connect4 5x4, 4 plies") && text.contains("4, quiet"), "{text}");
}

/// The first build is killed as soon as something is solved and noted.
#[test]
fn a_killed_build_goes_on_to_the_same_bytes() {
    let terminal = Terminal::new();
    let build = "book build connect4:5x6 --plies 5 --threads 2 --tt 4M";
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(build.split(' ').chain(["killed.book"]))
            .current_dir(terminal.folder())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let journal = terminal.folder().join("killed.book.part");
    let length = || journal.metadata().map_or(0, |data| data.len());
    let mut child = start();
    let began = Instant::now();
    while length() <= 15 && began.elapsed() < Duration::from_secs(20) {
        assert!(child.try_wait().unwrap().is_none(), "the build is too short to be killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(length() > 15, "something was solved");
    assert!(!terminal.folder().join("killed.book").exists(), "it was killed before the end");
    let said = terminal.run(&format!("{build} killed.book")).success();
    assert!(said.starts_with("killed.book: "), "{said}");
    assert!(!journal.exists());
    terminal.run(&format!("{build} whole.book")).success();
    let read = |name: &str| std::fs::read(terminal.folder().join(name)).unwrap();
    assert_eq!(read("killed.book"), read("whole.book"));
}

#[test]
fn a_book_answers_without_search() {
    let terminal = Terminal::new();
    let found = terminal.run("solve connect4 --wdl --moves --json").json();
    assert_eq!((&found["value"], &found["nodes"]), (&json!("win"), &json!(0)));
    terminal.run(BUILD_5X4).success();
    let solve = |options: &str| {
        let line = format!("solve connect4:5x4 {options} --moves --json");
        let mut found = terminal.run(&line).json();
        let nodes = found["nodes"].as_u64().unwrap();
        found["nodes"] = Value::Null;
        found["seconds"] = Value::Null;
        (found, nodes)
    };
    for position in ["", "33", "312"] {
        let (with, few) = solve(&format!("{position} --book connect4-5x4.book"));
        let (without, many) = solve(&format!("{position} --no-book"));
        assert_eq!(with, without);
        assert!(few < many, "{few} and {many} positions");
    }
    let values = "33 0\n";
    std::fs::write(terminal.folder().join("values"), values).unwrap();
    let check = "solve connect4:5x4 --wdl --file values --json --book connect4-5x4.book";
    assert_eq!(terminal.run(check).json()["mean_nodes"], 0.0);
}

/// The score of every first move of the usual board, at once; the line as far as the time allows.
#[test]
fn the_empty_board_is_in_the_shipped_book() {
    let terminal = Terminal::new();
    let found = terminal.run("solve connect4 --moves --json --time 1s").json();
    assert_eq!(found["score"], 1);
    let scores: Vec<i64> = (1..=7)
        .map(|column: u32| found["moves"][column.to_string()]["score"].as_i64().unwrap())
        .collect();
    assert_eq!(scores, [-2, -1, 0, 1, 0, -1, -2]);
    assert_eq!((&found["plies"], &found["line"][0]), (&json!(41), &json!("4")));
}

#[test]
fn books_of_other_programs_are_written_and_read() {
    let terminal = Terminal::new();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/connect4-7x6.book");
    std::fs::copy(shipped, terminal.folder().join("connect4-7x6.book")).unwrap();
    let quiet = terminal.run("book info connect4-7x6.book --json").json()["quiet"].clone();
    terminal.run("book convert connect4-7x6.book a.json").success();
    terminal.run("book convert a.json b.data").success();
    terminal.run("book convert b.data c.json").success();
    let read = |name: &str| std::fs::read(terminal.folder().join(name)).unwrap();
    assert_eq!(read("a.json"), read("c.json"));
    for (file, format) in [("a.json", "anigmo"), ("b.data", "uci")] {
        let info = terminal.run(&format!("book info {file} --json")).json();
        assert_eq!((&info["format"], &info["entries"]), (&json!(format), &quiet["positions"]));
        assert_eq!(info["known"], quiet);
    }
    refused(&terminal, "book convert a.json b.data", &["b.data", "there already"]);
    refused(&terminal, "book convert a.json b.book", &["b.book", ".json", ".data"]);
    refused(&terminal, "book convert none.book x.json", &["none.book", "No such file"]);
    terminal.run(BUILD_5X4).success();
    refused(&terminal, "book convert connect4-5x4.book x.json", &["7x6", "5x4"]);
}

#[test]
fn bad_books_are_refused_and_nothing_is_lost() {
    let terminal = Terminal::new();
    terminal.run(BUILD_5X4).success();
    let path = |name: &str| terminal.folder().join(name);
    let mut bytes = std::fs::read(path("connect4-5x4.book")).unwrap();
    bytes[30] ^= 1;
    std::fs::write(path("bad.book"), &bytes).unwrap();
    std::fs::write(path("letter"), "Dear reader").unwrap();
    std::fs::write(path("other.book.part"), "Dear reader").unwrap();
    for (command_line, words) in [
        ("book info bad.book", ["bad.book", "damaged"]),
        ("solve connect4:5x4 --book bad.book", ["bad.book", "damaged"]),
        ("solve connect4:5x4 --book letter", ["letter", "not a book of Connect Four"]),
        ("solve connect4:5x4 --book none", ["none", "No such file"]),
        ("solve connect4:8x7 --book connect4-5x4.book", ["is for 5x4", "expected a book for 8x7"]),
        ("solve tictactoe --book connect4-5x4.book", ["for connect4", "another"]),
        ("solve connect4 --book x --no-book", ["--book", "--no-book"]),
        ("book build connect4 letter --plies 1", ["letter", "not a book of Connect Four"]),
        ("book build connect4 bad.book --plies 1", ["bad.book", "damaged"]),
        (
            "book build connect4 connect4-5x4.book --plies 1",
            ["is for 5x4", "expected a book for 7x6"],
        ),
        ("book build connect4:5x4 --plies 3", ["a book of 4 plies already", "another file"]),
        ("book build connect4:5x4 other.book", ["other.book.part", "not the journal"]),
        ("book build connect4:5x4 no/such/folder.book", ["no/such/folder.book.part", "No such"]),
        ("book build connect4:4x4 x --plies 16", ["4x4", "at most 15"]),
        ("book build connect4:4x4 --board 5x4", ["'connect4:4x4'", "--board 5x4"]),
        ("book build connect4 --board 0x4", ["0x4", "7x6"]),
        ("book build tictactoe", ["file is missing", "example"]),
        ("match connect4 solver:book=maybe random", ["'solver'", "on or off"]),
    ] {
        refused(&terminal, command_line, &words);
    }
    assert_eq!(std::fs::read(path("letter")).unwrap(), b"Dear reader");
    assert_eq!(std::fs::read(path("other.book.part")).unwrap(), b"Dear reader");
    assert_eq!(std::fs::read(path("bad.book")).unwrap(), bytes);
}
