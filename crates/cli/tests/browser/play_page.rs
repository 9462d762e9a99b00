//! The play page: undo, navigation, hints, resigning, sharing, files, keyboard.

use serde_json::{Value, json};

use crate::Test;
use crate::game_page::{GamePage, HUMAN};
use crate::tab::Tab;

pub(crate) const TESTS: &[Test] = &[
    ("takes_moves_back_and_plays_them_again", takes_moves_back_and_plays_them_again),
    ("jumps_to_any_move", jumps_to_any_move),
    ("draws_a_hint", draws_a_hint),
    ("resigns_and_starts_again", resigns_and_starts_again),
    ("shows_the_same_after_reload_and_back", shows_the_same_after_reload_and_back),
    ("changes_opponent_and_side_without_loading", changes_opponent_and_side_without_loading),
    ("exports_and_imports", exports_and_imports),
    ("is_played_with_the_keyboard_alone", is_played_with_the_keyboard_alone),
    ("flips_and_numbers_the_stones", flips_and_numbers_the_stones),
    ("records_nothing_when_switched_off", records_nothing_when_switched_off),
    ("names_every_cell_and_control", names_every_cell_and_control),
    ("reports_invalid_addresses", reports_invalid_addresses),
];

fn takes_moves_back_and_plays_them_again(tab: &Tab) {
    let page = GamePage::open(tab, "connect4", HUMAN, "pvs:depth=1");
    page.play("4");
    page.until_turn_or_end();
    let after_reply = page.moves();
    assert_eq!(page.snapshot()["played"].as_array().unwrap().len(), 2);
    tab.click("#undo");
    page.until_moves("");
    tab.picture("taken-back");
    tab.click("#redo");
    page.until_moves(&after_reply);
    tab.press(&["u"]);
    page.until_moves("");
    tab.press(&["r"]);
    page.until_moves(&after_reply);
}

fn jumps_to_any_move(tab: &Tab) {
    let page = GamePage::open_at(tab, "gomoku", "h8 h9 i8 i9 j8 j9 k8 k9");
    let whole = page.moves();
    tab.click("#moves [data-ply=\"3\"]");
    tab.until("the third move", "document.querySelectorAll('#board .piece').length === 3");
    assert_eq!(tab.count("#moves [data-ply]"), 8, "the moves after it stay in the list");
    let current = "#moves [data-ply=\"3\"][aria-current]";
    tab.until("the mark", &format!("document.querySelector({})", json!(current)));
    tab.press(&["Home"]);
    tab.until("an empty board", "document.querySelectorAll('#board .piece').length === 0");
    tab.press(&["ArrowRight"]);
    tab.until("one stone", "document.querySelectorAll('#board .piece').length === 1");
    tab.press(&["End"]);
    page.until_moves(&whole);
    tab.picture("end");
}

fn draws_a_hint(tab: &Tab) {
    // Both sides have three in a row.
    let page = GamePage::open_at(tab, "connect4", "112233");
    tab.click("#hint");
    tab.until("a ghost", "document.querySelector('#board .ghost')");
    let said = tab.text("#thinking");
    assert!(said.starts_with("Hint: 4."), "{said}");
    assert_eq!(page.moves(), "112233", "a hint plays nothing");
    tab.picture("drawn");
}

fn resigns_and_starts_again(tab: &Tab) {
    let page = GamePage::open(tab, "gomoku", HUMAN, "pvs:depth=1");
    page.play("h8");
    page.until_turn_or_end();
    tab.click("#resign");
    tab.until_status("The computer wins.");
    tab.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    tab.picture("resigned");
    tab.click("#new");
    page.until_moves("");
    tab.until_status("Your turn");
}

fn shows_the_same_after_reload_and_back(tab: &Tab) {
    let page = GamePage::open_at(tab, "othello", "d3 c5");
    page.play("d6");
    let (address, moves) = (tab.address(), page.moves());
    let labels = "[...document.querySelectorAll('#board [data-cell]')]\
                  .map((cell) => cell.getAttribute('aria-label')).join()";
    let board = tab.value(labels);
    tab.reload();
    page.until_moves(&moves);
    tab.until("the same board", &format!("{labels} === {board}"));
    // The link opens the same position.
    tab.open("/");
    tab.open(&address);
    tab.until("the same board", &format!("{labels} === {board}"));
    page.play("c3");
    tab.value("history.back()");
    tab.until("the board before", &format!("{labels} === {board}"));
    // The shared link is the address.
    tab.value("(navigator.clipboard.writeText = async (text) => { window.copied = text; }, 1)");
    tab.click("#share");
    let copied = tab.until("the link", "window.copied");
    assert!(copied.as_str().unwrap().ends_with(&address), "{copied} is not {address}");
}

fn changes_opponent_and_side_without_loading(tab: &Tab) {
    let page = GamePage::open(tab, "tictactoe", HUMAN, "random");
    tab.value("(window.stays = true)");
    tab.choose("#opponent", "solver");
    tab.until("the address", "location.search.includes('second=solver')");
    page.play("b2");
    page.until_turn_or_end();
    tab.click("#swap");
    tab.until("the other side", "location.search.includes('first=solver')");
    page.until_turn_or_end();
    assert_eq!(tab.value("window.stays"), true, "the page was loaded again");
}

