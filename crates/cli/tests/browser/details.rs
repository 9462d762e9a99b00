//! Details of the play page and its neighbors: what is seen, said and sent at the right moment.

use serde_json::json;

use crate::Test;
use crate::seat::{PERSON, Seat};
use crate::visit::{Look, Visit};

pub(crate) const TESTS: &[Test] = &[
    ("plays_another_game_for_another_seed", plays_another_game_for_another_seed),
    ("shows_a_persons_men_at_the_bottom", shows_a_persons_men_at_the_bottom),
    ("marks_a_win_across_boards", marks_a_win_across_boards),
    ("keeps_the_last_move_in_sight", keeps_the_last_move_in_sight),
    ("controls_nothing_without_a_position", controls_nothing_without_a_position),
    ("has_a_page_for_addresses_without_one", has_a_page_for_addresses_without_one),
    ("checks_a_player_when_it_is_entered", checks_a_player_when_it_is_entered),
    ("makes_a_player_from_a_form", makes_a_player_from_a_form),
    ("imports_nothing_from_an_empty_text", imports_nothing_from_an_empty_text),
    ("says_how_many_variations_were_left_out", says_how_many_variations_were_left_out),
    ("claims_nothing_about_a_silent_server", claims_nothing_about_a_silent_server),
    ("marks_a_disc_when_it_has_fallen", marks_a_disc_when_it_has_fallen),
    ("labels_the_think_button_by_what_it_does", labels_the_think_button_by_what_it_does),
    ("drops_the_remark_when_a_game_is_resigned", drops_the_remark_when_a_game_is_resigned),
    ("records_a_resigned_game_once", records_a_resigned_game_once),
    ("keeps_large_numbers_on_one_line", keeps_large_numbers_on_one_line),
    ("aligns_mistakes_at_their_start", aligns_mistakes_at_their_start),
    ("leads_through_the_menu_with_keys", leads_through_the_menu_with_keys),
    ("does_not_jump_to_the_pictures", does_not_jump_to_the_pictures),
    ("takes_a_hint_away", takes_a_hint_away),
    ("takes_a_complaint_away", takes_a_complaint_away),
];

fn plays_another_game_for_another_seed(visit: &Visit) {
    let reply = |seed: &str| {
        let query = [("first", PERSON), ("second", "random"), ("seed", seed)];
        visit.open_table("gomoku", &query);
        let shown = visit.until("the seed", "document.querySelector('#seed-shown')?.textContent");
        assert_eq!(shown, json!(format!("seed {seed}")));
        let seat = Seat::at(visit, "gomoku");
        seat.play("h8");
        seat.until_turn_or_end();
        seat.moves()
    };
    let first = reply("1");
    assert_eq!(reply("1"), first, "one seed, one game");
    let others: Vec<String> = ["2", "3", "4"].map(reply).into();
    assert!(others.iter().any(|other| *other != first), "{first} for every seed");
    let seed = "new URLSearchParams(location.search).get('seed')";
    let before = visit.value(seed);
    visit.click("#new");
    visit.until("another seed", &format!("{seed} !== {before}"));
    // A link without a seed gets one, too.
    visit.open_table("gomoku", &[]);
    visit.until("a seed", seed);
}

fn shows_a_persons_men_at_the_bottom(visit: &Visit) {
    let height = |side: &str| {
        format!(
            "[...document.querySelectorAll('#board .piece.{side}')]\
             .reduce((sum, piece, _, all) => sum + piece.getBoundingClientRect().y / all.length, 0)",
        )
    };
    for (game, first, second, own) in [
        ("checkers", PERSON, "random", "first"),
        ("checkers", "random", PERSON, "second"),
        ("checkers", PERSON, PERSON, "first"),
        ("chess", PERSON, "random", "first"),
        ("chess", "random", PERSON, "second"),
        ("chess", PERSON, PERSON, "first"),
    ] {
        Seat::take(visit, game, first, second);
        visit.until("men", "document.querySelectorAll('#board .piece').length >= 24");
        let other = if own == "first" { "second" } else { "first" };
        let lower = format!("{} > {}", height(own), height(other));
        assert_eq!(visit.value(&lower), true, "{game}: {first} against {second}");
        visit.picture(&format!("{game}-{own}"));
    }
}

fn marks_a_win_across_boards(visit: &Visit) {
    let moves = "b2b2a1a1c3c3c1a1b1a1b3c3a3a1c1c3b3b2";
    let seat = Seat::take_at(visit, "tictactoe4d", moves);
    visit.until_status("X wins");
    let winning = seat.snapshot()["winning"].as_array().unwrap().len();
    assert_eq!(winning, 3);
    let visible = "[...document.querySelectorAll('#board .won')]\
                   .filter((ring) => getComputedStyle(ring).stroke !== 'none').length";
    assert_eq!(visit.value(visible), json!(winning), "a ring around every winning stone");
    visit.picture("won");
}

