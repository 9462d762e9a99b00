//! What can be done at a table besides playing: taking back, jumping, hints, giving up, sharing, files, keys alone.

use serde_json::{Value, json};

use crate::Test;
use crate::seat::{PERSON, Seat};
use crate::visit::Visit;

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
    ("refuses_nonsense_in_words", refuses_nonsense_in_words),
];

fn takes_moves_back_and_plays_them_again(visit: &Visit) {
    let seat = Seat::take(visit, "connect4", PERSON, "pvs:depth=1");
    seat.play("4");
    seat.until_turn_or_end();
    let after_reply = seat.moves();
    assert_eq!(seat.snapshot()["played"].as_array().unwrap().len(), 2);
    visit.click("#undo");
    seat.until_moves("");
    visit.picture("taken-back");
    visit.click("#redo");
    seat.until_moves(&after_reply);
    visit.press(&["u"]);
    seat.until_moves("");
    visit.press(&["r"]);
    seat.until_moves(&after_reply);
}

fn jumps_to_any_move(visit: &Visit) {
    let seat = Seat::take_at(visit, "gomoku", "h8 h9 i8 i9 j8 j9 k8 k9");
    let whole = seat.moves();
    visit.click("#moves [data-ply=\"3\"]");
    visit.until("the third move", "document.querySelectorAll('#board .piece').length === 3");
    assert_eq!(visit.count("#moves [data-ply]"), 8, "the moves after it stay in the list");
    let current = "#moves [data-ply=\"3\"][aria-current]";
    visit.until("the mark", &format!("document.querySelector({})", json!(current)));
    visit.press(&["Home"]);
    visit.until("an empty board", "document.querySelectorAll('#board .piece').length === 0");
    visit.press(&["ArrowRight"]);
    visit.until("one stone", "document.querySelectorAll('#board .piece').length === 1");
    visit.press(&["End"]);
    seat.until_moves(&whole);
    visit.picture("end");
}

fn draws_a_hint(visit: &Visit) {
    // Whoever is to move has three in a row.
    let seat = Seat::take_at(visit, "connect4", "112233");
    visit.click("#hint");
    visit.until("a ghost", "document.querySelector('#board .ghost')");
    let said = visit.text("#thinking");
    assert!(said.starts_with("Hint: 4."), "{said}");
    assert_eq!(seat.moves(), "112233", "a hint plays nothing");
    visit.picture("drawn");
}

fn resigns_and_starts_again(visit: &Visit) {
    let seat = Seat::take(visit, "gomoku", PERSON, "pvs:depth=1");
    seat.play("h8");
    seat.until_turn_or_end();
    visit.click("#resign");
    visit.until_status("The computer wins.");
    visit.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    visit.picture("resigned");
    visit.click("#new");
    seat.until_moves("");
    visit.until_status("Your turn");
}

fn shows_the_same_after_reload_and_back(visit: &Visit) {
    let seat = Seat::take_at(visit, "othello", "d3 c5");
    seat.play("d6");
    let (address, moves) = (visit.address(), seat.moves());
    let labels = "[...document.querySelectorAll('#board [data-cell]')]\
                  .map((cell) => cell.getAttribute('aria-label')).join()";
    let board = visit.value(labels);
    visit.reload();
    seat.until_moves(&moves);
    visit.until("the same board", &format!("{labels} === {board}"));
    // Somebody else opens the link.
    visit.open("/");
    visit.open(&address);
    visit.until("the same board", &format!("{labels} === {board}"));
    seat.play("c3");
    visit.value("history.back()");
    visit.until("the board before", &format!("{labels} === {board}"));
    // The link that is handed on is the address itself.
    visit.value("(navigator.clipboard.writeText = async (text) => { window.copied = text; }, 1)");
    visit.click("#share");
    let copied = visit.until("the link", "window.copied");
    assert!(copied.as_str().unwrap().ends_with(&address), "{copied} is not {address}");
}

fn changes_opponent_and_side_without_loading(visit: &Visit) {
    let seat = Seat::take(visit, "tictactoe", PERSON, "random");
    visit.value("(window.stays = true)");
    visit.choose("#opponent", "solver");
    visit.until("the address", "location.search.includes('second=solver')");
    seat.play("b2");
    seat.until_turn_or_end();
    visit.click("#swap");
    visit.until("the other side", "location.search.includes('first=solver')");
    seat.until_turn_or_end();
    assert_eq!(visit.value("window.stays"), true, "the page was loaded again");
}

