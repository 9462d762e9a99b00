//! Plays and wins a game of each family with the mouse.

use serde_json::{Value, json};

use crate::Test;
use crate::game_page::{GamePage, HUMAN};
use crate::tab::Tab;

pub(crate) const TESTS: &[Test] = &[
    ("wins_tictactoe", |tab| wins(tab, "tictactoe", "solver")),
    ("wins_tictactoe_in_three_dimensions", |tab| wins(tab, "tictactoe3d", "pvs:depth=3")),
    ("wins_connect_four", |tab| wins(tab, "connect4", "pvs:depth=6")),
    ("wins_gomoku", |tab| wins(tab, "gomoku", "pvs:depth=2")),
    ("wins_connect6_with_two_stones_a_turn", |tab| wins(tab, "connect6", "pvs:depth=1")),
    ("wins_othello", |tab| wins(tab, "othello:6x6", "pvs:depth=4")),
    ("wins_checkers", |tab| wins(tab, "checkers", "pvs:depth=5")),
    ("mates_in_chess", mates_in_chess),
    ("promotes_to_a_chosen_piece", promotes_to_a_chosen_piece),
    ("plays_the_second_side", plays_the_second_side),
    ("marks_forbidden_points_in_renju", marks_forbidden_points_in_renju),
    ("watches_two_computers", watches_two_computers),
];

/// Wins against a random player with the moves of a shallow search.
fn wins(tab: &Tab, game: &'static str, adviser: &str) {
    let losses_before = losses_of_the_computer(tab, game);
    let page = GamePage::open(tab, game, HUMAN, "random");
    tab.picture("begins");
    page.play_to_end(adviser);
    tab.until_status("You win!");
    let end = page.snapshot();
    assert_eq!(end["outcome"], json!({ "win": "first" }));
    let ring = "#board .won";
    assert_eq!(tab.count(ring), end["winning"].as_array().unwrap().len() as u64, "{ring}");
    assert_eq!(tab.count("#moves [data-ply]"), end["played"].as_array().unwrap().len() as u64);
    tab.picture("won");
    tab.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    assert_eq!(losses_of_the_computer(tab, game), losses_before + 1);
}

fn losses_of_the_computer(tab: &Tab, game: &str) -> u64 {
    let statistics = tab.api("/api/statistics", &[]);
    let rows = statistics["rows"].as_array().unwrap();
    let of_game = |row: &&Value| row["game"] == game && row["player"] == "random";
    rows.iter().filter(of_game).map(|row| row["losses"].as_u64().unwrap()).sum()
}

fn mates_in_chess(tab: &Tab) {
    let page = GamePage::open(tab, "chess", HUMAN, HUMAN);
    for text in ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"] {
        tab.until_status("to move");
        page.play(text);
    }
    tab.until_status("White wins");
    assert_eq!(page.snapshot()["outcome"], json!({ "win": "first" }));
    tab.picture("mate");
}

fn promotes_to_a_chosen_piece(tab: &Tab) {
    let page = GamePage::open_at(tab, "chess", "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8");
    page.play("h7h8n");
    let label = "document.querySelector('#board [data-cell=\"7\"]').getAttribute('aria-label')";
    tab.until("a knight", &format!("{label}.toLowerCase().includes('knight')"));
    tab.picture("promoted");
}

fn plays_the_second_side(tab: &Tab) {
    let page = GamePage::open(tab, "connect4", "random", HUMAN);
    page.play_to_end("pvs:depth=6");
    tab.until_status("You win!");
    assert_eq!(page.snapshot()["outcome"], json!({ "win": "second" }));
}

fn marks_forbidden_points_in_renju(tab: &Tab) {
    // Black has two open twos that cross at h8.
    let page = GamePage::open_at(tab, "renju", "h6 a1 h7 a15 f8 o1 g8 o15");
    let snapshot = page.snapshot();
    let forbidden = snapshot["forbidden"].as_array().unwrap();
    assert!(!forbidden.is_empty(), "h8 would be a double three");
    tab.until("crosses", "document.querySelector('#board .forbidden')");
    assert_eq!(tab.count("#board .forbidden"), forbidden.len() as u64);
    for cell in forbidden {
        let label = format!("#board [data-cell=\"{cell}\"][aria-label*=\"forbidden\"]");
        assert_eq!(tab.count(&label), 1, "{label}");
    }
    tab.picture("crosses");
}

fn watches_two_computers(tab: &Tab) {
    GamePage::open(tab, "tictactoe", "random", "pvs:depth=2");
    tab.until("the end", "document.querySelector('#end')?.hidden === false");
    assert!(tab.count("#moves [data-ply]") >= 5);
    tab.picture("end");
}
