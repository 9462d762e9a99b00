//! Gem Island: a level won by auto-play and entered in the high scores, swaps by hand, what the computer believes.

use serde_json::{Value, json};

use crate::Test;
use crate::visit::{Look, Visit};

pub(crate) const TESTS: &[Test] = &[
    ("wins_a_level_by_auto_play_and_enters_it", wins_a_level_by_auto_play_and_enters_it),
    ("swaps_gems_by_hand_and_by_keys", swaps_gems_by_hand_and_by_keys),
    ("shows_the_game_of_another_player", shows_the_game_of_another_player),
    ("draws_a_hint_for_gems", draws_a_hint_for_gems),
    ("draws_what_it_believes_about_the_ice", draws_what_it_believes_about_the_ice),
];

/// Opens a level and returns the game's number.
fn open(visit: &Visit, level: u32) -> String {
    visit.open(&format!("/gems?level={level}"));
    visit.until("a game", "new URLSearchParams(location.search).get('game')");
    visit.until("gems", "document.querySelector('#gems [data-cell]')");
    let id = visit.value("new URLSearchParams(location.search).get('game')");
    id.as_str().unwrap().to_string()
}

/// The game as the server knows it.
fn game(visit: &Visit, id: &str) -> Value {
    visit.api(&format!("/api/gems/{id}"), &[])["view"].clone()
}

fn wins_a_level_by_auto_play_and_enters_it(visit: &Visit) {
    // Without motion a level takes seconds.
    visit.look(Look::ReducedMotion);
    let mut id = String::new();
    for attempt in 1..=8 {
        id = open(visit, 1);
        visit.paste_into("#speed", "10");
        visit.click("#auto");
        visit.until("the end", "document.querySelector('#end')?.hidden === false");
        if game(visit, &id)["status"] == "won" {
            break;
        }
        assert!(attempt < 8, "eight games were lost");
    }
    let view = game(visit, &id);
    let shown = visit.text("#end .end-score").replace([',', ' '], "");
    assert_eq!(shown, view["score"].to_string());
    visit.picture("won");
    visit.type_into("#nickname", "Browser 1");
    visit.click("#enter-score");
    visit.until("the entry", "document.querySelector('#entered')");
    visit.picture("entered");
    let rows = visit.api("/api/scores", &[("level", "1")])["rows"].clone();
    let row = rows.as_array().unwrap().iter().find(|row| row["nickname"] == "Browser 1").unwrap();
    assert_eq!((&row["score"], &row["won"]), (&view["score"], &json!(true)));
    visit.open("/scores?level=1");
    visit.until("the name", "document.querySelector('#scores')?.innerText.includes('Browser 1')");
    visit.picture("high-scores");
}

/// The first legal swap.
fn first_swap(view: &Value) -> [(u64, u64); 2] {
    let swap = &view["swaps"][0];
    let cell =
        |name: &str| (swap[name]["column"].as_u64().unwrap(), swap[name]["row"].as_u64().unwrap());
    [cell("first"), cell("second")]
}

fn swaps_gems_by_hand_and_by_keys(visit: &Visit) {
    let id = open(visit, 1);
    let before = game(visit, &id);
    let [(column, row), (next_column, next_row)] = first_swap(&before);
    visit.picture("begins");
    visit.click(&format!("#gems [data-cell=\"{column},{row}\"]"));
    visit.click(&format!("#gems [data-cell=\"{next_column},{next_row}\"]"));
    let left = before["moves_left"].as_u64().unwrap();
    let shown =
        |left: u64| format!("document.querySelector('#moves-left').textContent === '{left}'");
    visit.until("one move less", &shown(left - 1));
    visit.until("rest", "!document.querySelector('#hint').disabled");
    // The same with keys: to the gem, pick it, push it.
    let now = game(visit, &id);
    assert_eq!(now["moves_left"].as_u64(), Some(left - 1));
    let [(column, row), (next_column, next_row)] = first_swap(&now);
    visit.value("new Promise((done) => setTimeout(done, 1500))");
    visit.value(&format!("document.querySelector('#gems [data-cell=\"{column},{row}\"]').focus()"));
    let push = match (next_column > column, next_column < column, next_row > row) {
        (true, ..) => "ArrowRight",
        (_, true, _) => "ArrowLeft",
        (.., true) => "ArrowDown",
        _ => "ArrowUp",
    };
    visit.press(&["Enter", push]);
    visit.until("two moves less", &shown(left - 2));
    visit.picture("swapped");
}

fn shows_the_game_of_another_player(visit: &Visit) {
    visit.look(Look::ReducedMotion);
    let id = open(visit, 1);
    assert_eq!(visit.value("document.querySelector('#watching').hidden"), true);
    let before = game(visit, &id);
    visit.forget();
    visit.open(&format!("/gems?game={id}"));
    visit.until("that it is only shown", "document.querySelector('#watching')?.hidden === false");
    for button in ["#hint", "#auto", "#belief"] {
        let disabled = format!("document.querySelector('{button}').disabled");
        assert_eq!(visit.value(&disabled), true, "{button}");
    }
    visit.press(&["a", "h", "b"]);
    let [(column, row), (next_column, next_row)] = first_swap(&before);
    visit.click(&format!("#gems [data-cell=\"{column},{row}\"]"));
    visit.click(&format!("#gems [data-cell=\"{next_column},{next_row}\"]"));
    visit.value("new Promise((done) => setTimeout(done, 1500))");
    assert_eq!(game(visit, &id), before, "it was only watched");
    visit.picture("watched");
    visit.click("#new");
    visit.until("a game of one's own", "document.querySelector('#watching').hidden");
    assert_eq!(visit.value("document.querySelector('#auto').disabled"), false);
}

fn draws_a_hint_for_gems(visit: &Visit) {
    open(visit, 2);
    visit.click("#hint");
    visit.until("a swap", "document.querySelector('#gems [data-swap]')");
    assert!(visit.text("#status").starts_with("Swap "));
    visit.picture("hint");
}

fn draws_what_it_believes_about_the_ice(visit: &Visit) {
    let id = open(visit, 1);
    visit.click("#belief");
    visit.until("chances", "document.querySelector('#gems [data-belief]')");
    // Asked by the page, whose game it is.
    let belief =
        visit.value(&format!("fetch('/api/gems/{id}/belief').then((answer) => answer.json())"));
    let chances: Vec<f64> =
        belief["cells"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(!chances.is_empty());
    assert_eq!(visit.numbers("#gems [data-belief]", "data-value"), chances);
    let gains: Vec<f64> = belief["swaps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|swap| swap["gain"].as_f64().unwrap())
        .collect();
    assert_eq!(visit.numbers("#gems .gain-mark", "data-value"), gains);
    visit.picture("belief");
}