fn exports_and_imports(visit: &Visit) {
    let seat = Seat::take_at(visit, "gomoku", "h8 h9 i8 i9 j8 j9");
    let moves = seat.moves();
    visit.click(".more:has(#export) summary");
    let mut exported = Vec::new();
    for format in ["moves", "sgf", "psq", "svg"] {
        visit.click("#export");
        visit.choose("dialog select", format);
        visit.until(format, "document.querySelector('dialog textarea').value");
        let body = json!({ "game": "gomoku", "moves": moves, "format": format });
        let answer = visit.post("/api/export", &body);
        let shown = visit.value("document.querySelector('dialog textarea').value");
        // Players' names and the day may stand in a file; its moves must.
        assert!(!answer["text"].as_str().unwrap().is_empty());
        exported.push((format, shown.as_str().unwrap().to_string()));
        visit.picture(&format!("as-{format}"));
        visit.press(&["Escape"]);
        visit.until("no dialog", "!document.querySelector('dialog')");
    }
    assert!(exported[3].1.contains("<svg"), "{}", exported[3].1);
    for (format, text) in &exported[..3] {
        visit.click("#new");
        seat.until_moves("");
        visit.click("#import");
        visit.paste_into("dialog textarea", text);
        visit.click("dialog button.primary");
        visit.until(
            &format!("the game from {format}"),
            "document.querySelectorAll('#board .piece').length === 6",
        );
        seat.until_moves(&moves);
    }
    visit.picture("imported");
}

fn is_played_with_the_keyboard_alone(visit: &Visit) {
    visit.open("/");
    visit.until("the games", "document.querySelector('[data-game=\"tictactoe\"]')");
    tab_until(visit, "document.activeElement.dataset.game === 'tictactoe'");
    visit.picture("home");
    visit.press(&["Enter"]);
    visit.until("a board", "document.querySelector('#board [data-cell]')");
    visit.until_status("Your turn");
    tab_until(visit, "document.activeElement.matches('#board [data-cell]')");
    visit.press(&["ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft"]);
    let focused = visit.value("document.activeElement.getAttribute('aria-label')");
    assert_eq!(focused, "a3, empty", "the arrows lead into the corner");
    assert!(visit.count("#board .cursor") == 1, "the focus is drawn");
    visit.press(&["Enter"]);
    visit.until("my stone", "document.querySelector('[data-cell=\"0\"] .piece')");
    visit.until_status("Your turn");
    visit.picture("played");
    visit.press(&["?"]);
    visit.until("the keys", "document.querySelector('dialog kbd')");
    visit.picture("keys");
    visit.press(&["Escape", "a"]);
    visit.until("the analysis", "document.querySelector('#analysis-lines button')");
    visit.press(&["t"]);
    visit.until("a picture", "document.querySelector('#pictures [data-picture]')");
    visit.press(&["g", "u"]);
    visit.until("an empty board", "document.querySelectorAll('#board .piece').length === 0");
}

/// Presses Tab until something has the focus; everything on the way must show that it has it.
fn tab_until(visit: &Visit, is_there: &str) {
    for _ in 0..80 {
        visit.press(&["Tab"]);
        if visit.value(is_there) == true {
            return;
        }
        let named = "(document.activeElement.textContent.trim() || document.activeElement.ariaLabel \
                     || document.activeElement.title || document.activeElement.labels?.length)";
        assert!(visit.value(named) != json!(0), "something without a name has the focus");
    }
    panic!("80 tabs do not lead there");
}

fn flips_and_numbers_the_stones(visit: &Visit) {
    Seat::take_at(visit, "gomoku", "h8 h9 i8");
    let top = "document.querySelector('[data-cell=\"0\"]').getBoundingClientRect().top";
    let before = visit.value(top).as_f64().unwrap();
    visit.click("#flip");
    visit.until("a flipped board", &format!("{top} > {before} + 100"));
    visit.click(".more:has(#numbers) summary");
    visit.click("#numbers");
    visit.until("numbers", "document.querySelectorAll('#board .number').length === 3");
    let mut numbers = visit.texts("#board .number");
    numbers.sort();
    assert_eq!(numbers, ["1", "2", "3"]);
    visit.picture("numbers");
}

fn records_nothing_when_switched_off(visit: &Visit) {
    let seat = Seat::take(visit, "tictactoe", PERSON, PERSON);
    visit.until("the notice", "document.querySelector('#record')?.checked");
    visit.click("#record");
    let count = || visit.api("/api/library/info", &[])["count"].as_u64().unwrap();
    let before = count();
    for text in ["a1", "b1", "a2", "b2", "a3"] {
        seat.play(text);
    }
    visit.until_status("X wins");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(count(), before, "nothing was sent");
    visit.picture("off");
}

fn names_every_cell_and_control(visit: &Visit) {
    for game in ["tictactoe4d", "connect4", "chess", "checkers", "renju"] {
        visit.open_table(game, &[]);
        let cells = visit.api("/api/position", &[("game", game)])["board"]["cells"].clone();
        assert_eq!(visit.count("#board [data-cell]"), cells.as_array().unwrap().len() as u64);
        let unnamed = "[...document.querySelectorAll('#board [data-cell], button, select, input, a')]\
             .filter((one) => one.offsetParent !== null || one instanceof SVGElement)\
             .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.title || one.labels?.length))\
             .map((one) => one.outerHTML)";
        assert_eq!(visit.value(unnamed), json!([]), "{game}");
        let names = visit.value(
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

fn refuses_nonsense_in_words(visit: &Visit) {
    visit.open("/play/nosuchgame");
    visit.until_status("could not be opened");
    visit.picture("no-game");
    // The browser notes in its console that the server said no; that is what this test asked for.
    visit.expect_refusals();
}
