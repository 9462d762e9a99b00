//! The analysis: the scores on the board are those of the API, and so is the curve of a game.

use serde_json::{Value, json};

use crate::Test;
use crate::seat::Seat;
use crate::visit::Visit;

pub(crate) const TESTS: &[Test] = &[
    ("draws_the_exact_score_of_every_move", draws_the_exact_score_of_every_move),
    ("scores_pieces_that_move", scores_pieces_that_move),
    ("leaves_points_blank_that_were_not_searched", leaves_points_blank_that_were_not_searched),
    ("charts_a_game_and_its_mistakes", charts_a_game_and_its_mistakes),
    ("names_the_move_that_lost_sooner", names_the_move_that_lost_sooner),
];

/// A score as the pages write it in a few letters.
fn short(score: &Value) -> String {
    if let Some(plies) = score["win_in"].as_u64() {
        return format!("W{plies}");
    }
    if let Some(plies) = score["loss_in"].as_u64() {
        return format!("L{plies}");
    }
    match score["estimate"].as_i64().unwrap() {
        0 => "=".to_string(),
        estimate => format!("{}{}", if estimate > 0 { '+' } else { '−' }, estimate.abs()),
    }
}

fn draws_the_exact_score_of_every_move(visit: &Visit) {
    let moves = "444444222";
    let seat = Seat::take_at(visit, "connect4", moves);
    visit.click("#tab-analysis");
    visit.until(
        "the end of the search",
        "document.querySelector('.meter')?.textContent.includes('exact')",
    );
    let table = visit.post("/api/analysis", &json!({ "game": "connect4", "moves": moves }));
    assert_eq!(table["exact"], true);
    let expected: Vec<String> =
        table["moves"].as_array().unwrap().iter().map(|one| short(&one["score"])).collect();
    let mut drawn = visit.texts("#board .mark text");
    visit.picture("scores");
    let lines = visit.texts("#analysis-lines .chip");
    assert_eq!(lines, expected[..lines.len()], "the best lines, best first");
    let mut sorted = expected.clone();
    sorted.sort();
    drawn.sort();
    assert_eq!(drawn, sorted, "a score on every column");
    // Each stands where its move goes: the title names the move, and the score is that move's.
    for one in table["moves"].as_array().unwrap() {
        let text = one["move"].as_str().unwrap();
        let mark = format!(
            "[...document.querySelectorAll('#board .mark')]\
             .find((mark) => mark.querySelector('title').textContent.startsWith({}))\
             ?.querySelector('text').textContent",
            json!(format!("{text}:"))
        );
        assert_eq!(visit.value(&mark), json!(short(&one["score"])), "{text}");
    }
    // A line that is pointed at is shown on the board; a click plays its first move.
    visit.value("document.querySelector('#analysis-lines button').focus()");
    visit.until("the line on the board", "document.querySelector('#board .ghost.line')");
    visit.picture("line");
    visit.click("#analysis-lines button");
    seat.until_moves(&format!("{moves}{}", table["moves"][0]["move"].as_str().unwrap()));
}

fn scores_pieces_that_move(visit: &Visit) {
    Seat::take_at(visit, "chess", "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6");
    visit.click("#tab-analysis");
    visit.until("a mate", "document.querySelector('#analysis-lines .chip')?.textContent === 'W1'");
    visit.until("an arrow", "document.querySelector('#board .arrow.best')");
    let words = visit.text(".verdict");
    assert!(words.contains("h5f7"), "{words}");
    visit.picture("mate");
}

/// An open four: two points win at once, and most points of the board were not searched.
fn leaves_points_blank_that_were_not_searched(visit: &Visit) {
    Seat::take_at(visit, "gomoku", "h8a1i8a3j8a5k8a7");
    visit.click("#tab-analysis");
    visit
        .until("the wins", "document.querySelector('#analysis-lines .chip')?.textContent === 'W1'");
    visit.until(
        "the end of the search",
        "/\\d/.test(document.querySelector('.meter').textContent) \
         && !document.querySelector('.meter').textContent.includes('looking on')",
    );
    let words = visit.text(".verdict");
    assert!(
        words.contains("wins in 1") && (words.contains("g8") || words.contains("l8")),
        "{words}"
    );
    let chips = visit.texts("#analysis-lines .chip");
    assert!(chips.iter().all(|chip| !chip.is_empty()), "{chips:?}");
    assert_eq!(chips.iter().filter(|chip| *chip == "W1").count(), 2, "{chips:?}");
    let drawn = visit.texts("#board .mark text");
    assert!(drawn.len() < 30 && drawn.iter().all(|text| !text.is_empty()), "{drawn:?}");
    // Equal values have discs of equal size.
    let sizes = visit.value(
        "[...document.querySelectorAll('#board .mark')].map((mark) =>\
         [mark.querySelector('text').textContent, mark.querySelector('circle').getAttribute('r')])",
    );
    let mut size_of = std::collections::BTreeMap::new();
    for pair in sizes.as_array().unwrap() {
        let size = size_of.entry(pair[0].to_string()).or_insert_with(|| pair[1].clone());
        assert_eq!(*size, pair[1], "{sizes}");
    }
    visit.picture("blank");
}

/// Red is lost, and the ninth move lets yellow win at once.
fn names_the_move_that_lost_sooner(visit: &Visit) {
    Seat::take_at(visit, "connect4", "3433343434");
    visit.click("#tab-analysis");
    visit.click("#chart-game");
    visit.until("every point", "document.querySelectorAll('#chart .dot').length === 11");
    visit.until("the mistake", "document.querySelector('#mistakes [data-mistake=\"9\"]')");
    let words = visit.text("#mistakes [data-mistake=\"9\"]");
    assert!(words.contains("4 was better"), "{words}");
    visit.picture("sooner");
}

fn charts_a_game_and_its_mistakes(visit: &Visit) {
    // The fourth move throws the game away.
    let moves = "b2 a1 a3 b1 c1";
    Seat::take_at(visit, "tictactoe", moves);
    visit.click("#tab-analysis");
    visit.click("#chart-game");
    visit.until("every point", "document.querySelectorAll('#chart .dot').length === 6");
    let drawn = visit.numbers("#chart .dot", "data-value");
    let answer = visit.ask("/api/chart", &[("game", "tictactoe"), ("moves", moves)]);
    let mut points = answer.events("point");
    points.sort_by_key(|point| point["ply"].as_u64());
    assert_eq!(points.len(), 6);
    for (point, drawn) in points.iter().zip(&drawn) {
        let score = &point["score"];
        let expected = match (score["win_in"].is_u64(), score["loss_in"].is_u64()) {
            (true, _) => 1.0,
            (_, true) => -1.0,
            _ => 0.0,
        };
        assert_eq!(*drawn, expected, "{point}");
    }
    visit.until("the mistake", "document.querySelector('#mistakes [data-mistake]')");
    visit.picture("curve");
    visit.click("#mistakes [data-mistake]");
    visit.until("the position before it", "document.querySelectorAll('#board .piece').length < 5");
}
