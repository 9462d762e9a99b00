//! `tesuji reproduce`: every published table and figure in quick mode, the written files, and
//! errors for bad input.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::error_texts::refuses;
use crate::terminal::Terminal;
use serde_json::{Value, json};

const IDS: [&str; 28] = [
    "loos-3-1",
    "loos-3-3",
    "loos-cached-tree",
    "loos-5-1",
    "loos-fig-5-2",
    "loos-5-2",
    "loos-5-3",
    "loos-5-4",
    "loos-5-5",
    "loos-fig-5-3",
    "loos-depth5",
    "loos-ratings",
    "fudan-table",
    "fudan-critic",
    "gem-6-3",
    "gem-fig-6-1",
    "gem-humans",
    "gem-levels",
    "gem-branching",
    "gem-policy",
    "anigmo-stats",
    "anigmo-a-ordering",
    "anigmo-a-bitboard",
    "anigmo-a-hash",
    "anigmo-a-book",
    "anigmo-a-complete",
    "anigmo-unbeatable",
    "anigmo-people",
];

fn rows(report: &Value) -> Vec<&Value> {
    let tables = report["tables"].as_array().unwrap();
    tables.iter().flat_map(|table| table["rows"].as_array().unwrap()).collect()
}

/// Every row has a verdict, a reason and a valid value of ours.
fn check(report: &Value) {
    let id = report["id"].as_str().unwrap();
    assert!(!rows(report).is_empty(), "{id}");
    for row in rows(report) {
        let text = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{id}: {row}"));
        assert!(report["counts"][text("verdict")].as_u64().is_some_and(|n| n > 0), "{id}: {row}");
        assert!(!text("why").is_empty() && !text("what").is_empty(), "{id}: {row}");
        let ours = row["ours"]["text"].as_str().unwrap();
        assert!(!ours.is_empty() && !ours.contains("NaN") && !ours.contains("inf"), "{id}: {row}");
    }
    let counts = report["counts"].as_object().unwrap().values();
    let counted: u64 = counts.map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(counted, rows(report).len() as u64, "{id}: every row has one verdict");
    assert_eq!(report["command"], format!("tesuji reproduce {id} --quick"));
}

#[test]
fn quick_mode_reproduces_everything() {
    let terminal = Terminal::new();
    let answer = terminal.run("reproduce --all --quick --json");
    let reports = answer.json();
    let ids: BTreeSet<&str> =
        reports.as_array().unwrap().iter().map(|report| report["id"].as_str().unwrap()).collect();
    assert_eq!(ids, BTreeSet::from(IDS));
    for report in reports.as_array().unwrap() {
        check(report);
        let file = |ending: &str| {
            let id = report["id"].as_str().unwrap();
            fs::read_to_string(terminal.folder().join(format!("out/reproduce/{id}.{ending}")))
                .unwrap()
        };
        assert_eq!(&serde_json::from_str::<Value>(&file("json")).unwrap(), report);
        let svg = file("svg");
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN")
        );
        let markdown = file("md");
        assert!(markdown.contains("| published | Tesuji | verdict | why |"), "{markdown}");
    }
    // With `--resume`, existing reports are not computed again.
    let again = terminal.run("reproduce --all --quick --resume --json").json();
    assert_eq!(again, reports);
}

#[test]
fn the_list_names_everything() {
    let terminal = Terminal::new();
    let listed = terminal.run("reproduce --list --json").json();
    let ids: BTreeSet<&str> =
        listed.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    assert_eq!(ids, BTreeSet::from(IDS));
    let text = terminal.run("reproduce --list").success();
    for word in
        IDS.iter().chain(&["Table 5-1", "Figure 6.1", "Appendix A, hash table", "Figure 4-3"])
    {
        assert!(text.contains(word), "{word} in {text}");
    }
}

#[test]
fn results_depend_on_the_seed_only() {
    let terminal = Terminal::new();
    let tables = |seed: u32, threads: u32| {
        let line = format!("reproduce gem-levels --quick --seed {seed} --threads {threads} --json");
        terminal.run(&line).json()[0]["tables"].clone()
    };
    assert_eq!(tables(7, 1), tables(7, 2));
    assert_ne!(tables(7, 2), tables(8, 2));
}