fn keeps_the_last_move_in_sight(visit: &Visit) {
    visit.look(Look::Tall);
    // Every second row is empty and the rows between are filled in turns: nothing wins.
    let places = (0..6).flat_map(|row| (0..10).map(move |column| (column, row)));
    let text = |(column, row): (usize, usize)| {
        let column = char::from(b'a' + (column + 2 * (row % 2)) as u8);
        format!("{column}{}", 2 * row + 1)
    };
    let moves: Vec<String> = places.map(text).collect();
    let seat = Seat::take_at(visit, "gomoku", &moves.join(" "));
    assert_eq!(seat.snapshot()["outcome"], json!(null));
    visit.click("#resign");
    visit.until("the end", "document.querySelector('#end')?.hidden === false");
    let in_sight = "((row, list) => row.top >= list.top - 1 && row.bottom <= list.bottom + 1)(\
         document.querySelector('#moves [aria-current]').getBoundingClientRect(), \
         document.querySelector('#moves').getBoundingClientRect())";
    visit.until("the last move in the list", in_sight);
    visit.picture("end");
}

fn controls_nothing_without_a_position(visit: &Visit) {
    visit.expect_refusals();
    visit.open("/play/connect4?moves=99999");
    visit.until_status("could not be opened");
    visit
        .value("(window.addEventListener('error', ({ message }) => (window.failed = message)), 1)");
    visit.press(&["u", "r", "h", "f", "n", "Space", "Home", "ArrowRight"]);
    visit.value("(document.querySelectorAll('#controls button:not([hidden])').forEach((one) => one.click()), 1)");
    assert_eq!(visit.value("window.failed ?? null"), json!(null), "an uncaught error");
    let enabled =
        "document.querySelectorAll('#controls button:not(:disabled):not([hidden])').length";
    assert_eq!(visit.value(enabled), 0, "enabled controls");
    assert_eq!(visit.value("document.querySelector('.panel').inert"), true);
    visit.click("#thinking a[href=\"/play/connect4\"]");
    visit.until_status("Your turn");
    assert_eq!(visit.value("document.querySelector('.panel').inert"), false);
}

fn has_a_page_for_addresses_without_one(visit: &Visit) {
    visit.expect_refusals();
    visit.open("/nonsense");
    visit.until("the page", "document.querySelector('h1')?.textContent === 'Page not found'");
    visit.until("the header", "document.querySelectorAll('header nav a').length > 3");
    visit.picture("missing");
    visit.click("main a");
    visit.until("the games", "document.querySelector('#gallery [data-game]')");
}

fn checks_a_player_when_it_is_entered(visit: &Visit) {
    visit.expect_refusals();
    Seat::take(visit, "connect4", PERSON, "random");
    for wrong in ["nosuch:depth=3", "pvs:depth=0", "connect6"] {
        visit.choose("#opponent", "…");
        visit.paste_into("dialog input[name=player]", wrong);
        visit.click("dialog button.primary");
        let said = visit
            .until(wrong, "document.querySelector('dialog .problem:not([hidden])')?.textContent");
        let said = said.as_str().unwrap();
        assert!(said.contains(wrong.split(':').next().unwrap()), "{said}");
        assert!(said.len() < 220, "not in a few words: {said}");
        visit.picture("refused");
        visit.press(&["Escape"]);
        visit.until("no dialog", "!document.querySelector('dialog')");
        assert_eq!(visit.value("location.search.includes('second=random')"), true, "{wrong}");
    }
    visit.choose("#opponent", "…");
    visit.paste_into("dialog input[name=player]", "pvs:depth=1");
    visit.click("dialog button.primary");
    visit.until("the player", "location.search.includes('second=pvs:depth=1')");
}

