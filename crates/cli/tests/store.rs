//! `tesuji store` with the real binary and real files.

// Random records of every game, with all optional fields.
#[path = "../../store/tests/exchange/random_games.rs"]
mod random_games;

use std::fs;
use std::path::Path;

use crate::error_texts::{check, refuses};
use crate::terminal::Terminal;
use serde_json::{Value, json};
use tesuji_store::{
    HumanScore, Metric, PlayerRecord, PoolRating, Record, RecordKind, RunRecord, Sample,
};

/// The sorted names of all files in the folder.
fn names(terminal: &Terminal) -> Vec<String> {
    let entries = fs::read_dir(terminal.folder()).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn add(terminal: &Terminal, name: &str, records: &[Record]) {
    let path = terminal.folder().join(name);
    let store = tesuji_store::open(path.to_str().unwrap()).unwrap();
    assert_eq!(store.add(records).unwrap().new, records.len() as u64);
}

fn games(game: &str, seeds: std::ops::Range<u64>) -> Vec<Record> {
    seeds.map(|seed| Record::Game(random_games::record(game, seed))).collect()
}

/// One or two records of every kind.
fn records_of_every_kind() -> Vec<Record> {
    let mut records = games("connect4", 0..5);
    records.extend(games("gomoku", 5..10));
    records.push(Record::Sample(Sample {
        key: "s".to_string(),
        run: "r".to_string(),
        game: "connect4".to_string(),
        position: "44".to_string(),
        value: 1.0 / 3.0,
        weight: 0.1,
        detail: json!({ "policy": [0.1, 0.30000000000000004] }),
    }));
    records.push(Record::Run(RunRecord {
        id: "r".to_string(),
        kind: "train".to_string(),
        name: "a run".to_string(),
        config: "x = 1\ny = 2\n".to_string(),
        state: "running".to_string(),
        started_at: 1,
        updated_at: 2,
    }));
    let metric =
        |step| Metric { run: "r".to_string(), name: "loss".to_string(), step, value: 0.7, at: 3 };
    records.extend([metric(1), metric(2)].map(Record::Metric));
    records.push(Record::Rating(PoolRating {
        pool: "cup".to_string(),
        player: PlayerRecord { name: "ann".to_string(), spec: "random".to_string() },
        elo: 12.5,
        low: None,
        high: Some(1e300),
        games: 4,
        points: 2.5,
        at: 9,
    }));
    records.push(Record::Human(HumanScore {
        key: "h".to_string(),
        board: "gem".to_string(),
        name: "Bob".to_string(),
        score: -3,
        moves: 7,
        won: false,
        at: 1,
    }));
    records
}

fn read(terminal: &Terminal, name: &str) -> Vec<u8> {
    fs::read(terminal.folder().join(name)).unwrap()
}

fn count(terminal: &Terminal, store: &str) -> u64 {
    let info = terminal.run(&format!("store info {store} --json")).json();
    info["counts"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn export_import_and_export_gives_the_same_file() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    let stdout = terminal.run("store export a.db a.jsonl").success();
    assert_eq!(stdout, "a.jsonl: 16 records\n");
    let stdout = terminal.run("store import b.db a.jsonl").success();
    assert!(stdout.contains("16 new records, 0 already there"), "{stdout}");
    terminal.run("store export b.db b.jsonl").success();
    assert_eq!(read(&terminal, "a.jsonl"), read(&terminal, "b.jsonl"));
    let shown = terminal.run("store export b.db -").success();
    assert_eq!(shown.as_bytes(), read(&terminal, "a.jsonl"));
    let stdout = terminal.run("store import b.db a.jsonl").success();
    assert!(stdout.contains("0 new records, 16 already there"), "{stdout}");
}

#[test]
fn parts_of_a_store_can_be_exported() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    for (arguments, lines) in
        [("--kind games", 10), ("--kind metrics", 2), ("--game gomoku", 5), ("--kind humans", 1)]
    {
        let text = terminal.run(&format!("store export a.db - {arguments}")).success();
        assert_eq!(text.lines().count(), lines + 2, "{arguments}: {text}");
    }
    refuses(&terminal, "store", 2, "store export a.db x.jsonl --event nobody");
    refuses(&terminal, "store", 2, "store export a.db x.sgf --game chess");
    refuses(&terminal, "store", 2, "store export a.db x --format psq --game chess");
    assert_eq!(names(&terminal), ["a.db"]);
}

#[test]
fn a_truncated_import_leaves_the_store_unchanged() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    terminal.run("store export a.db a.jsonl").success();
    let bytes = read(&terminal, "a.jsonl");
    let cut = terminal.folder().join("cut.jsonl");
    for end in [0, 10, bytes.len() / 2, bytes.len() - 30, bytes.len() - 1] {
        fs::write(&cut, &bytes[..end]).unwrap();
        for files in ["cut.jsonl", "a.jsonl cut.jsonl"] {
            let label = format!("store import b.db {files} # cut at {end}");
            let answer = terminal.run(&format!("store import b.db {files}"));
            check(&terminal, "store", 2, &label, &answer);
        }
        assert!(
            !terminal.folder().join("b.db").exists(),
            "a good file next to a bad one is not imported either"
        );
    }
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let stdout = terminal.run("store import b.db cut.jsonl --partial").success();
    assert!(stdout.contains("1 left out, the first of them: cut.jsonl: line "), "{stdout}");
    let imported = count(&terminal, "b.db");
    assert!(imported > 2 && imported < 16, "{imported}");
    refuses(&terminal, "store", 2, "store import b.db cut.jsonl");
    assert_eq!(count(&terminal, "b.db"), imported);
}

