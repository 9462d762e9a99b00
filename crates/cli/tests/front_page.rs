//! The tables of the README say what the program says: who plays which game is asked of the program itself, and the
//! headline results are those of the committed reports.

use std::fs;
use std::path::Path;

use crate::terminal::Terminal;

/// Columns of the table: a name, and the players that stand for it; all of them must play.
const COLUMNS: [(&str, &[&str]); 10] = [
    ("`minimax` …", &["minimax", "negamax", "alphabeta", "negaalphabeta", "pvs"]),
    ("`mcts`", &["mcts"]),
    ("`flat-ucb`", &["flat-ucb"]),
    ("`solver`", &["solver"]),
    ("`forest`", &["forest"]),
    ("`critic` …", &["critic", "critic-mcts", "uct"]),
    ("`line-mcts` …", &["line-mcts", "line-alphabeta"]),
    ("`gomoku`", &["gomoku"]),
    ("`connect6`", &["connect6"]),
    ("`report-…`", &["report-alphabeta", "report-naive", "report-mcts"]),
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

/// What stands between the mark that begins so and the next end.
fn block<'a>(text: &'a str, mark: &str) -> &'a str {
    let begin = text.find(&format!("<!-- {mark}")).expect("the mark is there");
    let inner = &text[begin..];
    let inner = &inner[inner.find("-->\n").expect("the mark ends") + 4..];
    &inner[..inner.find("<!-- end -->").expect("the block ends")]
}

#[test]
fn the_table_of_games_is_what_the_program_says() {
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
        let mark = |(_, names): &(&str, &[&str])| {
            if names.iter().all(|name| players.contains(name)) { "✓" } else { "" }
        };
        let marks: Vec<&str> = COLUMNS.iter().map(mark).collect();
        expected += &format!("| {title} | {} |\n", marks.join(" | "));
    }
    let readme = page("README.md");
    let written = block(&readme, "games");
    assert!(written == expected, "the README should have:\n{expected}");
}

#[test]
fn the_headlines_are_those_of_the_committed_reports() {
    let document = page("docs/reproduction.md");
    let section = document.split("## Headlines\n\n").nth(1).expect("headlines");
    let table = section.split("\n## ").next().unwrap();
    let readme = page("README.md");
    assert_eq!(block(&readme, "headlines").trim(), table.trim());
    assert!(table.lines().count() > 8, "{table}");
}
