//! The lab and the library: runs, models, experiments, tournaments, reproduction reports, recorded
//! games.

use serde_json::json;

use crate::Test;
use crate::game_page::{GamePage, HUMAN};
use crate::tab::{Emulation, Tab};

pub(crate) const TESTS: &[Test] = &[
    ("watches_a_run_learn_and_plays_against_it", watches_a_run_learn_and_plays_against_it),
    ("needs_the_token_to_start_anything", needs_the_token_to_start_anything),
    ("runs_an_experiment_and_draws_its_results", runs_an_experiment_and_draws_its_results),
    ("plays_a_match_and_rates_its_players", plays_a_match_and_rates_its_players),
    ("compares_published_numbers", compares_published_numbers),
    ("runs_a_reproduction", runs_a_reproduction),
    ("reports_an_unknown_experiment", reports_an_unknown_experiment),
    ("explains_how_to_set_up_a_queue", explains_how_to_set_up_a_queue),
    ("replays_a_recorded_game", replays_a_recorded_game),
];

/// Starts an example with changed settings.
fn start(tab: &Tab, example: &str, change: impl Fn(&str) -> String, name: &str) {
    tab.enter("/lab");
    tab.choose("#example", example);
    let text = tab.until("its settings", "document.querySelector('#toml').value");
    tab.paste_into("#toml", &change(text.as_str().unwrap()));
    tab.paste_into(".start input[name=name]", name);
    tab.click("#start");
    let job = format!("document.querySelector('[data-job=\"{name}\"]')");
    tab.until("the job", &job);
}