/// The fields of a player's options come from what the player declares.
fn makes_a_player_from_a_form(visit: &Visit) {
    let seat = Seat::take(visit, "connect4", PERSON, "random");
    visit.choose("#opponent", "…");
    visit.until("the names", "document.querySelector('dialog select[name=name] [value=mcts]')");
    let offered = visit.texts("dialog select[name=name] option");
    assert!(offered.contains(&"pvs".to_string()) && !offered.contains(&"gomoku".to_string()));
    visit.choose("dialog select[name=name]", "pvs");
    visit.until("its options", "document.querySelector('dialog [data-key=aspiration]')");
    assert_eq!(visit.count("dialog [data-key=book]"), 0, "files are not for guests");
    visit.choose("dialog select[name=name]", "mcts");
    visit.until("its options", "document.querySelector('dialog [data-key=sims]')");
    visit.type_into("dialog [data-key=sims]", "30");
    visit.choose("dialog [data-key=rollout]", "decisive");
    let text = visit.value("document.querySelector('dialog input[name=player]').value");
    assert_eq!(text, "mcts:sims=30,rollout=decisive");
    visit.picture("form");
    visit.click("dialog button.primary");
    visit.until("the player", "location.search.includes('second=mcts:sims=30,rollout=decisive')");
    seat.play("4");
    seat.until_turn_or_end();
    assert_eq!(seat.snapshot()["played"].as_array().unwrap().len(), 2);
}

fn imports_nothing_from_an_empty_text(visit: &Visit) {
    visit.expect_refusals();
    Seat::take_at(visit, "connect4", "44");
    visit.click(".more:has(#import) summary");
    visit.click("#import");
    visit.click("dialog button.primary");
    let said = visit.until("a word", "document.querySelector('dialog [role=status]')?.textContent");
    assert!(said.as_str().unwrap().contains("empty"), "{said}");
    assert_eq!(visit.count("#board .piece"), 2, "the board stays as it is");
}

fn says_how_many_variations_were_left_out(visit: &Visit) {
    Seat::take_at(visit, "chess", "");
    visit.click(".more:has(#import) summary");
    visit.click("#import");
    visit.paste_into("dialog textarea", "1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3 *");
    visit.click("dialog button.primary");
    let said = visit.until("a word", "document.querySelector('.toast')?.textContent");
    assert!(said.as_str().unwrap().contains("2 variations were left out"), "{said}");
}

fn claims_nothing_about_a_silent_server(visit: &Visit) {
    visit.expect_refusals();
    visit.block("*/api/*");
    visit.open("/");
    visit.until("the problem", "document.querySelector('#gallery .problem')");
    let said = visit.until("the strip", "document.querySelector('#lab p')?.textContent");
    assert!(!said.as_str().unwrap().contains("Nothing is being trained"), "{said}");
}

fn marks_a_disc_when_it_has_fallen(visit: &Visit) {
    let seat = Seat::take(visit, "connect4", PERSON, "random");
    let look = "(() => { window.frames_seen = { falling: 0, early: 0, after: 0 }; \
        const look = () => { \
          const discs = [...document.querySelectorAll('#board .falls')]; \
          const falling = discs.some((disc) => disc.getAnimations().some(({ playState }) => playState === 'running')); \
          const dot = document.querySelector('#board .last-dot'); \
          const seen = dot !== null && getComputedStyle(dot).visibility === 'visible'; \
          if (falling) window.frames_seen.falling += 1; \
          if (falling && seen) window.frames_seen.early += 1; \
          if (!falling && seen) window.frames_seen.after += 1; \
          requestAnimationFrame(look); }; \
        look(); return 1; })()";
    visit.value(look);
    seat.play("4");
    seat.until_turn_or_end();
    visit.until("the mark", "window.frames_seen.after > 3");
    let seen = visit.value("window.frames_seen");
    assert!(seen["falling"].as_u64() > Some(0), "nothing falls: {seen}");
    assert_eq!(seen["early"], 0, "{seen}");
}

fn labels_the_think_button_by_what_it_does(visit: &Visit) {
    Seat::take(visit, "tictactoe", PERSON, "random");
    visit.until_status("Your turn");
    assert_eq!(visit.text("#think-stop"), "Think");
    visit.open_table("tictactoe", &[("first", "random"), ("second", "random")]);
    visit.until("the end", "document.querySelector('#end')?.hidden === false");
    visit.click("#undo");
    visit.until("a pause", "document.querySelector('#think-stop').textContent === 'Go on'");
}

fn drops_the_remark_when_a_game_is_resigned(visit: &Visit) {
    let seat = Seat::take(visit, "gomoku", PERSON, "pvs:depth=1");
    seat.play("h8");
    let said = "document.querySelector('#thinking').textContent.startsWith('The computer ')";
    visit.until("a remark", said);
    visit.click("#resign");
    visit.until_status("resigned");
    assert_eq!(visit.value(said), false, "{}", visit.text("#thinking"));
}

