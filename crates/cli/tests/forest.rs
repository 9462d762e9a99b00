//! `tesuji forest` with the real binary and real files.

use std::fs;

use crate::terminal::Terminal;
use serde_json::json;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/forest.xml");

/// As another program might write it: one tree of two cells.
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

#[track_caller]
fn fails(terminal: &Terminal, command_line: &str, words: &[&str]) {
    let answer = terminal.run(command_line);
    assert_eq!(answer.code, 2, "{command_line}: {answer:?}");
    assert_eq!(answer.stderr.lines().count(), 1, "{command_line}: {answer:?}");
    let complete = words.iter().all(|word| answer.stderr.contains(word));
    assert!(complete, "{command_line}: wanted {words:?}, {answer:?}");
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
    fails(
        &terminal,
        "forest show forest.xml --svg forest.svg",
        &["forest.svg", "already", "--force"],
    );
    terminal.run("forest show forest.xml --svg forest.svg --force").success();
}

#[test]
fn a_forest_is_exported_once_and_stays_the_same() {
    let terminal = terminal();
    assert_eq!(terminal.run("forest export forest.xml a.xml").success(), "a.xml: 3 trees\n");
    assert_eq!(read(&terminal, "a.xml"), fs::read_to_string(EXAMPLE).unwrap());
    let what = ["a.xml: it is there already", "--force"];
    fails(&terminal, "forest export foreign.xml a.xml", &what);
    assert_eq!(read(&terminal, "a.xml"), fs::read_to_string(EXAMPLE).unwrap());
    terminal.run("forest export foreign.xml a.xml --force").success();
    assert!(read(&terminal, "a.xml").contains("<!DOCTYPE RandomForest ["));
    // What the missing branch says is now written out.
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
    fails(&terminal, twice, &["several files", "expected one"]);
    let small = "forest import foreign.xml --game mnk:1x1,k=1 -o b.xml";
    fails(&terminal, small, &["foreign.xml: the pattern of tree 1", "1x1 board", "larger board"]);
    fails(
        &terminal,
        "forest import foreign.xml --game tictactoe -o own.xml",
        &["own.xml", "already"],
    );
    assert!(!terminal.folder().join("b.xml").exists());
}

/// What is changed in the foreign file, into what, and the words that must be said of it.
const BROKEN: [(&str, &str, &str); 8] = [
    ("</TreeRoot>", "</TreeRot>", "line 8: not well-formed XML"),
    ("</RandomForest>", "", "line 12: the file ends inside RandomForest; expected RandomWoods"),
    ("\"9\"", "\"10\"", "line 4: decisionAttr of ForestTree is '10'; expected the number of cells"),
    ("0,4", "0,9", "line 3: attribute index 9 lies outside the 3x3 window; expected 0 to 8"),
    ("Indx=\"4\"", "Indx=\"5\"", "line 5: headerIndx of TreeRoot is '5'; expected one of"),
    (
        "<RandomForest>",
        "<!DOCTYPE RandomForest [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><RandomForest>&b;",
        "line 1: entities are not allowed",
    ),
    (
        "<RandomForest>",
        "<!DOCTYPE RandomForest SYSTEM \"/etc/passwd\"><RandomForest>",
        "line 1: the document type refers to another file",
    ),
    (
        "win",
        "victory",
        "line 6: categoryValue of TreeLeaf is 'victory'; expected win, draw or loss",
    ),
];

#[test]
fn broken_files_are_refused_in_one_line_and_nothing_is_written() {
    let terminal = terminal();
    fs::write(terminal.folder().join("old.xml"), "old").unwrap();
    let deep = "<TreeNode branchValue=\"1\" headerIndx=\"0\">".repeat(50_000);
    let deep = ("<TreeLeaf branchValue=\"1\"", &*deep, "line 6: attribute index 0 is tested twice");
    for (from, to, words) in BROKEN.into_iter().chain([deep]) {
        assert!(FOREIGN.contains(from));
        fs::write(terminal.folder().join("bad.xml"), FOREIGN.replacen(from, to, 1)).unwrap();
        fails(&terminal, "forest show bad.xml", &["bad.xml: ", words]);
        fails(&terminal, "forest export bad.xml old.xml --force", &["bad.xml: ", words]);
        let import = "forest import bad.xml --game tictactoe -o old.xml --force";
        fails(&terminal, import, &["bad.xml: ", words]);
        assert_eq!(read(&terminal, "old.xml"), "old");
    }
}

#[test]
fn a_forest_is_tested_depth_by_depth() {
    let terminal = terminal();
    let command = "forest test forest.xml --vs random --depths 0..2 --games 20 --json";
    let told: serde_json::Value = serde_json::from_str(&terminal.run(command).success()).unwrap();
    assert_eq!(told["game"], "tictactoe");
    let rows = told["rows"].as_array().unwrap();
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
    fails(&terminal, "forest test foreign.xml", &["does not say for which game", "--game"]);
    fails(&terminal, "forest test forest.xml --game mnk:2x2,k=2", &["fits nowhere"]);
    fails(&terminal, "forest test forest.xml --depths 5..1", &["'5..1'", "0..5"]);
}

/// What comes with the program plays without a file, and never loses tic-tac-toe at depth 4.
#[test]
fn the_models_of_the_program_play() {
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
        let told: serde_json::Value =
            serde_json::from_str(&terminal.run(&command).success()).unwrap();
        let losses = told["result"]["tally"]["losses"].as_u64().unwrap();
        assert_eq!(losses, 0, "{game}: {player}");
    }
}