fn watches_a_run_learn_and_plays_against_it(tab: &Tab) {
    let small = |text: &str| text.replace("iterations = 102", "iterations = 80");
    start(tab, "training/tictactoe.toml", small, "watched");
    tab.picture("started");
    tab.open("/lab/runs/watched");
    // The number of points grows while it learns.
    let points = "Math.max(0, ...[...document.querySelectorAll('[data-points]')].map((group) => Number(group.dataset.points)))";
    let first = tab.until("the first points", points).as_u64().unwrap();
    let more = tab.until("more points", &format!("({points} > {first}) && {points}"));
    assert!(more.as_u64().unwrap() > first);
    tab.picture("learning");
    tab.until(
        "its end",
        "document.querySelector('.card-head')?.innerText.toLowerCase().includes('finished')",
    );
    let run = tab.api("/api/lab/runs/watched", &[]);
    let longest = run["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|curve| curve["points"].as_array().unwrap().len());
    assert_eq!(tab.value(points).as_u64(), longest.max().map(|length| length as u64));
    // The first chart is the strength, with an error bar per measured step; the table names the
    // best step.
    let strength = "document.querySelector('.charts [data-chart]')";
    assert_eq!(tab.value(&format!("{strength}.dataset.chart")), "Score against fixed opponents");
    let measured = |series: &serde_json::Value| series["errors"].as_array().map_or(0, Vec::len);
    let errors: usize = run["series"].as_array().unwrap().iter().map(measured).sum();
    assert!(errors > 0);
    assert_eq!(tab.value(&format!("{strength}.querySelectorAll('.whisker').length")), errors);
    let best = tab.value("Number(document.querySelector('#strength [data-best]').dataset.best)");
    assert_eq!(best.as_f64(), run["best"]["step"].as_f64());
    tab.picture("learned");
    tab.click("#play-against");
    tab.until("a board", "document.querySelector('#board [data-cell]')");
    tab.until_status("Your turn");
    tab.click_cell(0);
    tab.until("its answer", "document.querySelectorAll('#board .piece').length === 2");
    tab.until_status("Your turn");
    tab.picture("played");
}

fn needs_the_token_to_start_anything(tab: &Tab) {
    const HOW: &str = "open the link that `tesuji serve` printed";
    tab.expect_refusals();
    for path in ["/lab", EXPERIMENT] {
        tab.open(path);
        let shown = format!("document.body.innerText.includes({})", json!(HOW));
        tab.until("how to get in", &shown);
        for button in ["#start", "#run-here", "[data-stop]", "[data-resume]"] {
            assert_eq!(tab.count(button), 0, "{path}: {button}");
        }
        tab.picture("guest");
    }
    tab.open("/lab");
    tab.type_into(".start input[type=password]", "wrong");
    tab.click(".start button");
    tab.until("a refusal", "document.querySelector('.start [role=alert]:not([hidden])')");
    tab.reload();
    tab.type_into(".start input[type=password]", &tab.server.token);
    tab.click(".start button");
    tab.until("the form", "document.querySelector('#start')");
    assert_eq!(tab.address(), "/lab");
    assert_eq!(tab.value("document.cookie"), "", "scripts cannot read the cookie");
    tab.reload();
    tab.until("the form again", "document.querySelector('#start')");
}

fn plays_a_match_and_rates_its_players(tab: &Tab) {
    start(tab, "match.toml", str::to_string, "measured");
    tab.until("its card", "document.querySelector('#tournaments [data-event]')");
    tab.picture("started");
    tab.click("#tournaments [data-event]");
    tab.until("two players", "document.querySelectorAll('#ratings [data-player]').length === 2");
    tab.picture("rated");
}

fn runs_an_experiment_and_draws_its_results(tab: &Tab) {
    let file = "title = 'How deep?'\nseeds = [1, 2]\n[match]\ngame = 'tictactoe'\nplayer = 'pvs'\nopponents = ['random', 'heuristic']\ngames = 10\n[grid]\ndepth = [1, 2, 4]\n";
    tab.enter("/lab");
    tab.choose("#example", "own:experiment");
    tab.paste_into("#toml", file);
    tab.paste_into(".start input[name=name]", "deep");
    tab.click("#start");
    tab.until("its card", "document.querySelector('#experiments [data-experiment=deep]')");
    tab.picture("started");
    tab.click("#experiments [data-experiment=deep]");
    tab.until("its end", "document.querySelector('.lead [data-state=finished]')");
    assert_eq!(tab.address(), "/lab/experiments/deep");
    let whole = tab.api("/api/lab/experiments/deep", &[]);
    let cells = whole["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 6);
    let scores: Vec<f64> = cells.iter().map(|cell| cell["score"].as_f64().unwrap()).collect();
    assert_eq!(tab.numbers("#results [data-cell]", "data-value"), scores);
    // A point with an error bar for each cell, and a label for each value.
    assert_eq!(tab.count("#plot .whisker"), 6);
    assert_eq!(tab.count("#plot .dot"), 6);
    let labels = tab.texts("#plot text");
    for label in ["1", "2", "4", "depth"] {
        assert!(labels.iter().any(|text| text == label), "{label}: {labels:?}");
    }
    assert_eq!(tab.count("#runs [data-run]"), 6);
    assert_eq!(tab.count("#runs [data-state=finished]"), 6);
    let saved =
        tab.value("fetch(document.querySelector('#picture').href).then((answer) => answer.text())");
    assert!(saved.as_str().unwrap().starts_with("<svg"));
    assert_eq!(tab.text("#toml"), file.trim_end());
    tab.picture("finished");
    tab.reload();
    tab.until("the same table", "document.querySelectorAll('#results [data-cell]').length === 6");
    // The job is listed and links to the results.
    tab.open("/lab");
    tab.emulate(Emulation::Phone);
    tab.click("#jobs [data-job=deep] a");
    tab.until("the table again", "document.querySelector('#results')");
    let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert_eq!(tab.value(wide), false, "it can be scrolled sideways");
    tab.picture("finished-360");
}

/// A fast experiment with a shipped report.
const EXPERIMENT: &str = "/lab/reproduction/anigmo-stats";

fn compares_published_numbers(tab: &Tab) {
    tab.open("/lab");
    tab.click("#to-reproduction");
    tab.until("the list", "document.querySelector('[data-experiment]')");
    let listed = tab.api("/api/lab/reproduction", &[]);
    let experiments = listed["experiments"].as_array().unwrap();
    assert_eq!(tab.count("[data-experiment]"), experiments.len() as u64);
    tab.picture("list");
    tab.click("[data-experiment=\"anigmo-stats\"]");
    tab.until("a verdict", "document.querySelector('.compared [data-verdict]')");
    assert_eq!(tab.address(), EXPERIMENT);
    let whole = tab.api(&format!("/api{EXPERIMENT}"), &[]);
    let tables = whole["report"]["tables"].as_array().unwrap();
    let rows = tables.iter().flat_map(|table| table["rows"].as_array().unwrap());
    let verdicts: Vec<&str> = rows.map(|row| row["verdict"].as_str().unwrap()).collect();
    let drawn = tab.value(
        "[...document.querySelectorAll('.compared [data-verdict]')].map((mark) => mark.dataset.verdict)",
    );
    assert_eq!(drawn, json!(verdicts));
    assert_eq!(
        tab.numbers("#counts [data-value]", "data-value").iter().sum::<f64>(),
        verdicts.len() as f64
    );
    let shown = tab.texts("#report .verdict");
    assert!(shown.iter().all(|words| words.chars().any(char::is_alphabetic)), "{shown:?}");
    assert_eq!(tab.text("#command"), whole["report"]["command"].as_str().unwrap());
    tab.picture("report");
    tab.value("document.querySelector('#picture').scrollIntoView()");
    tab.until("the picture", "document.querySelector('#picture').naturalWidth");
    tab.picture("picture");
    tab.reload();
    tab.until("the same report", "document.querySelector('.compared [data-verdict]')");
    tab.value("history.back()");
    tab.until("the list again", "document.querySelector('[data-experiment]')");
}

fn runs_a_reproduction(tab: &Tab) {
    tab.enter(&format!("{EXPERIMENT}?origin=here"));
    tab.until("that there is none", "document.querySelector('#no-report')");
    tab.picture("none");
    tab.click("#run-here");
    tab.until("the job", "document.querySelector('#work [data-job=\"anigmo-stats\"]')");
    tab.until("the report", "document.querySelector('.compared [data-verdict]')");
    tab.until("its end", "document.querySelector('#work [data-state=finished]')");
    tab.value("document.querySelector('#work').scrollIntoView()");
    tab.picture("made");
    let whole = tab.api(&format!("/api{EXPERIMENT}"), &[]);
    assert_eq!((&whole["origin"], &whole["report"]["effort"]), (&json!("here"), &json!("quick")));
    tab.click("#other");
    tab.until("the other", "document.querySelector('.facts')?.innerText.includes('shipped')");
    // The job is listed and links to the report.
    tab.open("/lab");
    tab.click("#jobs [data-job=\"anigmo-stats\"] a");
    tab.until("the report again", "document.querySelector('.compared [data-verdict]')");
}

fn reports_an_unknown_experiment(tab: &Tab) {
    tab.expect_refusals();
    tab.open("/lab/reproduction/nothing");
    tab.until("the words", "document.querySelector('.problem')?.innerText.includes('not found')");
    tab.picture("missing");
}

/// The server of these tests has no queue.
fn explains_how_to_set_up_a_queue(tab: &Tab) {
    tab.enter("/lab");
    tab.until("the form", "document.querySelector('#start')");
    assert_eq!(tab.count("#on-workers"), 0, "there are no workers to choose");
    tab.press(&["m"]);
    tab.until("what to do", "document.querySelector('#no-queue')");
    assert_eq!(tab.address(), "/lab/queue");
    let said = tab.text("#no-queue");
    for words in ["--queue nats://HOST", "tesuji worker", "docs/cluster.md"] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(tab.value("document.querySelector('#machines').hidden"), true);
    tab.picture("none");
}

fn replays_a_recorded_game(tab: &Tab) {
    let page = GamePage::open(tab, "tictactoe", HUMAN, HUMAN);
    for text in ["a1", "b1", "a2", "b2", "a3"] {
        page.play(text);
    }
    tab.until("the record", "document.body.innerText.includes('The last game was recorded.')");
    tab.open("/library");
    tab.until("the list", "document.querySelector('#games [data-key]')");
    tab.choose("#filters [name=game]", "tictactoe");
    tab.until("the filter", "location.search.includes('game=tictactoe')");
    tab.click("#games [data-key]");
    tab.until("the last move", "document.querySelector('#replay')?.dataset.ply === '5'");
    assert_eq!(tab.count("#replay .piece"), 5);
    tab.picture("replay");
    tab.press(&["ArrowLeft", "ArrowLeft"]);
    tab.until("two back", "document.querySelector('#replay')?.dataset.ply === '3'");
    assert_eq!(tab.count("#replay .piece"), 3);
    let key = tab.value("document.querySelector('#replay').dataset.key");
    tab.reload();
    tab.until(
        "the same game",
        &format!("document.querySelector('#replay')?.dataset.key === {key}"),
    );
    let record = tab.api("/api/library/game", &[("key", key.as_str().unwrap())]);
    assert_eq!(record["record"]["outcome"], json!({ "win": "first" }));
}
