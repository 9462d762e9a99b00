//! Details of the play page and of other pages.

use serde_json::json;

use crate::Test;
use crate::game_page::{GamePage, HUMAN};
use crate::tab::{Emulation, Tab};

pub(crate) const TESTS: &[Test] = &[
    ("plays_another_game_for_another_seed", plays_another_game_for_another_seed),
    ("shows_a_persons_pieces_at_the_bottom", shows_a_persons_pieces_at_the_bottom),
    ("marks_a_win_across_boards", marks_a_win_across_boards),
    ("keeps_the_last_move_visible", keeps_the_last_move_visible),
    ("disables_controls_without_a_position", disables_controls_without_a_position),
    ("has_a_page_for_unknown_addresses", has_a_page_for_unknown_addresses),
    ("checks_a_player_when_it_is_entered", checks_a_player_when_it_is_entered),
    ("makes_a_player_from_a_form", makes_a_player_from_a_form),
    ("imports_nothing_from_an_empty_text", imports_nothing_from_an_empty_text),
    ("reports_ignored_variations", reports_ignored_variations),
    ("reports_a_silent_server", reports_a_silent_server),
    ("marks_a_disc_when_it_has_fallen", marks_a_disc_when_it_has_fallen),
    ("labels_the_think_button_by_its_effect", labels_the_think_button_by_its_effect),
    ("drops_the_remark_when_a_game_is_resigned", drops_the_remark_when_a_game_is_resigned),
    ("records_a_resigned_game_once", records_a_resigned_game_once),
    ("keeps_large_numbers_on_one_line", keeps_large_numbers_on_one_line),
    ("aligns_mistakes_at_their_start", aligns_mistakes_at_their_start),
    ("navigates_the_menu_with_keys", navigates_the_menu_with_keys),
    ("does_not_scroll_to_the_visualization", does_not_scroll_to_the_visualization),
    ("removes_a_hint", removes_a_hint),
    ("removes_an_error_message", removes_an_error_message),
];

fn plays_another_game_for_another_seed(tab: &Tab) {
    let reply = |seed: &str| {
        let query = [("first", HUMAN), ("second", "random"), ("seed", seed)];
        tab.open_table("gomoku", &query);
        let shown = tab.until("the seed", "document.querySelector('#seed-shown')?.textContent");
        assert_eq!(shown, json!(format!("seed {seed}")));
        let page = GamePage::current(tab, "gomoku");
        page.play("h8");
        page.until_turn_or_end();
        page.moves()
    };
    let first = reply("1");
    assert_eq!(reply("1"), first, "one seed, one game");
    let others: Vec<String> = ["2", "3", "4"].map(reply).into();
    assert!(others.iter().any(|other| *other != first), "{first} for every seed");
    let seed = "new URLSearchParams(location.search).get('seed')";
    let before = tab.value(seed);
    tab.click("#new");
    tab.until("another seed", &format!("{seed} !== {before}"));
    // A link without a seed gets one as well.
    tab.open_table("gomoku", &[]);
    tab.until("a seed", seed);
}

fn shows_a_persons_pieces_at_the_bottom(tab: &Tab) {
    let height = |side: &str| {
        format!(
            "[...document.querySelectorAll('#board .piece.{side}')]\
             .reduce((sum, piece, _, all) => sum + piece.getBoundingClientRect().y / all.length, 0)",
        )
    };
    for (game, first, second, own) in [
        ("checkers", HUMAN, "random", "first"),
        ("checkers", "random", HUMAN, "second"),
        ("checkers", HUMAN, HUMAN, "first"),
        ("chess", HUMAN, "random", "first"),
        ("chess", "random", HUMAN, "second"),
        ("chess", HUMAN, HUMAN, "first"),
    ] {
        GamePage::open(tab, game, first, second);
        tab.until("men", "document.querySelectorAll('#board .piece').length >= 24");
        let other = if own == "first" { "second" } else { "first" };
        let lower = format!("{} > {}", height(own), height(other));
        assert_eq!(tab.value(&lower), true, "{game}: {first} against {second}");
        tab.picture(&format!("{game}-{own}"));
    }
}

