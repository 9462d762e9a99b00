//! `tesuji forest` with the real binary and real files.

use std::fs;

use crate::error_texts::{check, refuses};
use crate::terminal::Terminal;
use serde_json::json;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/forest.xml");

/// A file as another program might write it: one tree of two cells.
const FOREIGN: &str = r#"<RandomForest>
<RandomWoods>
<TrainingAttributesList><TrainingAttributes attributeIndxs="0,4"/></TrainingAttributesList>
<ForestTree decisionAttr="9">
<TreeRoot headerIndx="4">
<TreeLeaf branchValue="1" categoryValue="win"/>
<TreeLeaf branchValue="2" categoryValue="loss"/>
</TreeRoot>
</ForestTree>
</RandomWoods>
</RandomForest>
"#;

fn terminal() -> Terminal {
    let terminal = Terminal::new();
    fs::copy(EXAMPLE, terminal.folder().join("forest.xml")).unwrap();
    fs::write(terminal.folder().join("foreign.xml"), FOREIGN).unwrap();
    terminal
}

fn read(terminal: &Terminal, name: &str) -> String {
    fs::read_to_string(terminal.folder().join(name)).unwrap()
}

#[test]
fn a_forest_is_shown_as_text_json_and_svg() {
    let terminal = terminal();
    let expected = "\
forest for an unknown game: 1 tree in a 3x3 window
# cell of the pattern, X own stone, O the other's, . empty, ? anything, - not in the pattern

tree 1: 2 cells, 4 nodes, depth 2, error unknown; says win 3, draw 2, loss 3
  pattern   win 1/3   loss 1/3
  # - -     ? - -     ? - -
  - # -     - X -     - O -
  - - -     - - -     - - -
";
    assert_eq!(terminal.run("forest show foreign.xml").success(), expected);
    let shown = terminal.run("forest show forest.xml --trees 2 --rules 1").success();
    assert!(shown.starts_with("forest for tictactoe: 3 trees in a 3x3 window, mean"), "{shown}");
    assert!(shown.ends_with("\n1 more\n"), "{shown}");
    let data = terminal.run("forest show forest.xml --json --trees 2").json();
    assert_eq!((&data["game"], &data["tree_count"]), (&json!("tictactoe"), &json!(3)));
    assert_eq!(data["trees"].as_array().unwrap().len(), 2);
    let drawn = terminal.run("forest show forest.xml --svg forest.svg").success();
    assert_eq!(drawn, "forest.svg: 3 trees\n");
    assert!(read(&terminal, "forest.svg").starts_with("<svg"));
    refuses(&terminal, "forest", 2, "forest show forest.xml --svg forest.svg");
    terminal.run("forest show forest.xml --svg forest.svg --force").success();
}

#[test]
fn a_forest_is_exported_once_and_stays_the_same() {
    let terminal = terminal();
    assert_eq!(terminal.run("forest export forest.xml a.xml").success(), "a.xml: 3 trees\n");
    assert_eq!(read(&terminal, "a.xml"), fs::read_to_string(EXAMPLE).unwrap());
    refuses(&terminal, "forest", 2, "forest export foreign.xml a.xml");
    assert_eq!(read(&terminal, "a.xml"), fs::read_to_string(EXAMPLE).unwrap());
    terminal.run("forest export foreign.xml a.xml --force").success();
    assert!(read(&terminal, "a.xml").contains("<!DOCTYPE RandomForest ["));
    // The missing branch is now explicit.
    assert!(read(&terminal, "a.xml").contains("branchValue=\"0\" categoryValue=\"draw\""));
}

#[test]
fn a_foreign_forest_gets_its_game() {
    let terminal = terminal();
    let listed = terminal.run("forest import foreign.xml forest.xml").success();
    let expected = "\
file         game       window  trees  cells  nodes
foreign.xml  unknown    3x3     1      2      4
";
    assert!(listed.starts_with(expected), "{listed}");
    assert!(
        listed.lines().last().unwrap().starts_with("forest.xml   tictactoe  3x3     3      3-4")
    );
    terminal.run("forest import foreign.xml --game mnk:5x5,k=4 -o own.xml").success();
    let data = terminal.run("forest import own.xml --json").json();
    assert_eq!(data[0]["game"], "mnk:5x5,k=4");
    let twice = "forest import own.xml forest.xml --game tictactoe -o b.xml";
    refuses(&terminal, "forest", 2, twice);
    let small = "forest import foreign.xml --game mnk:1x1,k=1 -o b.xml";
    refuses(&terminal, "forest", 2, small);
    refuses(&terminal, "forest", 2, "forest import foreign.xml --game tictactoe -o own.xml");
    assert!(!terminal.folder().join("b.xml").exists());
}

