//! Books of exact scores with the real binary: build, kill, resume, describe, convert and use.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::error_texts::refuses;
use crate::terminal::Terminal;
use serde_json::{Value, json};

const BUILD_5X4: &str = "book build connect4 --board 5x4 --plies 4";

#[test]
fn a_book_is_built_once_and_described() {
    let terminal = Terminal::new();
    let stdout = terminal.run(BUILD_5X4).success();
    assert!(stdout.starts_with("connect4-5x4.book: 243 exact positions"), "{stdout}");
    let names: Vec<_> = std::fs::read_dir(terminal.folder()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "only the book is left, without its journal: {names:?}");
    let path = terminal.folder().join("connect4-5x4.book");
    let before = std::fs::read(&path).unwrap();
    let time = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let written = time(&path);
    terminal.run(BUILD_5X4).success();
    assert_eq!(time(&path), written, "an existing book is not built again");

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

/// The first build is killed as soon as its journal holds a solved position.
#[test]
fn a_killed_and_resumed_build_gives_the_same_bytes() {
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
        assert!(child.try_wait().unwrap().is_none(), "the build ended before the kill");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(length() > 15, "no position was solved before the kill");
    assert!(
        !terminal.folder().join("killed.book").exists(),
        "the book was complete before the kill"
    );
    let stdout = terminal.run(&format!("{build} killed.book")).success();
    assert!(stdout.starts_with("killed.book: "), "{stdout}");
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

/// The scores of all first moves of the 7x6 board come from the book; the principal variation is
/// as long as the time limit allows.
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
    refuses(&terminal, "connect4 book", 2, "book convert a.json b.data");
    refuses(&terminal, "connect4 book", 2, "book convert a.json b.book");
    refuses(&terminal, "connect4 book", 2, "book convert none.book x.json");
    terminal.run(BUILD_5X4).success();
    refuses(&terminal, "connect4 book", 2, "book convert connect4-5x4.book x.json");
}

#[test]
fn bad_books_are_refused_and_left_unchanged() {
    let terminal = Terminal::new();
    terminal.run(BUILD_5X4).success();
    let path = |name: &str| terminal.folder().join(name);
    let mut bytes = std::fs::read(path("connect4-5x4.book")).unwrap();
    bytes[30] ^= 1;
    std::fs::write(path("bad.book"), &bytes).unwrap();
    std::fs::write(path("letter"), "Dear reader").unwrap();
    std::fs::write(path("other.book.part"), "Dear reader").unwrap();
    for command_line in [
        "book info bad.book",
        "solve connect4:5x4 --book bad.book",
        "solve connect4:5x4 --book letter",
        "solve connect4:5x4 --book none",
        "solve connect4:8x7 --book connect4-5x4.book",
        "solve tictactoe --book connect4-5x4.book",
        "solve connect4 --book x --no-book",
        "book build connect4 letter --plies 1",
        "book build connect4 bad.book --plies 1",
        "book build connect4 connect4-5x4.book --plies 1",
        "book build connect4:5x4 --plies 3",
        "book build connect4:5x4 other.book",
        "book build connect4:5x4 no/such/folder.book",
        "book build connect4:4x4 x --plies 16",
        "book build connect4:4x4 --board 5x4",
        "book build connect4 --board 0x4",
        "book build tictactoe",
        "match connect4 solver:book=maybe random",
    ] {
        refuses(&terminal, "connect4 book", 2, command_line);
    }
    assert_eq!(std::fs::read(path("letter")).unwrap(), b"Dear reader");
    assert_eq!(std::fs::read(path("other.book.part")).unwrap(), b"Dear reader");
    assert_eq!(std::fs::read(path("bad.book")).unwrap(), bytes);
}