#[test]
fn a_second_merge_adds_nothing() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    add(&terminal, "b.db", &games("othello", 0..4));
    add(&terminal, "b.db", &games("connect4", 5..7));
    let stdout = terminal.run("store merge all.db a.db b.db").success();
    assert!(stdout.contains("games         16   0\n"), "{stdout}");
    terminal.run("store export all.db once.jsonl").success();
    let stdout = terminal.run("store merge all.db a.db b.db").success();
    assert!(stdout.contains("games         0    16\n"), "{stdout}");
    terminal.run("store export all.db twice.jsonl").success();
    assert_eq!(read(&terminal, "once.jsonl"), read(&terminal, "twice.jsonl"));
    assert_eq!((count(&terminal, "a.db"), count(&terminal, "b.db")), (16, 6));
    refuses(&terminal, "store", 2, "store merge all.db a.db ./all.db");
    refuses(&terminal, "store", 2, "store merge new.db a.db missing.db");
    assert!(!terminal.folder().join("new.db").exists());
}

#[test]
fn games_of_every_game_survive_sgf() {
    let terminal = Terminal::new();
    for (number, game) in random_games::games().enumerate() {
        let (store, file) = (format!("{number}.db"), format!("{number}.sgf"));
        add(&terminal, &store, &games(game, 0..3));
        let stdout = terminal.run(&format!("store export {store} {file}")).success();
        assert_eq!(stdout, format!("{file}: 3 games\n"));
        terminal.run(&format!("store import again-{store} {file}")).success();
        let out = |store: &str| terminal.run(&format!("store export {store} -")).success();
        assert_eq!(out(&store), out(&format!("again-{store}")), "{game}");
    }
}

#[test]
fn gomoku_games_survive_psq() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &games("gomoku", 0..4));
    add(&terminal, "a.db", &games("gomoku:20x20,exact", 4..8));
    terminal.run("store export a.db only-gomoku.jsonl").success();
    add(&terminal, "a.db", &games("chess", 0..2));
    let stdout = terminal.run("store export a.db folder --format psq").success();
    assert_eq!(stdout, "folder: 8 games; 2 of other games left out, as psq holds only Gomoku\n");
    assert_eq!(fs::read_dir(terminal.folder().join("folder")).unwrap().count(), 8);
    let stdout = terminal.run("store import b.db folder").success();
    assert!(stdout.contains("8 new records"), "{stdout}");
    terminal.run("store export b.db again.jsonl").success();
    assert_eq!(read(&terminal, "again.jsonl"), read(&terminal, "only-gomoku.jsonl"));
    refuses(&terminal, "store", 2, "store export a.db folder --format psq --force");
    refuses(&terminal, "store", 2, "store export a.db one.psq");
    refuses(&terminal, "store", 2, "store export a.db - --format psq");
    add(&terminal, "one.db", &games("gomoku", 1..2));
    terminal.run("store export one.db one.psq").success();
    terminal.run("store import again.db folder/game-000001.psq one.psq").success();
    assert_eq!(count(&terminal, "again.db"), 2);
    fs::create_dir(terminal.folder().join("empty")).unwrap();
    refuses(&terminal, "store", 2, "store import b.db empty");
}