/// Text of the foreign file, and its replacement.
const BROKEN: [(&str, &str); 8] = [
    ("</TreeRoot>", "</TreeRot>"),
    ("</RandomForest>", ""),
    ("\"9\"", "\"10\""),
    ("0,4", "0,9"),
    ("Indx=\"4\"", "Indx=\"5\""),
    (
        "<RandomForest>",
        "<!DOCTYPE RandomForest [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><RandomForest>&b;",
    ),
    ("<RandomForest>", "<!DOCTYPE RandomForest SYSTEM \"/etc/passwd\"><RandomForest>"),
    ("win", "victory"),
];

#[test]
fn broken_files_are_refused_in_one_line_and_nothing_is_written() {
    let terminal = terminal();
    fs::write(terminal.folder().join("old.xml"), "old").unwrap();
    let deep = "<TreeNode branchValue=\"1\" headerIndx=\"0\">".repeat(50_000);
    let deep = ("<TreeLeaf branchValue=\"1\"", &*deep);
    for (from, to) in BROKEN.into_iter().chain([deep]) {
        assert!(FOREIGN.contains(from));
        fs::write(terminal.folder().join("bad.xml"), FOREIGN.replacen(from, to, 1)).unwrap();
        let export = "forest export bad.xml old.xml --force";
        let import = "forest import bad.xml --game tictactoe -o old.xml --force";
        for command_line in ["forest show bad.xml", export, import] {
            let to: String = to.chars().take(40).collect();
            let label = format!("{command_line} # {from} is {to}");
            check(&terminal, "forest", 2, &label, &terminal.run(command_line));
        }
        assert_eq!(read(&terminal, "old.xml"), "old");
    }
}

#[test]
fn a_forest_is_tested_depth_by_depth() {
    let terminal = terminal();
    let command = "forest test forest.xml --vs random --depths 0..2 --games 20 --json";
    let report: serde_json::Value = serde_json::from_str(&terminal.run(command).success()).unwrap();
    assert_eq!(report["game"], "tictactoe");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for (depth, row) in rows.iter().enumerate() {
        let games = |side: &str| {
            let count = |what: &str| row[side][what].as_u64().unwrap();
            count("wins") + count("draws") + count("losses")
        };
        assert_eq!(row["depth"], depth);
        assert_eq!((games("as_first"), games("as_second")), (10, 10));
    }
    let table = terminal.run("forest test forest.xml --depths 1 --games 4").success();
    assert!(table.contains("as first") && table.contains("depth 1"), "{table}");
    refuses(&terminal, "forest", 2, "forest test foreign.xml");
    refuses(&terminal, "forest", 2, "forest test forest.xml --game mnk:2x2,k=2");
    refuses(&terminal, "forest", 2, "forest test forest.xml --depths 5..1");
}

/// The built-in models play without a file and never lose tic-tac-toe at depth 4.
#[test]
fn the_built_in_models_play() {
    let terminal = Terminal::new();
    for (game, player) in [
        ("tictactoe", "forest:depth=4"),
        ("tictactoe", "forest:depth=4,model=tictactoe"),
        ("connect4", "forest:depth=3"),
        ("connect4:7x7", "forest:depth=3"),
        ("mnk:10x10,k=5", "forest:depth=2"),
        ("gomoku", "forest:depth=1"),
        ("connect6", "forest:depth=1"),
    ] {
        let games = if game == "tictactoe" { 40 } else { 4 };
        let command = format!("match {game} {player} random --games {games} --json");
        let report: serde_json::Value =
            serde_json::from_str(&terminal.run(&command).success()).unwrap();
        let losses = report["result"]["tally"]["losses"].as_u64().unwrap();
        assert_eq!(losses, 0, "{game}: {player}");
    }
}
