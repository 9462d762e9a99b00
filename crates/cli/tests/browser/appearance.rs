//! How pages look and what they weigh: telephones, the dark, without motion; every game two clicks away.

use serde_json::json;

use crate::Test;
use crate::game_page::GamePage;
use crate::tab::{Emulation, Tab};

pub(crate) const TESTS: &[Test] = &[
    ("finds_every_game_in_two_clicks", finds_every_game_in_two_clicks),
    ("fits_a_telephone", fits_a_telephone),
    ("is_dark_in_the_dark", is_dark_in_the_dark),
    ("keeps_still_when_asked_to", keeps_still_when_asked_to),
    ("weighs_little", weighs_little),
    ("tells_the_browser_to_trust_nobody", tells_the_browser_to_trust_nobody),
];

/// Every page, and what must be on it before it counts as shown.
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

/// What pictures of a page are called.
fn word_for(page: &str) -> &str {
    page.rsplit('/').next().filter(|word| !word.is_empty()).unwrap_or("home")
}

fn finds_every_game_in_two_clicks(tab: &Tab) {
    open(tab, PAGES[0].0, PAGES[0].1);
    tab.picture("home");
    let listed = tab.api("/api/games", &[]);
    // `connect4-array` is the reference that Connect Four is tested against, `tictactoe-nd` the general form of others.
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

fn fits_a_telephone(tab: &Tab) {
    tab.emulate(Emulation::Phone);
    let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth && \
                document.documentElement.scrollWidth";
    for (page, sign) in PAGES {
        open(tab, page, sign);
        assert_eq!(tab.value("innerWidth"), 360);
        assert_eq!(tab.value(wide), false, "{page} can be scrolled sideways");
        tab.picture(&format!("{}-360", word_for(page)));
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

fn is_dark_in_the_dark(tab: &Tab) {
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
        tab.picture(&format!("{}-dark", word_for(page)));
    }
}

fn keeps_still_when_asked_to(tab: &Tab) {
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
    // A board that may move does.
    tab.open("/");
    tab.emulate(Emulation::None);
    tab.reload();
    tab.until("a move", &format!("{pieces} > {before}"));
}

/// As many bytes as all files of a page may have together.
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

/// How many bytes, and how many files, the page has fetched; all from here. What comes from the API is not a file.
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
    // The browser may have had some of them already, so the server is asked.
    (paths.iter().map(|path| tab.ask(path, &[]).body.len()).sum(), paths.len())
}

fn tells_the_browser_to_trust_nobody(tab: &Tab) {
    open(tab, PAGES[0].0, PAGES[0].1);
    // What a hostile name would try: an inline script, a handler in an attribute, a style.
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