fn marks_a_win_across_boards(tab: &Tab) {
    let moves = "b2b2a1a1c3c3c1a1b1a1b3c3a3a1c1c3b3b2";
    let page = GamePage::open_at(tab, "tictactoe4d", moves);
    tab.until_status("X wins");
    let winning = page.snapshot()["winning"].as_array().unwrap().len();
    assert_eq!(winning, 3);
    let visible = "[...document.querySelectorAll('#board .won')]\
                   .filter((ring) => getComputedStyle(ring).stroke !== 'none').length";
    assert_eq!(tab.value(visible), json!(winning), "a ring around every winning stone");
    tab.picture("won");
}

fn keeps_the_last_move_visible(tab: &Tab) {
    tab.emulate(Emulation::Tall);
    // Every second row is empty and the other rows alternate, so nobody wins.
    let places = (0..6).flat_map(|row| (0..10).map(move |column| (column, row)));
    let text = |(column, row): (usize, usize)| {
        let column = char::from(b'a' + (column + 2 * (row % 2)) as u8);
        format!("{column}{}", 2 * row + 1)
    };
    let moves: Vec<String> = places.map(text).collect();
    let page = GamePage::open_at(tab, "gomoku", &moves.join(" "));
    assert_eq!(page.snapshot()["outcome"], json!(null));
    tab.click("#resign");
    tab.until("the end", "document.querySelector('#end')?.hidden === false");
    let in_sight = "((row, list) => row.top >= list.top - 1 && row.bottom <= list.bottom + 1)(\
         document.querySelector('#moves [aria-current]').getBoundingClientRect(), \
         document.querySelector('#moves').getBoundingClientRect())";
    tab.until("the last move in the list", in_sight);
    tab.picture("end");
}

fn disables_controls_without_a_position(tab: &Tab) {
    tab.expect_refusals();
    tab.open("/play/connect4?moves=99999");
    tab.until_status("could not be opened");
    tab.value("(window.addEventListener('error', ({ message }) => (window.failed = message)), 1)");
    tab.press(&["u", "r", "h", "f", "n", "Space", "Home", "ArrowRight"]);
    tab.value("(document.querySelectorAll('#controls button:not([hidden])').forEach((one) => one.click()), 1)");
    assert_eq!(tab.value("window.failed ?? null"), json!(null), "an uncaught error");
    let enabled =
        "document.querySelectorAll('#controls button:not(:disabled):not([hidden])').length";
    assert_eq!(tab.value(enabled), 0, "enabled controls");
    assert_eq!(tab.value("document.querySelector('.panel').inert"), true);
    tab.click("#thinking a[href=\"/play/connect4\"]");
    tab.until_status("Your turn");
    assert_eq!(tab.value("document.querySelector('.panel').inert"), false);
}

fn has_a_page_for_unknown_addresses(tab: &Tab) {
    tab.expect_refusals();
    tab.open("/nonsense");
    tab.until("the page", "document.querySelector('h1')?.textContent === 'Page not found'");
    tab.until("the header", "document.querySelectorAll('header nav a').length > 3");
    tab.picture("missing");
    tab.click("main a");
    tab.until("the games", "document.querySelector('#gallery [data-game]')");
}

fn checks_a_player_when_it_is_entered(tab: &Tab) {
    tab.expect_refusals();
    GamePage::open(tab, "connect4", HUMAN, "random");
    for wrong in ["nosuch:depth=3", "pvs:depth=0", "connect6"] {
        tab.choose("#opponent", "…");
        tab.paste_into("dialog input[name=player]", wrong);
        tab.click("dialog button.primary");
        let said = tab
            .until(wrong, "document.querySelector('dialog .problem:not([hidden])')?.textContent");
        let said = said.as_str().unwrap();
        assert!(said.contains(wrong.split(':').next().unwrap()), "{said}");
        assert!(said.len() < 220, "not in a few words: {said}");
        tab.picture("refused");
        tab.press(&["Escape"]);
        tab.until("no dialog", "!document.querySelector('dialog')");
        assert_eq!(tab.value("location.search.includes('second=random')"), true, "{wrong}");
    }
    tab.choose("#opponent", "…");
    tab.paste_into("dialog input[name=player]", "pvs:depth=1");
    tab.click("dialog button.primary");
    tab.until("the player", "location.search.includes('second=pvs:depth=1')");
}