#[test]
fn one_document_holds_all_reports() {
    let terminal = Terminal::new();
    let line = "reproduce anigmo-stats loos-3-1 anigmo-stats --quick --document all/them.md";
    let answer = terminal.run(line);
    assert_eq!(answer.code, 0, "{answer:?}");
    let text = fs::read_to_string(terminal.folder().join("all/them.md")).unwrap();
    assert!(text.contains("](them/anigmo-stats.svg)") && text.contains("## Headlines"), "{text}");
    assert_eq!(text.matches("### ").count(), 2, "each report appears once");
    for file in ["all/them/anigmo-stats.svg", "all/them/loos-3-1.json"] {
        assert!(terminal.folder().join(file).is_file(), "{file}");
    }
}

#[test]
fn bad_input_is_refused_in_one_line_and_writes_nothing() {
    let terminal = Terminal::new();
    for command_line in [
        "reproduce loos-9-9",
        "reproduce",
        "reproduce --all loos-3-1",
        "reproduce fudan-table --engine pela",
        "reproduce anigmo-stats --seed x",
        "reproduce anigmo-stats --document all",
        "reproduce anigmo-stats --engine a=./b",
        "reproduce anigmo-stats --logs logs",
        "reproduce gem-6-3 --logs missing",
    ] {
        refuses(&terminal, "reproduce", 2, command_line);
    }
    assert!(!terminal.folder().join("out").exists());
    fs::write(terminal.folder().join("taken"), "").unwrap();
    let answer = terminal.run("reproduce anigmo-stats --quick --out taken");
    assert!(answer.code != 0 && answer.stderr.contains("taken"), "{answer:?}");
}

/// With logs, networks are trained on them: the policy network also has its share of predicted
/// swaps.
#[test]
fn logs_train_the_networks_of_gem_island() {
    let terminal = Terminal::new();
    terminal.run("gem bench greedy --games 40 --logs logs").success();
    fs::write(terminal.folder().join("logs/damaged.txt"), "1\t2\n").unwrap();
    let answer = terminal.run("reproduce gem-policy gem-6-3 --quick --logs logs --json");
    let warning = "warning: logs: skipped 1 damaged (damaged.txt) of 41 logs\n";
    assert!(answer.stderr.starts_with(warning), "{answer:?}");
    let reports = answer.json();
    assert_eq!(reports[0]["command"], "tesuji reproduce gem-policy --quick --logs 'logs'");
    let whats: Vec<&str> =
        rows(&reports[0]).iter().map(|row| row["what"].as_str().unwrap()).collect();
    assert!(whats.contains(&"policy network") && whats.contains(&"belief"), "{whats:?}");
    let notes = reports[1]["notes"].to_string();
    assert!(notes.contains("trained for this report on 40 games of people"), "{notes}");
    let without = terminal.run("reproduce gem-policy --quick --json").json();
    assert!(without[0]["notes"].to_string().contains("--logs DIR"), "{without}");
}

/// A real engine in its own process plays under the name of a published opponent, and gives our
/// players a rating; without it there is nothing to compare.
#[test]
fn an_external_engine_plays_under_a_published_name() {
    let terminal = Terminal::new();
    let script = terminal.folder().join("pbrain-mushroom");
    let program = env!("CARGO_BIN_EXE_tesuji");
    fs::write(&script, format!("#!/bin/sh\nexec '{program}' engine --player random\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let engine = format!("mushroom={}", script.display());
    let report = |engine: &[&str]| {
        let words = [&["reproduce", "fudan-table", "--quick", "--json"], engine].concat();
        terminal.run_words(&words, b"").json()[0].clone()
    };
    let found = |report: &Value, what: &str| -> Vec<Value> {
        rows(report).into_iter().filter(|row| row["what"] == what).cloned().collect()
    };
    let played = report(&["--engine", &engine]);
    assert!(played["command"].as_str().unwrap().contains("pbrain-mushroom"), "{played}");
    let games = found(&played, "against mushroom");
    assert_eq!(games.len(), 2, "the report's agent and our engine: {played}");
    for row in games {
        assert!(row["ours"]["text"].as_str().unwrap().starts_with("2-0-0"), "{row}");
        assert_eq!(row["verdict"], "not-comparable", "a quick run has another limit: {row}");
        assert!(row["why"].as_str().unwrap().contains("1 s per turn"), "{row}");
    }
    let rating = "our engine, scale of Gomocup";
    assert!(found(&played, rating)[0]["ours"]["value"].as_f64().unwrap() > 304.0, "{played}");
    let without = report(&[]);
    let others = found(&without, "against mushroom").into_iter().chain(found(&without, rating));
    for row in others {
        assert_eq!(
            (&row["verdict"], &row["ours"]["value"]),
            (&json!("not-comparable"), &json!(null))
        );
        assert!(row["why"].as_str().unwrap().contains("--engine"), "{row}");
    }
}