#[test]
fn chess_games_survive_pgn() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &games("chess", 0..4));
    terminal.run("store export a.db only-chess.jsonl").success();
    add(&terminal, "a.db", &games("gomoku", 0..2));
    let stdout = terminal.run("store export a.db chess.pgn").success();
    assert_eq!(stdout, "chess.pgn: 4 games; 2 of other games left out, as pgn holds only chess\n");
    let stdout = terminal.run("store import b.db chess.pgn").success();
    assert!(stdout.contains("4 new records"), "{stdout}");
    terminal.run("store export b.db again.jsonl").success();
    assert_eq!(read(&terminal, "again.jsonl"), read(&terminal, "only-chess.jsonl"));
}

#[test]
fn records_of_one_kind_are_written_as_a_table() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    let stdout = terminal.run("store export a.db games.csv").success();
    assert_eq!(stdout, "games.csv: 10 games\n");
    let stdout = terminal.run("store export a.db games.parquet --game gomoku").success();
    assert_eq!(stdout, "games.parquet: 5 games\n");
    let bytes = read(&terminal, "games.parquet");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let stdout = terminal.run("store export a.db metrics.csv --kind metrics").success();
    assert_eq!(stdout, "metrics.csv: 2 metrics\n");
    let text = String::from_utf8(read(&terminal, "metrics.csv")).unwrap();
    assert_eq!(text, "run,name,step,value,at\r\nr,loss,1,0.7,3\r\nr,loss,2,0.7,3\r\n");
    let text = terminal.run("store export a.db - --format csv --kind ratings").success();
    assert!(text.ends_with("\r\ncup,ann,random,12.5,,1e300,4,2.5,9\r\n"), "{text}");
    let text = terminal.run("store export a.db - --format csv --kind runs").success();
    assert!(text.contains(",\"x = 1\ny = 2\n\",running,"), "{text}");
    for kind in ["samples", "runs", "jobs", "ratings", "humans"] {
        let answer = terminal.run(&format!("store export a.db {kind}.parquet --kind {kind}"));
        let expected = if kind == "jobs" { 2 } else { 0 };
        assert_eq!(answer.code, expected, "there are no jobs: {answer:?}");
    }
    for format in ["csv", "parquet"] {
        let command = format!("store export a.db all.{format} --kind all");
        refuses(&terminal, "store", 2, &command);
        let file = format!("games.{format}");
        refuses(&terminal, "store", 2, &format!("store export a.db {file}"));
        refuses(&terminal, "store", 2, &format!("store import b.db {file}"));
        refuses(&terminal, "store", 2, &format!("store import b.db {file} --partial"));
    }
    refuses(&terminal, "store", 2, "store export a.db x.csv --game chess");
    refuses(&terminal, "store", 2, "store export a.db x.csv --kind nothing");
    refuses(&terminal, "store", 2, "store export a.db x.sgf --kind all");
    let everything = terminal.run("store export a.db - --kind all").success();
    assert_eq!(everything, terminal.run("store export a.db -").success());
    let left = names(&terminal);
    assert!(!left.iter().any(|name| name.starts_with("x.") || name == "b.db"), "{left:?}");
}

#[test]
fn files_of_other_programs_are_imported() {
    let terminal = Terminal::new();
    let put = |name: &str, text: &str| fs::write(terminal.folder().join(name), text).unwrap();
    put("five.sgf", "(;GM[4]SZ[15]PB[Ann]PW[Bob]RE[W+R];B[hh];W[hi])");
    put("four.sgf", "(;SZ[7:6]PB[Ann]PW[Bob]RE[0];B[df];W[de])");
    refuses(&terminal, "store", 2, "store import a.db five.sgf four.sgf");
    refuses(&terminal, "store", 2, "store import a.db four.sgf --game conect4");
    terminal.run("store import a.db five.sgf").success();
    terminal.run("store import a.db four.sgf --game connect4").success();
    let table = terminal.run("store games a.db").success();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("game ") && lines[0].contains("plies"), "{table}");
    assert!(lines[1].contains("gomoku") && lines[1].contains("Bob won"), "{table}");
    assert!(lines[1].contains("resigned") && lines[2].contains("draw"), "{table}");
}

#[test]
fn a_store_is_described() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    let text = terminal.run("store info a.db").success();
    assert!(text.contains("SQLite") && text.contains("human scores  1"), "{text}");
    assert!(text.contains("games by game:") && text.contains("connect4  5"), "{text}");
    let info = terminal.run("store info a.db --json").json();
    assert_eq!((&info["counts"]["game"], &info["games"]["gomoku"]), (&json!(10), &json!(5)));
    let list = terminal.run("store games a.db --game gomoku --limit 2 --json").json();
    let Value::Array(list) = list else { panic!("no list") };
    assert!(list.len() == 2 && list.iter().all(|game| game["game"] == "gomoku"));
    let table = terminal.run("store games a.db --limit 3").success();
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(table.ends_with("and more; use --limit N to see them\n"), "{table}");
    let table = terminal.run("store games a.db --event nobody").success();
    assert_eq!(table.lines().count(), 1, "{table}");
}