fn records_a_resigned_game_once(visit: &Visit) {
    let seat = Seat::take(visit, "gomoku", PERSON, "pvs:depth=1");
    let count_sent = "(() => { const real = window.fetch; window.sent = 0; \
        window.fetch = (...asked) => { \
          if (String(asked[0]).includes('/api/records')) window.sent += 1; \
          return real(...asked); }; \
        return 1; })()";
    visit.value(count_sent);
    seat.play("h8");
    seat.until_turn_or_end();
    visit.click("#resign");
    visit.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    visit.click("#undo");
    visit.until_status("Your turn");
    visit.value("(history.back(), 1)");
    visit.until_status("resigned");
    visit.value("(history.forward(), 1)");
    visit.until_status("Your turn");
    // Resigned again, further on in the same game.
    seat.play("a1");
    seat.until_turn_or_end();
    visit.click("#resign");
    visit.until_status("resigned");
    visit.value("new Promise((done) => setTimeout(done, 300))");
    assert_eq!(visit.value("window.sent"), 1, "the game was sent more than once");
}

fn keeps_large_numbers_on_one_line(visit: &Visit) {
    Seat::take_at(visit, "connect4", "4444");
    visit.click("#tab-think");
    visit.click("[data-picture=\"visits\"]");
    visit.until("bars", "document.querySelector('.bars .number')");
    visit.until("the end", "document.querySelector('#think-picture')?.dataset.state === 'ready'");
    let lines = "(() => { const number = document.querySelector('.bars .number'); \
        number.textContent = '1,627,227'; \
        const range = document.createRange(); range.selectNodeContents(number); \
        return [range.getClientRects().length, number.scrollWidth <= number.clientWidth]; })()";
    assert_eq!(visit.value(lines), json!([1, true]));
}

fn aligns_mistakes_at_their_start(visit: &Visit) {
    Seat::take_at(visit, "tictactoe", "b2 a1 a3 b1 c1");
    visit.click("#tab-analysis");
    visit.click("#chart-game");
    visit.until("a mistake", "document.querySelector('#mistakes .mistake > *')");
    let indents = "[...document.querySelectorAll('#mistakes .mistake > *')].map((part) => \
        part.getBoundingClientRect().left - part.parentElement.getBoundingClientRect().left)";
    let indents = visit.value(indents);
    for indent in indents.as_array().unwrap() {
        assert!(indent.as_f64().unwrap() < 20.0, "{indents}");
    }
}

fn leads_through_the_menu_with_keys(visit: &Visit) {
    let seat = Seat::take_at(visit, "chess", "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8");
    let open_menu = || {
        visit.click_cell(15);
        visit.until("places to go to", "document.querySelector('#board .target')");
        visit.click_cell(7);
        visit.until("a menu", "document.activeElement.closest('#board .which')");
    };
    let focused = "document.activeElement.textContent";
    open_menu();
    let texts = visit.texts("#board .which button");
    for (key, index) in
        [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 3), ("Home", 0)]
    {
        visit.press(&[key]);
        assert_eq!(visit.value(focused), json!(texts[index]), "{key}");
    }
    visit.press(&["Escape"]);
    assert_eq!(visit.count("#board .which"), 0);
    assert_eq!(
        visit.value("document.activeElement.dataset.cell ?? null"),
        "7",
        "the focus is lost"
    );
    let knight = format!("{} h7h8n", seat.moves());
    open_menu();
    visit.press(&["ArrowDown", "ArrowDown", "ArrowDown", "Enter"]);
    seat.until_moves(&knight);
}

fn does_not_jump_to_the_pictures(visit: &Visit) {
    visit.look(Look::Zoomed);
    visit.open("/play/connect4#think");
    visit.until("a picture", "document.querySelector('#think-picture')?.dataset.state === 'ready'");
    assert_eq!(visit.value("window.scrollY"), 0, "the page jumped");
}

fn takes_a_hint_away(visit: &Visit) {
    Seat::take_at(visit, "connect4", "112233");
    visit.click("#hint");
    visit.until("a hint", "document.querySelector('#thinking').textContent.startsWith('Hint')");
    visit.until("a ghost", "document.querySelector('#board .ghost.line')");
    visit.press(&["Escape"]);
    assert_eq!(visit.count("#board .ghost.line"), 0);
    assert!(!visit.text("#thinking").starts_with("Hint"));
}

fn takes_a_complaint_away(visit: &Visit) {
    visit.expect_refusals();
    Seat::take_at(visit, "connect4", "44");
    visit.click(".more:has(form) summary");
    visit.paste_into(".more form input", "nosuchgame");
    visit.click(".more form button");
    visit.until("a complaint", "document.querySelector('.toast')");
    visit.paste_into(".more form input", "tictactoe");
    visit.click(".more form button");
    visit.until("the other game", "location.pathname === '/play/tictactoe'");
    assert_eq!(visit.count(".toast"), 0, "the old complaint stays");
}
