//! The analysis: scores on the board and the curve of a game, compared with the API.

use serde_json::{Value, json};

use crate::Test;
use crate::game_page::GamePage;
use crate::tab::Tab;

pub(crate) const TESTS: &[Test] = &[
    ("draws_the_exact_score_of_every_move", draws_the_exact_score_of_every_move),
    ("scores_pieces_that_move", scores_pieces_that_move),
    ("leaves_points_blank_that_were_not_searched", leaves_points_blank_that_were_not_searched),
    ("charts_a_game_and_its_mistakes", charts_a_game_and_its_mistakes),
    ("names_the_move_that_lost_sooner", names_the_move_that_lost_sooner),
];

/// A score in the short form of the pages.
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

fn draws_the_exact_score_of_every_move(tab: &Tab) {
    let moves = "444444222";
    let page = GamePage::open_at(tab, "connect4", moves);
    tab.click("#tab-analysis");
    tab.until(
        "the end of the search",
        "document.querySelector('.meter')?.textContent.includes('exact')",
    );
    let table = tab.post("/api/analysis", &json!({ "game": "connect4", "moves": moves }));
    assert_eq!(table["exact"], true);
    let expected: Vec<String> =
        table["moves"].as_array().unwrap().iter().map(|one| short(&one["score"])).collect();
    let mut drawn = tab.texts("#board .mark text");
    tab.picture("scores");
    let lines = tab.texts("#analysis-lines .chip");
    assert_eq!(lines, expected[..lines.len()], "the best lines, best first");
    let mut sorted = expected.clone();
    sorted.sort();
    drawn.sort();
    assert_eq!(drawn, sorted, "a score on every column");
    // Every score is on the cell of its move, which its title names.
    for one in table["moves"].as_array().unwrap() {
        let text = one["move"].as_str().unwrap();
        let mark = format!(
            "[...document.querySelectorAll('#board .mark')]\
             .find((mark) => mark.querySelector('title').textContent.startsWith({}))\
             ?.querySelector('text').textContent",
            json!(format!("{text}:"))
        );
        assert_eq!(tab.value(&mark), json!(short(&one["score"])), "{text}");
    }
    // Focusing a line previews it on the board; a click plays its first move.
    tab.value("document.querySelector('#analysis-lines button').focus()");
    tab.until("the line on the board", "document.querySelector('#board .ghost.line')");
    tab.picture("line");
    tab.click("#analysis-lines button");
    page.until_moves(&format!("{moves}{}", table["moves"][0]["move"].as_str().unwrap()));
}

fn scores_pieces_that_move(tab: &Tab) {
    GamePage::open_at(tab, "chess", "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6");
    tab.click("#tab-analysis");
    tab.until("a mate", "document.querySelector('#analysis-lines .chip')?.textContent === 'W1'");
    tab.until("an arrow", "document.querySelector('#board .arrow.best')");
    let words = tab.text(".verdict");
    assert!(words.contains("h5f7"), "{words}");
    tab.picture("mate");
}

/// An open four: two points win at once, and most points are not searched.
fn leaves_points_blank_that_were_not_searched(tab: &Tab) {
    GamePage::open_at(tab, "gomoku", "h8a1i8a3j8a5k8a7");
    tab.click("#tab-analysis");
    tab.until("the wins", "document.querySelector('#analysis-lines .chip')?.textContent === 'W1'");
    tab.until(
        "the end of the search",
        "/\\d/.test(document.querySelector('.meter').textContent) \
         && !document.querySelector('.meter').textContent.includes('searching')",
    );
    let words = tab.text(".verdict");
    assert!(
        words.contains("wins in 1") && (words.contains("g8") || words.contains("l8")),
        "{words}"
    );
    let chips = tab.texts("#analysis-lines .chip");
    assert!(chips.iter().all(|chip| !chip.is_empty()), "{chips:?}");
    assert_eq!(chips.iter().filter(|chip| *chip == "W1").count(), 2, "{chips:?}");
    let drawn = tab.texts("#board .mark text");
    assert!(drawn.len() < 30 && drawn.iter().all(|text| !text.is_empty()), "{drawn:?}");
    // Equal values have discs of equal size.
    let sizes = tab.value(
        "[...document.querySelectorAll('#board .mark')].map((mark) =>\
         [mark.querySelector('text').textContent, mark.querySelector('circle').getAttribute('r')])",
    );
    let mut size_of = std::collections::BTreeMap::new();
    for pair in sizes.as_array().unwrap() {
        let size = size_of.entry(pair[0].to_string()).or_insert_with(|| pair[1].clone());
        assert_eq!(*size, pair[1], "{sizes}");
    }
    tab.picture("blank");
}

/// Red is lost, and the ninth move lets yellow win at once.
fn names_the_move_that_lost_sooner(tab: &Tab) {
    GamePage::open_at(tab, "connect4", "3433343434");
    tab.click("#tab-analysis");
    tab.click("#chart-game");
    tab.until("every point", "document.querySelectorAll('#chart .dot').length === 11");
    tab.until("the mistake", "document.querySelector('#mistakes [data-mistake=\"9\"]')");
    let words = tab.text("#mistakes [data-mistake=\"9\"]");
    assert!(words.contains("4 was better"), "{words}");
    tab.picture("sooner");
}

fn charts_a_game_and_its_mistakes(tab: &Tab) {
    // The fourth move loses the game.
    let moves = "b2 a1 a3 b1 c1";
    GamePage::open_at(tab, "tictactoe", moves);
    tab.click("#tab-analysis");
    tab.click("#chart-game");
    tab.until("every point", "document.querySelectorAll('#chart .dot').length === 6");
    let drawn = tab.numbers("#chart .dot", "data-value");
    let answer = tab.ask("/api/chart", &[("game", "tictactoe"), ("moves", moves)]);
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
    tab.until("the mistake", "document.querySelector('#mistakes [data-mistake]')");
    tab.picture("curve");
    tab.click("#mistakes [data-mistake]");
    tab.until("the position before it", "document.querySelectorAll('#board .piece').length < 5");
}