#[test]
fn a_mistyped_name_creates_no_file() {
    let terminal = Terminal::new();
    for verb in ["info", "games", "export", "merge into.db"] {
        let file = if verb == "export" { "x.jsonl" } else { "" };
        let command = format!("store {verb} missing.db {file}");
        refuses(&terminal, "store", 2, command.trim_end());
    }
    refuses(&terminal, "store", 2, "store import a.db missing.jsonl");
    refuses(&terminal, "store", 2, "store import a.db missing");
    assert_eq!(names(&terminal), [""; 0]);
}

#[test]
fn files_that_are_not_stores_are_refused() {
    let terminal = Terminal::new();
    let folder = terminal.folder();
    fs::write(folder.join("notes.txt"), "not a database, but longer than its header".repeat(9))
        .unwrap();
    fs::create_dir(folder.join("folder.db")).unwrap();
    foreign_database(&folder.join("foreign.db"));
    for verb in ["info", "games"] {
        refuses(&terminal, "store", 1, &format!("store {verb} notes.txt"));
        refuses(&terminal, "store", 1, &format!("store {verb} folder.db"));
        refuses(&terminal, "store", 1, &format!("store {verb} foreign.db"));
    }
    refuses(&terminal, "store", 2, "store info mysql://me:secret@host/db");
    refuses(&terminal, "store", 1, "store info postgres://me@127.0.0.1:1/db");
}

/// Creates a SQLite database of another program.
fn foreign_database(path: &Path) {
    add_foreign(path, "CREATE TABLE games (id INTEGER PRIMARY KEY, title TEXT)");
}

fn add_foreign(path: &Path, sql: &str) {
    let database = rusqlite::Connection::open(path).unwrap();
    database.execute_batch(sql).unwrap();
}

#[test]
fn stores_of_later_versions_are_refused_and_unchanged() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    let path = terminal.folder().join("a.db");
    let version = terminal.run("store info a.db --json").json()["schema"].as_u64().unwrap();
    add_foreign(&path, &format!("PRAGMA user_version = {}", version + 1));
    let before = read(&terminal, "a.db");
    refuses(&terminal, "store", 1, "store info a.db");
    fs::write(terminal.folder().join("x.sgf"), "(;GM[4]RE[B+];B[hh])").unwrap();
    refuses(&terminal, "store", 1, "store import a.db x.sgf");
    assert_eq!(read(&terminal, "a.db"), before);
}

#[test]
fn files_are_overwritten_only_with_force() {
    let terminal = Terminal::new();
    add(&terminal, "a.db", &records_of_every_kind());
    let path = terminal.folder().join("a.jsonl");
    fs::write(&path, "mine").unwrap();
    refuses(&terminal, "store", 2, "store export a.db a.jsonl");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    terminal.run("store export a.db a.jsonl --force").success();
    assert!(fs::read_to_string(&path).unwrap().starts_with("{\"tesuji\""));
    fs::create_dir(terminal.folder().join("dir.sgf")).unwrap();
    refuses(&terminal, "store", 2, "store export a.db dir.sgf --force");
    refuses(&terminal, "store", 2, "store export a.db missing/a.jsonl");
    refuses(&terminal, "store", 2, "store export a.db /proc/a.jsonl");
    refuses(&terminal, "store", 2, "store export a.db a.xml");
    refuses(&terminal, "store", 2, "store export a.db a.sgf --kind runs");
    refuses(&terminal, "store", 2, "store export a.db a --format xml");
    refuses(&terminal, "store", 2, "store import a.db dir.sgf");
    refuses(&terminal, "store", 2, "store import a.db /dev/null --format sgf");
    refuses(&terminal, "store", 2, "store import a.db");
    refuses(&terminal, "store", 2, "store");
    assert_eq!(names(&terminal), ["a.db", "a.jsonl", "dir.sgf"]);
}

#[test]
fn every_sub_verb_has_an_example() {
    let terminal = Terminal::new();
    for verb in ["", "info", "games", "export", "import", "merge"] {
        let help = terminal.run(&format!("store {verb} --help")).success();
        assert!(help.contains("Example") && help.contains("tesuji store "), "{verb}: {help}");
    }
    assert_eq!(RecordKind::ALL.len(), 7, "a new kind needs a value of --kind");
}
