//! Layout and size of the pages: phones, dark mode, reduced motion; every game is two clicks away.

use serde_json::json;

use crate::Test;
use crate::game_page::GamePage;
use crate::tab::{Emulation, Tab};

pub(crate) const TESTS: &[Test] = &[
    ("finds_every_game_in_two_clicks", finds_every_game_in_two_clicks),
    ("fits_a_phone", fits_a_phone),
    ("supports_dark_mode", supports_dark_mode),
    ("respects_reduced_motion", respects_reduced_motion),
    ("weighs_little", weighs_little),
    ("blocks_inline_scripts", blocks_inline_scripts),
];

/// All pages, with an element that shows that they are loaded.
const PAGES: [(&str, &str); 9] = [
    ("/", "#gallery [data-game=\"chess\"] [data-cell]"),
    ("/play/gomoku", "#board [data-cell]"),
    ("/gems", "#gems [data-cell]"),
    ("/lab", "#start"),
    ("/lab/queue", "#no-queue"),
    ("/lab/reproduction", "[data-experiment]"),
    ("/lab/reproduction/anigmo-stats", "#picture"),
    ("/library", "#filters select"),
    ("/scores", "#scores *"),
];

fn open(tab: &Tab, page: &str, sign: &str) {
    match page.starts_with("/lab") {
        true => tab.enter(page),
        false => tab.open(page),
    }
    tab.until(page, &format!("document.querySelector({})", json!(sign)));
}

/// The name of a page in file names.
fn page_name(page: &str) -> &str {
    page.rsplit('/').next().filter(|word| !word.is_empty()).unwrap_or("home")
}

fn finds_every_game_in_two_clicks(tab: &Tab) {
    open(tab, PAGES[0].0, PAGES[0].1);
    tab.picture("home");
    let listed = tab.api("/api/games", &[]);
    // `connect4-array` is a reference for tests, `tictactoe-nd` a general game with presets.
    let names =
        listed["games"].as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap());
    let names: Vec<&str> = names
        .filter(|name| !["connect4-array", "tictactoe-nd"].contains(name))
        .chain(["gems"])
        .collect();
    assert!(names.len() >= 13, "{names:?}");
    for name in names {
        open(tab, PAGES[0].0, PAGES[0].1);
        tab.click(&format!("#gallery [data-game=\"{name}\"]"));
        tab.until(name, "document.querySelector('#board [data-cell], #gems [data-cell]')");
        let board = "document.querySelectorAll('#board [data-cell], #gems [data-cell]').length";
        assert!(tab.value(board).as_u64().unwrap() >= 9, "{name}");
    }
}

fn fits_a_phone(tab: &Tab) {
    tab.emulate(Emulation::Phone);
    let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth && \
                document.documentElement.scrollWidth";
    for (page, sign) in PAGES {
        open(tab, page, sign);
        assert_eq!(tab.value("innerWidth"), 360);
        assert_eq!(tab.value(wide), false, "{page} can be scrolled sideways");
        tab.picture(&format!("{}-360", page_name(page)));
    }
    for game in ["tictactoe", "tictactoe4d", "qubic", "connect4", "othello", "chess", "connect6"] {
        GamePage::open_at(tab, game, "");
        assert_eq!(tab.value(wide), false, "{game} can be scrolled sideways");
        let box_of = "(({ left, right }) => left >= 0 && right <= 360)\
                      (document.querySelector('#board svg').getBoundingClientRect())";
        assert_eq!(tab.value(box_of), true, "the board of {game} is wider than the window");
        for selector in ["#tab-analysis", "#tab-think", "#tab-game"] {
            tab.click(selector);
            assert_eq!(tab.value(wide), false, "{game}: {selector} can be scrolled sideways");
        }
    }
    tab.picture("connect6-360");
}

fn supports_dark_mode(tab: &Tab) {
    let light = "(([r, g, b]) => (r + g + b) / 3)\
                 (getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number))";
    for (page, sign) in PAGES {
        open(tab, page, sign);
        let by_day = tab.value(light).as_f64().unwrap();
        assert!(by_day > 200.0, "{page} by day: {by_day}");
    }
    tab.emulate(Emulation::Dark);
    for (page, sign) in PAGES {
        open(tab, page, sign);
        let by_night = tab.value(light).as_f64().unwrap();
        assert!(by_night < 60.0, "{page} at night: {by_night}");
        tab.picture(&format!("{}-dark", page_name(page)));
    }
}

fn respects_reduced_motion(tab: &Tab) {
    tab.emulate(Emulation::ReducedMotion);
    open(tab, PAGES[0].0, PAGES[0].1);
    let pieces = "document.querySelectorAll('#gallery .piece').length";
    let before = tab.value(pieces);
    std::thread::sleep(std::time::Duration::from_secs(4));
    assert_eq!(tab.value(pieces), before, "the small boards rest");
    assert_eq!(tab.value("document.getAnimations().length"), 0, "nothing moves");
    let page = GamePage::open_at(tab, "connect4", "4");
    page.play("4");
    assert_eq!(tab.value("document.getAnimations().length"), 0, "discs do not fall");
    // With animations enabled the boards play.
    tab.open("/");
    tab.emulate(Emulation::None);
    tab.reload();
    tab.until("a move", &format!("{pieces} > {before}"));
}

/// The most bytes of all files of a page.
const HEAVIEST: usize = 200 << 10;

fn weighs_little(tab: &Tab) {
    for (page, sign) in PAGES {
        open(tab, page, sign);
        tab.value("new Promise((done) => setTimeout(done, 300))");
        let (bytes, files) = weight(tab);
        println!("  {page} weighs {:.1} KiB in {files} files", bytes as f64 / 1024.0);
        assert!(bytes > 5_000 && files > 2, "{page}: the browser does not tell what it fetched");
        assert!(bytes < HEAVIEST, "{page} weighs {bytes} bytes");
    }
    let paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    println!("  first paint after {:.0} ms", tab.value(paint).as_f64().unwrap());
}

/// The number and the size of the files of a page, which must be from this server. API responses do
/// not count.
fn weight(tab: &Tab) -> (usize, usize) {
    let fetched =
        "[location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)]";
    let addresses = tab.value(fetched);
    let origin = format!("http://{}", tab.server.address);
    let path = |address: &'_ serde_json::Value| {
        let address = address.as_str().unwrap();
        let path = address.strip_prefix(&origin);
        path.unwrap_or_else(|| panic!("{address} is elsewhere")).to_string()
    };
    let mut paths: Vec<String> = addresses.as_array().unwrap().iter().map(path).collect();
    paths.retain(|path| !path.starts_with("/api/"));
    paths.sort_unstable();
    paths.dedup();
    // Files may come from the browser's cache, so request them from the server.
    (paths.iter().map(|path| tab.ask(path, &[]).body.len()).sum(), paths.len())
}

fn blocks_inline_scripts(tab: &Tab) {
    open(tab, PAGES[0].0, PAGES[0].1);
    // Attacks of a hostile name: an inline script, an event handler in an attribute.
    let script = "(() => { \
        const script = document.createElement('script'); script.textContent = 'window.hurt = 1'; \
        document.body.append(script); \
        const holder = document.createElement('div'); holder.innerHTML = '<img src=x: onerror=\"window.hurt = 2\">'; \
        document.body.append(holder); return true; })()";
    tab.value(script);
    tab.value("new Promise((done) => setTimeout(done, 300))");
    assert_eq!(tab.value("window.hurt ?? null"), json!(null), "an inline script ran");
    tab.expect_refusals();
}