/// The fields follow the option declarations of the player.
fn makes_a_player_from_a_form(tab: &Tab) {
    let page = GamePage::open(tab, "connect4", HUMAN, "random");
    tab.choose("#opponent", "…");
    tab.until("the names", "document.querySelector('dialog select[name=name] [value=mcts]')");
    let offered = tab.texts("dialog select[name=name] option");
    assert!(offered.contains(&"pvs".to_string()) && !offered.contains(&"gomoku".to_string()));
    tab.choose("dialog select[name=name]", "pvs");
    tab.until("its options", "document.querySelector('dialog [data-key=aspiration]')");
    assert_eq!(tab.count("dialog [data-key=book]"), 0, "files are not for guests");
    tab.choose("dialog select[name=name]", "mcts");
    tab.until("its options", "document.querySelector('dialog [data-key=sims]')");
    tab.type_into("dialog [data-key=sims]", "30");
    tab.choose("dialog [data-key=rollout]", "decisive");
    let text = tab.value("document.querySelector('dialog input[name=player]').value");
    assert_eq!(text, "mcts:sims=30,rollout=decisive");
    tab.picture("form");
    tab.click("dialog button.primary");
    tab.until("the player", "location.search.includes('second=mcts:sims=30,rollout=decisive')");
    page.play("4");
    page.until_turn_or_end();
    assert_eq!(page.snapshot()["played"].as_array().unwrap().len(), 2);
}

fn imports_nothing_from_an_empty_text(tab: &Tab) {
    tab.expect_refusals();
    GamePage::open_at(tab, "connect4", "44");
    tab.click(".more:has(#import) summary");
    tab.click("#import");
    tab.click("dialog button.primary");
    let said = tab.until("a word", "document.querySelector('dialog [role=status]')?.textContent");
    assert!(said.as_str().unwrap().contains("empty"), "{said}");
    assert_eq!(tab.count("#board .piece"), 2, "the board stays as it is");
}

fn reports_ignored_variations(tab: &Tab) {
    GamePage::open_at(tab, "chess", "");
    tab.click(".more:has(#import) summary");
    tab.click("#import");
    tab.paste_into("dialog textarea", "1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3 *");
    tab.click("dialog button.primary");
    let said = tab.until("a word", "document.querySelector('.toast')?.textContent");
    assert!(said.as_str().unwrap().contains("2 variations were ignored"), "{said}");
}

fn reports_a_silent_server(tab: &Tab) {
    tab.expect_refusals();
    tab.block("*/api/*");
    tab.open("/");
    tab.until("the problem", "document.querySelector('#gallery .problem')");
    let said = tab.until("the strip", "document.querySelector('#lab p')?.textContent");
    assert!(!said.as_str().unwrap().contains("No training"), "{said}");
}

fn marks_a_disc_when_it_has_fallen(tab: &Tab) {
    let page = GamePage::open(tab, "connect4", HUMAN, "random");
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
    tab.value(look);
    page.play("4");
    page.until_turn_or_end();
    tab.until("the mark", "window.frames_seen.after > 3");
    let seen = tab.value("window.frames_seen");
    assert!(seen["falling"].as_u64() > Some(0), "nothing falls: {seen}");
    assert_eq!(seen["early"], 0, "{seen}");
}

fn labels_the_think_button_by_its_effect(tab: &Tab) {
    GamePage::open(tab, "tictactoe", HUMAN, "random");
    tab.until_status("Your turn");
    assert_eq!(tab.text("#think-stop"), "Think");
    tab.open_table("tictactoe", &[("first", "random"), ("second", "random")]);
    tab.until("the end", "document.querySelector('#end')?.hidden === false");
    tab.click("#undo");
    tab.until("a pause", "document.querySelector('#think-stop').textContent === 'Resume'");
}

fn drops_the_remark_when_a_game_is_resigned(tab: &Tab) {
    let page = GamePage::open(tab, "gomoku", HUMAN, "pvs:depth=1");
    page.play("h8");
    let said = "document.querySelector('#thinking').textContent.startsWith('The computer ')";
    tab.until("a remark", said);
    tab.click("#resign");
    tab.until_status("resigned");
    assert_eq!(tab.value(said), false, "{}", tab.text("#thinking"));
}