fn exports_and_imports(tab: &Tab) {
    let page = GamePage::open_at(tab, "gomoku", "h8 h9 i8 i9 j8 j9");
    let moves = page.moves();
    tab.click(".more:has(#export) summary");
    let mut exported = Vec::new();
    for format in ["moves", "sgf", "psq", "svg"] {
        tab.click("#export");
        tab.choose("dialog select", format);
        tab.until(format, "document.querySelector('dialog textarea').value");
        let body = json!({ "game": "gomoku", "moves": moves, "format": format });
        let answer = tab.post("/api/export", &body);
        let shown = tab.value("document.querySelector('dialog textarea').value");
        // Names and dates in a file may differ, its moves may not.
        assert!(!answer["text"].as_str().unwrap().is_empty());
        exported.push((format, shown.as_str().unwrap().to_string()));
        tab.picture(&format!("as-{format}"));
        tab.press(&["Escape"]);
        tab.until("no dialog", "!document.querySelector('dialog')");
    }
    assert!(exported[3].1.contains("<svg"), "{}", exported[3].1);
    for (format, text) in &exported[..3] {
        tab.click("#new");
        page.until_moves("");
        tab.click("#import");
        tab.paste_into("dialog textarea", text);
        tab.click("dialog button.primary");
        tab.until(
            &format!("the game from {format}"),
            "document.querySelectorAll('#board .piece').length === 6",
        );
        page.until_moves(&moves);
    }
    tab.picture("imported");
}

fn is_played_with_the_keyboard_alone(tab: &Tab) {
    tab.open("/");
    tab.until("the games", "document.querySelector('[data-game=\"tictactoe\"]')");
    tab_until(tab, "document.activeElement.dataset.game === 'tictactoe'");
    tab.picture("home");
    tab.press(&["Enter"]);
    tab.until("a board", "document.querySelector('#board [data-cell]')");
    tab.until_status("Your turn");
    tab_until(tab, "document.activeElement.matches('#board [data-cell]')");
    tab.press(&["ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft"]);
    let focused = tab.value("document.activeElement.getAttribute('aria-label')");
    assert_eq!(focused, "a3, empty", "the arrows lead into the corner");
    assert!(tab.count("#board .cursor") == 1, "the focus is drawn");
    tab.press(&["Enter"]);
    tab.until("my stone", "document.querySelector('[data-cell=\"0\"] .piece')");
    tab.until_status("Your turn");
    tab.picture("played");
    tab.press(&["?"]);
    tab.until("the keys", "document.querySelector('dialog kbd')");
    tab.picture("keys");
    tab.press(&["Escape", "a"]);
    tab.until("the analysis", "document.querySelector('#analysis-lines button')");
    tab.press(&["t"]);
    tab.until("a picture", "document.querySelector('#pictures [data-picture]')");
    tab.press(&["g", "u"]);
    tab.until("an empty board", "document.querySelectorAll('#board .piece').length === 0");
}

/// Presses Tab until an element has the focus; every element on the way needs a name.
fn tab_until(tab: &Tab, is_there: &str) {
    for _ in 0..80 {
        tab.press(&["Tab"]);
        if tab.value(is_there) == true {
            return;
        }
        let named = "(document.activeElement.textContent.trim() || document.activeElement.ariaLabel \
                     || document.activeElement.title || document.activeElement.labels?.length)";
        assert!(tab.value(named) != json!(0), "something without a name has the focus");
    }
    panic!("80 tabs do not lead there");
}

fn flips_and_numbers_the_stones(tab: &Tab) {
    GamePage::open_at(tab, "gomoku", "h8 h9 i8");
    let top = "document.querySelector('[data-cell=\"0\"]').getBoundingClientRect().top";
    let before = tab.value(top).as_f64().unwrap();
    tab.click("#flip");
    tab.until("a flipped board", &format!("{top} > {before} + 100"));
    tab.click(".more:has(#numbers) summary");
    tab.click("#numbers");
    tab.until("numbers", "document.querySelectorAll('#board .number').length === 3");
    let mut numbers = tab.texts("#board .number");
    numbers.sort();
    assert_eq!(numbers, ["1", "2", "3"]);
    tab.picture("numbers");
}

fn records_nothing_when_switched_off(tab: &Tab) {
    let page = GamePage::open(tab, "tictactoe", HUMAN, HUMAN);
    tab.until("the notice", "document.querySelector('#record')?.checked");
    tab.click("#record");
    let count = || tab.api("/api/library/info", &[])["count"].as_u64().unwrap();
    let before = count();
    for text in ["a1", "b1", "a2", "b2", "a3"] {
        page.play(text);
    }
    tab.until_status("X wins");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(count(), before, "nothing was sent");
    tab.picture("off");
}

fn names_every_cell_and_control(tab: &Tab) {
    for game in ["tictactoe4d", "connect4", "chess", "checkers", "renju"] {
        tab.open_table(game, &[]);
        let cells = tab.api("/api/position", &[("game", game)])["board"]["cells"].clone();
        assert_eq!(tab.count("#board [data-cell]"), cells.as_array().unwrap().len() as u64);
        let unnamed = "[...document.querySelectorAll('#board [data-cell], button, select, input, a')]\
             .filter((one) => one.offsetParent !== null || one instanceof SVGElement)\
             .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.title || one.labels?.length))\
             .map((one) => one.outerHTML)";
        assert_eq!(tab.value(unnamed), json!([]), "{game}");
        let names = tab.value(
            "[...document.querySelectorAll('#board [data-cell]')].map((one) => one.getAttribute('aria-label')).filter((name) => !name.endsWith('unused'))",
        );
        let mut names: Vec<&str> =
            names.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{game}: two cells have one name");
    }
}

fn reports_invalid_addresses(tab: &Tab) {
    tab.open("/play/nosuchgame");
    tab.until_status("could not be opened");
    tab.picture("no-game");
    // The browser logs the expected refusal in its console.
    tab.expect_refusals();
}
