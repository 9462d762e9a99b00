//! A game of each family is played with the mouse and won.

use serde_json::{Value, json};

use crate::Test;
use crate::seat::{PERSON, Seat};
use crate::visit::Visit;

pub(crate) const TESTS: &[Test] = &[
    ("wins_tictactoe", |visit| wins(visit, "tictactoe", "solver")),
    ("wins_tictactoe_in_three_dimensions", |visit| wins(visit, "tictactoe3d", "pvs:depth=3")),
    ("wins_connect_four", |visit| wins(visit, "connect4", "pvs:depth=6")),
    ("wins_gomoku", |visit| wins(visit, "gomoku", "pvs:depth=2")),
    ("wins_connect6_with_two_stones_a_turn", |visit| wins(visit, "connect6", "pvs:depth=1")),
    ("wins_othello", |visit| wins(visit, "othello:6x6", "pvs:depth=4")),
    ("wins_checkers", |visit| wins(visit, "checkers", "pvs:depth=5")),
    ("mates_in_chess", mates_in_chess),
    ("promotes_to_a_chosen_piece", promotes_to_a_chosen_piece),
    ("plays_the_second_side", plays_the_second_side),
    ("shows_where_renju_forbids_to_play", shows_where_renju_forbids_to_play),
    ("watches_two_computers", watches_two_computers),
];

/// Against somebody who plays anywhere, with an adviser who looks a little ahead.
fn wins(visit: &Visit, game: &'static str, adviser: &str) {
    let losses_before = losses_of_the_computer(visit, game);
    let seat = Seat::take(visit, game, PERSON, "random");
    visit.picture("begins");
    seat.play_on(adviser);
    visit.until_status("You win!");
    let end = seat.snapshot();
    assert_eq!(end["outcome"], json!({ "win": "first" }));
    let ring = "#board .won";
    assert_eq!(visit.count(ring), end["winning"].as_array().unwrap().len() as u64, "{ring}");
    assert_eq!(visit.count("#moves [data-ply]"), end["played"].as_array().unwrap().len() as u64);
    visit.picture("won");
    visit.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    assert_eq!(losses_of_the_computer(visit, game), losses_before + 1);
}

fn losses_of_the_computer(visit: &Visit, game: &str) -> u64 {
    let statistics = visit.api("/api/statistics", &[]);
    let rows = statistics["rows"].as_array().unwrap();
    let of_game = |row: &&Value| row["game"] == game && row["player"] == "random";
    rows.iter().filter(of_game).map(|row| row["losses"].as_u64().unwrap()).sum()
}

fn mates_in_chess(visit: &Visit) {
    let seat = Seat::take(visit, "chess", PERSON, PERSON);
    for text in ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"] {
        visit.until_status("to move");
        seat.play(text);
    }
    visit.until_status("White wins");
    assert_eq!(seat.snapshot()["outcome"], json!({ "win": "first" }));
    visit.picture("mate");
}

fn promotes_to_a_chosen_piece(visit: &Visit) {
    let seat = Seat::take_at(visit, "chess", "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8");
    seat.play("h7h8n");
    let label = "document.querySelector('#board [data-cell=\"7\"]').getAttribute('aria-label')";
    visit.until("a knight", &format!("{label}.toLowerCase().includes('knight')"));
    visit.picture("promoted");
}

fn plays_the_second_side(visit: &Visit) {
    let seat = Seat::take(visit, "connect4", "random", PERSON);
    seat.play_on("pvs:depth=6");
    visit.until_status("You win!");
    assert_eq!(seat.snapshot()["outcome"], json!({ "win": "second" }));
}

fn shows_where_renju_forbids_to_play(visit: &Visit) {
    // Black has two open twos that cross at h8.
    let seat = Seat::take_at(visit, "renju", "h6 a1 h7 a15 f8 o1 g8 o15");
    let snapshot = seat.snapshot();
    let forbidden = snapshot["forbidden"].as_array().unwrap();
    assert!(!forbidden.is_empty(), "h8 would be a double three");
    visit.until("crosses", "document.querySelector('#board .forbidden')");
    assert_eq!(visit.count("#board .forbidden"), forbidden.len() as u64);
    for cell in forbidden {
        let label = format!("#board [data-cell=\"{cell}\"][aria-label*=\"forbidden\"]");
        assert_eq!(visit.count(&label), 1, "{label}");
    }
    visit.picture("crosses");
}

fn watches_two_computers(visit: &Visit) {
    Seat::take(visit, "tictactoe", "random", "pvs:depth=2");
    visit.until("the end", "document.querySelector('#end')?.hidden === false");
    assert!(visit.count("#moves [data-ply]") >= 5);
    visit.picture("end");
}