fn records_a_resigned_game_once(tab: &Tab) {
    let page = GamePage::open(tab, "gomoku", HUMAN, "pvs:depth=1");
    let count_sent = "(() => { const real = window.fetch; window.sent = 0; \
        window.fetch = (...asked) => { \
          if (String(asked[0]).includes('/api/records')) window.sent += 1; \
          return real(...asked); }; \
        return 1; })()";
    tab.value(count_sent);
    page.play("h8");
    page.until_turn_or_end();
    tab.click("#resign");
    tab.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    tab.click("#undo");
    tab.until_status("Your turn");
    tab.value("(history.back(), 1)");
    tab.until_status("resigned");
    tab.value("(history.forward(), 1)");
    tab.until_status("Your turn");
    // Resign again, later in the same game.
    page.play("a1");
    page.until_turn_or_end();
    tab.click("#resign");
    tab.until_status("resigned");
    tab.value("new Promise((done) => setTimeout(done, 300))");
    assert_eq!(tab.value("window.sent"), 1, "the game was sent more than once");
}

fn keeps_large_numbers_on_one_line(tab: &Tab) {
    GamePage::open_at(tab, "connect4", "4444");
    tab.click("#tab-think");
    tab.click("[data-picture=\"visits\"]");
    tab.until("bars", "document.querySelector('.bars .number')");
    tab.until("the end", "document.querySelector('#think-picture')?.dataset.state === 'ready'");
    let lines = "(() => { const number = document.querySelector('.bars .number'); \
        number.textContent = '1,627,227'; \
        const range = document.createRange(); range.selectNodeContents(number); \
        return [range.getClientRects().length, number.scrollWidth <= number.clientWidth]; })()";
    assert_eq!(tab.value(lines), json!([1, true]));
}

fn aligns_mistakes_at_their_start(tab: &Tab) {
    GamePage::open_at(tab, "tictactoe", "b2 a1 a3 b1 c1");
    tab.click("#tab-analysis");
    tab.click("#chart-game");
    tab.until("a mistake", "document.querySelector('#mistakes .mistake > *')");
    let indents = "[...document.querySelectorAll('#mistakes .mistake > *')].map((part) => \
        part.getBoundingClientRect().left - part.parentElement.getBoundingClientRect().left)";
    let indents = tab.value(indents);
    for indent in indents.as_array().unwrap() {
        assert!(indent.as_f64().unwrap() < 20.0, "{indents}");
    }
}

fn navigates_the_menu_with_keys(tab: &Tab) {
    let page = GamePage::open_at(tab, "chess", "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8");
    let open_menu = || {
        tab.click_cell(15);
        tab.until("places to go to", "document.querySelector('#board .target')");
        tab.click_cell(7);
        tab.until("a menu", "document.activeElement.closest('#board .move-menu')");
    };
    let focused = "document.activeElement.textContent";
    open_menu();
    let texts = tab.texts("#board .move-menu button");
    for (key, index) in
        [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 3), ("Home", 0)]
    {
        tab.press(&[key]);
        assert_eq!(tab.value(focused), json!(texts[index]), "{key}");
    }
    tab.press(&["Escape"]);
    assert_eq!(tab.count("#board .move-menu"), 0);
    assert_eq!(tab.value("document.activeElement.dataset.cell ?? null"), "7", "the focus is lost");
    let knight = format!("{} h7h8n", page.moves());
    open_menu();
    tab.press(&["ArrowDown", "ArrowDown", "ArrowDown", "Enter"]);
    page.until_moves(&knight);
}

fn does_not_scroll_to_the_visualization(tab: &Tab) {
    tab.emulate(Emulation::Zoomed);
    tab.open("/play/connect4#think");
    tab.until("a picture", "document.querySelector('#think-picture')?.dataset.state === 'ready'");
    assert_eq!(tab.value("window.scrollY"), 0, "the page jumped");
}

fn removes_a_hint(tab: &Tab) {
    GamePage::open_at(tab, "connect4", "112233");
    tab.click("#hint");
    tab.until("a hint", "document.querySelector('#thinking').textContent.startsWith('Hint')");
    tab.until("a ghost", "document.querySelector('#board .ghost.line')");
    tab.press(&["Escape"]);
    assert_eq!(tab.count("#board .ghost.line"), 0);
    assert!(!tab.text("#thinking").starts_with("Hint"));
}

fn removes_an_error_message(tab: &Tab) {
    tab.expect_refusals();
    GamePage::open_at(tab, "connect4", "44");
    tab.click(".more:has(form) summary");
    tab.paste_into(".more form input", "nosuchgame");
    tab.click(".more form button");
    tab.until("a complaint", "document.querySelector('.toast')");
    tab.paste_into(".more form input", "tictactoe");
    tab.click(".more form button");
    tab.until("the other game", "location.pathname === '/play/tictactoe'");
    assert_eq!(tab.count(".toast"), 0, "the old complaint stays");
}
