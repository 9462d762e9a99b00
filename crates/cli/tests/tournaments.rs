//! Tournaments with the real binary and a real store: a tournament that is killed at any moment and
//! resumed ends with the same result.

use std::path::Path;

use serde_json::{Value, json};

use crate::error_texts::refuses;
use crate::killing::{TOURNAMENT, games_in, kill_and_resume, kills, play, table, write};
use crate::terminal::Terminal;

#[test]
fn a_killed_tournament_is_resumed() {
    let terminal = Terminal::new();
    write(&terminal, TOURNAMENT);
    let undisturbed = play(&terminal, "calm.db");
    kill_and_resume(&terminal, kills(), &undisturbed, |round| format!("stormy-{round}.db"));
}

#[test]
fn a_finished_tournament_is_not_played_again() {
    let terminal = Terminal::new();
    write(&terminal, &TOURNAMENT.replace("160", "2"));
    let once = play(&terminal, "t.db");
    let again = play(&terminal, "t.db");
    assert_eq!(once["resumed"], 0);
    assert_eq!(again["resumed"], once["total"]);
    assert_eq!(table(&once), table(&again));
    // With more pairs and one more player, the existing games count.
    let more = TOURNAMENT.replace("160", "3").replace("players = [", "players = ['pvs:depth=2', ");
    write(&terminal, &more);
    let longer = play(&terminal, "t.db");
    assert_eq!(longer["resumed"], once["total"]);
    assert_eq!(longer["total"], 15 * 6);
}

/// Two processes play one tournament with one store file: both end with the same table, and no game
/// is stored twice.
#[test]
fn two_processes_share_one_store() {
    let terminal = Terminal::new();
    write(&terminal, &TOURNAMENT.replace("160", "10"));
    let (one, other) = std::thread::scope(|scope| {
        let run = || play(&terminal, "shared.db");
        let (one, other) = (scope.spawn(run), scope.spawn(run));
        (one.join().unwrap(), other.join().unwrap())
    });
    assert_eq!(table(&one), table(&other));
    assert_eq!(games_in(&terminal, "shared.db"), one["total"]);
}

/// Every example tournament of the repository works without changes.
#[test]
fn the_examples_work() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .filter(|path| path.ends_with(".toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 9, "{files:?}");
    let terminal = Terminal::new();
    let words = ["tournament", "--out", "tables", "--json"];
    let all: Vec<&str> = words.into_iter().chain(files.iter().map(String::as_str)).collect();
    let answer = terminal.run_words(&all, b"").success();
    let results: Vec<Value> =
        serde_json::Deserializer::from_str(&answer).into_iter().collect::<Result<_, _>>().unwrap();
    // `tesuji tournament` skips the files of trainings.
    let trainings = files.extract_if(.., |file| {
        std::fs::read_to_string(file).unwrap().lines().any(|line| line.starts_with("learner"))
    });
    assert_eq!(trainings.count(), 3);
    assert_eq!(results.len(), files.len());
    for (file, result) in files.iter().zip(&results) {
        assert_eq!(result["done"], result["total"], "{file}");
        assert_eq!(result["failures"].as_array().unwrap().len(), 0, "{file}");
        let stem = Path::new(file).file_stem().unwrap();
        assert!(terminal.folder().join("tables").join(stem).join("ratings.svg").is_file());
    }
    assert!(terminal.folder().join("tesuji.db").is_file());
}

/// A folder of forests and weights, and of runs, is a competition without a settings file.
#[test]
fn the_models_in_a_folder_play_a_competition() {
    let terminal = Terminal::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = terminal.folder().join("forests");
    std::fs::create_dir_all(folder.join("a-run")).unwrap();
    for (from, to) in [
        ("models/tictactoe.xml.gz", "shipped.xml.gz"),
        ("models/tictactoe.tuples", "weights.tuples"),
        ("examples/forest.xml", "a-run/best.xml"),
        ("models/README.md", "README.md"),
    ] {
        std::fs::copy(root.join(from), folder.join(to)).unwrap();
    }
    let command = "tournament --competition forests --depths 0..2 --pairs 2 --random-plies 1 \
                   --store c.db --out tables";
    let result = terminal.run(&format!("{command} --json")).json();
    // Three players make three pairings at each of three depths.
    assert_eq!((&result["done"], &result["resumed"]), (&json!(36), &json!(0)));
    let rows = result["competition"]["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a-run", "shipped.xml.gz", "weights.tuples"]);
    let score = |row: &Value, n: usize| row["scores"][n].as_f64().unwrap();
    for row in rows {
        let weighted: f64 =
            [0.1, 0.2, 0.3].iter().enumerate().map(|(n, w)| w * score(row, n)).sum();
        assert!((row["weighted"].as_f64().unwrap() - weighted).abs() < 1e-9, "{row}");
    }
    let again = terminal.run(command).success();
    assert!(again.contains("36 of 36 games were already there"), "{again}");
    assert!(again.contains("depth 2") && again.contains("WEIGHTED"), "{again}");
    let table = std::fs::read_to_string(terminal.folder().join("tables/competition.csv")).unwrap();
    assert!(table.contains("shipped.xml.gz"), "{table}");
}

#[test]
fn a_folder_without_a_competition_is_refused() {
    let terminal = Terminal::new();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let put = |from: &str, to: &str| {
        let to = terminal.folder().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(models.join(from), to).unwrap();
    };
    std::fs::create_dir(terminal.folder().join("empty")).unwrap();
    put("tictactoe.xml.gz", "one/a.xml.gz");
    put("tictactoe.xml.gz", "two/a.xml.gz");
    put("connect6.xml.gz", "two/b.xml.gz");
    put("README.md", "bad/a.xml");
    for command in [
        "tournament --competition empty",
        "tournament --competition one",
        "tournament --competition two",
        "tournament --competition two --game tictactoe",
        "tournament --competition two --game chess",
        "tournament --competition bad",
        "tournament --competition missing",
        "tournament --competition one --depths 5..1",
        "tournament --competition one t.toml",
        "tournament t.toml --depths 1..5",
    ] {
        refuses(&terminal, "tournaments", 2, command);
    }
    assert!(!terminal.folder().join("tesuji.db").exists());
}

#[test]
fn tables_are_printed_and_written() {
    let terminal = Terminal::new();
    write(&terminal, &TOURNAMENT.replace("160", "2"));
    let stdout = terminal.run("tournament t.toml --out tables").success();
    for words in ["minimax:depth=3", "Elo", "saved in tesuji.db"] {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    for (file, words) in [
        ("cross-table.txt", "heuristic"),
        ("cross-table.csv", "heuristic"),
        ("cross-table.svg", "</svg>"),
        ("ratings.txt", "heuristic"),
        ("ratings.csv", "heuristic"),
        ("ratings.svg", "</svg>"),
        ("tables.json", "\"ratings\""),
    ] {
        let path = terminal.folder().join("tables").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(text.contains(words), "{file}: {text}");
    }
}

#[test]
fn a_missing_environment_variable_is_refused() {
    let terminal = Terminal::new();
    let text = TOURNAMENT.replace("'random'", "'${TESUJI_TEST_NOBODY_HAS_THIS}'");
    write(&terminal, &text);
    let answer = terminal.run("tournament t.toml");
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("environment variable TESUJI_TEST_NOBODY_HAS_THIS: not set"));
    assert!(!terminal.folder().join("tesuji.db").exists(), "no tournament was started");
}
