//! Gem Island: a level won by auto-play and entered in the high scores, swaps by hand, hints and
//! beliefs.

use serde_json::{Value, json};

use crate::Test;
use crate::tab::{Emulation, Tab};

pub(crate) const TESTS: &[Test] = &[
    ("wins_a_level_by_auto_play_and_enters_it", wins_a_level_by_auto_play_and_enters_it),
    ("swaps_gems_by_hand_and_by_keys", swaps_gems_by_hand_and_by_keys),
    ("shows_the_game_of_another_player", shows_the_game_of_another_player),
    ("draws_a_hint_for_gems", draws_a_hint_for_gems),
    ("draws_beliefs_about_the_ice", draws_beliefs_about_the_ice),
];

/// Opens a level and returns the game's id.
fn open(tab: &Tab, level: u32) -> String {
    tab.open(&format!("/gems?level={level}"));
    tab.until("a game", "new URLSearchParams(location.search).get('game')");
    tab.until("gems", "document.querySelector('#gems [data-cell]')");
    let id = tab.value("new URLSearchParams(location.search).get('game')");
    id.as_str().unwrap().to_string()
}

/// The game from the API.
fn game(tab: &Tab, id: &str) -> Value {
    tab.api(&format!("/api/gems/{id}"), &[])["view"].clone()
}

fn wins_a_level_by_auto_play_and_enters_it(tab: &Tab) {
    // Without animations a level takes seconds.
    tab.emulate(Emulation::ReducedMotion);
    let mut id = String::new();
    for attempt in 1..=8 {
        id = open(tab, 1);
        tab.paste_into("#speed", "10");
        tab.click("#auto");
        tab.until("the end", "document.querySelector('#end')?.hidden === false");
        if game(tab, &id)["status"] == "won" {
            break;
        }
        assert!(attempt < 8, "eight games were lost");
    }
    let view = game(tab, &id);
    let shown = tab.text("#end .end-score").replace([',', ' '], "");
    assert_eq!(shown, view["score"].to_string());
    tab.picture("won");
    tab.type_into("#nickname", "Browser 1");
    tab.click("#enter-score");
    tab.until("the entry", "document.querySelector('#entered')");
    tab.picture("entered");
    let rows = tab.api("/api/scores", &[("level", "1")])["rows"].clone();
    let row = rows.as_array().unwrap().iter().find(|row| row["nickname"] == "Browser 1").unwrap();
    assert_eq!((&row["score"], &row["won"]), (&view["score"], &json!(true)));
    tab.open("/scores?level=1");
    tab.until("the name", "document.querySelector('#scores')?.innerText.includes('Browser 1')");
    tab.picture("high-scores");
}

/// The first legal swap.
fn first_swap(view: &Value) -> [(u64, u64); 2] {
    let swap = &view["swaps"][0];
    let cell =
        |name: &str| (swap[name]["column"].as_u64().unwrap(), swap[name]["row"].as_u64().unwrap());
    [cell("first"), cell("second")]
}

fn swaps_gems_by_hand_and_by_keys(tab: &Tab) {
    let id = open(tab, 1);
    let before = game(tab, &id);
    let [(column, row), (next_column, next_row)] = first_swap(&before);
    tab.picture("begins");
    tab.click(&format!("#gems [data-cell=\"{column},{row}\"]"));
    tab.click(&format!("#gems [data-cell=\"{next_column},{next_row}\"]"));
    let left = before["moves_left"].as_u64().unwrap();
    let shown =
        |left: u64| format!("document.querySelector('#moves-left').textContent === '{left}'");
    tab.until("one move less", &shown(left - 1));
    tab.until("rest", "!document.querySelector('#hint').disabled");
    // The same with the keyboard: focus the gem, select it, push it.
    let now = game(tab, &id);
    assert_eq!(now["moves_left"].as_u64(), Some(left - 1));
    let [(column, row), (next_column, next_row)] = first_swap(&now);
    tab.value("new Promise((done) => setTimeout(done, 1500))");
    tab.value(&format!("document.querySelector('#gems [data-cell=\"{column},{row}\"]').focus()"));
    let push = match (next_column > column, next_column < column, next_row > row) {
        (true, ..) => "ArrowRight",
        (_, true, _) => "ArrowLeft",
        (.., true) => "ArrowDown",
        _ => "ArrowUp",
    };
    tab.press(&["Enter", push]);
    tab.until("two moves less", &shown(left - 2));
    tab.picture("swapped");
}

fn shows_the_game_of_another_player(tab: &Tab) {
    tab.emulate(Emulation::ReducedMotion);
    let id = open(tab, 1);
    assert_eq!(tab.value("document.querySelector('#watching').hidden"), true);
    let before = game(tab, &id);
    tab.forget();
    tab.open(&format!("/gems?game={id}"));
    tab.until("that it is only shown", "document.querySelector('#watching')?.hidden === false");
    for button in ["#hint", "#auto", "#belief"] {
        let disabled = format!("document.querySelector('{button}').disabled");
        assert_eq!(tab.value(&disabled), true, "{button}");
    }
    tab.press(&["a", "h", "b"]);
    let [(column, row), (next_column, next_row)] = first_swap(&before);
    tab.click(&format!("#gems [data-cell=\"{column},{row}\"]"));
    tab.click(&format!("#gems [data-cell=\"{next_column},{next_row}\"]"));
    tab.value("new Promise((done) => setTimeout(done, 1500))");
    assert_eq!(game(tab, &id), before, "it was only watched");
    tab.picture("watched");
    tab.click("#new");
    tab.until("a game of one's own", "document.querySelector('#watching').hidden");
    assert_eq!(tab.value("document.querySelector('#auto').disabled"), false);
}

fn draws_a_hint_for_gems(tab: &Tab) {
    open(tab, 2);
    tab.click("#hint");
    tab.until("a swap", "document.querySelector('#gems [data-swap]')");
    assert!(tab.text("#status").starts_with("Swap "));
    tab.picture("hint");
}

fn draws_beliefs_about_the_ice(tab: &Tab) {
    let id = open(tab, 1);
    tab.click("#belief");
    tab.until("chances", "document.querySelector('#gems [data-belief]')");
    // Requested by the page, which owns the game.
    let belief =
        tab.value(&format!("fetch('/api/gems/{id}/belief').then((answer) => answer.json())"));
    let chances: Vec<f64> =
        belief["cells"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(!chances.is_empty());
    assert_eq!(tab.numbers("#gems [data-belief]", "data-value"), chances);
    let gains: Vec<f64> = belief["swaps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|swap| swap["gain"].as_f64().unwrap())
        .collect();
    assert_eq!(tab.numbers("#gems .gain-mark", "data-value"), gains);
    tab.picture("belief");
}
