//! The tables of the README agree with the program: the program itself reports which player
//! supports which game, and the headline results equal those of the committed reports.

use std::fs;
use std::path::Path;

use crate::terminal::Terminal;

/// Columns of the table: a title and its players, all of which must support the game.
const COLUMNS: [(&str, &[&str]); 11] = [
    ("`minimax` …", &["minimax", "negamax", "alphabeta", "engine", "pvs"]),
    ("`mcts`", &["mcts"]),
    ("`flat-ucb`", &["flat-ucb"]),
    ("`solver`", &["solver"]),
    ("`forest`", &["forest"]),
    ("`weights`", &["weights"]),
    ("`critic` …", &["critic", "critic-mcts", "critic-puct"]),
    ("`line-mcts` …", &["line-mcts", "line-alphabeta"]),
    ("`gomoku`", &["gomoku"]),
    ("`connect6`", &["connect6"]),
    ("`fudan-…`", &["fudan-alphabeta", "fudan-naive", "fudan-mcts"]),
];

const GAMES: [(&str, &str); 13] = [
    ("tic-tac-toe", "tictactoe"),
    ("… in three dimensions", "tictactoe3d"),
    ("… in four dimensions", "tictactoe4d"),
    ("Qubic", "qubic"),
    ("Connect Four", "connect4"),
    ("(m,n,k,p,q) games, such as `mnk:10x10,k=5`", "mnk:10x10,k=5"),
    ("Gomoku", "gomoku"),
    ("caro", "caro"),
    ("renju", "renju"),
    ("Connect6", "connect6"),
    ("Othello", "othello"),
    ("checkers", "checkers"),
    ("chess", "chess"),
];

fn page(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    fs::read_to_string(path).unwrap()
}

/// The text between the marker that begins with `marker` and the next end marker.
fn block<'a>(text: &'a str, marker: &str) -> &'a str {
    let begin = text.find(&format!("<!-- {marker}")).expect("the marker exists");
    let inner = &text[begin..];
    let inner = &inner[inner.find("-->\n").expect("the marker ends") + 4..];
    &inner[..inner.find("<!-- end -->").expect("the block ends")]
}

/// The table of learners in the book equals the list of learners, and so do the help and the list
/// of the program.
#[test]
fn the_table_of_learners_agrees_with_the_program() {
    let row = |kind: &tesuji_train::LearnerKind| {
        let players: Vec<String> = kind.players.iter().map(|name| format!("`{name}`")).collect();
        let players =
            if players.is_empty() { "agents of Gem Island".into() } else { players.join(", ") };
        let (name, summary, step, end) =
            (kind.name, kind.summary, kind.step.singular, kind.extension);
        format!("| `{name}` | {summary} | {step} | `best.{end}` | {players} |\n")
    };
    let heading = "| learner | what it learns | a step is | model | players with the model |\n|---|---|---|---|---|\n";
    let rows: String = tesuji_learn::LEARNERS.iter().map(row).collect();
    assert_eq!(block(&page("docs/training.md"), "learners"), format!("{heading}{rows}"));
    let terminal = Terminal::new();
    let [list, help] = ["train --learners", "train --help"].map(|words| terminal.run(words).stdout);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let [list, help] = [words(&list), words(&help)];
    for kind in tesuji_learn::LEARNERS {
        assert!(list.contains(kind.summary) && help.contains(kind.summary), "{}", kind.name);
        let settings = terminal.run(&format!("train --settings {}", kind.name)).stdout;
        assert_eq!(tesuji_learn::read_settings(&settings).unwrap().kind, kind);
    }
}

#[test]
fn the_table_of_games_agrees_with_the_program() {
    let terminal = Terminal::new();
    let heading: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let mut expected =
        format!("| | {} |\n|---|{}\n", heading.join(" | "), "---|".repeat(COLUMNS.len()));
    for (title, game) in GAMES {
        let described = terminal.run(&format!("games {game} --json")).json();
        let players: Vec<&str> = described["players"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|name| name.as_str())
            .collect();
        assert!(players.contains(&"human") && players.contains(&"external"), "{players:?}");
        let check_mark = |(_, names): &(&str, &[&str])| {
            if names.iter().all(|name| players.contains(name)) { "✓" } else { "" }
        };
        let marks: Vec<&str> = COLUMNS.iter().map(check_mark).collect();
        expected += &format!("| {title} | {} |\n", marks.join(" | "));
    }
    let readme = page("README.md");
    let written = block(&readme, "games");
    assert!(written == expected, "the README should have:\n{expected}");
}

#[test]
fn the_headlines_equal_those_of_the_committed_reports() {
    let document = page("docs/reproduction.md");
    let section = document.split("## Headlines\n\n").nth(1).expect("the document has headlines");
    let table = section.split("\n## ").next().unwrap();
    let readme = page("README.md");
    assert_eq!(block(&readme, "headlines").trim(), table.trim());
    assert!(table.lines().count() > 8, "{table}");
}
